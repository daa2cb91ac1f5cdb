// The versioned directories of homes: `~/context.d`, `~/skills.d`, `~/knowledge`. Files from before versioning show until the first change,
// which imports them.

import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Caller } from "../../src/abi/identity.ts";
import { isGits, isOrdersToGit, VERSIONED } from "../../src/abi/repo.ts";
import { Jail, writeNew } from "../disk/jail.ts";
import { FileError } from "../error.ts";
import type { Entry, FileSystem, ResolvedPath, Stat } from "../filesystem.ts";
import { DIRECTORY_MODE, find, type Place, type Places, type Tree, type TreeAccount } from "./places.ts";

export interface RepoFsOptions {
  /** All other files, and files from before versioning. */
  readonly under: FileSystem;
  /** Account of a home path, or null. */
  readonly accountAt: (home: string) => Promise<TreeAccount | null>;
  /** Location of an account's tree, which may not exist yet. */
  readonly directoryOf: (username: string) => string;
  readonly treeOf: (username: string) => Promise<Tree>;
}

const PLACE = /^(\/home\/[^/]+|\/root)\/(context\.d|skills\.d|knowledge)(?:\/|$)/;
const HOME = /^(?:\/home\/[^/]+|\/root)$/;

export class Homes implements Places {
  private readonly under: FileSystem;

  constructor(private readonly options: RepoFsOptions) {
    this.under = options.under;
  }

  /** Null if the mount beneath answers. */
  async lookAt(path: string): Promise<Place | null> {
    const place = await this.placeAt(path);
    if (place === null) return null;
    return find(topOf(place)) === null && (await this.hasBeneath(place)) ? null : place;
  }

  /** Place of a change; imports older files. Context, skills and hooks are changed by processes only in an approved call, whatever way the
   * call came. */
  async changeAt(caller: Caller, path: string, allowed = caller.allowed === path): Promise<Place | null> {
    const place = await this.placeAt(path);
    if (place === null) return null;
    if (place.top !== "knowledge" && caller.kind !== "person" && !caller.approved && !allowed)
      throw new FileError("EPERM", path, "needs approval: use the tool that asks for it");
    if (place.top === "knowledge" && !(await this.treeOf(place)).versioned)
      throw new FileError("EROFS", path, "read-only: git is not installed");
    if (find(topOf(place)) === null && (await this.hasBeneath(place))) await this.adopt(place);
    return place;
  }

  async withTops(path: string, entries: readonly Entry[]): Promise<readonly Entry[]> {
    const found = new Map(entries.map((entry) => [entry.name, entry]));
    for (const place of await this.topsOf(path)) {
      const stat = find(place);
      if (stat !== null) found.set(place.top, { name: place.top, stat });
    }
    return [...found.values()];
  }

  async emptyTop(place: Place): Promise<Stat | null> {
    if (place.rel !== place.top || (await this.hasBeneath(place))) return null;
    const { uid, gid } = place.account;
    return { ...(await this.under.stat(SYSTEM, place.home as ResolvedPath)), uid, gid, mode: DIRECTORY_MODE };
  }

  /** A home can be removed only after its versioned directories. */
  async needTreeless(path: string): Promise<void> {
    if (path === "/" || path === "/home") throw new FileError("EBUSY", path);
    const tops = await this.topsOf(path);
    if (tops.some((place) => find(place) !== null)) throw new FileError("EBUSY", path);
  }

  treeOf({ account }: Place): Promise<Tree> {
    return this.options.treeOf(account.username);
  }

  private async topsOf(path: string): Promise<readonly Place[]> {
    const account = HOME.test(path) ? await this.options.accountAt(path) : null;
    return account === null ? [] : VERSIONED.map((top) => this.placeOf(path, top, `${path}/${top}`, account));
  }

  private async placeAt(path: string): Promise<Place | null> {
    const [, home = "", top = ""] = PLACE.exec(path) ?? [];
    if (home === "") return null;
    const account = await this.options.accountAt(home);
    return account === null ? null : this.placeOf(home, top, path, account);
  }

  private placeOf(home: string, top: string, path: string, account: TreeAccount): Place {
    const directory = this.options.directoryOf(account.username);
    const rel = path.slice(home.length + 1);
    return { path, rel, top, home, account, directory, jail: new Jail(directory) };
  }

  private async hasBeneath({ home, top }: Place): Promise<boolean> {
    try {
      return (await this.under.stat(SYSTEM, `${home}/${top}` as ResolvedPath)).kind === "directory";
    } catch (error) {
      if (error instanceof FileError && (error.code === "ENOENT" || error.code === "ENOTDIR")) return false;
      throw error;
    }
  }

  /** Copies, renames the copy into place, then deletes the original: an interruption loses nothing. */
  private async adopt(place: Place): Promise<void> {
    const from = `${place.home}/${place.top}` as ResolvedPath;
    const tree = await this.treeOf(place);
    const skipped = await tree.change(
      { author: place.account.username, message: `bring in ${place.top}` },
      async () => {
        const top = join(place.directory, place.top);
        // Created concurrently.
        if (find(topOf(place)) !== null) return { value: true, undo: async () => {}, paths: [] };
        const copy = join(tree.scratch(), place.top);
        await rm(copy, { recursive: true, force: true });
        const copied = await this.copyIn(from, copy, place.top);
        await rename(copy, top);
        return { value: copied.skipped, undo: () => rm(top, { recursive: true }), paths: copied.paths };
      },
    );
    if (!skipped) await this.under.remove(SYSTEM, from, { recursive: true });
  }

  /** Skips symlinks and files that are special to git. */
  private async copyIn(from: ResolvedPath, to: string, rel: string): Promise<{ paths: string[]; skipped: boolean }> {
    await mkdir(to, { mode: 0o700 });
    const paths: string[] = [];
    let skipped = false;
    for (const { name, stat } of await this.under.list(SYSTEM, from)) {
      const path = `${from}/${name}` as ResolvedPath;
      if (isGits(name) || isOrdersToGit(name) || stat.kind === "symlink") skipped = true;
      else if (stat.kind === "directory") {
        const below = await this.copyIn(path, join(to, name), `${rel}/${name}`);
        paths.push(...below.paths);
        skipped ||= below.skipped;
      } else {
        const { bytes } = await this.under.read(SYSTEM, path, { bytesMax: stat.size });
        await writeNew(join(to, name), [bytes], (stat.mode & 0o100) !== 0);
        paths.push(`${rel}/${name}`);
      }
    }
    return { paths, skipped };
  }
}

/** gsv itself. */
const SYSTEM: Caller = {
  kind: "person",
  uid: 0,
  gid: 0,
  gids: [0],
  username: "root",
  home: "/root",
  ownerUid: 0,
  cwd: "/",
  capabilities: [],
};

function topOf(place: Place): Place {
  return { ...place, path: `${place.home}/${place.top}`, rel: place.top };
}
