// Walks a path of the namespace name by name: `.`, `..`, symlinks (up to 16, across mounts), other names of mounted directories, and search
// permission on every directory.

import { LIMITS } from "../src/abi/config/limits.ts";
import type { Caller } from "../src/abi/identity.ts";
import { need, SEARCH } from "./access.ts";
import { type Aliases, AliasWalk } from "./alias.ts";
import { FileError } from "./error.ts";
import { BARE_DIRECTORY, type Place, type Stat } from "./filesystem.ts";
import { Fence, WalkCache } from "./inside.ts";
import { parent } from "./path.ts";
import { checkLength, pathOf, SLASH, steps } from "./steps.ts";

export interface Tree {
  readonly aliases: Aliases;
  rootStat(caller: Caller): Promise<Stat>;
  /** Null if there is nothing. `rest`: the names that follow. */
  lookup(caller: Caller, names: readonly string[], ahead?: WalkCache, rest?: readonly string[]): Promise<Stat | null>;
  place(names: readonly string[], stat: Stat | null): Place;
}

export interface WalkRequest {
  readonly path: string;
  /** A final symlink. */
  readonly last: "follow" | "keep";
  /** A missing directory ends the walk, or counts as empty: always, or only on the way to an alias. */
  readonly missing: "refuse" | "imagine" | "ways";
}

/** Stands for missing directories during a walk. */
const IMAGINED: Stat = { ...BARE_DIRECTORY };

/** The last name may be missing. */
export async function walk(tree: Tree, caller: Caller, { path, last, missing }: WalkRequest): Promise<Place> {
  checkLength(path);
  if (!path.startsWith("/")) throw new FileError("EINVAL", path, "not an absolute path");
  const todo = steps(path);
  const here: string[] = [];
  const root = await tree.rootStat(caller);
  let trail = [root];
  const ahead = new WalkCache(caller);
  const fence = new Fence();
  const alias = new AliasWalk((at) => tree.aliases.around(caller, at));
  const restart = () => {
    here.length = 0;
    trail = [root];
    ahead.forget();
  };
  for (let links = 0; ; ) {
    if (await alias.enters(here, todo)) restart();
    const name = todo.shift();
    fence.leaveIfPast(todo.length);
    const stat = trail.at(-1) ?? root;
    if (name === undefined) return tree.place(here, stat);
    if (stat.kind !== "directory") throw new FileError("ENOTDIR", pathOf(here));
    if (name === SLASH) continue;
    need(caller, stat, SEARCH, pathOf(here));
    if (name === ".") continue;
    if (name === "..") {
      fence.needInside(parent(pathOf(here)));
      if (alias.leaves(here, todo)) restart();
      else if (here.pop() !== undefined) trail.pop();
      continue;
    }
    if (Buffer.byteLength(name) > LIMITS.nameBytesMax) throw new FileError("ENAMETOOLONG", `${name.slice(0, 60)}…`);
    const found = stat === IMAGINED ? null : await tree.lookup(caller, [...here, name], ahead, todo);
    if (found === null) {
      here.push(name);
      if (todo.length === 0) return { ...tree.place(here, null), above: stat };
      if (todo.length === 1 && todo[0] === SLASH) return { ...tree.place(here, null), forDirectory: true };
      const isWay = missing === "ways" && (await tree.aliases.below(caller, pathOf(here))).length > 0;
      if (missing !== "imagine" && !isWay) throw new FileError("ENOENT", pathOf(here));
      trail.push(IMAGINED);
      continue;
    }
    if (found.kind === "symlink" && (todo.length > 0 || last === "follow")) {
      if (++links > LIMITS.symlinkDepthMax) throw new FileError("ELOOP", path);
      const target = found.target ?? "";
      fence.enter(tree.place([...here, name], found), todo.length);
      if (target.startsWith("/")) {
        fence.needInside("/");
        restart();
      }
      todo.unshift(...steps(target));
      ahead.forget();
      alias.turns();
      continue;
    }
    here.push(name);
    trail.push(found);
  }
}
