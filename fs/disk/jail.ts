// Regular files below one directory, for the trees of homes, on every system: a path is resolved, and the opened file is then checked to be
// where it should. No symlink on the way is followed; links are listed, and the Namespace walks them. Devices, sockets and pipes are
// invisible. fs/disk/no-follow.ts is stronger, but needs Linux.
// Synchronous: dozens of small files are read before every answer, and asynchronous calls take ten times as long.

import {
  type BigIntStats,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
} from "node:fs";
import { link, open, rename, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { asFileErrors, FileError, fileErrorOf } from "../error.ts";
import type { FileKind, ReadOptions, ReadResult } from "../filesystem.ts";
import { parent, split } from "../path.ts";

export interface HostStat {
  readonly kind: FileKind;
  readonly runs: boolean;
  readonly size: number;
  readonly mtimeMs: number;
  readonly version: string;
  readonly target?: string;
}

export interface HeldPath {
  readonly host: string;
  readonly close: () => Promise<void>;
}

export class Jail {
  constructor(private readonly root: string) {}

  /** Null if there is nothing visible. */
  stat(path: string): HostStat | null {
    const host = this.hostPath(path);
    return host === null ? null : statOf(host);
  }

  entries(path: string): (readonly [name: string, stat: HostStat])[] {
    const directory = this.plainDirectory(path);
    return namesIn(directory).flatMap((name) => {
      const stat = statOf(join(directory, name));
      return stat === null ? [] : [[name, stat] as const];
    });
  }

  names(path: string): string[] {
    return namesIn(this.plainDirectory(path));
  }

  read(path: string, { offset = 0, bytesMax }: ReadOptions): ReadResult {
    return this.inside(path, (file, { size, ino, mtimeNs }) => {
      const bytes = new Uint8Array(Math.max(0, Math.min(bytesMax, Number(size) - offset)));
      let done = 0;
      while (done < bytes.byteLength) {
        const bytesRead = readSync(file, bytes, done, bytes.byteLength - done, offset + done);
        if (bytesRead === 0) break;
        done += bytesRead;
      }
      // Some host files are shorter than their size says.
      const eof = done < bytes.byteLength || offset + done >= Number(size);
      return { bytes: bytes.subarray(0, done), eof, version: `${ino}.${mtimeNs}.${size}` };
    });
  }

  /** A host path for a name in a directory of the jail. While it is held, it leads into that directory and no other. */
  async hold(path: string): Promise<HeldPath> {
    const directory = this.plainDirectory(parent(path));
    const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
    const handle = await asFileErrors(path, () => open(directory, flags));
    const own = `/proc/self/fd/${handle.fd}`;
    if (isWhere(handle.fd, await handle.stat({ bigint: true }), directory)) {
      const host = join(existsSync(own) ? own : directory, split(path).at(-1) ?? "");
      return { host, close: () => handle.close() };
    }
    await handle.close();
    throw new FileError("ENOENT", path);
  }

  private inside<T>(path: string, work: (file: number, stat: BigIntStats) => T): T {
    const host = this.hostPath(path);
    if (host === null) throw new FileError("ENOENT", path);
    const file = opened(host, path);
    try {
      const stat = fstatSync(file, { bigint: true });
      if (!stat.isFile() || !isWhere(file, stat, host)) throw new FileError("ENOENT", path);
      return work(file, stat);
    } finally {
      closeSync(file);
    }
  }

  /** Null if a parent is missing or not a directory. */
  private hostPath(path: string): string | null {
    const names = split(path);
    const cached = realRoots.get(this.root);
    if (cached !== undefined) {
      const host = checked(cached, names);
      if (host !== null) return host;
    }
    const root = realPath(this.root);
    // The cached path is still right, so the directory above the file is the problem.
    if (root === null || root === cached) return null;
    if (realRoots.size >= REAL_ROOTS_MAX) realRoots.clear();
    realRoots.set(this.root, root);
    return checked(root, names);
  }

  private plainDirectory(path: string): string {
    const host = this.hostPath(path);
    const stat = host === null ? null : unlessAbsent(() => lstatSync(host));
    if (host === null || stat === null) throw new FileError("ENOENT", path);
    if (!stat.isDirectory()) throw new FileError("ENOTDIR", path);
    return host;
  }
}

/** Real paths of roots. Each is checked when it is used, together with the directory above the file. */
const realRoots = new Map<string, string>();
const REAL_ROOTS_MAX = 100;

/** The path of these names below the root; null if the directory above them is not exactly there. */
function checked(root: string, names: readonly string[]): string | null {
  const host = join(root, ...names);
  const above = names.length === 0 ? host : dirname(host);
  return realPath(above) === above ? host : null;
}

/** Hard link to the current file, for restoring it. Null if there is none. */
export async function keep(host: string, as: string): Promise<string | null> {
  try {
    await link(host, as);
    return as;
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return null;
    throw error;
  }
}

export async function putBack(kept: string | null, host: string): Promise<void> {
  if (kept !== null) await rename(kept, host);
  else await unlink(host).catch(() => {});
}

/** Creates and syncs a file. */
export async function writeNew(host: string, pieces: readonly Uint8Array[], runs: boolean): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const handle = await open(host, flags, runs ? 0o700 : 0o600);
  try {
    for (const bytes of pieces) {
      for (let done = 0; done < bytes.byteLength; )
        done += (await handle.write(bytes, done, bytes.byteLength - done)).bytesWritten;
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** True if an open file is at this path: asks /proc, else compares inodes. */
function isWhere(descriptor: number, stat: BigIntStats, host: string): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`) === host;
  } catch {
    try {
      const there = lstatSync(host, { bigint: true });
      return realpathSync(dirname(host)) === dirname(host) && there.ino === stat.ino && there.dev === stat.dev;
    } catch {
      return false;
    }
  }
}

function kindOf(stat: BigIntStats): FileKind | null {
  if (stat.isFile()) return "file";
  if (stat.isDirectory()) return "directory";
  return stat.isSymbolicLink() ? "symlink" : null;
}

function statOf(host: string): HostStat | null {
  const stat = unlessAbsent(() => lstatSync(host, { bigint: true, throwIfNoEntry: false }));
  const kind = stat ? kindOf(stat) : null;
  if (!stat || kind === null) return null;
  const target = kind === "symlink" ? unlessAbsent(() => readlinkSync(host)) : undefined;
  // Replaced meanwhile.
  if (target === null) return null;
  return {
    kind,
    runs: (stat.mode & 0o100n) !== 0n,
    size: Number(stat.size),
    mtimeMs: Number(stat.mtimeMs),
    version: `${stat.ino}.${stat.mtimeNs}.${stat.size}`,
    ...(target !== undefined && { target }),
  };
}

function namesIn(directory: string): string[] {
  return readdirSync(directory).filter((name) => !name.includes("\ufffd"));
}

function opened(host: string, path: string): number {
  try {
    return openSync(host, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw fileErrorOf(error, path);
  }
}

function realPath(path: string): string | null {
  return unlessAbsent(() => realpathSync.native(path));
}

function unlessAbsent<T>(look: () => T): T | null {
  try {
    return look();
  } catch {
    return null;
  }
}
