// What a script or a command prints, as those who follow it read it: pieces of both streams in the order in which they came, from a byte of
// the whole on. Waiting for more is the same whoever keeps the bytes.

import type { Clock } from "../lib/clock.ts";

export type Stream = "stdout" | "stderr";

export interface Piece {
  readonly stream: Stream;
  readonly bytes: Uint8Array;
}

export interface OutputPage {
  readonly pieces: readonly Piece[];
  /** Where the next page begins. */
  readonly next: number;
  /** It has ended and this is all of it. */
  readonly ended: boolean;
}

/** Output that grows until it is over. */
export interface Output {
  readonly bytes: number;
  page(from: number, bytesMax: number): OutputPage;
  more(from: number, clock: Clock, ms: number, signal: AbortSignal): Promise<void>;
}

export class Waiting {
  private readonly waiting = new Set<() => void>();

  /** Until somebody wakes it, the time is up or nobody asks any more. */
  async until(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
    if (ms === 0 || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.waiting.add(resolve);
    const stop = clock.after(ms, resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
    await promise;
    stop();
    this.waiting.delete(resolve);
  }

  wake(): void {
    for (const go of this.waiting) go();
  }
}
