// Programs that a dead kernel had started and nobody looks after any more, known by what their environment says. Only processes whose
// environment this user may read are looked at, and only where the system shows it.

import { readdirSync, readFileSync } from "node:fs";
import { groupOf } from "./pids.ts";

/** Ends, with their groups, all that have each of these words in their environment. Returns how many groups there were. */
export function endLeftBehind(words: readonly string[]): number {
  const found = pids().filter((pid) => hasWords(pid, words));
  const groups = new Set(found.map(groupOf).filter((group) => group !== null && group > 1));
  groups.delete(groupOf(process.pid));
  for (const group of groups) {
    try {
      process.kill(-(group as number), "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
  return groups.size;
}

function pids(): readonly number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^[1-9][0-9]*$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function hasWords(pid: number, words: readonly string[]): boolean {
  try {
    const environment = `\0${readFileSync(`/proc/${pid}/environ`, "utf8")}`;
    return words.every((word) => environment.includes(`\0${word}`));
  } catch {
    return false;
  }
}
