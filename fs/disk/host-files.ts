// Symlinks and permissions of host files.

import { lstatSync, realpathSync } from "node:fs";
import type { Caller } from "../../src/abi/identity.ts";
import { isInside } from "../../src/lib/inside.ts";
import { base, join, normalise, parent, split } from "../path.ts";

/** Makes an absolute target within the mounted directory relative, whatever other name of the directory it uses. */
export function targetFrom(path: string, target: string, root: string): string {
  if (!target.startsWith("/")) return target;
  const whole = realPlace(normalise(target));
  if (!isInside(whole, root)) return target;
  return "../".repeat(split(path).length - 1) + whole.slice(root === "/" ? 1 : root.length + 1);
}

/** Without symlinks, as far as it exists. */
function realPlace(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path === "/" ? path : join(realPlace(parent(path)), base(path));
  }
}

/** False if the target leads out of the mounted directory. */
export function staysWithin(path: string, target: string): boolean {
  if (target.startsWith("/")) return false;
  let depth = split(path).length - 1;
  for (const name of split(target)) {
    depth += name === "." ? 0 : name === ".." ? -1 : 1;
    if (depth < 0) return false;
  }
  return true;
}

/** Gives the group the owner's permissions. */
export function sharedMode(mode: number): number {
  return (mode & 0o700) | ((mode & 0o700) >> 3);
}

/** All permission bits, including hidden ones. */
export function hostMode(path: string): number {
  return Number(lstatSync(path).mode) & 0o777;
}

/** Without setuid, setgid and sticky bits: gsv must not create such programs on the host. */
export function createdMode(caller: Caller, mode: number): number {
  return mode & 0o777 & ~(caller.umask ?? 0o022);
}
