// A path taken apart for a walk: the names in order, what its end asks for, and what is no path at all. Pure.

import { LIMITS } from "../src/abi/config/limits.ts";
import { FileError } from "./error.ts";
import { split } from "./path.ts";

/** At the end of a path: what was found must be a directory. */
export const SLASH = "/";

/** Whether a path ends in `.` or `..`: where one stands, and not what one can move or take away. */
export function isPlace(path: string): boolean {
  return /(?:^|\/)\.{1,2}\/*$/.test(path);
}

/** Names in order. */
export function steps(path: string): string[] {
  const names = split(path);
  return names.length > 0 && path.endsWith("/") ? [...names, SLASH] : names;
}

export function pathOf(names: readonly string[]): string {
  return `/${names.join("/")}`;
}

/** Of each directory on the way to one of these places, the names in it that lead there. */
export function waysTo(places: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const ways = new Map<string, Set<string>>();
  for (const place of places) {
    const names = split(place);
    for (const [depth, name] of names.entries()) {
      const directory = pathOf(names.slice(0, depth));
      const there = ways.get(directory);
      if (there === undefined) ways.set(directory, new Set([name]));
      else there.add(name);
    }
  }
  return ways;
}

export function checkLength(path: string): void {
  if (path.includes("\u0000")) throw new FileError("EINVAL", path.replaceAll("\u0000", "\\0"), "holds a NUL byte");
  if (Buffer.byteLength(path) > LIMITS.pathBytesMax) throw new FileError("ENAMETOOLONG", `${path.slice(0, 60)}…`);
}
