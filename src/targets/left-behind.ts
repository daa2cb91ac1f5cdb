// Ends programs left by a dead kernel, recognized by their environment. Considers only readable processes, and needs /proc.

import { readdirSync, readFileSync } from "node:fs";
import { groupOf } from "./pids.ts";

/** Kills the groups of all processes whose environment contains all these words. Returns the number of groups. */
export function endLeftBehind(words: readonly string[]): number {
  const found = pids().filter((pid) => hasWords(pid, words));
  const groups = new Set(found.map(groupOf).filter((group) => group !== null && group > 1));
  groups.delete(groupOf(process.pid));
  for (const group of groups) {
    try {
      process.kill(-(group as number), "SIGKILL");
    } catch {
      // Ended already.
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
