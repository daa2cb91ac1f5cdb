// Identifies processes. Pids are reused, so a pid is trusted only with its start time or its parent.

import { existsSync, readFileSync } from "node:fs";

export interface Leader {
  readonly pid: number;
  /** Start time in kernel ticks; null if unknown. */
  readonly start: string | null;
}

/** Start time from a /proc stat line: field 20 after the name, which may contain anything. */
export function startOf(stat: string): string | null {
  return wordsOf(stat)[19] ?? null;
}

/** True if this process runs (not another with its pid). Null: unknown. */
export function isAlive({ pid, start }: Leader): boolean | null {
  const stat = statOf(pid);
  if (stat === null) return existsSync("/proc/self/stat") ? false : null;
  const [state = ""] = wordsOf(stat);
  return start !== null && startOf(stat) === start && state !== "Z" && state !== "X";
}

/** Pids are unique per boot only. */
export function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}

/** Null if unknown. */
export function parentOf(pid: number): number | null {
  const stat = statOf(pid);
  return stat === null ? null : Number(wordsOf(stat)[1]);
}

/** Null if unknown. */
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

// The name may contain anything.
function wordsOf(stat: string): readonly string[] {
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}
