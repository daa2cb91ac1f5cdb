// Which content of which file a process has seen last, so that it edits nothing that somebody else has changed since. Kept while the
// kernel lives and bounded: what is forgotten counts as never seen, and an edit then has only its own text to go by.

import type { Caller } from "../abi/identity.ts";

const FILES_MAX = 4096;

export class SeenFiles {
  /** The least recently seen first. */
  private readonly versions = new Map<string, string>();

  saw(caller: Caller, place: string, version: string): void {
    if (caller.pid === undefined) return;
    const key = keyOf(caller.pid, place);
    this.versions.delete(key);
    this.versions.set(key, version);
    if (this.versions.size > FILES_MAX) this.versions.delete(this.versions.keys().next().value ?? "");
  }

  /** False only where it is known to have seen something else. */
  isCurrent(caller: Caller, place: string, version: string): boolean {
    if (caller.pid === undefined) return true;
    return (this.versions.get(keyOf(caller.pid, place)) ?? version) === version;
  }
}

function keyOf(pid: string, place: string): string {
  return `${pid} ${place}`;
}
