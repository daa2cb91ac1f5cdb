// /proc/PID/ctl and note: each write is one call by the writer, with the writer's permissions. For a process the call needs approval, like a
// direct call. An empty write (a shell's `>` truncates first) does nothing.

import { SysError } from "../../src/abi/errno.ts";
import type { Caller } from "../../src/abi/identity.ts";
import type { Sys } from "../../src/abi/sys.ts";
import { FileError } from "../error.ts";
import type { WriteOptions } from "../filesystem.ts";

type Verb = (pid: string, rest: string) => { readonly call: string; readonly args: object };

const VERBS: ReadonlyMap<string, Verb> = new Map<string, Verb>([
  ["stop", (pid) => ({ call: "proc.signal", args: { pid, signal: "STOP" } })],
  ["cont", (pid) => ({ call: "proc.signal", args: { pid, signal: "CONT" } })],
  ["abort", (pid) => ({ call: "proc.abort", args: { pid } })],
  ["reset", (pid) => ({ call: "proc.reset", args: { pid } })],
  ["kill", (pid) => ({ call: "proc.kill", args: { pid } })],
  ["budget", (pid, budget) => ({ call: "proc.budget", args: { pid, budget } })],
  ["compact", (pid, keep) => ({ call: "proc.compact", args: { pid, ...keepOf(pid, keep) } })],
  ["label", (pid, label) => ({ call: "proc.label", args: { pid, label } })],
]);
/** Arguments of verbs. */
const TAKES: { readonly [verb: string]: string } = { budget: "BUDGET", label: "TEXT", compact: "[keep=N]" };

const REQUEST_ID_CHARS_MAX = 128;

export class Control {
  constructor(private readonly actFor: (caller: Caller) => Sys) {}

  /** Content of the file: the valid verbs. */
  get verbs(): string {
    return known()
      .map((verb) => `${verb}\n`)
      .join("");
  }

  async ctl(caller: Caller, pid: string, text: string, options: WriteOptions): Promise<void> {
    if (text === "") return;
    const [, word = "", rest = ""] = /^(\S*)[ \t]*(.*)$/s.exec(text.trim()) ?? [];
    const verb = VERBS.get(word);
    const takes = TAKES[word];
    const isRight = takes?.startsWith("[") || (rest === "") === (takes === undefined);
    if (verb === undefined || !isRight)
      throw new FileError("EINVAL", `/${pid}/ctl`, `takes one of: ${known().join(", ")}`);
    needAllowed(caller, pid, "ctl");
    const { call, args } = verb(pid, rest);
    await this.done(caller, pid, { call, args, options });
  }

  async note(caller: Caller, pid: string, text: string, options: WriteOptions): Promise<void> {
    if (text === "") return;
    const message = text.replace(/\n$/, "");
    if (message === "") throw new FileError("EINVAL", `/${pid}/note`, "takes a message");
    needAllowed(caller, pid, "note");
    await this.done(caller, pid, { call: "proc.send", args: { pid, message }, options });
  }

  private async done(
    caller: Caller,
    pid: string,
    { call, args, options }: { readonly call: string; readonly args: object; readonly options: WriteOptions },
  ): Promise<void> {
    try {
      await this.actFor(caller).call(call, args, requestOf(options));
    } catch (error) {
      throw error instanceof SysError && error.code === "ESRCH" ? new FileError("ENOENT", `/${pid}`) : error;
    }
  }
}

function keepOf(pid: string, rest: string): { readonly keep?: number } {
  if (rest === "") return {};
  const [, keep] = /^(?:keep=)?([1-9][0-9]{0,4})$/.exec(rest) ?? [];
  if (keep === undefined) throw new FileError("EINVAL", `/${pid}/ctl`, "compact takes how many messages stay: keep=20");
  return { keep: Number(keep) };
}

function needAllowed({ kind, approved, allowed }: Caller, pid: string, file: "ctl" | "note"): void {
  if (kind === "person" || approved || allowed === `/proc/${pid}/${file}`) return;
  throw new FileError("EPERM", `/${pid}/${file}`, "needs approval: use the tool that asks for it");
}

function known(): string[] {
  return [...VERBS.keys()].map((verb) => (TAKES[verb] === undefined ? verb : `${verb} ${TAKES[verb]}`));
}

/** A repeated write has the same request id. */
export function requestOf({ receipt }: WriteOptions): { readonly requestId?: string } {
  const requestId = receipt === undefined ? "" : `file.${receipt.requestId}`;
  return requestId === "" || requestId.length > REQUEST_ID_CHARS_MAX ? {} : { requestId };
}
