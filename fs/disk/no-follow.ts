// Opens real files without ever following a symlink, for mounts of directories that other programs change too (fs/disk/disk.ts). A path is
// walked name by name; each directory is held open while the next name is looked up in it, so swapping a directory for a link has no effect
// on what is held. This needs Linux, where an open directory has a path of its own below /proc/self/fd. fs/disk/jail.ts is the weaker way that
// works on every system.

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

/** Not among the constants there are: a handle to look at and walk from, which opens nothing. */
const O_PATH = 0o10000000;
const LOOK = O_PATH | constants.O_NOFOLLOW;
const WALK = LOOK | constants.O_DIRECTORY;
/** What is held longer could not be unmounted. */
const TOP_KEPT_MS = 1000;

/** A directory or file that is held, and its own path while it is. */
export interface Held {
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

/** Walks to a directory below one that is held, and holds it for a piece of work. `passes` may refuse any directory on the way. */
export async function inDirectory<T>(
  top: Held,
  names: readonly string[],
  passes: (stat: BigIntStats) => void,
  work: (directory: Held) => Promise<T>,
): Promise<T> {
  const directory = walked(held(`${top.path}/.`, WALK), names, passes);
  try {
    return await work(directory);
  } finally {
    closeSync(directory.fd);
  }
}

/** The last directory of the way; where it breaks off, nothing is held any more. */
function walked(from: Held, names: readonly string[], passes: (stat: BigIntStats) => void): Held {
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
 * A directory of the host by its path, walked to from the top. It is held for a while after that, so that who looks at thousands of files below
 * it does not walk there each time; another one in its place is seen at once.
 */
export class Top {
  private kept: { readonly top: Held; readonly forget: () => void } | null = null;

  constructor(
    private readonly path: string,
    private readonly clock: Clock,
  ) {}

  /** To be used at once: nothing waits while it does. */
  held(passes: (stat: BigIntStats) => void): Held {
    const there = this.kept === null ? null : standing(this.path);
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

/** Holds what stands at a name, link or not, without opening it. */
export async function holding<T>(path: string, work: (file: Held) => Promise<T>): Promise<T> {
  const file = held(path, LOOK);
  try {
    return await work(file);
  } finally {
    closeSync(file.fd);
  }
}

/** Opens what is held, and nothing else. */
export async function opened<T>(file: Held, flags: number, work: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await open(file.path, flags);
  try {
    return await work(handle);
  } finally {
    await handle.close();
  }
}

/** Bytes of a file that is held, as many as it has. As every look here at once: the way through a pool of threads takes ten times as long. */
export function piece(
  file: Held,
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

function held(path: string, flags: number): Held {
  const fd = openSync(path, flags);
  try {
    return { fd, path: `/proc/self/fd/${fd}`, stat: fstatSync(fd, { bigint: true }) };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** What stands at a path, or null when that cannot be said. */
export function standing(path: string): BigIntStats | null {
  try {
    return lstatSync(path, { bigint: true });
  } catch {
    return null;
  }
}

/** Files beneath a directory that have a name elsewhere too. */
export function linkedBeneath(directory: string): BigIntStats[] {
  const found: BigIntStats[] = [];
  if (standing(directory)?.isDirectory() !== true) return found;
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = `${directory}/${entry.name}`;
    if (entry.isDirectory()) found.push(...linkedBeneath(path));
    else {
      const stat = standing(path);
      if (stat !== null && stat.nlink > 1n) found.push(stat);
    }
  }
  return found;
}
