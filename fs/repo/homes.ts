// Which paths are `~/context.d`, `~/skills.d` and `~/knowledge` of an account, and what stands there. What was written before there was a
// tree shows until the first change, which brings it in.

import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Caller } from "../../src/abi/identity.ts";
import { isGits, isOrdersToGit, VERSIONED } from "../../src/abi/repo.ts";
import { Jail, writeNew } from "../disk/jail.ts";
import { FileError } from "../error.ts";
import type { Entry, FileSystem, ResolvedPath } from "../filesystem.ts";
import { find, type Place, type Places, type Tree, type TreeAccount } from "./places.ts";

export interface RepoFsOptions {
  /** What holds everything else, and what was written here before there was a tree. */
  readonly under: FileSystem;
  /** Whose home a path is, or null. */
  readonly accountAt: (home: string) => Promise<TreeAccount | null>;
  /** Where the tree of an account lies, whether or not it is there. */
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

  /** Null where the mount beneath answers: outside of every tree, and where only it has something. */
  async lookAt(path: string): Promise<Place | null> {
    const place = await this.placeAt(path);
    if (place === null) return null;
    return find(topOf(place)) === null && (await this.hasBeneath(place)) ? null : place;
  }

  /** The same for a change: what was there before there was a tree is brought into it. What an agent is told to be is changed by no
   * process but in a call that a person has seen and allowed, whatever way the call came. */
  async changeAt(caller: Caller, path: string, allowed = caller.allowed === path): Promise<Place | null> {
    const place = await this.placeAt(path);
    if (place === null) return null;
    if (place.top !== "knowledge" && caller.kind !== "person" && !caller.approved && !allowed)
      throw new FileError("EPERM", path, "a person has to allow it first: use the tool that asks");
    if (place.top === "knowledge" && !(await this.treeOf(place)).versioned)
      throw new FileError("EROFS", path, "read-only: there is no git on this machine");
    if (find(topOf(place)) === null && (await this.hasBeneath(place))) await this.adopt(place);
    return place;
  }

  async withTops(path: string, entries: readonly Entry[]): Promise<readonly Entry[]> {
    const account = HOME.test(path) ? await this.options.accountAt(path) : null;
    if (account === null) return entries;
    const found = new Map(entries.map((entry) => [entry.name, entry]));
    for (const top of VERSIONED) {
      const place = this.placeOf(path, top, `${path}/${top}`, account);
      const stat = find(place);
      if (stat !== null) found.set(top, { name: top, stat });
    }
    return [...found.values()];
  }

  /** A home goes only when what is mounted in it is gone. */
  async needTreeless(path: string): Promise<void> {
    if (path === "/" || path === "/home") throw new FileError("EBUSY", path);
    const tops = await this.withTops(path, []);
    if (tops.length > 0) throw new FileError("EBUSY", path);
  }

  treeOf({ account }: Place): Promise<Tree> {
    return this.options.treeOf(account.username);
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

  /** A whole copy takes its place at once, and the original goes after that: being cut off loses nothing. */
  private async adopt(place: Place): Promise<void> {
    const from = `${place.home}/${place.top}` as ResolvedPath;
    const tree = await this.treeOf(place);
    const skipped = await tree.change(
      { author: place.account.username, message: `bring in ${place.top}` },
      async () => {
        const top = join(place.directory, place.top);
        // Somebody else was faster.
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

  /** Links and what git would take for its own stay where they are. */
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

/** What gsv itself does, for nobody in particular. */
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
