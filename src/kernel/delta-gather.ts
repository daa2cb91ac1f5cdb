// Joins the text deltas of a process and hands them out at intervals: 100 followers cost little more than one, because each piece is joined
// once and the same signal goes to all. A listener that caught up meanwhile gets only the rest, as a signal of its own.

import { isSameText, type SignalOf } from "../abi/signal.ts";
import type { Clock } from "../lib/clock.ts";

type Delta = SignalOf<"chat.delta">;

interface Gathered<Listener> {
  readonly first: Delta;
  text: string;
  /** Characters that single listeners have already, if not none. */
  readonly known: Map<Listener, number>;
}

const GATHER_MS = 30;
const CHARS_MAX = 16 * 1024;

export class DeltaGather<Listener> {
  private readonly open = new Map<string, Gathered<Listener>>();
  private cancelTimer: (() => void) | null = null;
  private handedOutAt = Number.NEGATIVE_INFINITY;

  /** `tell` hands a delta to all listeners, each of which may have the first characters of it already. */
  constructor(
    private readonly clock: Clock,
    private readonly tell: (rest: (listener: Listener) => Delta | null) => void,
  ) {}

  add(delta: Delta): void {
    const { pid } = delta;
    const gathered = this.open.get(pid);
    if (gathered !== undefined && gathered.text.length < CHARS_MAX && isSameText(gathered.first, delta))
      gathered.text += delta.text;
    else {
      this.end(pid);
      this.open.set(pid, { first: delta, text: delta.text, known: new Map() });
    }
    if (this.cancelTimer !== null) return;
    // The first delta after a pause does not wait.
    const wait = this.handedOutAt + GATHER_MS - this.clock.mono();
    if (wait <= 0) this.handOut();
    else this.cancelTimer = this.clock.after(wait, () => this.handOut());
  }

  /** Hands out the deltas of this process. Signals that follow must not overtake them. */
  end(pid: string): void {
    const gathered = this.open.get(pid);
    if (gathered === undefined) return;
    this.open.delete(pid);
    const { first, text, known } = gathered;
    const whole = text === first.text ? first : { ...first, text };
    this.tell((listener) => {
      const from = known.get(listener) ?? 0;
      if (from === 0) return whole;
      return from === text.length ? null : { ...first, text: text.slice(from) };
    });
  }

  /** The rest that the listener has not got, for each process. It gets none of it again. */
  catchUp(listener: Listener): Delta[] {
    const rests: Delta[] = [];
    for (const { first, text, known } of this.open.values()) {
      const from = known.get(listener) ?? 0;
      if (from < text.length) rests.push({ ...first, text: text.slice(from) });
      known.set(listener, text.length);
    }
    return rests;
  }

  private handOut(): void {
    this.cancelTimer?.();
    this.cancelTimer = null;
    this.handedOutAt = this.clock.mono();
    for (const pid of [...this.open.keys()]) this.end(pid);
  }
}
