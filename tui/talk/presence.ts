// Shows the signals of the attached process without gaps, stores how far it was seen, and sums up what was missed on return.

import type { Io } from "../../commands/command.ts";
import { allProcesses } from "../../commands/proc/top.ts";
import { LIMITS } from "../../src/abi/config/limits.ts";
import type { Signal } from "../../src/abi/signal.ts";
import type { HistoryPage } from "../../src/syscalls/services.ts";
import type { Effect, Entry } from "../state/effect.ts";
import type { AppEvent } from "../state/event.ts";
import { Following, type Gap } from "./following.ts";
import { missedText, type Seen } from "./missed.ts";

/** How far each process was seen at this terminal. */
export interface SeenPort {
  of(pid: string): Seen | null;
  keep(pid: string, seen: Seen): void;
  /** When the person last left, whatever was attached; null on the first visit. */
  left(): number | null;
}

export interface PresenceOptions {
  readonly io: Io;
  readonly pid: () => string;
  readonly dispatch: (event: AppEvent) => void;
  readonly print: (entry: Entry) => void;
  readonly seen: SeenPort | null;
}

/** Signals whose content is in history too. */
const IN_HISTORY: ReadonlySet<string> = new Set(
  ["start", "delta", "text", "tool_call", "tool_result"].map((name) => `chat.${name}`),
);

interface Return {
  readonly pid: string;
  readonly since: Seen;
  /** null if the person was only with another process. */
  readonly left: number | null;
}

export class Presence {
  private readonly following = new Following();
  /** Signals that came while a gap before them was read. */
  private afterGap: Signal[] | null = null;
  /** Signals that came while a process was read that is being attached. */
  private readonly held: Signal[] = [];
  private reads = 0;
  private isBack = false;

  constructor(private readonly options: PresenceOptions) {}

  /** History is on the screen up to `seq`. */
  begin(pid: string, seq: number): void {
    this.following.begin(seq);
    const since = this.options.seen?.of(pid) ?? null;
    const left = this.isBack ? null : (this.options.seen?.left() ?? null);
    this.isBack = true;
    if (since !== null) void this.showMissed({ pid, since, left }).catch(() => {});
  }

  /** The last message of the attached process that was seen. */
  get seq(): number {
    return this.following.seq;
  }

  /** Stores how far the attached process was seen. */
  keep(): void {
    const { seen, pid, io } = this.options;
    const { seq } = this.following;
    if (seq >= 0) seen?.keep(pid(), { seq, at: io.clock.now() });
  }

  /** Messages sent from here are not read back. */
  noting(event: AppEvent, effects: readonly Effect[]): void {
    if (event.type === "sent") this.following.sent(event.runId);
    for (const effect of effects) if (effect.do === "send") this.following.sending(effect.text);
    if (event.type === "signal" && event.signal.name === "chat.complete") this.keep();
  }

  /** Signals wait until `release`, while a process is read. */
  hold(): void {
    this.reads++;
  }

  /** Skips signals that the history shows already. */
  release(): void {
    if (--this.reads > 0) return;
    const waiting = this.held.splice(0);
    const pid = this.options.pid();
    const { seq } = this.following;
    const isShown = (signal: Signal) => signal.pid === pid && "seq" in signal && signal.seq <= seq;
    const last = waiting.findLastIndex(isShown);
    for (const [at, signal] of waiting.entries())
      if (at > last || signal.pid !== pid || !IN_HISTORY.has(signal.name)) this.hear(signal);
  }

  /** Messages from other clients are shown before the answers to them. */
  hear(signal: Signal): void {
    const { pid, dispatch, io } = this.options;
    if (this.reads > 0) {
      this.held.push(signal);
      return;
    }
    if (this.afterGap !== null) {
      this.afterGap.push(signal);
      return;
    }
    const gap = signal.pid === pid() ? this.following.gapBefore(signal) : null;
    if (gap === null) dispatch({ type: "signal", signal, at: io.clock.now() });
    else {
      this.afterGap = [];
      void this.fill(gap, signal);
    }
  }

  private async fill(gap: Gap, signal: Signal): Promise<void> {
    const { io, pid, print, dispatch } = this.options;
    const limit = Math.min(LIMITS.historyPageMax, gap.through - gap.afterSeq);
    const page = await io
      .sys()
      .call<HistoryPage>("proc.history", { pid: pid(), afterSeq: gap.afterSeq, limit })
      .catch(() => null);
    for (const text of this.following.fromElsewhere(page?.messages ?? [], gap)) print({ kind: "message", text });
    const waiting = this.afterGap ?? [];
    this.afterGap = null;
    dispatch({ type: "signal", signal, at: io.clock.now() });
    for (const each of waiting) this.hear(each);
  }

  private async showMissed({ pid, since, left }: Return): Promise<void> {
    const { io, print } = this.options;
    const query = { pid, afterSeq: since.seq, limit: LIMITS.historyPageMax };
    const others = left === null ? null : allProcesses(io);
    const [page, processes] = await Promise.all([io.sys().call<HistoryPage>("proc.history", query), others]);
    const { messages, hasMoreAfter: hasMore } = page;
    const text = missedText({ pid, since, left, now: io.clock.now(), messages, hasMore, processes });
    if (text !== null && this.options.pid() === pid) print({ kind: "note", text });
    this.keep();
  }
}
