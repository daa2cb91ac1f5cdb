// How many files a command would delete, for its card. Counts what is there now, without following links, up to a limit.

import { lstatSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";

export const FILES_COUNTED_MAX = 10_000;

/** null if one of the names is missing or cannot be listed. */
export function filesBelow(directory: string, names: readonly string[]): number | null {
  const left = names.map((name) => resolve(directory, name));
  let count = 0;
  try {
    for (let path = left.pop(); path !== undefined && count <= FILES_COUNTED_MAX; path = left.pop()) {
      const at = path;
      if (lstatSync(at).isDirectory()) left.push(...readdirSync(at).map((name) => join(at, name)));
      else count++;
    }
    return count;
  } catch {
    return null;
  }
}
