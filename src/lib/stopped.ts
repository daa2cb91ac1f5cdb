// Whether a process of this machine is stopped by a signal or a debugger, where the system shows it in /proc.

import { readFileSync } from "node:fs";

/** Null when it cannot be told. */
export function isStopped(pid: number): boolean | null {
  try {
    // The name in parentheses may hold anything, parentheses too.
    return /^\d+ \(.*\) [Tt] /s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return null;
  }
}
