// Git's index in its plain form: version 2, no unmerged or hidden entries, no extension but the cached trees. Names are latin1 strings:
// they compare like git's bytes.

import type { BigIntStats } from "node:fs";
import { type NewObject, newObject } from "./loose-objects.ts";

export interface Entry {
  readonly name: string;
  readonly raw: Buffer;
}

/** The version of a directory; `count` entries of the index are below it. */
interface CachedTree {
  readonly name: string;
  readonly count: number;
  readonly id: string;
  readonly below: readonly CachedTree[];
}

interface Index {
  readonly entries: readonly Entry[];
  /** Null if git has forgotten it: a directory has changed. */
  readonly trees: ReadonlyMap<string, CachedTree>;
}

const HEADER = 12;
const NAME = 62;
const SUM = 20;
const NAME_MAX = 0xfff;
const MODES = new Set([0o100644, 0o100755, 0o120000, 0o160000]);
/** Of an entry: seconds and nanoseconds of ctime and mtime, dev, ino, mode, uid, gid, size. */
const MTIME = 8;
const MODE = 24;
const SIZE = 36;
const ID = 40;
/** Extensions that may be dropped: positions of blocks, for reading in threads. */
const POSITIONS = new Set(["EOIE", "IEOT"]);

/** Null if the index is in another form. */
export function readIndex(bytes: Buffer): Index | null {
  if (bytes.toString("latin1", 0, 4) !== "DIRC" || bytes.readUInt32BE(4) !== 2) return null;
  const entries: Entry[] = [];
  let at = HEADER;
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const flags = bytes.readUInt16BE(at + NAME - 2);
    if (flags >= NAME_MAX || !MODES.has(bytes.readUInt32BE(at + MODE))) return null;
    const end = at + ((NAME + flags + 8) & ~7);
    entries.push({ name: bytes.toString("latin1", at + NAME, at + NAME + flags), raw: bytes.subarray(at, end) });
    at = end;
  }
  const trees = new Map<string, CachedTree>();
  while (at < bytes.length - SUM) {
    const kind = bytes.toString("latin1", at, at + 4);
    const end = at + 8 + bytes.readUInt32BE(at + 4);
    if (kind === "TREE") readTree({ bytes, at: at + 8 }, "", trees);
    else if (!POSITIONS.has(kind)) return null;
    at = end;
  }
  return { entries, trees };
}

function readTree(
  from: { bytes: Buffer; at: number },
  above: string,
  into: Map<string, CachedTree>,
): CachedTree | null {
  const { bytes } = from;
  const nameEnd = bytes.indexOf(0, from.at);
  const lineEnd = bytes.indexOf(0x0a, nameEnd);
  const name = bytes.toString("latin1", from.at, nameEnd);
  const [count = -1, subtrees = 0] = bytes
    .toString("latin1", nameEnd + 1, lineEnd)
    .split(" ")
    .map(Number);
  from.at = lineEnd + 1;
  const id = bytes.toString("hex", from.at, from.at + SUM);
  if (count >= 0) from.at += SUM;
  const prefix = name === "" ? above : `${above}${name}/`;
  const below: CachedTree[] = [];
  for (let left = subtrees; left > 0; left--) {
    const tree = readTree(from, prefix, into);
    if (tree !== null) below.push(tree);
  }
  if (count < 0) return null;
  const tree = { name, count, id, below };
  into.set(prefix, tree);
  return tree;
}

/** Entries with these changes: null deletes. Null if a file would be in the place of a directory or vice versa, or of a link. */
export function changeEntries(entries: readonly Entry[], changes: ReadonlyMap<string, Entry | null>): Entry[] | null {
  const kept = entries.filter(({ name, raw }) => {
    const change = changes.get(name);
    return change === undefined || (change !== null && !isFile(raw));
  });
  const added = [...changes.values()].filter((entry) => entry !== null);
  const all = [...kept, ...added].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const names = new Set(all.map(({ name }) => name));
  if (names.size !== all.length) return null;
  for (const { name } of added) {
    for (let slash = name.indexOf("/"); slash > 0; slash = name.indexOf("/", slash + 1))
      if (names.has(name.slice(0, slash))) return null;
    if (all.some((other) => other.name.startsWith(`${name}/`))) return null;
  }
  return all;
}

function isFile(raw: Buffer): boolean {
  const mode = raw.readUInt32BE(MODE);
  return mode === 0o100644 || mode === 0o100755;
}

