// Files of the host, for copying in and out. A file is written under a temporary name and renamed, so the old content stays until the new one
// is complete. Refuses gsv's home, because only SQLite may open its databases, and everything that is not a plain file.

import { constants } from "node:fs";
import {
  access,
  chmod,
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  utimes,
} from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import type { Side, Thing } from "../../commands/files/copy/side.ts";
import { PHRASES } from "../../commands/files/phrases.ts";
import { isCode, SysError } from "../abi/errno.ts";
import { type RandomBytes, uuidv7 } from "../abi/ids.ts";
import type { Clock } from "../lib/clock.ts";

const PIECE_BYTES = 512 * 1024;
/** The mode of a file that has none. */
const PRIVATE_MODE = 0o600;

export interface HostFilesOptions {
  readonly cwd: string;
  /** gsv's home, and the directory in it that may be read: texts left in an editor. */
  readonly home: string;
  readonly drafts: string;
  readonly clock: Clock;
  readonly random: RandomBytes;
}

export async function hostSide({ cwd, home, drafts, clock, random }: HostFilesOptions): Promise<Side> {
  const [ownHome, ownDrafts] = [await realOf(home), await realOf(drafts)];

  /** The path without links. Throws inside gsv's home. */
  async function outside(path: string, use: "read" | "write"): Promise<string> {
    const absolute = resolve(cwd, path);
    const real = await realOf(absolute);
    const isDraft = use === "read" && real.startsWith(`${ownDrafts}${sep}draft-`);
    if ((real !== ownHome && !real.startsWith(ownHome + sep)) || isDraft) return absolute;
    throw new SysError("EPERM", `host:${path}: cannot copy single files of gsv's home`, [
      "to copy the whole home: gsv backup FILE",
    ]);
  }

  async function thingAt(path: string, follow: boolean): Promise<Thing | null> {
    const found = await (follow ? stat(path) : lstat(path)).catch(nothing);
    if (found === null) return null;
    const kind = found.isFile()
      ? "file"
      : found.isDirectory()
        ? "directory"
        : found.isSymbolicLink()
          ? "symlink"
          : "other";
    const real = kind === "symlink" ? path : await realpath(path);
    const target = kind === "symlink" ? { target: await readlink(path) } : {};
    return { kind, mode: found.mode & 0o7777, mtimeMs: found.mtimeMs, size: found.size, real, ...target };
  }

  return {
    fileBytesMax: null,
    look: (path, { follow }) => withHostErrors(path, async () => thingAt(await outside(path, "read"), follow)),
    names: (path) => withHostErrors(path, async () => (await readdir(await outside(path, "read"))).sort()),
    async *read(path) {
      const handle = await withHostErrors(path, async () => openPlain(await outside(path, "read")));
      try {
        yield* piecesOf(handle, path);
      } finally {
        await handle.close();
      }
    },
    write: (path, pieces, { mode, exclusive, found }) =>
      withHostErrors(path, async () => {
        const named = await outside(path, "write");
        const there = await thingAt(named, found !== true);
        if (there !== null && exclusive) throw new SysError("EEXIST", `host:${path}: File exists`);
        if (there !== null && there.kind !== "file") throw notPlain(path);
        // Renaming over it would bypass its permissions.
        if (there !== null) await access(there.real, constants.W_OK);
        const final = there?.real ?? named;
        const beside = join(dirname(final), `.${basename(final).slice(0, 100)}.${uuidv7(clock.now(), random)}`);
        try {
          await writeNew(beside, pieces, there === null ? (mode ?? PRIVATE_MODE) : there.mode & 0o777);
          await rename(beside, final);
        } catch (error) {
          await rm(beside, { force: true });
          throw error;
        }
      }),
    mkdir: (path, mode) =>
      withHostErrors(path, async () => {
        const absolute = await outside(path, "write");
        await mkdir(absolute);
        await chmod(absolute, mode);
      }),
    link: null,
    attributes: (path, { mode, mtimeMs }) =>
      withHostErrors(path, async () => {
        const absolute = await outside(path, "write");
        if (mode !== undefined) await chmod(absolute, mode);
        if (mtimeMs !== undefined) await utimes(absolute, mtimeMs / 1000, mtimeMs / 1000);
      }),
    remove: (path) => withHostErrors(path, async () => rm(await outside(path, "write"))),
    within: (directory, name) => join(directory, name),
    nameOf: async (path) => basename(await realpathOf(resolve(cwd, path), path)),
  };
}

/** Resolves links. The last part need not exist. */
async function realOf(path: string): Promise<string> {
  const real = await realpath(path).catch(() => null);
  if (real !== null) return real;
  const above = dirname(path);
  return above === path ? path : join(await realOf(above), basename(path));
}

async function realpathOf(absolute: string, path: string): Promise<string> {
  const name = basename(path);
  return name === "" || name === "." || name === ".." ? await withHostErrors(path, () => realpath(absolute)) : absolute;
}

function nothing(error: unknown): null {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
  throw error;
}

async function openPlain(path: string): Promise<FileHandle> {
  // Opening a pipe without a writer would block.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const found = await handle.stat();
  if (found.isFile()) return handle;
  await handle.close();
  throw found.isDirectory() ? new SysError("EISDIR", `host:${path}: Is a directory`) : notPlain(path);
}

async function* piecesOf(handle: FileHandle, path: string): AsyncGenerator<Uint8Array> {
  const before = await handle.stat();
  for (;;) {
    const next = () => handle.read(new Uint8Array(PIECE_BYTES), 0, PIECE_BYTES, null);
    const { bytesRead, buffer } = await withHostErrors(path, next);
    if (bytesRead === 0) break;
    yield buffer.subarray(0, bytesRead);
  }
  const after = await handle.stat();
  if (after.mtimeMs !== before.mtimeMs || after.size !== before.size)
    throw new SysError("ECONFLICT", `host:${path}: Changed since it was read`, ["try again"]);
}

async function writeNew(path: string, pieces: AsyncIterable<Uint8Array>, mode: number): Promise<void> {
  const handle = await open(path, "wx", PRIVATE_MODE);
  try {
    for await (const piece of pieces) await handle.writeFile(piece);
    await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function notPlain(path: string): SysError {
  return new SysError("EINVAL", `host:${path}: Not a regular file`, ["for stdin or stdout, use -"]);
}

/** Translates errors of the host. */
async function withHostErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SysError || !(error instanceof Error) || !("code" in error)) throw error;
    const code = isCode(error.code) ? error.code : "EIO";
    const phrase = PHRASES[code] ?? String(error.code);
    throw new SysError(code, `host:${path}: ${phrase}`);
  }
}
