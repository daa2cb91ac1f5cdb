// Lists and trees of gsv's directories, for commands. Does not follow links.

import { join } from "../../fs/path.ts";
import type { Sys } from "../../src/abi/sys.ts";
import type { EntryPage, FileEntry, FileStat } from "../../src/syscalls/fs/fs-tree.ts";
import type { Problems } from "./problems.ts";

export async function entriesOf(sys: Sys, path: string): Promise<FileEntry[]> {
  const entries: FileEntry[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const page: EntryPage = await sys.call("fs.list", after === undefined ? { path } : { path, after });
    entries.push(...page.entries);
    after = page.next;
  }
  return entries;
}

export function statOf(sys: Sys, path: string, { link }: { readonly link: boolean }): Promise<FileStat> {
  return sys.call("fs.stat", { path, link });
}

export async function statOrNull(sys: Sys, path: string, how: { readonly link: boolean }): Promise<FileStat | null> {
  try {
    return await statOf(sys, path, how);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

export interface Walked {
  /** The typed path and the names below it. */
  readonly path: string;
  readonly entry: FileEntry;
  readonly depth: number;
}

export interface Walk {
  readonly sys: Sys;
  readonly problems: Problems;
  readonly depthMax?: number;
}

/** Everything below a path, parents first. Reports directories that cannot be listed and continues. */
export async function* walk(
  { sys, problems, depthMax = Number.POSITIVE_INFINITY }: Walk,
  top: string,
): AsyncGenerator<Walked> {
  const entry = await problems.attempt(top, () => statOf(sys, top, { link: true }));
  if (entry === null) return;
  const todo: Walked[] = [{ path: top, entry, depth: 0 }];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const { path, depth } = next;
    yield next;
    if (next.entry.kind !== "directory" || depth >= depthMax) continue;
    const below = await problems.attempt(path, () => entriesOf(sys, path));
    for (const each of (below ?? []).reverse())
      todo.push({ path: join(path, each.name), entry: each, depth: depth + 1 });
  }
}
