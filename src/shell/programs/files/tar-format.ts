// Reads and writes the tar format: members one after another, each after a header block. Pure.

const BLOCK = 512;
const NAME_BYTES = 100;
/** Two empty blocks end an archive, padded to records of twenty. */
const RECORD = 20 * BLOCK;

export interface Member {
  readonly name: string;
  readonly kind: "file" | "directory" | "symlink" | "hardlink" | "other";
  readonly mode: number;
  readonly mtimeMs: number;
  readonly owner: string;
  readonly group: string;
  readonly uid: number;
  readonly gid: number;
  readonly target: string;
  readonly bytes: Uint8Array;
}

const KINDS: { readonly [flag: string]: Member["kind"] } = {
  ...{ "\0": "file", "0": "file", "7": "file", "1": "hardlink", "2": "symlink", "5": "directory" },
};
const FLAGS = { file: "0", directory: "5", symlink: "2", hardlink: "1", other: "0" } as const;

export function archiveOf(members: readonly Member[]): Uint8Array {
  const pieces = members.flatMap((member) => [
    ...longOf("K", member.target),
    ...longOf("L", member.name),
    header(member, FLAGS[member.kind], member.bytes.byteLength),
    padded(member.bytes),
  ]);
  const size = pieces.reduce((sum, piece) => sum + piece.byteLength, 2 * BLOCK);
  return Buffer.concat([...pieces, Buffer.alloc(Math.ceil(size / RECORD) * RECORD - size + 2 * BLOCK)]);
}

/** A name too long for the header goes into a record before it. */
function longOf(flag: "K" | "L", text: string): readonly Uint8Array[] {
  const bytes = Buffer.from(`${text}\0`);
  if (bytes.byteLength - 1 <= NAME_BYTES) return [];
  const about = { name: "././@LongLink", mode: 0o644, mtimeMs: 0, uid: 0, gid: 0, owner: "root", group: "root" };
  return [header({ ...about, target: "" }, flag, bytes.byteLength), padded(bytes)];
}

function padded(bytes: Uint8Array): Uint8Array {
  const rest = bytes.byteLength % BLOCK;
  return rest === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(BLOCK - rest)]);
}

function header(about: Omit<Member, "kind" | "bytes">, flag: string, size: number): Uint8Array {
  const block = Buffer.alloc(BLOCK);
  const number = (value: number, at: number, length: number) =>
    block.write(
      `${Math.max(0, Math.floor(value))
        .toString(8)
        .padStart(length - 1, "0")}\0`,
      at,
      "latin1",
    );
  Buffer.from(about.name).copy(block, 0, 0, NAME_BYTES);
  number(about.mode & 0o7777, 100, 8);
  number(about.uid, 108, 8);
  number(about.gid, 116, 8);
  number(size, 124, 12);
  number(about.mtimeMs / 1000, 136, 12);
  block.write(`        ${flag}`, 148, "latin1");
  Buffer.from(about.target).copy(block, 157, 0, NAME_BYTES);
  block.write("ustar  \0", 257, "latin1");
  block.write(about.owner.slice(0, 31), 265);
  block.write(about.group.slice(0, 31), 297);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}

/** null if not an archive. A truncated archive yields its complete members. */
export function membersOf(
  archive: Uint8Array,
): { readonly members: readonly Member[]; readonly isCut: boolean } | null {
  const all = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  const members: Member[] = [];
  let longer: { name?: string; target?: string } = {};
  for (let at = 0; at + BLOCK <= all.byteLength; ) {
    const block = all.subarray(at, at + BLOCK);
    if (block.every((byte) => byte === 0)) return { members, isCut: false };
    if (!isHeader(block)) return at === 0 ? null : { members, isCut: true };
    const size = numberAt(block, 124, 12);
    const bytes = all.subarray(at + BLOCK, at + BLOCK + size);
    if (bytes.byteLength < size) return { members, isCut: true };
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    const flag = String.fromCharCode(block[156] ?? 0);
    if (flag === "L") longer.name = textAt(bytes, 0, size);
    else if (flag === "K") longer.target = textAt(bytes, 0, size);
    else if (flag === "x") longer = { ...longer, ...extended(bytes) };
    else if (flag !== "g") {
      members.push({ ...memberOf(block, flag, bytes), ...longer });
      longer = {};
    }
  }
  return all.byteLength < BLOCK && all.byteLength > 0 ? null : { members, isCut: all.byteLength > 0 };
}

function memberOf(block: Buffer, flag: string, bytes: Uint8Array): Member {
  const isPosix = block.toString("latin1", 257, 263) === "ustar\0";
  const prefix = isPosix ? textAt(block, 345, 155) : "";
  const name = textAt(block, 0, NAME_BYTES);
  const isDirectory = flag === "5" || (flag === "\0" && name.endsWith("/"));
  return {
    name: prefix === "" ? name : `${prefix}/${name}`,
    kind: isDirectory ? "directory" : (KINDS[flag] ?? "other"),
    mode: numberAt(block, 100, 8) & 0o7777,
    uid: numberAt(block, 108, 8),
    gid: numberAt(block, 116, 8),
    mtimeMs: numberAt(block, 136, 12) * 1000,
    owner: textAt(block, 265, 32),
    group: textAt(block, 297, 32),
    target: textAt(block, 157, NAME_BYTES),
    bytes,
  };
}

/** `27 path=a/long/name\n`: the length counts itself. */
function extended(bytes: Buffer): { name?: string; target?: string } {
  const found: { name?: string; target?: string } = {};
  for (let at = 0; at < bytes.byteLength; ) {
    const length = Number.parseInt(bytes.toString("latin1", at, at + 20), 10);
    if (!(length > 0)) break;
    const [, key, value = ""] = /^\d+ ([^=]+)=(.*)\n$/s.exec(bytes.toString("utf8", at, at + length)) ?? [];
    if (key === "path") found.name = value;
    if (key === "linkpath") found.target = value;
    at += length;
  }
  return found;
}

function isHeader(block: Buffer): boolean {
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  return sum === numberAt(block, 148, 8);
}

/** Octal, or base-256 if it does not fit. */
function numberAt(block: Buffer, at: number, length: number): number {
  if (((block[at] ?? 0) & 0x80) !== 0) return block.readUIntBE(at + length - 6, 6);
  return Number.parseInt(textAt(block, at, length).trim() || "0", 8) || 0;
}

function textAt(bytes: Uint8Array, at: number, length: number): string {
  const part = Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(length, bytes.byteLength - at));
  const end = part.indexOf(0);
  return part.toString("utf8", 0, end === -1 ? part.byteLength : end);
}
