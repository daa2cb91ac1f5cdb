// File permissions as on Linux: root passes; otherwise the first match of owner, group and other decides. New files inherit from their
// directory, so that private trees stay private and setgid trees stay shared.

import { type Caller, isRoot } from "../src/abi/identity.ts";
import { isInside } from "../src/lib/inside.ts";
import { FileError } from "./error.ts";
import type { Attributes, Stat } from "./filesystem.ts";

export const READ = 4;
export const WRITE = 2;
/** Execute a file; traverse a directory. */
export const SEARCH = 1;

const SETUID = 0o4000;
const SETGID = 0o2000;
const STICKY = 0o1000;
const GROUP_RUNS = 0o010;

type Owned = Pick<Stat, "uid" | "gid" | "mode">;

export function may(caller: Caller, stat: Owned, want: number): boolean {
  if (isRoot(caller)) return true;
  const shift = caller.uid === stat.uid ? 6 : caller.gids.includes(stat.gid) ? 3 : 0;
  return ((stat.mode >> shift) & want) === want;
}

export function need(caller: Caller, stat: Owned, want: number, path: string): void {
  if (!may(caller, stat, want)) throw new FileError("EACCES", path);
}

/** Needs write access to the directory; in a sticky one also ownership of the file or the directory. */
export function needRemove(caller: Caller, directory: Owned, entry: Owned, path: string): void {
  need(caller, directory, WRITE | SEARCH, path);
  if ((directory.mode & STICKY) === 0 || isRoot(caller)) return;
  if (caller.uid !== entry.uid && caller.uid !== directory.uid) throw new FileError("EPERM", path);
}

/** Owner and mode of a new file. */
export function createdAs(caller: Caller, directory: Owned, kind: "file" | "directory", mode?: number): Owned {
  const setgid = directory.mode & SETGID;
  const gid = setgid === 0 ? caller.gid : directory.gid;
  const wished = wishedMode(caller, directory, kind, mode);
  if (kind === "directory") return { uid: caller.uid, gid, mode: (wished & 0o1777) | setgid };
  return { uid: caller.uid, gid, mode: inGroup(caller, gid) ? wished : withoutSetgid(wished, GROUP_RUNS) };
}

/** Without a umask the directory decides, like a default ACL: shared directories stay shared. */
function wishedMode(caller: Caller, directory: Owned, kind: "file" | "directory", mode?: number): number {
  const [most, least] = kind === "file" ? [0o666, 0o600] : [0o777, 0o700];
  if (caller.umask !== undefined) return (mode ?? most) & 0o7777 & ~caller.umask;
  const inherited = (directory.mode & STICKY) === 0 ? directory.mode : 0o755;
  return (mode ?? (inherited & most) | least) & 0o7777;
}

/** Mode after a write: clears setuid and setgid unless root writes. */
export function written(caller: Caller, { gid, mode }: Owned): number {
  return isRoot(caller) ? mode : withoutPrivileges(mode, inGroup(caller, gid));
}

/** Owner and mode after a change that needSetattr allowed. */
export function changed(caller: Caller, stat: Owned & Pick<Stat, "kind">, attributes: Attributes): Owned {
  const { uid = stat.uid, gid = stat.gid } = attributes;
  let mode = attributes.mode ?? stat.mode;
  const given = attributes.uid !== undefined || attributes.gid !== undefined;
  if (given && stat.kind !== "directory") mode = withoutPrivileges(mode, inGroup(caller, stat.gid));
  if (attributes.mode !== undefined && !inGroup(caller, gid)) mode &= ~SETGID;
  return { uid, gid, mode };
}

function inGroup(caller: Caller, gid: number): boolean {
  return isRoot(caller) || caller.gids.includes(gid);
}

function withoutPrivileges(mode: number, inGroup: boolean): number {
  return withoutSetgid(mode & ~SETUID, inGroup ? GROUP_RUNS : 0);
}

/** Setgid without group execute has another meaning and stays. */
function withoutSetgid(mode: number, where: number): number {
  return (mode & where) === where ? mode & ~SETGID : mode;
}

/** The owner may change mode and time, and the group to one of their own; only root changes the owner. */
export function needSetattr(caller: Caller, stat: Owned, attributes: Attributes, path: string): void {
  const { uid, gid, mode, mtimeMs } = attributes;
  if (mode !== undefined && (!Number.isInteger(mode) || mode < 0 || mode > 0o7777)) {
    throw new FileError("EINVAL", path, "a mode must be 0 to 7777 (octal)");
  }
  if (mtimeMs !== undefined && !Number.isFinite(mtimeMs)) throw new FileError("EINVAL", path, "not a time");
  if (isRoot(caller)) return;
  if (caller.uid !== stat.uid) throw new FileError("EPERM", path);
  if (uid !== undefined && uid !== stat.uid) throw new FileError("EPERM", path);
  if (gid !== undefined && gid !== stat.gid && !caller.gids.includes(gid)) throw new FileError("EPERM", path);
}

/** If a person approved one file, no other may be written, wherever a changed symlink points. */
export function needAllowed({ allowed }: Caller, path: string): void {
  if (allowed !== undefined && allowed !== path) throw new FileError("EPERM", path, `only ${allowed} was approved`);
}

/** True for the approved file and its parent directories, and for everything if no single file was approved. */
export function leadsToAllowed({ allowed }: Caller, path: string): boolean {
  return allowed === undefined || isInside(allowed, path);
}
