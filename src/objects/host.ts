// The few things the disk driver does to the host: durable writes, directories, hashes. Below the driver's directory no symlink is
// ever followed: whatever stands where a plain file or directory should be ends the call, untouched. Files are 0600, directories 0700.

import { constants, existsSync, realpathSync, statSync } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, rmdir, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SysError } from "../abi/errno.ts";
import { parentsOf } from "./keys.ts";

const CHUNK_BYTES = 256 * 1024;

export interface Written {
  readonly size: number;
  readonly sha256: string;
}

/** Writes a new file and puts it on disk, hashing as it goes; never more than one piece in memory. Leaves nothing when it fails. */
export async function writeDurably(path: string, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<Written> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const handle = await open(path, flags, 0o600);
  try {
    const hash = new Bun.CryptoHasher("sha256");
    let size = 0;
    for await (const piece of bytes instanceof Uint8Array ? [bytes] : bytes) {
      hash.update(piece);
      size += piece.byteLength;
      await writeAll(handle, piece);
    }
    await handle.sync();
    return { size, sha256: hash.digest("hex") };
  } catch (error) {
    await unlink(path).catch(() => undefined);
    throw error;
  } finally {
    await handle.close();
  }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  let done = 0;
  while (done < bytes.byteLength) done += (await handle.write(bytes, done, bytes.byteLength - done)).bytesWritten;
}

export async function openPlainFile(path: string): Promise<FileHandle> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw stranger(path);
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

/** null when there is no plain file. */
export async function sha256Of(path: string): Promise<string | null> {
  if ((await kindAt(path)) !== "file") return null;
  const handle = await openPlainFile(path).catch((error: unknown) => {
    // It has gone since.
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

/** What stands at a path, without following it. */
export async function kindAt(path: string): Promise<"file" | "directory" | "stranger" | null> {
  try {
    const stat = await lstat(path);
    return stat.isFile() ? "file" : stat.isDirectory() ? "directory" : "stranger";
  } catch (error) {
    if (isHostCode(error, "ENOENT") || isHostCode(error, "ENOTDIR")) return null;
    throw error;
  }
}

/** Refuses a key whose parents on the host are anything but plain directories. */
export async function checkParents(root: string, key: string): Promise<void> {
  const strange = await strangeParent(root, key);
  if (strange !== null) throw stranger(strange);
}

export async function parentsArePlain(root: string, key: string): Promise<boolean> {
  return (await strangeParent(root, key)) === null;
}

async function strangeParent(root: string, key: string): Promise<string | null> {
  if (isStraight(root, key)) return null;
  for (const parent of parentsOf(key)) {
    const path = join(root, parent);
    const kind = await kindAt(path);
    if (kind === null) return null;
    if (kind !== "directory") return path;
  }
  return null;
}

/** Whether the deepest parent that is there is reached through directories alone: one question for all of them, however many. */
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

/** Makes the directories a key needs, each durable before the next. */
export async function makeParents(root: string, key: string): Promise<void> {
  await checkParents(root, key);
  const parents = parentsOf(key);
  const there = parents.findLastIndex((parent) => existsSync(join(root, parent)));
  for (const parent of parents.slice(there + 1)) await makeDirectory(join(root, parent));
}

export async function makeDirectory(path: string): Promise<void> {
  const kind = await kindAt(path);
  if (kind === "directory") return;
  if (kind !== null) throw stranger(path);
  await mkdir(path, { mode: 0o700 }).catch(async (error: unknown) => {
    // Another was faster.
    if (!isHostCode(error, "EEXIST") || (await kindAt(path)) !== "directory") throw error;
  });
  await syncDirectory(dirname(path));
}

/** A rename or unlink is durable once its directory is. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Takes away a directory and the empty directories in it; one that holds a file stays and is reported. */
export async function removeEmptyDirectories(path: string): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (!entry.isDirectory()) throw stranger(join(path, entry.name));
    await removeEmptyDirectories(join(path, entry.name));
  }
  await rmdir(path);
}

/** Directories that hold nothing any more are not kept, from the key's own parent upwards. */
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

/** The host's errors in gsv's words; anything else passes through. */
export function hostError(error: unknown, what: string): unknown {
  if (error instanceof SysError || !(error instanceof Error)) return error;
  const code = (error as { code?: unknown }).code;
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new SysError("ENOSPC", `${what}: the disk is full; nothing was saved`, [
      "free some disk space and try again",
    ]);
  }
  if (code === "ENAMETOOLONG") return new SysError("ENAMETOOLONG", `${what}: the host does not take a path this long`);
  if (code === "EROFS") return new SysError("EROFS", `${what}: the disk is read-only`);
  if (typeof code === "string")
    return new SysError("EIO", `${what}: ${error.message}`, ["gsv doctor looks at all of the home"]);
  return error;
}

function stranger(path: string): SysError {
  return new SysError("EIO", `${path} was not made by gsv; it is left as it is`, ["move it away and try again"]);
}
