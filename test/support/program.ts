// gsv as the tests run it: the binary when it is newer than every source, which is four times as fast, else from the sources.

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const BINARY = join(ROOT, "dist/gsv");
const FROM_SOURCE = [process.execPath, join(ROOT, "src/main.ts")];

let command: readonly string[] | undefined;

export function gsvCommand(): readonly string[] {
  command ??= isFresh() ? [BINARY] : FROM_SOURCE;
  return command;
}

export function isCompiled(): boolean {
  return gsvCommand()[0] === BINARY;
}

function isFresh(): boolean {
  const built = statSync(BINARY, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = ["src", "commands", "fs", "tui"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  return sources.every((path) => statSync(path).mtimeMs <= built);
}
