// A filesystem whose files are generated when they are read, from a table of rows (/proc, /sys, /bin …). `*` in a row's path matches one
// name of a list; a row that spells the name out wins over it. Reading from offset 0 generates the file anew; reading on from a later
// offset sees the same text until a second after its last use, so that the pieces agree. A write to a file that accepts one acts once, with
// the whole content. Nothing is created, renamed or removed where its row does not say how.

import { LIMITS } from "../../src/abi/config/limits.ts";
import type { Caller } from "../../src/abi/identity.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { sha256Hex } from "../../src/lib/hash.ts";
import { need, READ, WRITE } from "../access.ts";
import { FileError, refused } from "../error.ts";
import type {
  Entry,
  FileKind,
  FileSystem,
  ReadOptions,
  ReadResult,
  ResolvedPath,
  Stat,
  WriteOptions,
} from "../filesystem.ts";
import { split } from "../path.ts";

export type Text = string | AsyncIterable<string>;

/** A file. It is root's and everybody reads it, unless it says otherwise. */
export interface TextRow {
  readonly path: string;
  readonly text: (caller: Caller, names: readonly string[]) => Promise<Text>;
  /** Takes what was written: all of it or, by throwing, none, also at a name that is on no list. `options` says where it was meant for. */
  readonly write?: (caller: Caller, names: readonly string[], text: string, options: WriteOptions) => Promise<void>;
  /** Takes the file away, where that means something. */
  readonly remove?: (caller: Caller, names: readonly string[]) => Promise<void>;
  readonly mode?: number;
  readonly owner?: (caller: Caller) => Promise<{ readonly uid: number; readonly gid: number }>;
}

/** A file that grows while it is read: every piece is as it is now. Everybody reads it. */
export interface LiveRow {
  readonly path: string;
  readonly read: (caller: Caller, names: readonly string[], options: ReadOptions) => Promise<ReadResult>;
}

/** `names` are what the path's `*`s stand for, in order. */
export type Row =
  | TextRow
  | LiveRow
  | { readonly path: string; readonly link: (caller: Caller, names: readonly string[]) => Promise<string> }
  /** Ends in `*`: which names there are, and whether one is, which may be cheaper to say. */
  | {
      readonly path: string;
      /** Of the directory; nobody changes it unless this says otherwise. */
      readonly mode?: number;
      readonly list: (caller: Caller, names: readonly string[]) => Promise<readonly string[]>;
      readonly has: (caller: Caller, names: readonly string[], name: string) => Promise<boolean>;
    };

const SNAPSHOT_MS = 1000;
const SNAPSHOTS_MAX = 32;

export function syntheticFs(rows: readonly Row[], clock: Clock): FileSystem {
  return new SyntheticFs(rows, clock);
}

interface Placed {
  readonly row: Row;
  readonly pattern: readonly string[];
}

interface Found {
  readonly kind: FileKind;
  readonly row?: Row;
  readonly names: readonly string[];
  readonly pattern: readonly string[];
  /** Of a directory, where its row says so. */
  readonly mode?: number | undefined;
}

class SyntheticFs implements FileSystem {
  private readonly snapshots = new Map<string, Snapshot>();

  private readonly rows: readonly Placed[];

  constructor(
    rows: readonly Row[],
    private readonly clock: Clock,
  ) {
    this.rows = rows.map((row) => ({ row, pattern: split(row.path) }));
  }

  async stat(caller: Caller, path: ResolvedPath): Promise<Stat> {
    const found = this.find(path);
    await this.needName(caller, path, found);
    return this.statOf(caller, found);
  }

  async list(caller: Caller, path: ResolvedPath): Promise<readonly Entry[]> {
    const found = this.find(path);
    if (found.kind !== "directory") throw new FileError("ENOTDIR", path);
    const wanted = split(path);
    /** What stands at each name that is written out: a file, or null for a directory. */
    const leaves = new Map<string, Row | null>();
    const listed = new Set<string>();
    let ofListed: Row | null = null;
    for (const { row, pattern } of this.rows) {
      const name = pattern[wanted.length];
      if (name === undefined || !begins(pattern, wanted)) continue;
      const isLast = pattern.length === wanted.length + 1;
      const leaf = isLast && !("list" in row) ? row : null;
      if (name !== "*") leaves.set(name, leaf ?? leaves.get(name) ?? null);
      else if (leaf !== null) ofListed = leaf;
      else if (isLast && "list" in row) for (const each of await row.list(caller, found.names)) listed.add(each);
    }
    const entries: Entry[] = [];
    for (const [name, row] of leaves)
      entries.push({
        name,
        stat: await this.statOf(caller, {
          ...leafOf(row),
          names: found.names,
          mode: this.directoryMode([...wanted, name]),
        }),
      });
    const leaf = leafOf(ofListed);
    // But for links, whose targets differ, what is listed is all of a kind: one stat says it of hundreds.
    const shared = leaf.kind === "symlink" ? null : await this.statOf(caller, { ...leaf, names: found.names });
    for (const name of listed) {
      if (leaves.has(name)) continue;
      const stat = shared ?? (await this.statOf(caller, { ...leaf, names: [...found.names, name] }));
      entries.push({ name, stat });
    }
    return entries;
  }

