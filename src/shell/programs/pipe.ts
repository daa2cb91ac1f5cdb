// A pipe between two running programs. It is small: the writer waits for room, and is
// notified when the reader is gone. Pure except for the given clock.

import { LIMITS } from "../../abi/config/limits.ts";

/** Input of a program; `next` returns null at the end. */
export interface Source {
  next(): Promise<Uint8Array | null>;
}

/** Pipe capacity on Linux. */
const PIPE_BYTES = 64 * 1024;
/** Maximum output held for a program that prints without waiting. */
const HELD_MAX = LIMITS.fileBytesMax;
/** A writer that runs shorter than this would have ended before it noticed that its reader is gone. */
const UNHEARD_MS = 20;

export function sourceOf(bytes: Uint8Array): Source {
  let left: Uint8Array | null = bytes;
  return {
    async next() {
      const all = left;
      left = null;
      return all === null || all.byteLength === 0 ? null : all;
    },
  };
}

export class Pipe implements Source {
  private readonly pieces: Uint8Array[] = [];
  private heldBytes = 0;
  private total = 0;
  private ended = false;
  private isEnough: (piece: Uint8Array) => boolean = () => false;
  private leftAtMs: number | null = null;
  private wakeReader: (() => void) | null = null;
  private wakeWriters: (() => void)[] = [];
  private readonly leaving = Promise.withResolvers<void>();
  /** Resolves when the reader is gone. */
  readonly gone = this.leaving.promise;

  constructor(private readonly nowMs: () => number) {}

  /** Ends the pipe for the writer when `isEnough` says that the reader has enough. For a writer that never waits. */
  until(isEnough: (piece: Uint8Array) => boolean): void {
    this.isEnough = isEnough;
    if (this.pieces.some(isEnough)) this.leave();
  }

  /** The reader is gone. */
  get left(): boolean {
    return this.leftAtMs !== null;
  }

  /** Whether a real pipe would have stopped the writer by now. */
  get broken(): boolean {
    return this.leftAtMs !== null && (this.total > PIPE_BYTES || this.nowMs() - this.leftAtMs > UNHEARD_MS);
  }

  /** More than any writer may leave without a wait. */
  get isOverfull(): boolean {
    return this.heldBytes > HELD_MAX;
  }

  write(piece: Uint8Array): void {
    this.total += piece.byteLength;
    if (this.left || piece.byteLength === 0) return;
    this.pieces.push(piece);
    this.heldBytes += piece.byteLength;
    if (this.isEnough(piece)) this.leave();
    this.wakeReader?.();
  }

  /** Resolves when there is room or no reader. */
  async room(): Promise<void> {
    while (this.heldBytes > PIPE_BYTES && !this.left)
      await new Promise<void>((resolve) => this.wakeWriters.push(resolve));
  }

  /** The writer has ended. */
  end(): void {
    this.ended = true;
    this.wakeReader?.();
  }

  /** Ends both sides: the script is being stopped. */
  cut(): void {
    this.leave();
    this.end();
  }

  /** The reader has ended; it keeps what it already has. */
  leave(): void {
    this.leftAtMs ??= this.nowMs();
    this.leaving.resolve();
    this.wake();
  }

  async next(): Promise<Uint8Array | null> {
    while (this.pieces.length === 0 && !this.ended && !this.left)
      await new Promise<void>((resolve) => {
        this.wakeReader = resolve;
      });
    // Hand out everything a line-by-line writer has printed at once.
    const pieces = this.pieces.splice(0);
    if (pieces.length === 0) return null;
    this.heldBytes = 0;
    this.wake();
    return pieces.length === 1 ? (pieces[0] ?? null) : Buffer.concat(pieces);
  }

  private wake(): void {
    for (const wake of this.wakeWriters.splice(0)) wake();
  }
}
