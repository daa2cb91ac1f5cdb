// The part of the tar format (ustar) that backups use: plain files with short names. Reading refuses everything else: links, devices,
// directories, long names, wrong checksums, and data after the end.

import { SysError } from "../abi/errno.ts";

const BLOCK = 512;
const NAME_BYTES_MAX = 100;
const AFTER_END_MAX = 1024 * 1024;
const OCTAL_MAX = 8 ** 11;

export interface Entry {
  readonly name: string;
  readonly size: number;
}

export function header({ name, size }: Entry, madeAtMs: number): Uint8Array {
  const block = Buffer.alloc(BLOCK);
  if (Buffer.byteLength(name) > NAME_BYTES_MAX || size >= OCTAL_MAX)
    throw new SysError("EFBIG", `${name} does not fit into a backup`, ["at most 8 GiB in one file"]);
  block.write(name, 0, NAME_BYTES_MAX, "utf8");
  block.write("0000600\0", 100);
  block.write("0000000\0", 108);
  block.write("0000000\0", 116);
  block.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
  block.write(
    `${Math.floor(madeAtMs / 1000)
      .toString(8)
      .padStart(11, "0")}\0`,
    136,
  );
  block.write("        ", 148);
  block.write("0", 156);
  block.write("ustar\x0000", 257);
  block.write(`${checksum(block).toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

/** The padding of a member up to the next block. */
export function padding(size: number): Uint8Array {
  return new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK);
}

export const END = new Uint8Array(2 * BLOCK);

export interface Member extends Entry {
  /** Must be read before the next member. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

export async function* members(source: AsyncIterable<Uint8Array>): AsyncIterable<Member> {
  const input = new Pieces(source);
  for (;;) {
    const block = await input.exactly(BLOCK);
    if (isZero(block)) break;
    const entry = entryOf(block);
    let left = entry.size;
    async function* bytes() {
      while (left > 0) {
        const piece = await input.atMost(left);
        left -= piece.length;
        yield piece;
      }
    }
    yield { ...entry, bytes: bytes() };
    if (left > 0) throw new Error(`${entry.name} was not read to its end`);
    await input.exactly(padding(entry.size).length);
  }
  if (!isZero(await input.exactly(BLOCK))) throw refused("its end is not one");
  let after = 0;
  for (let piece = await input.any(); piece !== null; piece = await input.any()) {
    after += piece.length;
    if (after > AFTER_END_MAX || !isZero(piece)) throw refused("something follows its end");
  }
}

function entryOf(block: Buffer): Entry {
  if (block.toString("latin1", 257, 262) !== "ustar")
    throw refused("it is no tar file, or none of the kind gsv writes");
  const stored = octal(block, 148, 8, "checksum");
  const blank = Buffer.from(block);
  blank.write("        ", 148);
  if (checksum(blank) !== stored) throw refused("a header is damaged");
  const name = text(block, 0, NAME_BYTES_MAX);
  const type = String.fromCharCode(block[156] ?? 0);
  if (type !== "0" && type !== "\0") throw refused(`${JSON.stringify(name)} is ${KINDS[type] ?? "not a plain file"}`);
  if (text(block, 157, 100) !== "" || text(block, 345, 155) !== "")
    throw refused(`${JSON.stringify(name)} has a long or second name`);
  return { name, size: octal(block, 124, 12, "size") };
}

const KINDS: { readonly [type: string]: string } = {
  1: "a hard link",
  2: "a symbolic link",
  3: "a device",
  4: "a device",
  5: "a directory",
  6: "a pipe",
};

function octal(block: Buffer, at: number, length: number, what: string): number {
  const digits = text(block, at, length).trim();
  if (!/^[0-7]{1,11}$/.test(digits)) throw refused(`the ${what} in a header is no number`);
  return Number.parseInt(digits, 8);
}

function text(block: Buffer, at: number, length: number): string {
  const bytes = block.subarray(at, at + length);
  const end = bytes.indexOf(0);
  return bytes.toString("utf8", 0, end === -1 ? length : end);
}

function checksum(block: Uint8Array): number {
  return block.reduce((sum, byte) => sum + byte, 0);
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

export function refused(why: string): SysError {
  return new SysError("EINVAL", `not restored: ${why}`, ["nothing was changed; use a file from gsv backup"]);
}

/** Reads exact lengths from a stream. */
class Pieces {
  private readonly iterator: AsyncIterator<Uint8Array>;
  private held: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.iterator = source[Symbol.asyncIterator]();
  }

  async any(): Promise<Buffer | null> {
    if (this.held.length > 0) {
      const piece = this.held;
      this.held = Buffer.alloc(0);
      return piece;
    }
    const next = await this.iterator.next();
    return next.done ? null : Buffer.from(next.value);
  }

  async atMost(length: number): Promise<Buffer> {
    const piece = await this.any();
    if (piece === null) throw refused("it ends too soon");
    this.held = piece.subarray(length);
    return piece.subarray(0, length);
  }

  async exactly(length: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let left = length; left > 0; ) {
      const piece = await this.atMost(left);
      left -= piece.length;
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  }
}
