// Splits paths for a walk, and checks them. Pure.

import { LIMITS } from "../src/abi/config/limits.ts";
import { FileError } from "./error.ts";
import { split } from "./path.ts";

/** A trailing slash: the target must be a directory. */
export const SLASH = "/";

/** True for paths that end in `.` or `..`, which cannot be moved or removed. */
export function endsInDots(path: string): boolean {
  return /(?:^|\/)\.{1,2}\/*$/.test(path);
}

export function steps(path: string): string[] {
  const names = split(path);
  return names.length > 0 && path.endsWith("/") ? [...names, SLASH] : names;
}

export function pathOf(names: readonly string[]): string {
  return `/${names.join("/")}`;
}

/** By directory: the names that lead to one of these places. */
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
  if (path.includes("\u0000")) throw new FileError("EINVAL", path.replaceAll("\u0000", "\\0"), "contains a NUL byte");
  if (Buffer.byteLength(path) > LIMITS.pathBytesMax) throw new FileError("ENAMETOOLONG", `${path.slice(0, 60)}…`);
}
