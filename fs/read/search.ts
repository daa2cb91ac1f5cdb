// Text search below a path: literal, case-sensitive, text files only. Visits directories in name order, follows no symlinks, skips .git,
// ignored files, unreadable files and files that disappear. Bounded memory and results; lets other work run meanwhile, and stops at once when
// aborted.

import { LIMITS } from "../../src/abi/config/limits.ts";
import { SysError } from "../../src/abi/errno.ts";
import type { Caller } from "../../src/abi/identity.ts";
import { normaliseText } from "../../src/abi/process/message.ts";
import { TimeSlice } from "../../src/lib/clock.ts";
import { isBinary } from "../../src/lib/media-type.ts";
import type { Directory, ReadOptions, ReadResult } from "../filesystem.ts";
import type { Namespace } from "../namespace.ts";
import { join } from "../path.ts";
import { GIT_DIRECTORY, IGNORE_BYTES_MAX, IGNORE_FILE, Ignored } from "../repo/ignored.ts";

const PIECE_BYTES = 256 * 1024;
/** Longer lines are searched in chunks. */
const LINE_BYTES_MAX = 256 * 1024;
const CONTENT_CHARS_MAX = 300;
const CONTENT_BEFORE_CHARS = 100;
const RESULT_BYTES_MAX = 512 * 1024;
/** Errors that skip a file. */
const UNREADABLE: readonly string[] = [
  "EACCES",
  "EPERM",
  "ENOENT",
  "ESRCH",
  "ELOOP",
  "ENOTDIR",
  "EISDIR",
  "EFBIG",
  "EIO",
];

export interface SearchMatch {
  readonly path: string;
  readonly line: number;
  readonly content: string;
}

export interface SearchRequest {
  readonly namespace: Namespace;
  readonly caller: Caller;
  /** Without symlinks. */
  readonly root: string;
  readonly query: string;
  /** Glob for names. */
  readonly include?: string;
  readonly signal: AbortSignal;
}

export interface SearchResult {
  readonly matches: readonly SearchMatch[];
  readonly truncated: boolean;
}

export async function searchTree(request: SearchRequest): Promise<SearchResult> {
  needOneLine(request.query);
  const found = new Found();
  const include = request.include === undefined ? null : new Bun.Glob(request.include);
  const slice = new TimeSlice();
  for await (const file of filesBelow(request, slice)) {
    const { path } = file;
    if (include !== null && !include.match(path.slice(path.lastIndexOf("/") + 1))) continue;
    if (path === request.root) await searchFile(request, file, { found, slice });
    else await passOver(() => searchFile(request, file, { found, slice }));
    if (found.full) break;
  }
  return { matches: found.matches, truncated: found.full };
}

export function needOneLine(query: string): void {
  if (query === "" || /[\r\n]/.test(query))
    throw new SysError("EINVAL", "the search text must be one line and not empty");
}

interface Below {
  readonly path: string;
  readonly read: (options: ReadOptions) => Promise<ReadResult>;
}

async function* filesBelow(request: SearchRequest, slice: TimeSlice): AsyncGenerator<Below> {
  const { namespace, caller, root, signal } = request;
  const { kind: kindOfRoot } = await namespace.stat(caller, root);
  const read: Below["read"] = (options) => namespace.read(caller, root, options);
  const todo = [{ path: root, kind: kindOfRoot, above: Ignored.NOTHING, read }];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    await slice.step();
    needNotAborted(signal);
    const { path, kind, above } = next;
    if (kind === "file") yield next;
    if (kind !== "directory") continue;
    // The root must be readable; anything below need not be. One walk per directory.
    const look = () => namespace.directory(caller, path);
    const directory = path === root ? await look() : await passOver(look);
    if (directory === null) continue;
    const { entries } = directory;
    const hasRules = entries.some(({ name, stat }) => name === IGNORE_FILE && stat.kind === "file");
    const ignored = hasRules ? above.and(path, await rulesIn(directory)) : above;
    for (const { name, stat } of [...entries].reverse()) {
      await slice.step();
      const below = join(path, name);
      if (name === GIT_DIRECTORY || ignored.has(below, stat.kind === "directory")) continue;
      todo.push({ path: below, kind: stat.kind, above: ignored, read: (options) => directory.read(name, options) });
    }
  }
}

async function rulesIn(directory: Directory): Promise<string> {
  const read = await passOver(() => directory.read(IGNORE_FILE, { bytesMax: IGNORE_BYTES_MAX }));
  return read === null ? "" : new TextDecoder().decode(read.bytes);
}

async function searchFile(
  { query, signal }: SearchRequest,
  { path, read }: Below,
  { found, slice }: { readonly found: Found; readonly slice: TimeSlice },
): Promise<void> {
  const scan = new LineScan(Buffer.from(query), (line, content) =>
    found.add({ path: normaliseText(path), line, content: normaliseText(around(content, query)) }),
  );
  for (let offset = 0; !found.full; ) {
    await slice.step();
    needNotAborted(signal);
    const { bytes, eof } = await read({ offset, bytesMax: PIECE_BYTES });
    if (offset === 0 && isBinary(bytes)) return;
    scan.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), eof);
    offset += bytes.byteLength;
    if (eof) return;
  }
}

/** Reads a file in chunks and reports each matching line once. */
class LineScan {
  private rest: Buffer = Buffer.alloc(0);
  private line = 1;
  /** In an oversized line: a match was reported. */
  private reported = false;

  constructor(
    private readonly query: Buffer,
    private readonly report: (line: number, content: string) => void,
  ) {}

  push(piece: Buffer, last: boolean): void {
    const data = this.rest.length === 0 ? piece : Buffer.concat([this.rest, piece]);
    let from = 0;
    for (let end = data.indexOf(10); end !== -1; end = data.indexOf(10, from)) {
      this.look(data.subarray(from, end));
      this.line++;
      this.reported = false;
      from = end + 1;
    }
    this.rest = Buffer.from(data.subarray(from));
    if (last || this.rest.length > LINE_BYTES_MAX) {
      this.look(this.rest);
      // A match may span two chunks.
      this.rest = Buffer.from(this.rest.subarray(Math.max(0, this.rest.length - this.query.length + 1)));
    }
  }

  private look(line: Buffer): void {
    if (this.reported || line.indexOf(this.query) === -1) return;
    this.reported = true;
    this.report(this.line, line.toString("utf8"));
  }
}

export class Found {
  readonly matches: SearchMatch[] = [];
  /** More matches than the limit. */
  full = false;
  private bytes = 0;

  add(match: SearchMatch): void {
    if (this.full) return;
    this.bytes += Buffer.byteLength(JSON.stringify(match)) + 1;
    if (this.matches.length === LIMITS.searchMatchesMax || this.bytes > RESULT_BYTES_MAX) this.full = true;
    else this.matches.push(match);
  }
}

/** The part of a long line around the match. */
export function around(line: string, query: string): string {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  if (text.length <= CONTENT_CHARS_MAX) return text;
  const start = Math.max(0, text.indexOf(query) - CONTENT_BEFORE_CHARS);
  const end = start + CONTENT_CHARS_MAX;
  return `${start > 0 ? "…" : ""}${text.slice(start, end).toWellFormed()}${end < text.length ? "…" : ""}`;
}

async function passOver<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SysError && UNREADABLE.includes(error.code)) return null;
    throw error;
  }
}

function needNotAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new SysError("ECANCELED", "the search was cancelled");
}
