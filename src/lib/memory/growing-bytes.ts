// Bytes that grow at the end, as an output or a file in /tmp does. The first ones stay in memory and the others go to a temporary file. If all
// of them together take too much memory, the oldest leave it, too. A temporary file lasts no longer than its bytes, and no longer than
// the kernel.

import { closeSync, constants, mkdirSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

/** Of each; further bytes go to its file. */
const MEMORY_EACH_MAX = 256 * 1024;

const WRITABLE = constants.O_WRONLY | constants.O_CREAT;

interface Part {
  readonly at: number;
  readonly length: number;
  /** null: in the file, at the same position. */
  bytes: Uint8Array | null;
}

/** The temporary files of a kernel, and the bytes that are still in memory. */
export class TemporaryBytes {
  /** Oldest first. */
  private readonly inMemory = new Set<GrowingBytes>();
  private readonly unused = new FinalizationRegistry<string>((path) => rmSync(path, { force: true }));
  private made = 0;
  private isReady = false;
  /** Of all in memory. */
  bytes = 0;

  /** Without a directory everything stays in memory. `grown`: called when more is in memory. */
  constructor(
    private readonly directory: string | null,
    private readonly grown: () => void = () => {},
  ) {}

  fresh(): GrowingBytes {
    return new GrowingBytes(this);
  }

  /** Deletes what an earlier kernel left. */
  clear(): void {
    if (this.directory !== null) rmSync(this.directory, { recursive: true, force: true });
  }

  /** Moves the oldest bytes to files until at most so many are in memory. */
  shrink(bytesMax: number): void {
    for (const each of [...this.inMemory]) {
      if (this.bytes <= bytesMax) return;
      if (!each.leaveMemory()) return;
    }
  }

  delete(of: GrowingBytes, path: string): void {
    this.unused.unregister(of);
    rmSync(path, { force: true });
  }

  count(of: GrowingBytes, change: number): void {
    this.bytes += change;
    if (of.memory === 0) this.inMemory.delete(of);
    else this.inMemory.add(of);
    if (change > 0) this.grown();
  }

  /** Stops counting it. It stays readable while it is referenced. */
  release(of: GrowingBytes): void {
    if (this.inMemory.delete(of)) this.bytes -= of.memory;
  }

  /** null without a directory. The file is deleted at the latest when the bytes are garbage-collected. */
  pathFor(of: GrowingBytes): string | null {
    if (this.directory === null) return null;
    if (!this.isReady) mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    this.isReady = true;
    const path = join(this.directory, String(++this.made));
    this.unused.register(of, path, of);
    return path;
  }
}

export class GrowingBytes {
  private parts: Part[] = [];
  private path: string | null = null;
  size = 0;
  /** Bytes in memory. */
  memory = 0;

  constructor(private readonly all: TemporaryBytes) {}

  /** Copies the bytes: the caller may change them afterwards. */
  append(bytes: Uint8Array): void {
    if (bytes.byteLength === 0) return;
    const isKept = this.memory + bytes.byteLength <= MEMORY_EACH_MAX || !this.store(this.size, bytes);
    const last = this.parts.at(-1);
    if (!isKept && last?.bytes === null)
      this.parts[this.parts.length - 1] = { ...last, length: last.length + bytes.byteLength };
    else this.parts.push({ at: this.size, length: bytes.byteLength, bytes: isKept ? bytes.slice() : null });
    this.size += bytes.byteLength;
    if (!isKept) return;
    this.memory += bytes.byteLength;
    this.all.count(this, bytes.byteLength);
  }

  /** A copy. Throws an error of the host if the temporary file is gone. */
  read(from: number, bytesMax: number): Uint8Array {
    const end = Math.min(this.size, from + bytesMax);
    const wanted = new Uint8Array(Math.max(0, end - from));
    for (let index = this.partAt(from); index < this.parts.length; index++) {
      const part = this.parts[index];
      if (part === undefined || part.at >= end) break;
      const [start, stop] = [Math.max(from, part.at), Math.min(end, part.at + part.length)];
      if (part.bytes === null) this.readStored(wanted.subarray(start - from, stop - from), start);
      else wanted.set(part.bytes.subarray(start - part.at, stop - part.at), start - from);
    }
    return wanted;
  }

  /** Stops counting these bytes. Their file is deleted when nothing references them any more. */
  release(): void {
    this.all.release(this);
  }

  drop(): void {
    this.all.release(this);
    if (this.path !== null) this.all.delete(this, this.path);
    this.parts = [];
    [this.size, this.memory, this.path] = [0, 0, null];
  }

  /** Moves all bytes to the file; false if that fails. */
  leaveMemory(): boolean {
    for (const part of this.parts) {
      if (part.bytes === null) continue;
      if (!this.store(part.at, part.bytes)) return false;
      part.bytes = null;
      this.memory -= part.length;
      this.all.count(this, -part.length);
    }
    return true;
  }

  private partAt(position: number): number {
    let low = 0;
    for (let high = this.parts.length; low < high; ) {
      const middle = (low + high) >>> 1;
      const part = this.parts[middle];
      if (part !== undefined && part.at + part.length <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // On a full disk the bytes stay in memory.
  private store(at: number, bytes: Uint8Array): boolean {
    try {
      this.path ??= this.all.pathFor(this);
      if (this.path === null) return false;
      return this.withFile(WRITABLE, (file) => writeSync(file, bytes, 0, bytes.byteLength, at) === bytes.byteLength);
    } catch {
      return false;
    }
  }

  private readStored(into: Uint8Array, at: number): void {
    const read = this.withFile(constants.O_RDONLY, (file) => readSync(file, into, 0, into.byteLength, at));
    if (read !== into.byteLength) throw new Error(`${this.path} has ${read} bytes at ${at}, not ${into.byteLength}`);
  }

  private withFile<T>(flags: number, use: (file: number) => T): T {
    const file = openSync(this.path ?? "", flags, 0o600);
    try {
      return use(file);
    } finally {
      closeSync(file);
    }
  }
}
