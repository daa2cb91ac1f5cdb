// Host operations of the disk driver: durable writes, directories, hashes. Below the driver's directory no symlink is followed: anything
// other than a plain file or directory ends the call, untouched. Files are 0600, directories 0700.

import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  statSync,
  write,
  writeSync,
} from "node:fs";
import { type FileHandle, open, readdir, rmdir, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SysError } from "../abi/errno.ts";
import { TimeSlice } from "../lib/clock.ts";
import { syncDescriptor, syncDirectory } from "../lib/directories.ts";
import { parentsOf } from "./keys.ts";

const CHUNK_BYTES = 256 * 1024;
/** Larger writes run on a thread. */
const AT_ONCE_BYTES_MAX = 64 * 1024;

export interface Written {
  readonly size: number;
  readonly sha256: string;
}

/** Writes and syncs a new file, hashing chunk by chunk. Leaves no file if it fails. */
export async function writeDurably(path: string, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<Written> {
  const { durable, ...written } = await writeSyncing(path, bytes);
  await durable;
  return written;
}

/** `durable` settles when the file is synced, so that a sync of something else can run meanwhile. Rejects without a file. */
export async function writeSyncing(
  path: string,
  bytes: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<Written & { readonly durable: Promise<void> }> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  // A write into the page cache is faster here than on a thread. Only the sync waits for the disk.
  const file = openSync(path, flags, 0o600);
  try {
    const hash = new Bun.CryptoHasher("sha256");
    const slice = new TimeSlice();
    let size = 0;
    for await (const piece of bytes instanceof Uint8Array ? chunksOf(bytes) : bytes) {
      hash.update(piece);
      size += piece.byteLength;
      await writeAll(file, piece);
      await slice.step();
    }
    const durable = synced(file, path);
    // The caller sees the failure when it waits.
    durable.catch(() => undefined);
    return { size, sha256: hash.digest("hex"), durable };
  } catch (error) {
    await discarded(file, path);
    throw error;
  }
}

/** At least one, so that hashing many megabytes blocks nobody. */
function* chunksOf(bytes: Uint8Array): Generator<Uint8Array> {
  let at = 0;
  do {
    yield bytes.subarray(at, at + CHUNK_BYTES);
    at += CHUNK_BYTES;
  } while (at < bytes.byteLength);
}

async function synced(file: number, path: string): Promise<void> {
  try {
    await syncDescriptor(file);
  } catch (error) {
    await discarded(file, path);
    throw error;
  }
  closeSync(file);
}

async function discarded(file: number, path: string): Promise<void> {
  await unlink(path).catch(() => undefined);
  closeSync(file);
}

async function writeAll(file: number, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.byteLength; ) {
    const left = bytes.subarray(done);
    done += left.byteLength <= AT_ONCE_BYTES_MAX ? writeSync(file, left) : await writeOnThread(file, left);
  }
}

function writeOnThread(file: number, bytes: Uint8Array): Promise<number> {
  return new Promise((resolve, reject) => {
    write(file, bytes, (error, count) => (error === null ? resolve(count) : reject(error)));
  });
}

export async function openPlainFile(path: string): Promise<FileHandle> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw notOurs(path);
}

