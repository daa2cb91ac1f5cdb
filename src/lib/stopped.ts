// Whether a process is stopped by a signal or a debugger, where the system has /proc.

import { readFileSync } from "node:fs";

/** null if unknown. */
export function isStopped(pid: number): boolean | null {
  try {
    // The name in parentheses may contain anything, also parentheses.
    return /^\d+ \(.*\) [Tt] /s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return null;
  }
}
