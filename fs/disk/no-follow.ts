// Opens files without following symlinks, for directories that other programs change too (fs/disk/disk.ts). Walks name by name, holding each
// directory open while the next name is looked up in it, so that replacing a directory with a symlink has no effect. Needs Linux, where an
// open directory has a path below /proc/self/fd. fs/disk/jail.ts works on every system, with weaker guarantees.

import {
  type BigIntStats,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { SysError } from "../../src/abi/errno.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { split } from "../path.ts";

/** Missing in node's constants: a descriptor for stat and walking that opens nothing. */
const O_PATH = 0o10000000;
const LOOK = O_PATH | constants.O_NOFOLLOW;
const WALK = LOOK | constants.O_DIRECTORY;
/** Limited: a held directory cannot be unmounted. */
const TOP_KEPT_MS = 1000;

/** A held file or directory, and its path while it is held. */
export interface HeldFile {
  readonly fd: number;
  readonly path: string;
  readonly stat: BigIntStats;
}

type Same = Pick<BigIntStats, "dev" | "ino">;

export function needHolding(): void {
  if (!existsSync("/proc/self/fd"))
    throw new SysError("ENOSYS", "directories of the host can be mounted on Linux only");
}

export function sameFile(left: Same, right: Same): boolean {
  return left.dev === right.dev && left.ino === right.ino;
}

/** Walks to a directory below a held one and holds it during `work`. `passes` may throw for any directory on the way. */
export async function inDirectory<T>(
  top: HeldFile,
  names: readonly string[],
  passes: (stat: BigIntStats) => void,
  work: (directory: HeldFile) => Promise<T>,
): Promise<T> {
  const directory = walked(held(`${top.path}/.`, WALK), names, passes);
  try {
    return await work(directory);
  } finally {
    closeSync(directory.fd);
  }
}

/** Returns the last directory; closes everything if the walk fails. */
function walked(from: HeldFile, names: readonly string[], passes: (stat: BigIntStats) => void): HeldFile {
  let here = from;
  try {
    for (const name of names) {
      const next = held(`${here.path}/${name}`, WALK);
      closeSync(here.fd);
      here = next;
      passes(here.stat);
    }
    return here;
  } catch (error) {
    closeSync(here.fd);
    throw error;
  }
}

/**
 * A host directory, walked to from the root. HeldFile for a short time, so that accesses to many files below it walk only once; a
 * replacement is noticed at once.
 */
export class Top {
  private kept: { readonly top: HeldFile; readonly forget: () => void } | null = null;

  constructor(
    private readonly path: string,
    private readonly clock: Clock,
  ) {}

  /** Use the result synchronously: it may be closed later. */
  held(passes: (stat: BigIntStats) => void): HeldFile {
    const there = this.kept === null ? null : statAt(this.path);
    if (this.kept !== null && there !== null && sameFile(there, this.kept.top.stat)) {
      passes(there);
      return { ...this.kept.top, stat: there };
    }
    this.forget();
    const top = walked(held("/", WALK), split(this.path), passes);
    this.kept = { top, forget: this.clock.after(TOP_KEPT_MS, () => this.forget()) };
    return top;
  }

  private forget(): void {
    if (this.kept === null) return;
    this.kept.forget();
    closeSync(this.kept.top.fd);
    this.kept = null;
  }
}

/** Holds a file or symlink without opening it. */
export async function holding<T>(path: string, work: (file: HeldFile) => Promise<T>): Promise<T> {
  const file = held(path, LOOK);
  try {
    return await work(file);
  } finally {
    closeSync(file.fd);
  }
}

/** Opens a held file. */
export async function opened<T>(file: HeldFile, flags: number, work: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await open(file.path, flags);
  try {
    return await work(handle);
  } finally {
    await handle.close();
  }
}

/** Reads from a held file. Synchronous: asynchronous reads take ten times as long. */
export function piece(
  file: HeldFile,
  { offset, length }: { readonly offset: number; readonly length: number },
): Uint8Array {
  const fd = openSync(file.path, constants.O_RDONLY);
  try {
    const bytes = new Uint8Array(length);
    return bytes.subarray(0, length === 0 ? 0 : readSync(fd, bytes, 0, length, offset));
  } finally {
    closeSync(fd);
  }
}

function held(path: string, flags: number): HeldFile {
  const fd = openSync(path, flags);
  try {
    return { fd, path: `/proc/self/fd/${fd}`, stat: fstatSync(fd, { bigint: true }) };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Null if it cannot be determined. */
export function statAt(path: string): BigIntStats | null {
  try {
    return lstatSync(path, { bigint: true });
  } catch {
    return null;
  }
}

/** Files below a directory that have several hard links. */
export function hardLinkedBelow(directory: string): BigIntStats[] {
  const found: BigIntStats[] = [];
  if (statAt(directory)?.isDirectory() !== true) return found;
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = `${directory}/${entry.name}`;
    if (entry.isDirectory()) found.push(...hardLinkedBelow(path));
    else {
      const stat = statAt(path);
      if (stat !== null && stat.nlink > 1n) found.push(stat);
    }
  }
  return found;
}
