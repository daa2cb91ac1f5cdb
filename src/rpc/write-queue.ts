// The queue of what is written to one peer. Frames keep their order and are never dropped. Signals have a limit: for a slow reader, text
// deltas are joined and then dropped, and if that is not enough, the rest becomes one `resync` per process with the number of the last
// message sent. Adding never blocks.

import { LIMITS } from "../abi/config/limits.ts";
import { isSameText, type Signal, type SignalOf } from "../abi/signal.ts";
import type { Clock } from "../lib/clock.ts";
import { encodeSignal } from "./frame.ts";

type Delta = SignalOf<"chat.delta">;

type Droppable =
  | { readonly sub: number; readonly signal: Signal; readonly text: string; readonly bytes: number }
  /** Encoded when it is sent: while the peer does not read, the next piece of the same text joins it. */
  | { readonly sub: number; readonly delta: Delta; readonly bytes: number };

type Item = Droppable | { readonly text: string };

export interface WriteQueueOptions {
  readonly clock: Clock;
  /** Returns the number of bytes written; negative if the peer is gone. */
  readonly write: (bytes: Uint8Array) => number;
  readonly eventsMax?: number;
  readonly bytesMax?: number;
}

const DELTA_JOINED_CHARS_MAX = 16 * 1024;
const BATCH_CHARS = 64 * 1024;

export class WriteQueue {
  private items: Item[] = [];
  private events = 0;
  private signalBytes = 0;
  private frameChars = 0;
  private rest: Uint8Array | null = null;
  private isSoonFlushed = false;
  private closed = false;
  private waiting: (() => void)[] = [];
  /** The highest message number sent, per subscription and process. */
  private readonly sentSeqs = new Map<number, Map<string, number>>();

  constructor(private readonly options: WriteQueueOptions) {}

  /** Size of the waiting frames. Read no more calls from a peer that does not read its answers. */
  get backlogChars(): number {
    return this.frameChars + (this.rest?.length ?? 0);
  }

  frame(text: string): void {
    if (this.closed) return;
    this.items.push({ text });
    this.frameChars += text.length;
    this.flush();
  }

  signal(sub: number, signal: Signal): void {
    if (this.closed) return;
    if (signal.name === "chat.delta") this.delta(sub, signal);
    else this.add(sub, signal);
    if (this.events > this.eventsMax || this.signalBytes > this.bytesMax) this.shed();
    if (signal.name === "chat.delta") this.flushSoon();
    else this.flush();
  }

  /** Drops everything of this subscription. */
  forget(sub: number): void {
    this.sentSeqs.delete(sub);
    this.keep((item) => !("sub" in item) || item.sub !== sub);
  }

  /** The peer can take more. */
  drained(): void {
    const rest = this.rest;
    this.rest = null;
    if (rest !== null) this.put(rest);
    this.flush();
  }

