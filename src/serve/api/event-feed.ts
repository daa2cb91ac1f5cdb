// What waits for one reader of events. Messages are not kept here: the feed notes which histories have grown, and the reader takes them from
// there. So signals alone take memory, up to a limit: then they are dropped, pieces of text first.

import { LIMITS } from "../../abi/config/limits.ts";
import { isSameText, type Signal, type SignalOf } from "../../abi/signal.ts";

export type Waiting =
  | { readonly kind: "signal"; readonly name: string; readonly data: string; readonly bytes: number }
  | { readonly kind: "delta"; readonly delta: Delta; readonly bytes: number }
  /** The history of a process has grown up to this number; null: look at its end. */
  | { readonly kind: "grown"; readonly pid: string; readonly seq: number | null; readonly bytes: 0 }
  | { readonly kind: "gone"; readonly pid: string; readonly bytes: 0 }
  /** Signals are missing from here. */
  | { readonly kind: "dropped"; readonly pids: ReadonlySet<string>; readonly bytes: 0 };

type Delta = SignalOf<"chat.delta">;

/** Their content is a message of the history. */
export const MESSAGE_SIGNALS: ReadonlySet<string> = new Set(["chat.text", "chat.tool_result"]);

const BASE_BYTES = 200;
const JOINED_CHARS_MAX = 16 * 1024;

export interface FeedOptions {
  readonly wants: (name: Signal["name"]) => boolean;
  readonly wantsMessages: boolean;
  readonly itemsMax?: number;
  readonly bytesMax?: number;
}

export class EventFeed {
  private items: Waiting[] = [];
  private bytes = 0;
  private wake = () => {};

  constructor(private readonly options: FeedOptions) {}

  /** Memory in use, about. */
  get size(): { readonly items: number; readonly bytes: number } {
    return { items: this.items.length, bytes: this.bytes };
  }

  get hasOnlyDeltas(): boolean {
    return this.items.every(({ kind }) => kind === "delta");
  }

  hear(signal: Signal): void {
    const { wants, wantsMessages } = this.options;
    if (wantsMessages) for (const grown of growthIn(signal)) this.grow(grown);
    if (wants(signal.name) && !MESSAGE_SIGNALS.has(signal.name)) this.add(signal);
    if (signal.name === "process.exit") this.push({ kind: "gone", pid: signal.pid, bytes: 0 });
    const { itemsMax = LIMITS.subscriberEventsMax, bytesMax = LIMITS.subscriberBytesMax } = this.options;
    if (this.items.length > itemsMax || this.bytes > bytesMax) this.shed(itemsMax, bytesMax);
    this.wake();
  }

  /** The oldest; undefined if nothing waits. */
  take(): Waiting | undefined {
    const item = this.items.shift();
    if (item !== undefined) this.bytes -= item.bytes;
    return item;
  }

  /** Calls `wake` at the next signal, and at once if something waits. */
  onNews(wake: () => void): void {
    this.wake = wake;
    if (this.items.length > 0) wake();
  }

  private grow({ pid, seq }: { readonly pid: string; readonly seq: number | null }): void {
    const last = this.items.at(-1);
    if (last?.kind === "grown" && last.pid === pid) this.items.pop();
    this.push({ kind: "grown", pid, seq, bytes: 0 });
  }

  private add(signal: Signal): void {
    if (signal.name !== "chat.delta") {
      const data = JSON.stringify(signal);
      this.push({ kind: "signal", name: signal.name, data, bytes: data.length + BASE_BYTES });
      return;
    }
    const last = this.items.at(-1);
    if (last?.kind !== "delta" || !joins(last.delta, signal)) {
      this.push({ kind: "delta", delta: signal, bytes: signal.text.length + BASE_BYTES });
      return;
    }
    const delta = { ...last.delta, text: last.delta.text + signal.text };
    this.items[this.items.length - 1] = { kind: "delta", delta, bytes: last.bytes + signal.text.length };
    this.bytes += signal.text.length;
  }

  private push(item: Waiting): void {
    this.items.push(item);
    this.bytes += item.bytes;
  }

  private shed(itemsMax: number, bytesMax: number): void {
    this.keep(this.items.filter(({ kind }) => kind !== "delta"));
    if (this.items.length <= itemsMax / 2 && this.bytes <= bytesMax / 2) return;
    // One entry for each process is left, so at most as many as there are processes.
    const grown = new Set<string>();
    const gone = new Set<string>();
    for (const item of this.items) {
      if (item.kind === "grown") grown.add(item.pid);
      if (item.kind === "dropped") for (const pid of item.pids) grown.add(pid);
      if (item.kind === "gone") gone.add(item.pid);
    }
    for (const pid of gone) grown.delete(pid);
    const { wantsMessages } = this.options;
    this.keep([
      ...(wantsMessages ? [...grown].map((pid) => ({ kind: "grown", pid, seq: null, bytes: 0 }) as const) : []),
      ...[...gone].map((pid) => ({ kind: "gone", pid, bytes: 0 }) as const),
      { kind: "dropped", pids: grown, bytes: 0 },
    ]);
  }

  private keep(items: Waiting[]): void {
    this.items = items;
    this.bytes = items.reduce((sum, { bytes }) => sum + bytes, 0);
  }
}

function growthIn(signal: Signal): readonly { readonly pid: string; readonly seq: number | null }[] {
  const { pid } = signal;
  // Notes about a failed run have no signal of their own.
  if (signal.name === "chat.complete") return [{ pid, seq: null }];
  if (signal.name === "chat.entered") return signal.messages.slice(-1).map(({ seq }) => ({ pid, seq }));
  return "seq" in signal ? [{ pid, seq: signal.seq }] : [];
}

function joins(left: Delta, right: Delta): boolean {
  return left.text.length < JOINED_CHARS_MAX && isSameText(left, right);
}
