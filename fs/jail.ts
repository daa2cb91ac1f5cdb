// Real files below one directory, for the trees of homes, which have to work on every system: a path is resolved first, and what was opened
// is then checked to lie where it was meant to. No symlink on the way is followed; links are shown, and the Namespace walks them inside
// gsv. Devices, sockets and pipes do not appear. fs/no-follow.ts is the stronger way, on Linux only.

import { type BigIntStats, constants, existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { type FileHandle, link, lstat, open, readdir, readlink, realpath, rename, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { asFileErrors, FileError } from "./error.ts";
import type { FileKind, ReadOptions, ReadResult } from "./filesystem.ts";
import { parent, split } from "./path.ts";

export interface HostStat {
  readonly kind: FileKind;
  readonly runs: boolean;
  readonly size: number;
  readonly mtimeMs: number;
  readonly version: string;
  readonly target?: string;
}

export interface Held {
  readonly host: string;
  readonly close: () => Promise<void>;
}

export class Jail {
  constructor(private readonly root: string) {}

  /** Null where nothing is, or nothing that is shown. */
  async stat(path: string): Promise<HostStat | null> {
    const host = await this.hostPath(path);
    if (host === null) return null;
    const stat = await lstat(host, { bigint: true }).catch(absent);
    if (stat === null) return null;
    const kind = kindOf(stat);
    const target = kind === "symlink" ? await readlink(host).catch(absent) : undefined;
    // Something else by now.
    if (kind === null || target === null) return null;
    return {
      kind,
      runs: (stat.mode & 0o100n) !== 0n,
      size: Number(stat.size),
      mtimeMs: Number(stat.mtimeMs),
      version: `${stat.ino}.${stat.mtimeNs}.${stat.size}`,
      ...(target !== undefined && { target }),
    };
  }

  async names(path: string): Promise<string[]> {
    const host = await this.plainDirectory(path);
    return (await readdir(host)).filter((name) => !name.includes("\ufffd"));
  }

  async read(path: string, { offset = 0, bytesMax }: ReadOptions): Promise<ReadResult> {
    const handle = await this.open(path);
    try {
      const { size, ino, mtimeNs } = await handle.stat({ bigint: true });
      const bytes = new Uint8Array(Math.max(0, Math.min(bytesMax, Number(size) - offset)));
      let done = 0;
      while (done < bytes.byteLength) {
        const { bytesRead } = await handle.read(bytes, done, bytes.byteLength - done, offset + done);
        if (bytesRead === 0) break;
        done += bytesRead;
      }
      // Some files of a host hold less than they say.
      const eof = done < bytes.byteLength || offset + done >= Number(size);
      return { bytes: bytes.subarray(0, done), eof, version: `${ino}.${mtimeNs}.${size}` };
    } finally {
      await handle.close();
    }
  }

  /** A path of the host for something in a directory of the jail: while it is held it leads into that directory and no other. */
  async hold(path: string): Promise<Held> {
    const directory = await this.plainDirectory(parent(path));
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

  private async open(path: string): Promise<FileHandle> {
    const host = await this.hostPath(path);
    if (host === null) throw new FileError("ENOENT", path);
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const handle = await asFileErrors(path, () => open(host, flags));
    try {
      const stat = await handle.stat({ bigint: true });
      if (!stat.isFile() || !isWhere(handle.fd, stat, host)) throw new FileError("ENOENT", path);
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Null when a directory on the way is not there, or is none. */
  private async hostPath(path: string): Promise<string | null> {
    const root = await realpath(this.root).catch(absent);
    if (root === null) return null;
    const host = join(root, ...split(path));
    if (host === root) return host;
    return (await realpath(dirname(host)).catch(absent)) === dirname(host) ? host : null;
  }

  private async plainDirectory(path: string): Promise<string> {
    const host = await this.hostPath(path);
    const stat = host === null ? null : await lstat(host).catch(absent);
    if (host === null || stat === null) throw new FileError("ENOENT", path);
    if (!stat.isDirectory()) throw new FileError("ENOTDIR", path);
    return host;
  }
}

/** A second name for what stands there, so that it can be put back. Null when nothing does. */
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
  else await unlink(host).catch(absent);
}

/** A new file that is on disk when this returns. */
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

/** Where an open file really lies: the system says so where it can, else it must still be the one at its path. */
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

function absent(): null {
  return null;
}