  async read(caller: Caller, path: ResolvedPath, { offset = 0, bytesMax }: ReadOptions): Promise<ReadResult> {
    const found = this.find(path);
    const { row, names } = found;
    if (row !== undefined && "read" in row) return row.read(caller, names, { offset, bytesMax });
    if (row === undefined || !("text" in row)) throw new FileError("EISDIR", path);
    need(caller, await this.statOf(caller, found), READ, path);
    const key = `${caller.uid} ${caller.ownerUid} ${caller.pid ?? ""} ${path}`;
    for (const [other, snapshot] of this.snapshots) {
      if (this.clock.mono() - snapshot.usedAt > SNAPSHOT_MS) this.snapshots.delete(other);
    }
    let snapshot = offset === 0 ? undefined : this.snapshots.get(key);
    if (snapshot === undefined) {
      snapshot = snapshotOf(await row.text(caller, names), this.clock);
      this.snapshots.delete(key);
      const oldest = this.snapshots.keys().next();
      if (this.snapshots.size >= SNAPSHOTS_MAX && !oldest.done) this.snapshots.delete(oldest.value);
    }
    const result = await snapshot.read(path, offset, bytesMax);
    snapshot.usedAt = this.clock.mono();
    // A file that was read in one go is not asked for again, and who looks for more after its end wants it as it is then.
    if (result.eof && (offset === 0 || result.bytes.byteLength === 0)) this.snapshots.delete(key);
    else this.snapshots.set(key, snapshot);
    return result;
  }

  async write(
    caller: Caller,
    path: ResolvedPath,
    bytes: Uint8Array,
    options: WriteOptions,
  ): Promise<{ readonly version: string }> {
    const found = this.found(path);
    // Who may write here may still not make a file.
    if (found === null) throw new FileError("EPERM", path);
    const { row, names } = found;
    if (row === undefined || !("text" in row) || row.write === undefined) throw new FileError("EPERM", path);
    need(caller, await this.statOf(caller, found), WRITE, path);
    if (options.ifVersion !== undefined) {
      const now = snapshotOf(await row.text(caller, names), this.clock);
      if (now.version !== options.ifVersion) throw new FileError("ECONFLICT", path);
    }
    await row.write(caller, names, textOf(bytes, path), options);
    return { version: versionOf(bytes) };
  }

  async remove(caller: Caller, path: ResolvedPath): Promise<void> {
    const found = this.found(path);
    if (found === null) throw new FileError("ENOENT", path);
    const { row, names } = found;
    if (row === undefined || !("text" in row) || row.remove === undefined) return refused(caller, path);
    need(caller, await this.statOf(caller, found), WRITE, path);
    await row.remove(caller, names);
  }

  readonly rename = refused;
  readonly mkdir = refused;
  readonly link = refused;
  readonly setattr = refused;

  private find(path: string): Found {
    const found = this.found(path);
    if (found === null) throw new FileError("ENOENT", path);
    return found;
  }

  /** What a path is if the names on the way exist, which the Namespace has asked just before; null where no row leads. */
  private found(path: string): Found | null {
    const wanted = split(path);
    let best: Placed | null = null;
    let leaf: Placed | null = null;
    let rank = -1;
    for (const placed of this.rows) {
      const { row, pattern } = placed;
      if (!begins(pattern, wanted)) continue;
      const literal = literals(pattern, wanted.length);
      if (literal < rank) continue;
      // A directory whose name is spelled out is none of the files that a `*` stands for.
      if (literal > rank) [best, leaf, rank] = [placed, null, literal];
      if (pattern.length === wanted.length && !("list" in row)) leaf ??= placed;
    }
    if (best === null && wanted.length > 0) return null;
    const names = wanted.filter((_, index) => best?.pattern[index] === "*");
    const mode = this.directoryMode(wanted);
    return { ...leafOf(leaf?.row ?? null), names, mode, pattern: best?.pattern.slice(0, wanted.length) ?? [] };
  }

