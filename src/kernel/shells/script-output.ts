// The output of a shell script: both streams in order, readable from any position, with waiting for more. Also selects which finished outputs to
// drop early, so that all together use bounded memory.

import type { Clock } from "../../lib/clock.ts";
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

export class ScriptOutput implements Output {
  private readonly pieces: Piece[] = [];
  private readonly waiting = new Waiting();
  private size = 0;
  private over = false;

  constructor(private readonly bytesMax: number) {}

  /** False if the limit is reached; the rest is dropped. */
  add(stream: Piece["stream"], bytes: Uint8Array): boolean {
    const room = this.bytesMax - this.size;
    const taken = bytes.byteLength > room ? bytes.subarray(0, room) : bytes;
    if (taken.byteLength > 0) this.pieces.push({ stream, bytes: taken });
    this.size += taken.byteLength;
    this.waiting.wake();
    return taken === bytes;
  }

  end(): void {
    this.over = true;
    this.waiting.wake();
  }

  get bytes(): number {
    return this.size;
  }

  /** A page of output from a byte position. */
  page(from: number, bytesMax: number): OutputPage {
    const pieces: Piece[] = [];
    let at = 0;
    let next = from;
    for (const { stream, bytes } of this.pieces) {
      const start = Math.max(0, next - at);
      at += bytes.byteLength;
      if (start >= bytes.byteLength) continue;
      const piece = bytes.subarray(start, start + bytesMax - (next - from));
      pieces.push({ stream, bytes: piece });
      next += piece.byteLength;
      if (next - from >= bytesMax) break;
    }
    return { pieces, next, ended: this.over && next >= this.size };
  }

  /** Waits for output after this byte, the end, or the timeout. */
  async more(from: number, clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
    if (this.over || this.size > from) return;
    await this.waiting.until(clock, ms, signal);
  }
}