/** The trees of these entries, and those of them that must be stored. */
export function treesOf(
  entries: readonly Entry[],
  cached: ReadonlyMap<string, CachedTree>,
  changed: ReadonlySet<string>,
): { readonly root: CachedTree; readonly fresh: readonly NewObject[] } {
  const fresh: NewObject[] = [];
  const touched = new Set([...changed].flatMap(directoriesAbove));
  const build = (prefix: string, name: string, from: number): CachedTree => {
    const known = cached.get(prefix);
    if (known !== undefined && !touched.has(prefix)) return known;
    const lines: Buffer[] = [];
    const below: CachedTree[] = [];
    let at = from;
    for (let entry = entries[at]; entry?.name.startsWith(prefix); entry = entries[at]) {
      const slash = entry.name.indexOf("/", prefix.length);
      if (slash < 0) {
        lines.push(
          lineOf(entry.raw.readUInt32BE(MODE), entry.name.slice(prefix.length), entry.raw.subarray(ID, ID + SUM)),
        );
        at++;
        continue;
      }
      const tree = build(entry.name.slice(0, slash + 1), entry.name.slice(prefix.length, slash), at);
      lines.push(lineOf(0o40000, tree.name, Buffer.from(tree.id, "hex")));
      below.push(tree);
      at += tree.count;
    }
    const object = newObject("tree", Buffer.concat(lines));
    fresh.push(object);
    return { name, count: at - from, id: object.id, below };
  };
  return { root: build("", "", 0), fresh };
}

function lineOf(mode: number, name: string, id: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${mode.toString(8)} ${name}\0`, "latin1"), id]);
}

function directoriesAbove(name: string): string[] {
  const above = [""];
  for (let slash = name.indexOf("/"); slash > 0; slash = name.indexOf("/", slash + 1))
    above.push(name.slice(0, slash + 1));
  return above;
}

export function indexBytes(entries: readonly Entry[], root: CachedTree): Buffer {
  const header = Buffer.alloc(HEADER);
  header.write("DIRC", "latin1");
  header.writeUInt32BE(2, 4);
  header.writeUInt32BE(entries.length, 8);
  const trees = Buffer.concat(treeParts(root));
  const extension = Buffer.alloc(8);
  extension.write("TREE", "latin1");
  extension.writeUInt32BE(trees.length, 4);
  const all = Buffer.concat([header, ...entries.map(({ raw }) => raw), extension, trees]);
  return Buffer.concat([all, new Bun.CryptoHasher("sha1").update(all).digest()]);
}

function treeParts({ name, count, id, below }: CachedTree): Buffer[] {
  const line = Buffer.from(`${name}\0${count} ${below.length}\n`, "latin1");
  return [line, Buffer.from(id, "hex"), ...below.flatMap(treeParts)];
}

export function entryOf(name: string, stat: BigIntStats, id: string): Entry {
  const raw = Buffer.alloc((NAME + name.length + 8) & ~7);
  const executable = (stat.mode & 0o100n) !== 0n;
  const words = [
    ...statWords(stat),
    stat.dev,
    stat.ino,
    executable ? 0o100755n : 0o100644n,
    stat.uid,
    stat.gid,
    stat.size,
  ];
  for (const [at, word] of words.entries()) raw.writeUInt32BE(Number(BigInt.asUintN(32, word)), 4 * at);
  raw.write(id, ID, "hex");
  raw.writeUInt16BE(name.length, NAME - 2);
  raw.write(name, NAME, "latin1");
  return { name, raw };
}

function statWords({ ctimeNs, mtimeNs }: BigIntStats): bigint[] {
  const second = 1_000_000_000n;
  return [ctimeNs / second, ctimeNs % second, mtimeNs / second, mtimeNs % second];
}

/** Entries changed in the second in which the index was written, or later: git cannot tell them from the files by their times. */
export function uncertain(entries: readonly Entry[], written: bigint): Entry[] {
  const second = Number(written / 1_000_000_000n);
  return entries.filter(({ raw }) => raw.readUInt32BE(MTIME) >= second && isFile(raw));
}

/** True if the file cannot have changed since an index was written at this time. */
export function isUnchanged({ name, raw }: Entry, stat: BigIntStats, written: bigint): boolean {
  return stat.mtimeNs < written && stat.ctimeNs < written && entryOf(name, stat, idOf({ raw })).raw.equals(raw);
}

export function idOf({ raw }: { readonly raw: Buffer }): string {
  return raw.toString("hex", ID, ID + SUM);
}

/** Git compares the contents of a file whose stored size is 0. */
export function markUnsure({ name, raw }: Entry): Entry {
  const marked = Buffer.from(raw);
  marked.writeUInt32BE(0, SIZE);
  return { name, raw: marked };
}