  private directoryMode(names: readonly string[]): number | undefined {
    const listing = this.rows.find(
      ({ row, pattern }) => "list" in row && pattern.length === names.length + 1 && begins(pattern, names),
    )?.row;
    return listing !== undefined && "list" in listing ? listing.mode : undefined;
  }

  /** A name a `*` stands for must be on its list. Those before the last the Namespace has asked for on its way here. */
  private async needName(caller: Caller, path: string, { pattern, names }: Found): Promise<void> {
    if (pattern.at(-1) !== "*") return;
    const list = this.rows.find((each) => "list" in each.row && Bun.deepEquals(each.pattern, pattern))?.row;
    const [name = "", before] = [names.at(-1), names.slice(0, -1)];
    if (list === undefined || !("has" in list) || !(await list.has(caller, before, name)))
      throw new FileError("ENOENT", path);
  }

  private async statOf(caller: Caller, { kind, row, names, mode }: Omit<Found, "pattern">): Promise<Stat> {
    const now = this.clock.now();
    const base = { kind, uid: 0, gid: 0, size: 0, mtimeMs: now, version: String(now) };
    if (kind === "directory") return { ...base, mode: mode ?? 0o555 };
    if (row !== undefined && "link" in row) return { ...base, mode: 0o777, target: await row.link(caller, names) };
    const file: Partial<TextRow> = row !== undefined && "text" in row ? row : {};
    const owner = (await file.owner?.(caller)) ?? { uid: 0, gid: 0 };
    const bits = file.mode ?? (file.write === undefined ? 0o444 : 0o644);
    return { ...base, ...owner, mode: bits, contentType: "text/plain" };
  }
}

/** One making of a file: pulled only as far as somebody read. */
class Snapshot {
  usedAt = 0;
  private readonly source: AsyncIterator<string> | null;
  private bytes: Buffer;
  private done: boolean;

  constructor(
    text: Text,
    readonly version: string,
  ) {
    this.done = typeof text === "string";
    this.bytes = Buffer.from(typeof text === "string" ? text : "");
    this.source = typeof text === "string" ? null : text[Symbol.asyncIterator]();
  }

  async read(path: string, offset: number, bytesMax: number): Promise<ReadResult> {
    const pieces = [this.bytes];
    for (let size = this.bytes.length; !this.done && size <= offset + bytesMax; ) {
      const next = await this.source?.next();
      if (next === undefined || next.done) {
        this.done = true;
        break;
      }
      const piece = Buffer.from(next.value);
      size += piece.length;
      if (size > LIMITS.fileBytesMax) throw new FileError("EFBIG", path);
      pieces.push(piece);
    }
    this.bytes = pieces.length === 1 ? this.bytes : Buffer.concat(pieces);
    const bytes = new Uint8Array(this.bytes.subarray(offset, offset + bytesMax));
    return { bytes, eof: this.done && offset + bytes.byteLength >= this.bytes.length, version: this.version };
  }
}

function snapshotOf(text: Text, clock: Clock): Snapshot {
  return new Snapshot(text, typeof text === "string" ? versionOf(Buffer.from(text)) : String(clock.now()));
}

export function versionOf(bytes: Uint8Array): string {
  return sha256Hex(bytes).slice(0, 16);
}

/** What is written to a file that is made of text. */
export function textOf(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new FileError("EINVAL", path, "takes text in UTF-8 only");
  }
}

/** Whether a row is at these names or beneath them. */
function begins(pattern: readonly string[], names: readonly string[]): boolean {
  if (pattern.length < names.length) return false;
  for (let at = 0; at < names.length; at++) if (pattern[at] !== "*" && pattern[at] !== names[at]) return false;
  return true;
}

/** Without a row of its own it is the way to others. */
function leafOf(row: Row | null): Pick<Found, "kind" | "row"> {
  if (row === null) return { kind: "directory" };
  return { kind: "link" in row ? "symlink" : "file", row };
}

function literals(pattern: readonly string[], depth: number): number {
  let count = 0;
  for (let at = 0; at < depth; at++) if (pattern[at] !== "*") count++;
  return count;
}
