// The output of one shell script, both streams in the order they were printed: a reader goes on from any position, and may wait for more. And
// which of those that have ended are forgotten before their minute is over, so that all of them together take a bounded amount of memory.

import type { Clock } from "../../lib/clock.ts";
import { type Output, type OutputPage, type Piece, Waiting } from "../../targets/output.ts";

/** Something that has ended, and when somebody last asked for what it printed. */
export interface Printed {
  readonly output: Pick<Output, "bytes">;
  readonly wantedAt: number;
}

/** Which of them go: the latest is kept, the others while there is room, and in any case what somebody is reading. The oldest are first. */
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

  /** False once it holds all it may: the rest is dropped. */
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

  /** From a byte of the whole on, at most so many. */
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

  /** Until there is something after this byte, it has ended, or the time is up. */
  async more(from: number, clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
    if (this.over || this.size > from) return;
    await this.waiting.until(clock, ms, signal);
  }
}
