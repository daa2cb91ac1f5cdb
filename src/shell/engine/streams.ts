// The streams of a pipe stage: where its commands print, and the input that they read as it arrives.

import type { Clock } from "../../lib/clock.ts";
import type { Pipe, Source } from "../programs/pipe.ts";

export interface Outlet {
  /** Throws Ended if no more output is allowed. */
  write(bytes: Uint8Array): void;
  room(): Promise<void>;
  /** null if the output is collected, or is the script's own. */
  readonly pipe: Pipe | null;
  /** Counts as output of the script when it is written. */
  readonly isScript?: true;
}

export interface Streams {
  /** null if the caller gets the output with the result. */
  readonly out: Outlet | null;
  readonly err: Outlet | null;
  /** null if stdin is already complete. */
  readonly input: Input | null;
}

const NONE: Streams = { out: null, err: null, input: null };
const streams = new WeakMap<object, Streams>();

export function streamsOf(interpreter: object): Streams {
  return streams.get(interpreter) ?? NONE;
}

/** Runs work of an interpreter with other streams. */
export async function within<T>(interpreter: object, inside: Streams, work: () => Promise<T>): Promise<T> {
  const before = streamsOf(interpreter);
  if (inside === before) return work();
  streams.set(interpreter, inside);
  try {
    return await work();
  } finally {
    streams.set(interpreter, before);
  }
}

/** Input that arrives while commands read it; several commands may share it. */
export class Input implements Source {
  private held: Buffer = Buffer.alloc(0);
  private asked: Promise<Uint8Array | null> | null = null;
  private isEnded = false;

  constructor(readonly pipe: Pipe) {}

  /** Bytes that arrived and were not read. */
  get bytes(): Buffer {
    return this.held;
  }

  get atEnd(): boolean {
    return this.isEnded && this.held.byteLength === 0;
  }

  /** Takes at most so many of the bytes that arrived. */
  take(count: number): Buffer {
    const taken = this.held.subarray(0, count);
    this.held = this.held.subarray(count);
    return taken;
  }

  /** Waits for more bytes: false at the end, or after `late` resolves. */
  async more(late?: Promise<unknown>): Promise<boolean> {
    if (this.isEnded) return false;
    this.asked ??= this.pipe.next();
    const piece = await (late === undefined ? this.asked : Promise.race([this.asked, late.then(() => undefined)]));
    if (piece === undefined) return false;
    this.asked = null;
    if (piece === null) this.isEnded = true;
    else this.held = this.held.byteLength === 0 ? Buffer.from(piece) : Buffer.concat([this.held, piece]);
    return piece !== null;
  }

  async next(): Promise<Uint8Array | null> {
    if (this.held.byteLength === 0 && !(await this.more())) return null;
    return this.take(this.held.byteLength);
  }

  async rest(): Promise<Buffer> {
    while (await this.more());
    return this.take(this.held.byteLength);
  }

  /** Whether a read would not wait. */
  async isReady(clock: Pick<Clock, "sleep">): Promise<boolean> {
    if (this.held.byteLength > 0 || this.isEnded) return true;
    return (await this.more(clock.sleep(0))) || this.isEnded;
  }
}
