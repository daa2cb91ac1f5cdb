// Shows the prompt of a process and stores its own context files (/proc/PID/context.d) and the home's. Agents can change these files only with
// approval.

import { LIMITS } from "../../abi/config/limits.ts";
import { messageOf, SysError } from "../../abi/errno.ts";
import { isRoot } from "../../abi/identity.ts";
import type { BillLine, LeftOut, PromptPart } from "../../abi/process/prompt.ts";
import type { ToolSpec } from "../../abi/stream.ts";
import { visibleProcess } from "../../kernel/registry.ts";
import { fitting } from "../../lib/text/fitting.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { ProcessStore } from "../../store/process/verbs.ts";
import type { CallContext } from "../../syscalls/define.ts";
import type { ContextFileText, Prompts, ShownPrompt } from "../../syscalls/proc/prompt.ts";
import { assemblePrompt, type PromptPorts } from "./build-prompt.ts";
import { billOf } from "./prompt-bill.ts";

export interface PromptsPorts extends PromptPorts {
  readonly kernel: PromptPorts["kernel"] & Parameters<typeof visibleProcess>[0];
  readonly store: Pick<ProcessStore, "contextFiles" | "setContextFile" | "keptPrompt" | "context">;
  readonly open: (row: ProcessRow) => Promise<void>;
  readonly tools: (row: ProcessRow) => Promise<readonly ToolSpec[]>;
  readonly modelOf: (
    context: CallContext,
    row: ProcessRow,
  ) => Promise<{ readonly name: string; readonly windowTokens: number | null }>;
  readonly windowOf: (model: string, row: ProcessRow) => Promise<number | null>;
}

const HOME_FILES = "config/ai/context.d/";
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,90}\.md$/;

export function promptsService(ports: PromptsPorts): Prompts {
  const { kernel, store } = ports;

  async function seen(context: Pick<CallContext, "caller">, pid: string): Promise<ProcessRow> {
    const row = await visibleProcess(kernel, context.caller, pid);
    await ports.open(row);
    return row;
  }

  return {
    async show(context, { pid, run, turn }) {
      const row = await seen(context, pid);
      if (run === undefined && turn === undefined) return await nextTurn(ports, context, row);
      const kept = await store.keptPrompt(pid, {
        ...(run === undefined ? {} : { runId: run }),
        ...(turn === undefined ? {} : { turn }),
      });
      if (kept === null)
        throw new SysError("ENOENT", `no stored prompt for that turn of ${pid}`, [
          `only the last turns are stored; to see the next prompt: gsv prompt ${pid}`,
        ]);
      const { runId, model, now: at } = kept;
      const windowTokens = await ports.windowOf(model, row);
      return shown(pid, { ...kept, windowTokens, told: { runId, turn: kept.turn, at } });
    },

    async files(caller, pid) {
      await seen({ caller }, pid);
      return { files: await store.contextFiles(pid) };
    },

    async setFile(context, { pid, name, text }) {
      await seen(context, pid);
      const path = `/proc/${pid}/context.d/${name}`;
      needAllowed(context, path);
      needName(name);
      if (text !== null) needRoom(await store.contextFiles(pid), { name, text });
      const changed = await store.setContextFile(pid, { name, text });
      if (!changed && text === null) throw new SysError("ENOENT", `no such file: ${path}`);
      return { path };
    },

    homeFiles: async () => ({ files: await homeFiles(ports) }),

    async setHomeFile({ caller }, { name, text }) {
      const path = `/sys/config/ai/context.d/${name}`;
      if (!isRoot(caller))
        throw new SysError("EPERM", `cannot write ${path}: only root can`, ["for your own agents, use ~/context.d"]);
      needName(name);
      const files = await homeFiles(ports);
      if (text !== null) needRoom(files, { name, text });
      else if (!files.some((file) => file.name === name)) throw new SysError("ENOENT", `no such file: ${path}`);
      const by = { uid: caller.uid, now: ports.clock.now() };
      await kernel.config.change([{ key: HOME_FILES + name, value: text }], by);
      return { path };
    },
  };
}

async function homeFiles({ kernel }: Pick<PromptsPorts, "kernel">): Promise<ContextFileText[]> {
  const rows = await kernel.config.under(HOME_FILES);
  return rows.map(({ key, value }) => ({ name: key.slice(HOME_FILES.length), text: value }));
}

function needAllowed({ caller }: CallContext, path: string): void {
  if (caller.kind === "person" || caller.approved === true || caller.allowed === path) return;
  throw new SysError("EPERM", `${path}: needs approval; use the tool Write or Edit`);
}

function needName(name: string): void {
  if (NAME.test(name)) return;
  throw new SysError("EINVAL", `not a context file name: ${name}`, ["use letters, digits, - _ . and end in .md"]);
}

function needRoom(files: readonly ContextFileText[], { name, text }: ContextFileText): void {
  const others = files.filter((each) => each.name !== name);
  const bytes = others.reduce((sum, each) => sum + Buffer.byteLength(each.text), Buffer.byteLength(text));
  if (bytes > LIMITS.contextFilesBytesMax)
    throw new SysError("EFBIG", `context files are limited to ${LIMITS.contextFilesBytesMax / 1024} KiB in total`);
}

async function nextTurn(ports: PromptsPorts, context: CallContext, row: ProcessRow): Promise<ShownPrompt> {
  const prompt = await assemblePrompt(ports, row);
  const messages = await ports.store.context(row.pid);
  const bill = billOf({ ...prompt, tools: await ports.tools(row), messages });
  const { name: model, windowTokens } = await ports.modelOf(context, row).catch((error: unknown) => ({
    name: `(${messageOf(error)})`,
    windowTokens: null,
  }));
  return shown(row.pid, { ...prompt, bill, model, windowTokens, told: null });
}

interface Shown {
  readonly parts: readonly PromptPart[];
  readonly leftOut: readonly LeftOut[];
  readonly bill: readonly BillLine[];
  readonly model: string;
  readonly windowTokens: number | null;
  readonly told: ShownPrompt["told"];
}

function shown(pid: string, { parts, leftOut, bill, model, windowTokens, told }: Shown): ShownPrompt {
  const total = (of: "bytes" | "tokens") => bill.reduce((sum, line) => sum + line[of], 0);
  const kept = fitting(parts, LIMITS.answerBytesMax);
  return {
    ...{ pid, told, model, windowTokens, bill, leftOut, parts: kept },
    bytes: total("bytes"),
    tokens: total("tokens"),
    inPart: kept.length < parts.length,
  };
}