export async function readRange(handle: FileHandle, offset: number, bytesMax: number): Promise<Uint8Array> {
  const { size } = await handle.stat();
  const bytes = new Uint8Array(Math.max(0, Math.min(bytesMax, size - offset)));
  let done = 0;
  while (done < bytes.byteLength) {
    const { bytesRead } = await handle.read(bytes, done, bytes.byteLength - done, offset + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}

/** Null if there is no plain file. */
export async function sha256Of(path: string): Promise<string | null> {
  if ((await kindAt(path)) !== "file") return null;
  const handle = await openPlainFile(path).catch((error: unknown) => {
    // Deleted meanwhile.
    if (isHostCode(error, "ENOENT") || isHostCode(error, "ENOTDIR")) return null;
    throw error;
  });
  if (handle === null) return null;
  try {
    const hash = new Bun.CryptoHasher("sha256");
    for (let offset = 0; ; ) {
      const bytes = await readRange(handle, offset, CHUNK_BYTES);
      if (bytes.byteLength === 0) return hash.digest("hex");
      hash.update(bytes);
      offset += bytes.byteLength;
    }
  } finally {
    await handle.close();
  }
}

/** Does not follow symlinks. */
export async function kindAt(path: string): Promise<"file" | "directory" | "other" | null> {
  try {
    const stat = lstatSync(path);
    return stat.isFile() ? "file" : stat.isDirectory() ? "directory" : "other";
  } catch (error) {
    if (isHostCode(error, "ENOENT") || isHostCode(error, "ENOTDIR")) return null;
    throw error;
  }
}

/** Throws if a parent of the key on the host is not a plain directory. */
export async function checkParents(root: string, key: string): Promise<void> {
  const other = await otherParent(root, key);
  if (other !== null) throw notOurs(other);
}

export async function parentsArePlain(root: string, key: string): Promise<boolean> {
  return (await otherParent(root, key)) === null;
}

async function otherParent(root: string, key: string): Promise<string | null> {
  if (isStraight(root, key)) return null;
  for (const parent of parentsOf(key)) {
    const path = join(root, parent);
    const kind = await kindAt(path);
    if (kind === null) return null;
    if (kind !== "directory") return path;
  }
  return null;
}

/** True if the deepest existing parent is reached through directories only: one check for all of them. */
function isStraight(root: string, key: string): boolean {
  try {
    const top = realpathSync(root);
    let parent = dirname(key);
    while (parent !== "." && !existsSync(join(root, parent))) parent = dirname(parent);
    const path = join(top, parent);
    return realpathSync(path) === path && statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Each directory is durable before the next is created. */
export async function makeParents(root: string, key: string): Promise<void> {
  await checkParents(root, key);
  const parents = parentsOf(key);
  const there = parents.findLastIndex((parent) => existsSync(join(root, parent)));
  for (const parent of parents.slice(there + 1)) await makeDirectory(join(root, parent));
}

/** The parents of several keys, not durably. Returns the directories that need a sync. */
export async function makeParentsOfAll(root: string, keys: readonly string[]): Promise<ReadonlySet<string>> {
  const grown = new Set<string>();
  for (const key of keys) {
    await checkParents(root, key);
    for (const parent of parentsOf(key).map((each) => join(root, each)))
      if (await created(parent)) grown.add(dirname(parent));
  }
  return grown;
}

/** Has nothing to sync: the sync of its directory makes it durable. */
export function createEmpty(path: string): void {
  closeSync(openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600));
}

export async function syncDirectories(paths: Iterable<string>): Promise<void> {
  await Promise.all([...new Set(paths)].map(syncDirectory));
}

export async function makeDirectory(path: string): Promise<void> {
  if (await created(path)) await syncDirectory(dirname(path));
}

/** Creates the directory, not durably. False if it exists. */
async function created(path: string): Promise<boolean> {
  const kind = await kindAt(path);
  if (kind === "directory") return false;
  if (kind !== null) throw notOurs(path);
  try {
    // Faster here than on a thread.
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Created concurrently.
    if (!isHostCode(error, "EEXIST") || (await kindAt(path)) !== "directory") throw error;
  }
  return true;
}

/** Throws if a directory contains a file. */
export async function removeEmptyDirectories(path: string): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (!entry.isDirectory()) throw notOurs(join(path, entry.name));
    await removeEmptyDirectories(join(path, entry.name));
  }
  await rmdir(path);
}

/** Deletes the files in a directory, if it exists. */
export async function emptyDirectory(path: string): Promise<void> {
  if ((await kindAt(path)) !== "directory") return;
  for (const name of await readdir(path)) await unlink(join(path, name)).catch(() => undefined);
}

/** Removes empty parents, from the key's own parent upwards. */
export async function pruneParents(root: string, key: string): Promise<void> {
  for (const parent of parentsOf(key).reverse()) {
    try {
      await rmdir(join(root, parent));
    } catch {
      return;
    }
  }
}

export function isHostCode(error: unknown, code: string): boolean {
  return (error as { code?: unknown }).code === code;
}

/** Translates host errors; others pass through. */
export function hostError(error: unknown, what: string): unknown {
  if (error instanceof SysError || !(error instanceof Error)) return error;
  const code = (error as { code?: unknown }).code;
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new SysError("ENOSPC", `${what}: the disk is full; nothing was saved`, [
      "free some disk space and try again",
    ]);
  }
  if (code === "ENAMETOOLONG") return new SysError("ENAMETOOLONG", `${what}: path too long for this disk`);
  if (code === "EROFS") return new SysError("EROFS", `${what}: the disk is read-only`);
  if (typeof code === "string") return new SysError("EIO", `${what}: ${error.message}`, ["check the home: gsv doctor"]);
  return error;
}

function notOurs(path: string): SysError {
  return new SysError("EIO", `${path} was not created by gsv; not touched`, ["move it away and try again"]);
}
