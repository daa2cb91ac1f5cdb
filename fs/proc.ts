// /proc: processes as files, one row of the table a file. Everything is asked through the reader's own Sys, so that a file shows what
// the same person or process would be told anyway: another account's process is simply not there.

import { SysError } from "../src/abi/errno.ts";
import type { Caller } from "../src/abi/identity.ts";
import { initPid, isPid } from "../src/abi/ids.ts";
import { LIMITS } from "../src/abi/limits.ts";
import type { Message } from "../src/abi/message.ts";
import type { ProcessInfo, WaitsFor } from "../src/abi/process.ts";
import type { Sys } from "../src/abi/sys.ts";
import type { Clock } from "../src/lib/clock.ts";
import { FileError } from "./error.ts";
import type { FileSystem } from "./filesystem.ts";
import { type Row, syntheticFs } from "./synthetic.ts";

export interface ProcOptions {
  readonly sysFor: (caller: Caller) => Sys;
  readonly clock: Clock;
  /** How the command line prints them: the files read the same. */
  readonly messageLine: (message: Message) => string;
  readonly waitsForText: (waits: WaitsFor) => string;
}

export function procFs({ sysFor, clock, messageLine, waitsForText }: ProcOptions): FileSystem {
  const get = (caller: Caller, pid: string) => sysFor(caller).call<ProcessInfo>("proc.get", { pid });
  const history = (caller: Caller, pid: string) => messagesOf(sysFor(caller), pid);
  const status = (caller: Caller) =>
    sysFor(caller).call<{ version: string; startedAt: number | null }>("system.status", {});

  const rows: readonly Row[] = [
    {
      path: "/*",
      list: async (caller) => {
        const pids: string[] = [];
        for (let after: string | null | undefined; after !== null; ) {
          const page: { processes: ProcessInfo[]; next?: string | null } = await sysFor(caller).call(
            "proc.list",
            after ? { after } : {},
          );
          pids.push(...page.processes.map(({ pid }) => pid));
          after = page.next ?? null;
        }
        return pids;
      },
      has: (caller, _before, pid) => exists(pid, () => get(caller, pid)),
    },
    {
      path: "/*/status",
      text: async (caller, [pid = ""]) => statusText(await alive(pid, get(caller, pid)), waitsForText),
    },
    {
      path: "/*/messages",
      text: async (caller, [pid = ""]) => lines(history(caller, pid), (each) => JSON.stringify(each)),
    },
    { path: "/*/history", text: async (caller, [pid = ""]) => lines(history(caller, pid), messageLine) },
    { path: "/self", link: async (caller) => caller.pid ?? initPid(caller.ownerUid) },
    { path: "/version", text: async (caller) => `gsv ${(await status(caller)).version}\n` },
    {
      path: "/uptime",
      text: async (caller) => {
        const { startedAt } = await status(caller);
        return `${startedAt === null ? "0.00" : (Math.max(0, clock.now() - startedAt) / 1000).toFixed(2)}\n`;
      },
    },
  ];
  return syntheticFs(rows, clock);
}

async function exists(pid: string, ask: () => Promise<unknown>): Promise<boolean> {
  if (!isPid(pid)) return false;
  try {
    await ask();
    return true;
  } catch (error) {
    if (error instanceof SysError && error.code === "ESRCH") return false;
    throw error;
  }
}

/** A process that ended between two questions is a file that is gone. */
async function alive<T>(pid: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof SysError && error.code === "ESRCH" ? new FileError("ENOENT", `/${pid}`) : error;
  }
}

async function* messagesOf(sys: Sys, pid: string): AsyncGenerator<readonly Message[]> {
  for (let afterSeq = 0; ; ) {
    const limit = LIMITS.historyPageMax;
    const page = await alive(
      pid,
      sys.call<{ messages: readonly Message[]; hasMoreAfter: boolean }>("proc.history", { pid, afterSeq, limit }),
    );
    yield page.messages;
    const last = page.messages.at(-1);
    if (last === undefined || !page.hasMoreAfter) return;
    afterSeq = last.id;
  }
}

async function* lines(
  pages: AsyncIterable<readonly Message[]>,
  line: (message: Message) => string,
): AsyncGenerator<string> {
  for await (const page of pages) yield page.map((message) => `${line(message)}\n`).join("");
}

function statusText(info: ProcessInfo, waitsForText: (waits: WaitsFor) => string): string {
  const rows: readonly (readonly [string, string | number | null])[] = [
    ["Name", info.label],
    ["Pid", info.pid],
    ["PPid", info.parentPid],
    ["Owner", info.owner],
    ["RunAs", info.runAs],
    ["Profile", info.profile],
    ["State", info.interrupted ? `${info.state} (interrupted)` : info.state],
    ["Run", info.activeRunId],
    ["Queue", info.queued],
    ["Cwd", info.cwd],
    ["Workspace", info.workspaceId],
    ["WaitsFor", info.waitsFor === null ? null : waitsForText(info.waitsFor)],
    ["Created", new Date(info.createdAt).toISOString()],
  ];
  return rows.map(([key, value]) => `${key}:\t${oneLine(String(value ?? "-"))}\n`).join("");
}

/** A label of several lines must not look like another key. */
function oneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f\u0085\u2028\u2029]+/g, " ");
}
