// File names with a newline, for the interpreter's globs: their `*` and `?` match any character but that. Such a name is listed twice, once
// as it is and once with a stand-in where the interpreter compares it with the pattern, and is found at most once.

import { MountableFs } from "just-bash/browser";

export interface GlobEntry {
  readonly name: string;
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  readonly isSymbolicLink: boolean;
}

/** Never part of a name: half of a character. */
const STAND_IN = "\uDC0A";
/** Longer than a name can be, and not matched by `*`. */
const NO_NAME = "\n".repeat(300);

export function globEntries(entries: GlobEntry[]): GlobEntry[] {
  if (!entries.some(({ name }) => name.includes("\n"))) return entries;
  const all = entries.flatMap((entry) => (entry.name.includes("\n") ? twice(entry) : [entry]));
  // The interpreter looks for `.` and `..`, which would count as reading the names.
  return Object.defineProperty(all, "some", { value: () => false });
}

/** The interpreter reads a name first as such, then to compare it, then only if it matched. Below `**` it asks for the kind in between. */
function twice(entry: GlobEntry): GlobEntry[] {
  const { name, isDirectory } = entry;
  const asIs = { reads: 0, isWalk: false };
  const replaced = { reads: 0, isWalk: false };
  return [
    {
      ...entry,
      get name() {
        return ++asIs.reads === 2 && asIs.isWalk ? NO_NAME : name;
      },
      get isDirectory() {
        asIs.isWalk ||= asIs.reads === 1;
        return isDirectory;
      },
    },
    {
      ...entry,
      get name() {
        if (++replaced.reads !== 2) return name;
        const isFound = asIs.reads > 2 || (replaced.isWalk && isDirectory);
        return isFound ? NO_NAME : name.replaceAll("\n", STAND_IN);
      },
      get isDirectory() {
        replaced.isWalk ||= replaced.reads === 1;
        return replaced.isWalk ? false : isDirectory;
      },
    },
  ];
}

/** The interpreter mounts the files of `<(…)` over a script's files for the rest of the script: without this, it would list names only. */
Object.defineProperty(MountableFs.prototype, "readdirWithFileTypes", {
  value(this: MountableFs, path: string): Promise<GlobEntry[]> {
    const { fs, relativePath } = (this as unknown as Routes).routePath(path);
    return fs.readdirWithFileTypes(relativePath);
  },
});

interface Routes {
  routePath(path: string): {
    readonly fs: { readdirWithFileTypes(path: string): Promise<GlobEntry[]> };
    readonly relativePath: string;
  };
}
