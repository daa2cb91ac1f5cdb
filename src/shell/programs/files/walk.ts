// Walks a directory sorted by name; links are not followed.

import { type Call, type Entry, entries } from "../program.ts";

export interface Wanted {
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly excludeDir?: readonly string[] | undefined;
  /** The default operand: names are printed without `./`. */
  readonly bare?: boolean;
}

export async function* fileNames(call: Call, name: string, wanted: Wanted): AsyncGenerator<string> {
  const { kind } = await call.files.stat(call.path(name));
  if (kind === "directory") yield* below(call, wanted.bare === true ? "" : name.replace(/\/+$/, ""), wanted);
  else yield name;
}

async function* below(call: Call, directory: string, wanted: Wanted): AsyncGenerator<string> {
  const { include = [], exclude = [], excludeDir = [] } = wanted;
  let found: readonly Entry[] = [];
  try {
    found = await entries(call, directory === "" ? "." : directory);
  } catch (error) {
    call.fail(error, (why) => `${call.name}: ${directory}: ${why}`);
  }
  for (const { name: entry, stat } of found) {
    const path = directory === "" ? entry : `${directory}/${entry}`;
    if (stat.kind === "directory") {
      if (!excludeDir.some((glob) => globMatches(glob, entry))) yield* below(call, path, wanted);
    } else if (stat.kind === "file" && (include.length === 0 || include.some((glob) => globMatches(glob, entry)))) {
      if (!exclude.some((glob) => globMatches(glob, entry))) yield path;
    }
  }
}

export function globMatches(glob: string, name: string): boolean {
  const source = glob.replaceAll(/\[!?[^\]]+\]|[\s\S]/g, (part) => {
    if (part === "*") return ".*";
    if (part === "?") return ".";
    return part.startsWith("[") && part.length > 2 ? part.replace(/^\[!/, "[^") : RegExp.escape(part);
  });
  return new RegExp(`^${source}$`, "s").test(name);
}
