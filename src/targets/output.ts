// Output of a script or command for its readers: chunks of both streams in order, addressed by byte offset.

import type { Clock } from "../lib/clock.ts";

export type Stream = "stdout" | "stderr";

export interface Piece {
  readonly stream: Stream;
  readonly bytes: Uint8Array;
}

export interface OutputPage {
  readonly pieces: readonly Piece[];
  /** Offset of the next page. */
  readonly next: number;
  /** Ended, and nothing follows. */
  readonly ended: boolean;
}

/** Growing output. */
export interface Output {
  readonly bytes: number;
  page(from: number, bytesMax: number): OutputPage;
  more(from: number, clock: Clock, ms: number, signal: AbortSignal): Promise<void>;
}

export class Waiting {
  private readonly waiting = new Set<() => void>();

  /** Resolves on wake(), after `ms`, or when aborted. */
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