  /** Resolves when everything is sent or the peer is gone. */
  flushed(): Promise<void> {
    this.flush();
    if (this.closed || (this.rest === null && this.items.length === 0)) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  close(): void {
    this.closed = true;
    this.items = [];
    this.rest = null;
    this.frameChars = 0;
    for (const done of this.waiting.splice(0)) done();
  }

  private get eventsMax(): number {
    return this.options.eventsMax ?? LIMITS.subscriberEventsMax;
  }

  private get bytesMax(): number {
    return this.options.bytesMax ?? LIMITS.subscriberBytesMax;
  }

  private add(sub: number, signal: Signal): void {
    let text: string;
    try {
      text = encodeSignal(sub, signal);
    } catch {
      // Too big for a frame: the reader fetches it from the history in pieces.
      this.add(sub, this.resyncFor(sub, signal));
      return;
    }
    this.push({ sub, signal, text, bytes: text.length });
  }

  private delta(sub: number, delta: Delta): void {
    if (delta.text.length > DELTA_JOINED_CHARS_MAX * 4) return; // lossy by contract; the committed text follows
    const last = this.items.at(-1);
    if (last === undefined || !("delta" in last) || last.sub !== sub || !joins(last.delta, delta)) {
      this.push({ sub, delta, bytes: delta.text.length + 160 });
      return;
    }
    const joined = { ...last.delta, text: last.delta.text + delta.text };
    this.items[this.items.length - 1] = { sub, delta: joined, bytes: last.bytes + delta.text.length };
    this.signalBytes += delta.text.length;
  }

  private push(item: Droppable): void {
    this.items.push(item);
    this.events++;
    this.signalBytes += item.bytes;
  }

  private shed(): void {
    this.keep((item) => !("delta" in item));
    if (this.events <= this.eventsMax && this.signalBytes <= this.bytesMax) return;
    const lost = new Map<string, { sub: number; signal: Signal }>();
    this.keep((item) => {
      if (!("signal" in item)) return true;
      const key = `${item.sub} ${item.signal.pid}`;
      const known = lost.get(key);
      // Reading starts again at the first lost message with a number.
      if (known === undefined || firstUnread(known.signal) === undefined) lost.set(key, item);
      return false;
    });
    for (const { sub, signal } of lost.values()) this.add(sub, this.resyncFor(sub, signal));
  }

  private resyncFor(sub: number, lost: Signal): Signal {
    const { pid, uid, parent } = lost;
    const afterSeq = this.sentSeqs.get(sub)?.get(pid) ?? firstUnread(lost) ?? 0;
    return { name: "resync", pid, uid, parent, at: this.options.clock.now(), afterSeq };
  }

  private keep(wanted: (item: Item) => boolean): void {
    this.items = this.items.filter((item) => {
      const stays = wanted(item);
      if (!stays) this.uncount(item);
      return stays;
    });
  }

  private uncount(item: Item): void {
    if (!("sub" in item)) return;
    this.events--;
    this.signalBytes -= item.bytes;
  }

  /** The deltas of several processes come at once, and leave in one write. */
  private flushSoon(): void {
    if (this.rest !== null || this.isSoonFlushed) return;
    this.isSoonFlushed = true;
    queueMicrotask(() => {
      this.isSoonFlushed = false;
      this.flush();
    });
  }

  private flush(): void {
    let next = 0;
    while (this.rest === null && !this.closed && next < this.items.length) {
      let batch = "";
      for (let item = this.items[next]; item !== undefined && batch.length < BATCH_CHARS; item = this.items[++next]) {
        this.uncount(item);
        batch += this.leave(item);
      }
      this.put(Buffer.from(batch));
    }
    this.items.splice(0, next);
    if (this.rest === null) for (const done of this.waiting.splice(0)) done();
  }

  private leave(item: Item): string {
    if ("delta" in item) return encodeSignal(item.sub, item.delta);
    if ("signal" in item) this.remember(item.sub, item.signal);
    else this.frameChars -= item.text.length;
    return item.text;
  }

  private remember(sub: number, signal: Signal): void {
    let pids = this.sentSeqs.get(sub);
    if (pids === undefined) {
      pids = new Map();
      this.sentSeqs.set(sub, pids);
    }
    if (signal.name === "process.exit") pids.delete(signal.pid);
    else if ("seq" in signal) pids.set(signal.pid, Math.max(signal.seq, pids.get(signal.pid) ?? 0));
  }

  private put(bytes: Uint8Array): void {
    const taken = this.options.write(bytes);
    if (taken < 0) this.close();
    else if (taken < bytes.length) this.rest = bytes.subarray(taken);
  }
}

function firstUnread(lost: Signal): number | undefined {
  if (lost.name === "resync") return lost.afterSeq;
  return "seq" in lost ? lost.seq - 1 : undefined;
}

function joins(left: Delta, right: Delta): boolean {
  return left.text.length < DELTA_JOINED_CHARS_MAX && isSameText(left, right);
}
