// What one program prints and another reads while both run: a pipe that holds no more than a little, whose writer waits for room, and is
// told when its reader has gone. Pure but for the clock it is handed.

/** What a program reads: piece after piece, and null when there is no more. */
export interface Source {
  next(): Promise<Uint8Array | null>;
}

/** What a pipe of Linux holds. */
const PIPE_BYTES = 64 * 1024;
/** A writer that prints little has ended by itself before it could hear that nobody reads any more. */
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
  private leftAtMs: number | null = null;
  private wakeReader: (() => void) | null = null;
  private wakeWriters: (() => void)[] = [];
  private readonly leaving = Promise.withResolvers<void>();
  /** Resolves when nobody reads it any more. */
  readonly gone = this.leaving.promise;

  constructor(
    private readonly nowMs: () => number,
    /** Whether the reader has all it wants, of what it was given so far: it is not asked. */
    private readonly isEnough: (piece: Uint8Array) => boolean = () => false,
  ) {}

  /** Nobody reads it any more. */
  get left(): boolean {
    return this.leftAtMs !== null;
  }

  /** Whether its writer would have been stopped by now. */
  get broken(): boolean {
    return this.leftAtMs !== null && (this.total > PIPE_BYTES || this.nowMs() - this.leftAtMs > UNHEARD_MS);
  }

  get held(): number {
    return this.heldBytes;
  }

  write(piece: Uint8Array): void {
    this.total += piece.byteLength;
    if (this.left || piece.byteLength === 0) return;
    this.pieces.push(piece);
    this.heldBytes += piece.byteLength;
    if (this.isEnough(piece)) this.leave();
    this.wakeReader?.();
  }

  /** There is room, or nobody will make any. */
  async room(): Promise<void> {
    while (this.heldBytes > PIPE_BYTES && !this.left)
      await new Promise<void>((resolve) => this.wakeWriters.push(resolve));
  }

  /** Its writer has ended. */
  end(): void {
    this.ended = true;
    this.wakeReader?.();
  }

  /** Its reader has ended. What it was given before it still has. */
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
    // Who prints line by line is read by as many lines as there are.
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
