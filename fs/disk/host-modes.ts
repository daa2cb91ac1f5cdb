// The permissions of files of the host, as gsv shows them and as it makes them.

import { lstatSync } from "node:fs";
import type { Caller } from "../../src/abi/identity.ts";

/** The group may what the owner may. */
export function sharedMode(mode: number): number {
  return (mode & 0o700) | ((mode & 0o700) >> 3);
}

/** All of it, also what gsv shows nobody. */
export function hostMode(path: string): number {
  return Number(lstatSync(path).mode) & 0o777;
}

/** Without setuid and its like: what runs on the host as somebody else is not made from here. */
export function bornMode(caller: Caller, mode: number): number {
  return mode & 0o777 & ~(caller.umask ?? 0o022);
}
