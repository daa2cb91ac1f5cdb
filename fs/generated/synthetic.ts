// A filesystem of generated files, from a table of rows (/proc, /sys, /bin …). `*` in a path matches one listed name; a literal name wins.
// A read from offset 0 generates the file; later offsets read the same text until a second after the last read. A write calls the row once,
// with the whole content. Nothing else can be created, renamed or removed.

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

/** A file, by default root's and world-readable. */
export interface TextRow {
  readonly path: string;
  readonly text: (caller: Caller, names: readonly string[]) => Promise<Text>;
  /** Accepts the whole content or throws. Also called for unlisted names. */
  readonly write?: (caller: Caller, names: readonly string[], text: string, options: WriteOptions) => Promise<void>;
  /** Removes the file. */
  readonly remove?: (caller: Caller, names: readonly string[]) => Promise<void>;
  readonly mode?: number;
  readonly owner?: (caller: Caller) => Promise<{ readonly uid: number; readonly gid: number }>;
}

/** A growing file: never cached. World-readable. */
export interface LiveRow {
  readonly path: string;
  readonly read: (caller: Caller, names: readonly string[], options: ReadOptions) => Promise<ReadResult>;
}

/** `names`: values of the `*`s, in order. */
export type Row =
  | TextRow
  | LiveRow
  | { readonly path: string; readonly link: (caller: Caller, names: readonly string[]) => Promise<string> }
  /** Path ends in `*`. `has` may be cheaper than `list`. */
  | {
      readonly path: string;
      /** Mode of the directory; default read-only. */
      readonly mode?: number;
      readonly list: (caller: Caller, names: readonly string[]) => Promise<readonly string[]>;
      readonly has: (caller: Caller, names: readonly string[], name: string) => Promise<boolean>;
    };

const SNAPSHOT_MS = 1000;
const SNAPSHOTS_MAX = 32;

export function syntheticFs(rows: readonly Row[], clock: Clock): FileSystem {
  return new SyntheticFs(rows, clock);
}

/** One directory of files. */
export function directoryFs(
  list: (caller: Caller) => Promise<readonly string[]>,
  file: Omit<TextRow, "path">,
  clock: Clock,
): FileSystem {
  const has = async (caller: Caller, _names: unknown, name: string) => (await list(caller)).includes(name);
  return syntheticFs(
    [
      { path: "/*", list, has },
      { path: "/*", ...file },
    ],
    clock,
  );
}

interface Placed {
  readonly row: Row;
  readonly pattern: readonly string[];
}

interface Match {
  readonly kind: FileKind;
  readonly row?: Row;
  readonly names: readonly string[];
  readonly pattern: readonly string[];
  /** Mode of a directory, if its row sets one. */
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
    /** Literal names: a file row, or null for a directory. */
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
    // Except for symlinks, all listed files have the same stat.
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
    // Completely read: the next read must generate it again.
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
    // Write permission does not include creating files.
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

  private find(path: string): Match {
    const found = this.found(path);
    if (found === null) throw new FileError("ENOENT", path);
    return found;
  }

  /** Finds the row of a path; the Namespace has checked the names on the way. Null if there is none. */
  private found(path: string): Match | null {
    const wanted = split(path);
    let best: Placed | null = null;
    let leaf: Placed | null = null;
    let rank = -1;
    for (const placed of this.rows) {
      const { row, pattern } = placed;
      if (!begins(pattern, wanted)) continue;
      const literal = literals(pattern, wanted.length);
      if (literal < rank) continue;
      // A literal directory name is not a file matched by `*`.
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

  /** The last name must be listed; the Namespace has checked the earlier ones. */
  private async needName(caller: Caller, path: string, { pattern, names }: Match): Promise<void> {
    if (pattern.at(-1) !== "*") return;
    const list = this.rows.find((each) => "list" in each.row && Bun.deepEquals(each.pattern, pattern))?.row;
    const [name = "", before] = [names.at(-1), names.slice(0, -1)];
    if (list === undefined || !("has" in list) || !(await list.has(caller, before, name)))
      throw new FileError("ENOENT", path);
  }

  private async statOf(caller: Caller, { kind, row, names, mode }: Omit<Match, "pattern">): Promise<Stat> {
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

/** One generated version of a file, produced as far as it was read. */
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

export function textOf(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new FileError("EINVAL", path, "only UTF-8 text is accepted");
  }
}

/** True if the row is at these names or below them. */
function begins(pattern: readonly string[], names: readonly string[]): boolean {
  if (pattern.length < names.length) return false;
  for (let at = 0; at < names.length; at++) if (pattern[at] !== "*" && pattern[at] !== names[at]) return false;
  return true;
}

/** A path without a row of its own is a directory. */
function leafOf(row: Row | null): Pick<Match, "kind" | "row"> {
  if (row === null) return { kind: "directory" };
  return { kind: "link" in row ? "symlink" : "file", row };
}

function literals(pattern: readonly string[], depth: number): number {
  let count = 0;
  for (let at = 0; at < depth; at++) if (pattern[at] !== "*") count++;
  return count;
}
