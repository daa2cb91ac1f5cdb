// What lies at a path: a directory with its entries, or a file with its text if it is one to read here.

import { SysError } from "../../../src/abi/errno.ts";
import type { EntryPage, FileEntry, FileStat, Piece } from "../../../src/syscalls/fs/fs-tree.ts";
import { bytesOf, type FileText, fromBase64, textIn, toBase64 } from "./file-text.ts";

/** One piece of a file: longer files are not edited here. */
const TEXT_BYTES_MAX = 512 * 1024;

export type Call = <Result>(name: string, args: object) => Promise<Result>;

export interface Directory {
  readonly kind: "directory";
  readonly path: string;
  /** Directories first. */
  readonly entries: readonly FileEntry[];
  /** To continue after; null at the end. */
  readonly next: string | null;
}

export interface OpenFile {
  readonly kind: "file";
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly version: string;
  /** null if it is too long or no text. */
  readonly content: FileText | null;
}

export type Place = Directory | OpenFile;

export async function readPlace(call: Call, path: string): Promise<Place> {
  const stat = await call<FileStat>("fs.stat", { path });
  if (stat.kind === "directory") return await readDirectory(call, stat.path);
  return await readFile(call, stat);
}

export async function readDirectory(call: Call, path: string, before?: Directory): Promise<Directory> {
  const after = before?.next == null ? {} : { after: before.next };
  const { entries, next } = await call<EntryPage>("fs.list", { path, ...after });
  const all = [...(before?.entries ?? []), ...entries];
  const isDirectory = ({ kind }: FileEntry) => kind === "directory";
  const sorted = [...all.filter(isDirectory), ...all.filter((entry) => !isDirectory(entry))];
  return { kind: "directory", path, entries: sorted, next };
}

async function readFile(call: Call, { path, size, mtimeMs }: FileStat): Promise<OpenFile> {
  const { data, eof, version } = await call<Piece>("fs.get", { path });
  const bytes = fromBase64(data);
  const content = eof ? textIn(bytes) : null;
  // Generated files have no size of their own.
  return { kind: "file", path, size: eof ? bytes.length : size, mtimeMs, version, content };
}

/** The file as it is now; null if it is gone. */
export async function reread(call: Call, path: string): Promise<OpenFile | null> {
  try {
    const place = await readPlace(call, path);
    return place.kind === "file" ? place : null;
  } catch (error) {
    if (error instanceof SysError && error.code === "ENOENT") return null;
    throw error;
  }
}

export interface Saving {
  readonly path: string;
  readonly text: string;
  readonly newline: "\n" | "\r\n";
  /** The file must still have this version; null: it must not exist. */
  readonly version: string | null;
}

/** `conflict`: somebody else has changed the file, and nothing was written. */
export async function save(call: Call, { path, text, newline, version }: Saving): Promise<"saved" | "conflict"> {
  const bytes = bytesOf(text, newline);
  if (bytes.length > TEXT_BYTES_MAX)
    throw new SysError("EFBIG", "the text is longer than 512 KiB: upload it as a file");
  const condition = version === null ? { exclusive: true } : { ifVersion: version };
  try {
    await call("fs.put", { path, data: toBase64(bytes), ...condition });
    return "saved";
  } catch (error) {
    if (error instanceof SysError && (error.code === "ECONFLICT" || error.code === "EEXIST")) return "conflict";
    throw error;
  }
}
