// Writes the files that a workspace keeps of its processes, below `.gsv/`, in one commit. Follows no links.

import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { type HeldPath, Jail, keep, putBack, writeNew } from "../../../fs/disk/jail.ts";
import { parent, split } from "../../../fs/path.ts";
import { TOLD } from "../../../fs/repo/workspaces.ts";
import type { Change, VersionedTree } from "../../repos/tree.ts";

/** Paths are relative to `.gsv`. */
export async function keepFiles(tree: VersionedTree, change: Change, files: ReadonlyMap<string, string>) {
  const jail = new Jail(tree.directory);
  const held: HeldPath[] = [];
  const undoes: (() => Promise<void>)[] = [];
  const drafts: string[] = [];
  const undo = async () => {
    for (const each of undoes.reverse()) await each();
  };
  const put = async (path: string, text: string) => {
    await directoriesTo(tree, jail, path);
    const place = await jail.hold(path);
    held.push(place);
    const [draft, old] = ["new", "old"].map((what) => join(tree.scratch(), `told-${held.length}-${what}`));
    if (draft === undefined || old === undefined) return;
    drafts.push(draft, old);
    for (const left of [draft, old]) await rm(left, { force: true });
    await writeNew(draft, [Buffer.from(text)], false);
    const kept = await keep(place.host, old);
    undoes.push(() => putBack(kept, place.host));
    await rename(draft, place.host);
  };
  try {
    await tree.change(change, async () => {
      try {
        for (const [path, text] of files) await put(`${TOLD}/${path}`, text);
      } catch (error) {
        await undo();
        throw error;
      }
      return { value: undefined, undo, paths: [...files.keys()].map((path) => `${TOLD}/${path}`) };
    });
  } finally {
    for (const place of held) await place.close();
    for (const draft of drafts) await rm(draft, { force: true });
  }
}

async function directoriesTo(tree: VersionedTree, jail: Jail, path: string): Promise<void> {
  const names = split(parent(path));
  for (let depth = 1; depth <= names.length; depth++) {
    const directory = names.slice(0, depth).join("/");
    if (jail.stat(directory) === null) await mkdir(join(tree.directory, directory), { mode: 0o700 });
  }
}
