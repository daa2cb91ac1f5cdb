// Reports changes of files without looking at them. Only on Linux: other systems open what they watch, and closing a database that SQLite has
// open drops its locks.

import { type FSWatcher, watch } from "node:fs";

/** Calls back after a change of a file, or of an entry of a directory. Returns a function that stops it; null if nothing reports changes. */
export function watchFiles(paths: readonly string[], changed: () => void): (() => void) | null {
  if (process.platform !== "linux") return null;
  const watchers: FSWatcher[] = [];
  const stop = () => {
    for (const each of watchers) each.close();
  };
  try {
    for (const path of paths) watchers.push(watch(path, { persistent: false }, () => changed()).on("error", changed));
    return stop;
  } catch {
    stop();
    return null;
  }
}
