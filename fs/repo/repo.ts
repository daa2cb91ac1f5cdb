// Versioned files: `~/context.d`, `~/skills.d`, `~/knowledge` and workspaces; all else goes to the mount beneath. Reads go to the tree;
// a change is one commit, made with exclusive access. Permissions are those of the home: shared by a human and their agents.
// Regular files and directories only.

import { mkdir, rename, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { LIMITS } from "../../src/abi/config/limits.ts";
import type { Caller } from "../../src/abi/identity.ts";
import { isGits, isOrdersToGit } from "../../src/abi/repo.ts";
import { isInside } from "../../src/lib/inside.ts";
import { need, needRemove, needSetattr, READ, SEARCH, WRITE } from "../access.ts";
import { type HeldPath, keep, putBack, writeNew } from "../disk/jail.ts";
import { asFileErrors, FileError } from "../error.ts";
import type {
  Attributes,
  Entry,
  FileSystem,
  LargeContent,
  ReadOptions,
  ReadResult,
  Receipted,
  RemoveOptions,
  ResolvedPath,
  Stat,
  WriteOptions,
} from "../filesystem.ts";
import { tooLarge, wholeContent } from "../large.ts";
import { parent, split } from "../path.ts";
import { Homes, type RepoFsOptions } from "./homes.ts";
import {
  above,
  entriesIn,
  existing,
  filesIn,
  find,
  needNoRepository,
  type Place,
  type Places,
  type Tree,
} from "./places.ts";

export function repoFs(options: RepoFsOptions): FileSystem {
  return new TreesFs(options.under, new Homes(options));
}

/** The same for other trees than homes. */
export function treesFs(under: FileSystem, places: Places): FileSystem {
  return new TreesFs(under, places);
}

class TreesFs implements FileSystem {
  private drafts = 0;

  constructor(
    private readonly under: FileSystem,
    private readonly places: Places,
  ) {}

  async stat(caller: Caller, path: ResolvedPath): Promise<Stat> {
    const place = await this.places.lookAt(path);
    return place === null ? this.under.stat(caller, path) : this.existing(place);
  }

  async along(caller: Caller, path: ResolvedPath): Promise<ReadonlyMap<string, Stat | null>> {
    const beneath = new Map(await this.under.along?.(caller, path));
    for (const at of beneath.keys()) if ((await this.places.lookAt(at)) !== null) beneath.delete(at);
    return beneath;
  }

  async list(caller: Caller, path: ResolvedPath): Promise<readonly Entry[]> {
    const place = await this.places.lookAt(path);
    if (place === null) return this.places.withTops(path, await this.under.list(caller, path));
    need(caller, await this.directory(place), READ, path);
    return find(place) === null ? [] : entriesIn(place);
  }

  async read(caller: Caller, path: ResolvedPath, options: ReadOptions): Promise<ReadResult> {
    const place = await this.places.lookAt(path);
    if (place === null) return this.under.read(caller, path, options);
    const stat = await this.existing(place);
    if (stat.kind !== "file") throw new FileError(stat.kind === "directory" ? "EISDIR" : "ELOOP", path);
    need(caller, stat, READ, path);
    return place.jail.read(place.rel, options);
  }

  async write(caller: Caller, path: ResolvedPath, bytes: Uint8Array, options: WriteOptions) {
    const place = await this.places.changeAt(caller, path);
    if (place === null) return this.under.write(caller, path, bytes, options);
    return this.change(caller, place, `write ${place.rel}`, async (tree, hold) => {
      this.needKeepable(place);
      const old = find(place);
      await this.needWrite(caller, place, old, options);
      const before = old !== null && options.at === "end" ? await this.wholeOf(place, old) : [];
      const size = before.reduce((sum, piece) => sum + piece.byteLength, bytes.byteLength);
      if (size > LIMITS.fileBytesMax) throw tooLarge(path);
      const host = await hold(place);
      const draft = this.draft(tree);
      await writeNew(draft, [...before, bytes], ((options.mode ?? old?.mode ?? 0) & 0o100) !== 0);
      const kept = await keep(host, this.draft(tree));
      await rename(draft, host);
      const { version } = existing(place);
      return { value: { version }, undo: () => putBack(kept, host), done: () => discard(kept) };
    });
  }

  /** Files in a tree are never large, because their versions are kept. */
  async writeLarge(
    caller: Caller,
    path: ResolvedPath,
    content: LargeContent,
    options: WriteOptions & { readonly at: "start" },
  ) {
    const place = await this.places.changeAt(caller, path);
    if (place !== null || this.under.writeLarge === undefined)
      return this.write(caller, path, await wholeContent(content, path), options);
    return this.under.writeLarge(caller, path, content, options);
  }

  async remove(caller: Caller, path: ResolvedPath, { recursive, receipt }: RemoveOptions): Promise<void> {
    const place = await this.places.changeAt(caller, path);
    if (place === null) {
      await this.places.needTreeless(path);
      return this.under.remove(caller, path, { recursive, ...(receipt && { receipt }) });
    }
    this.needBelowTop(place);
    return this.change(caller, place, `remove ${place.rel}`, async (tree, hold) => {
      const stat = existing(place);
      needRemove(caller, await this.directory(above(place)), stat, path);
      needNoRepository(place, stat);
      const gone = filesIn(place, stat);
      const host = await hold(place);
      if (stat.kind === "directory" && !recursive) {
        await rmdir(host);
        return { value: undefined, undo: () => mkdir(host, { mode: 0o700 }), paths: gone };
      }
      const kept = this.draft(tree);
      await rename(host, kept);
      return { value: undefined, undo: () => rename(kept, host), done: () => discard(kept), paths: gone };
    });
  }

  async rename(caller: Caller, from: ResolvedPath, to: ResolvedPath, options?: Receipted): Promise<void> {
    const [source, target] = [await this.places.changeAt(caller, from), await this.places.changeAt(caller, to)];
    if (source === null && target === null) {
      await this.places.needTreeless(from);
      return this.under.rename(caller, from, to, options);
    }
    if (source === null || target === null || source.home !== target.home) throw new FileError("EXDEV", to);
    for (const place of [source, target]) this.needBelowTop(place);
    if (from === to) return;
    if (isInside(to, from)) throw new FileError("EINVAL", to, "cannot move a directory into itself");
    return this.change(caller, target, `move ${source.rel} to ${target.rel}`, async (tree, hold) => {
      const moved = existing(source);
      this.needKeepable(target);
      const replaced = find(target);
      needRemove(caller, await this.directory(above(source)), moved, from);
      needRemove(caller, await this.directory(above(target)), replaced ?? moved, to);
      if (replaced?.kind === "directory" && moved.kind !== "directory") throw new FileError("EISDIR", to);
      if (replaced !== null && replaced.kind !== "directory" && moved.kind === "directory")
        throw new FileError("ENOTDIR", to);
      needNoRepository(target, replaced);
      const gone = filesIn(source, moved);
      const [old, fresh] = [await hold(source), await hold(target)];
      const kept = replaced?.kind === "file" ? await keep(fresh, this.draft(tree)) : null;
      await rename(old, fresh);
      const made = gone.map((each) => target.rel + each.slice(source.rel.length));
      const undo = async () => {
        await rename(fresh, old);
        if (kept !== null) await rename(kept, fresh);
      };
      return { value: undefined, undo, done: () => discard(kept), paths: [...gone, ...made] };
    });
  }

  async mkdir(caller: Caller, path: ResolvedPath, options: Receipted & { readonly mode?: number }): Promise<void> {
    // A parent directory of the approved file.
    const isOnTheWay = caller.allowed !== undefined && isInside(caller.allowed, path);
    const place = await this.places.changeAt(caller, path, isOnTheWay);
    if (place === null) return this.under.mkdir(caller, path, options);
    return this.change(caller, place, `make ${place.rel}`, async (_tree, hold) => {
      this.needKeepable(place);
      await this.needNew(caller, place);
      const host = await hold(place);
      await mkdir(host, { mode: 0o700 });
      return { value: undefined, undo: () => rmdir(host), paths: [] };
    });
  }

  async link(caller: Caller, path: ResolvedPath, target: string, options?: Receipted): Promise<void> {
    if ((await this.places.changeAt(caller, path)) === null) return this.under.link(caller, path, target, options);
    throw new FileError("EPERM", path, "only plain files and directories are allowed here");
  }

  async setattr(caller: Caller, path: ResolvedPath, attributes: Attributes): Promise<void> {
    const place = await this.places.changeAt(caller, path);
    if (place === null) return this.under.setattr(caller, path, attributes);
    const stat = await this.existing(place);
    needSetattr(caller, stat, attributes, path);
    const { uid = stat.uid, gid = stat.gid, mode = stat.mode } = attributes;
    if (uid !== stat.uid || gid !== stat.gid || mode !== stat.mode)
      throw new FileError("EPERM", path, "versioned files have the owner and mode of their home or workspace");
  }

  private async needWrite(caller: Caller, place: Place, old: Stat | null, options: WriteOptions): Promise<void> {
    if (old === null) {
      if (options.ifVersion !== undefined) throw new FileError("ECONFLICT", place.path);
      return this.needNew(caller, place);
    }
    if (options.exclusive) throw new FileError("EEXIST", place.path);
    if (old.kind !== "file") throw new FileError(old.kind === "directory" ? "EISDIR" : "ELOOP", place.path);
    need(caller, old, WRITE, place.path);
    if (options.ifVersion !== undefined && options.ifVersion !== old.version)
      throw new FileError("ECONFLICT", place.path);
  }

  private async needNew(caller: Caller, place: Place): Promise<void> {
    if (find(place) !== null) throw new FileError("EEXIST", place.path);
    const parentStat =
      place.rel === place.top
        ? await this.under.stat(caller, place.home as ResolvedPath)
        : await this.directory(above(place));
    need(caller, parentStat, WRITE | SEARCH, place.path);
  }

  private async existing(place: Place): Promise<Stat> {
    return find(place) ?? (await this.places.emptyTop(place)) ?? existing(place);
  }

  private async directory(place: Place): Promise<Stat> {
    const stat = await this.existing(place);
    if (stat.kind !== "directory") throw new FileError("ENOTDIR", place.path);
    return stat;
  }

  private needKeepable({ rel, path }: Place): void {
    if (split(rel).some((name) => isGits(name) || isOrdersToGit(name)))
      throw new FileError("EPERM", path, "this name is reserved by git");
  }

  private needBelowTop({ rel, top, path }: Place): void {
    if (rel === top) throw new FileError("EBUSY", path);
  }

  private async change<T>(
    caller: Caller,
    place: Place,
    message: string,
    work: (tree: Tree, hold: (place: Place) => Promise<string>) => Promise<Changed<T>>,
  ): Promise<T> {
    const tree = await this.places.treeOf(place);
    const held: HeldPath[] = [];
    const hold = async ({ jail, rel, top }: Place) => {
      // The first file of a versioned directory creates it.
      if (parent(`/${rel}`) === `/${top}` && top !== "" && jail.stat(top) === null) {
        const made = await jail.hold(top);
        held.push(made);
        await mkdir(made.host, { mode: 0o700 });
      }
      const one = await jail.hold(rel);
      held.push(one);
      return one.host;
    };
    try {
      const [value, done] = await tree.change({ author: caller.username, message, by: caller.pid }, () =>
        asFileErrors(place.path, async () => {
          const { value, undo, done, paths = [place.rel] } = await work(tree, hold);
          return { value: [value, done] as const, undo, paths };
        }),
      );
      await done?.();
      return value;
    } finally {
      for (const one of held) await one.close();
    }
  }

  private async wholeOf(place: Place, { size }: Stat): Promise<Uint8Array[]> {
    return [place.jail.read(place.rel, { bytesMax: size }).bytes];
  }

  private draft(tree: Tree): string {
    return join(tree.scratch(), String(++this.drafts));
  }
}

interface Changed<T> {
  readonly value: T;
  readonly undo: () => Promise<void>;
  /** After the commit. */
  readonly done?: () => Promise<void>;
  readonly paths?: readonly string[];
}

async function discard(kept: string | null): Promise<void> {
  if (kept !== null) await rm(kept, { recursive: true, force: true });
}
