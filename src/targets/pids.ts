// Which process a number means. Numbers are given out again, so one is only believed together with when its process began, or with whose
// child it is.

import { existsSync, readFileSync } from "node:fs";

export interface Leader {
  readonly pid: number;
  /** When it began, as the system counts; null where that cannot be known. */
  readonly start: string | null;
}

/** The moment at which a process began, from its line in /proc: after the name, which may hold anything, the twentieth word. */
export function startOf(stat: string): string | null {
  return wordsOf(stat)[19] ?? null;
}

/** Whether this very process runs; a number that another one has by now does not count. Null: it cannot be known. */
export function isAlive({ pid, start }: Leader): boolean | null {
  const stat = statOf(pid);
  if (stat === null) return existsSync("/proc/self/stat") ? false : null;
  const [state = ""] = wordsOf(stat);
  return start !== null && startOf(stat) === start && state !== "Z" && state !== "X";
}

/** Numbers of processes are those of one start of the machine. */
export function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}

/** Whose child a process is; null where that cannot be known. */
export function parentOf(pid: number): number | null {
  const stat = statOf(pid);
  return stat === null ? null : Number(wordsOf(stat)[1]);
}

/** Which group a process is of; null where that cannot be known. */
export function groupOf(pid: number): number | null {
  const stat = statOf(pid);
  return stat === null ? null : Number(wordsOf(stat)[2]);
}

function statOf(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").trimEnd();
  } catch {
    return null;
  }
}

// The name comes first and may hold anything.
function wordsOf(stat: string): readonly string[] {
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}
