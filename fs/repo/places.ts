// A path in a versioned tree, and what exists there.

import type { Caller } from "../../src/abi/identity.ts";
import { isGits } from "../../src/abi/repo.ts";
import type { VersionedTree } from "../../src/repos/tree.ts";
import type { HostStat, Jail } from "../disk/jail.ts";
import { FileError } from "../error.ts";
import type { Entry, Stat } from "../filesystem.ts";
import { parent, split } from "../path.ts";
import { contentTypeOf } from "../read/contenttype.ts";

export type Tree = Pick<VersionedTree, "versioned" | "scratch" | "change">;

export interface TreeAccount {
  readonly username: string;
  readonly uid: number;
  readonly gid: number;
}

/** `path`: as callers know it. `rel`: relative to the tree. */
export interface Place {
  readonly path: string;
  readonly rel: string;
  /** The directory that cannot be moved, relative to the tree; "" for the tree itself. */
  readonly top: string;
  readonly home: string;
  readonly account: TreeAccount;
  readonly directory: string;
  readonly jail: Jail;
}

/** Maps paths of a mount to trees. */
export interface Places {
  /** Null if the mount beneath answers. */
  lookAt(path: string): Promise<Place | null>;
  /** Like lookAt, for changes. `allowed`: a person approved it. */
  changeAt(caller: Caller, path: string, allowed?: boolean): Promise<Place | null>;
  /** Adds the versioned directories to a listing. */
  withTops(path: string, entries: readonly Entry[]): Promise<readonly Entry[]>;
  /** Throws if a directory contains versioned directories. */
  needTreeless(path: string): Promise<void>;
  /** A versioned directory of a home before its first file: empty, and not listed in the home. null for other paths. */
  emptyTop(place: Place): Promise<Stat | null>;
  treeOf(place: Place): Promise<Tree>;
}

export const DIRECTORY_MODE = 0o2770;

export function find(place: Place): Stat | null {
  if (split(place.rel).some((name) => isGits(name))) return null;
  const found = place.jail.stat(place.rel);
  return found === null ? null : shown(found, place);
}

export function entriesIn(place: Place): Entry[] {
  return place.jail
    .entries(place.rel)
    .flatMap(([name, stat]) => (isGits(name) ? [] : [{ name, stat: shown(stat, within(place, name)) }]));
}

function shown({ kind, runs, size, mtimeMs, version, target }: HostStat, place: Place): Stat {
  const { uid, gid } = place.account;
  const about = { kind, uid, gid, mtimeMs, version };
  if (kind === "directory") return { ...about, mode: DIRECTORY_MODE, size: 0 };
  if (kind === "symlink") return { ...about, mode: 0o777, size, ...(target !== undefined && { target }) };
  return { ...about, mode: runs ? 0o770 : 0o660, size, contentType: contentTypeOf(place.rel) };
}

export function existing(place: Place): Stat {
  const stat = find(place);
  if (stat === null) throw new FileError("ENOENT", place.path);
  return stat;
}

/** The file, or all files in the directory, relative to the tree. */
export function filesIn(place: Place, stat: Stat): string[] {
  if (stat.kind !== "directory") return [place.rel];
  const found: string[] = [];
  for (const name of place.jail.names(place.rel)) {
    const below = within(place, name);
    const entry = find(below);
    if (entry !== null) found.push(...filesIn(below, entry));
  }
  return found;
}

/** Throws if a nested repository would be deleted with its history. */
export function needNoRepository(place: Place, stat: Stat | null): void {
  if (stat?.kind !== "directory") return;
  for (const name of place.jail.names(place.rel)) {
    if (isGits(name)) throw new FileError("ENOTEMPTY", place.path, `contains another repository: ${place.rel}/${name}`);
    const below = within(place, name);
    needNoRepository(below, find(below));
  }
}

function within(place: Place, name: string): Place {
  return { ...place, path: `${place.path}/${name}`, rel: place.rel === "" ? name : `${place.rel}/${name}` };
}

export function above(place: Place): Place {
  return { ...place, path: parent(place.path), rel: split(place.rel).slice(0, -1).join("/") };
}
