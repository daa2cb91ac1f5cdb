// An object store for /tmp, which lasts as long as the kernel: small files in memory, large ones in temporary files. Bounded: a write that does
// not fit fails with ENOSPC. Empty files count, too.

import { SysError } from "../src/abi/errno.ts";
import { type GrowingBytes, TemporaryBytes } from "../src/lib/memory/growing-bytes.ts";
import type { NewObject, ObjectMeta, ObjectStore } from "../src/objects/objects.ts";

const ENTRY_BYTES = 512;
const PIECE_BYTES = 1024 * 1024;

interface StoredObject {
  readonly meta: ObjectMeta;
  readonly bytes: GrowingBytes;
  /** The checksum so far, if bytes were appended. */
  readonly hash?: Bun.CryptoHasher;
}

/** One store per owner, created on demand. */
export function separateStores<Asker>(
  of: (asker: Asker) => number,
  bytesMax: number,
  temporary = new TemporaryBytes(null),
): (asker: Asker) => ObjectStore {
  const stores = new Map<number, ObjectStore>();
  return (asker) => {
    const owner = of(asker);
    const store = stores.get(owner) ?? new MemoryObjects(bytesMax, temporary);
    stores.set(owner, store);
    return store;
  };
}

class MemoryObjects implements ObjectStore {
  private readonly held = new Map<string, StoredObject>();
  /** Keys in UTF-8 byte order. Kept up to date, because a directory is looked up for each new file. */
  private readonly order: string[] = [];
  private used = 0;

  constructor(
    private readonly bytesMax: number,
    private readonly temporary: TemporaryBytes,
  ) {}

  async head(key: string): Promise<ObjectMeta | null> {
    return this.held.get(key)?.meta ?? null;
  }

  async heads(keys: readonly string[]): Promise<readonly ObjectMeta[]> {
    return keys.flatMap((key) => this.held.get(key)?.meta ?? []);
  }

  async page(prefix: string, after: string | null, limit: number): Promise<readonly ObjectMeta[]> {
    const found: ObjectMeta[] = [];
    for (let index = this.lowerBound(after ?? prefix); index < this.order.length && found.length < limit; index++) {
      const key = this.order[index] ?? "";
      const meta = this.held.get(key)?.meta;
      if (key === after || byBytes(key, prefix) < 0) continue;
      if (!key.startsWith(prefix)) break;
      if (meta !== undefined) found.push(meta);
    }
    return found;
  }

  async read(key: string, range: { readonly offset: number; readonly bytesMax: number }): Promise<Uint8Array> {
    return this.present(key).bytes.read(range.offset, range.bytesMax);
  }

  async put(object: NewObject, source: Uint8Array | AsyncIterable<Uint8Array>): Promise<ObjectMeta> {
    const before = this.held.get(object.key);
    const room = this.bytesMax - this.used + (before === undefined ? -ENTRY_BYTES : before.bytes.size);
    const content = await this.collected(source, room);
    if (content === null) throw full(object.key, this.bytesMax);
    const { bytes, sha256 } = content;
    const meta = { ...object, size: bytes.size, sha256 };
    this.held.set(object.key, { meta, bytes });
    this.used += bytes.size + (before === undefined ? ENTRY_BYTES : -before.bytes.size);
    if (before === undefined) this.order.splice(this.lowerBound(object.key), 0, object.key);
    before?.bytes.drop();
    return meta;
  }

  async append(object: NewObject, added: Uint8Array): Promise<ObjectMeta> {
    const { bytes, hash = hashOf(bytes) } = this.present(object.key);
    if (this.used + added.byteLength > this.bytesMax) throw full(object.key, this.bytesMax);
    bytes.append(added);
    this.used += added.byteLength;
    hash.update(added);
    const meta = { ...object, size: bytes.size, sha256: hash.copy().digest("hex") };
    this.held.set(object.key, { meta, bytes, hash });
    return meta;
  }

  async putEmpty(objects: readonly NewObject[]): Promise<void> {
    for (const object of objects) await this.put(object, new Uint8Array());
  }

  async setMeta(meta: ObjectMeta): Promise<void> {
    const held = this.present(meta.key);
    const { size, sha256, dirmarker, symlink } = held.meta;
    this.held.set(meta.key, { ...held, meta: { ...meta, size, sha256, dirmarker, symlink } });
  }

  async remove(key: string): Promise<void> {
    this.drop(key, this.present(key));
  }

  async rename(from: string, to: string): Promise<void> {
    const replaced = this.held.get(to);
    const moving = [...(this.held.has(from) ? [from] : []), ...this.beneath(`${from}/`)];
    if (moving.length === 0) throw new SysError("ENOENT", `no such object: ${from}`);
    if (replaced !== undefined) this.drop(to, replaced);
    const moved = moving.map((key) => ({ to: to + key.slice(from.length), object: this.present(key) }));
    for (const key of moving) this.forget(key);
    for (const { to: key, object } of moved) {
      if (!this.held.has(key)) this.order.splice(this.lowerBound(key), 0, key);
      this.held.set(key, { ...object, meta: { ...object.meta, key } });
    }
  }

  async recover(): Promise<number> {
    return 0;
  }

  /** Copies the bytes; null if they exceed the room. */
  private async collected(source: Uint8Array | AsyncIterable<Uint8Array>, room: number) {
    if (room < 0) return null;
    const bytes = this.temporary.fresh();
    const isWhole = source instanceof Uint8Array;
    const hash = new Bun.CryptoHasher("sha256");
    for await (const piece of isWhole ? [source] : source) {
      if (bytes.size + piece.byteLength > room) {
        bytes.drop();
        return null;
      }
      bytes.append(piece);
      hash.update(piece);
    }
    return { bytes, sha256: hash.digest("hex") };
  }

  private drop(key: string, { bytes }: StoredObject): void {
    this.forget(key);
    this.used -= bytes.size + ENTRY_BYTES;
    bytes.drop();
  }

  private forget(key: string): void {
    this.order.splice(this.lowerBound(key), 1);
    this.held.delete(key);
  }

  private beneath(prefix: string): readonly string[] {
    const from = this.lowerBound(prefix);
    let end = from;
    while (this.order[end]?.startsWith(prefix)) end++;
    return this.order.slice(from, end);
  }

  private present(key: string): StoredObject {
    const held = this.held.get(key);
    if (held === undefined) throw new SysError("ENOENT", `no such object: ${key}`);
    return held;
  }

  private lowerBound(key: string): number {
    const { order } = this;
    const wanted = Buffer.from(key);
    let low = 0;
    for (let high = order.length; low < high; ) {
      const middle = (low + high) >>> 1;
      if (Buffer.compare(Buffer.from(order[middle] ?? ""), wanted) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function hashOf(bytes: GrowingBytes): Bun.CryptoHasher {
  const hash = new Bun.CryptoHasher("sha256");
  for (let at = 0; at < bytes.size; at += PIECE_BYTES) hash.update(bytes.read(at, PIECE_BYTES));
  return hash;
}

function byBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

function full(key: string, bytesMax: number): SysError {
  return new SysError("ENOSPC", `cannot store ${key}: memory for these files is full (${bytesMax / 1024 / 1024} MiB)`, [
    "delete something there, or use your home directory",
  ]);
}
