// Symlinks in a mounted host directory, as text: no file access.

import { isInside } from "../../src/lib/inside.ts";
import { normalise, split } from "../path.ts";

/** Makes an absolute target within the mounted directory relative. */
export function targetFrom(path: string, target: string, root: string): string {
  const whole = normalise(target);
  if (!target.startsWith("/") || !isInside(whole, root)) return target;
  return "../".repeat(split(path).length - 1) + whole.slice(root === "/" ? 1 : root.length + 1);
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
