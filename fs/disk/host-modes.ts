// Permissions of host files: as shown, and as created.

import { lstatSync } from "node:fs";
import type { Caller } from "../../src/abi/identity.ts";

/** Gives the group the owner's permissions. */
export function sharedMode(mode: number): number {
  return (mode & 0o700) | ((mode & 0o700) >> 3);
}

/** All permission bits, including hidden ones. */
export function hostMode(path: string): number {
  return Number(lstatSync(path).mode) & 0o777;
}

/** Without setuid, setgid and sticky bits: gsv must not create such programs on the host. */
export function bornMode(caller: Caller, mode: number): number {
  return mode & 0o777 & ~(caller.umask ?? 0o022);
}
