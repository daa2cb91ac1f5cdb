// The output of a shell script: both streams in order, readable from any position, with waiting for more. Also selects which finished outputs to
// drop early, so that all together use bounded memory.

import type { Clock } from "../../lib/clock.ts";
import type { GrowingBytes } from "../../lib/memory/growing-bytes.ts";
import { type Output, type OutputPage, type Piece, Waiting } from "../../targets/output.ts";

/** A finished script, with the time of the last read. */
export interface Printed {
  readonly output: Pick<Output, "bytes">;
  readonly wantedAt: number;
}

/** The outputs to drop. Keeps the latest, those being read, and others while there is room. `ended`: oldest first. */
export function withoutRoom<P extends Printed>(
  ended: readonly P[],
  latest: P,
  { since, bytesMax }: { readonly since: number; readonly bytesMax: number },
): P[] {
  let bytes = latest.output.bytes;
  const go: P[] = [];
  for (const each of ended.filter((other) => other !== latest).reverse()) {
    bytes += each.output.bytes;
    if (bytes > bytesMax && each.wantedAt <= since) go.push(each);
  }
  return go;
}

interface Span {
  readonly stream: Piece["stream"];
  length: number;
}

export class ScriptOutput implements Output {
  private readonly spans: Span[] = [];
  private readonly waiting = new Waiting();
  private over = false;

  constructor(
    private readonly bytesMax: number,
    private readonly content: GrowingBytes,
  ) {}

  /** False if the limit is reached; the rest is dropped. */
  add(stream: Piece["stream"], bytes: Uint8Array): boolean {
    const room = this.bytesMax - this.bytes;
    const taken = bytes.byteLength > room ? bytes.subarray(0, room) : bytes;
    if (taken.byteLength > 0) this.keep(stream, taken);
    this.waiting.wake();
    return taken === bytes;
  }

  end(): void {
    this.over = true;
    this.waiting.wake();
  }

  /** For an output that is forgotten; a read in progress may still finish. */
  release(): void {
    this.content.release();
  }

  get bytes(): number {
    return this.content.size;
  }

  /** A page of output from a byte position. */
  page(from: number, bytesMax: number): OutputPage {
    const pieces: Piece[] = [];
    const end = from + bytesMax;
    let at = 0;
    let next = from;
    for (const { stream, length } of this.spans) {
      const stop = Math.min(end, at + length);
      if (stop > next) pieces.push({ stream, bytes: this.content.read(next, stop - next) });
      next = Math.max(next, stop);
      at += length;
      if (next >= end) break;
    }
    return { pieces, next, ended: this.over && next >= this.bytes };
  }

  /** Waits for output after this byte, the end, or the timeout. */
  async more(from: number, clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
    if (this.over || this.bytes > from) return;
    await this.waiting.until(clock, ms, signal);
  }

  private keep(stream: Piece["stream"], bytes: Uint8Array): void {
    this.content.append(bytes);
    const last = this.spans.at(-1);
    if (last?.stream === stream) last.length += bytes.byteLength;
    else this.spans.push({ stream, length: bytes.byteLength });
  }
}
