// Processes by name: a word that is no pid stands for the process with that label, or with that pid without its kind (`abc123`).

import { SysError } from "../../src/abi/errno.ts";
import { isPid } from "../../src/abi/ids.ts";
import type { ProcessInfo } from "../../src/abi/process/process.ts";
import { noSuchProcess } from "../../src/syscalls/parse.ts";
import { clip, isProcessName, type Spec } from "../args.ts";
import type { Io } from "../command.ts";

const LISTED_MAX = 5;

/** The values of a command line with pids where processes were named. */
export async function withPids<V extends object>({ input }: Spec, values: V, io: Io): Promise<V> {
  const named = { ...values } as { [key: string]: unknown };
  const processes = await allProcesses(io);
  const pidOf = (word: string) => (isProcessName(word) ? pidOfName(word, processes) : word);
  for (const [key, { kind, of }] of Object.entries(input)) {
    const value = named[key];
    if (kind !== "pid" && kind !== "pids" && of !== "process") continue;
    const words = [value].flat().filter((word) => typeof word === "string");
    const pids = words.map(pidOf);
    const unknown = pids.find((pid) => !isPid(pid));
    if (unknown !== undefined && of !== "process") throw noSuchProcess(unknown);
    if (value !== undefined) named[key] = Array.isArray(value) ? pids : pids[0];
  }
  return named as V;
}

export async function pidNamed(io: Pick<Io, "sys">, word: string): Promise<string> {
  return isPid(word) ? word : pidOfName(word, await allProcesses(io));
}

/** The word itself if no process has that name. */
function pidOfName(word: string, processes: readonly ProcessInfo[]): string {
  const name = word.toLowerCase();
  const labelled = processes.filter(({ label }) => label?.trim().toLowerCase() === name);
  const exact = labelled.filter(({ label }) => label?.trim() === word);
  const found = exact.length > 0 ? exact : labelled;
  if (found.length > 1) throw ambiguous(word, found);
  return (found[0] ?? processes.find(({ pid }) => pid.endsWith(`:${name}`)))?.pid ?? word;
}

function ambiguous(word: string, found: readonly ProcessInfo[]): SysError {
  const listed = found.slice(0, LISTED_MAX).map(({ pid, state }) => `${pid} (${state})`);
  const more = found.length > LISTED_MAX ? ` and ${found.length - LISTED_MAX} more` : "";
  return new SysError("EUSAGE", `${found.length} processes are named ${clip(word)}; give a pid`, [
    listed.join(", ") + more,
  ]);
}

export async function allProcesses(io: Pick<Io, "sys">): Promise<readonly ProcessInfo[]> {
  const all: ProcessInfo[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const page: { readonly processes: readonly ProcessInfo[]; readonly next?: string | null } = await io
      .sys()
      .call("proc.list", after === undefined ? {} : { after });
    all.push(...page.processes);
    after = page.next ?? null;
  }
  return all;
}
