// That one is here: what is told of the process is shown without gaps, how far it was seen is kept, and on return what was missed is summed up.

import type { Io } from "../../commands/command.ts";
import { allProcesses } from "../../commands/proc/top.ts";
import { LIMITS } from "../../src/abi/config/limits.ts";
import type { Signal } from "../../src/abi/signal.ts";
import type { HistoryPage } from "../../src/syscalls/services.ts";
import type { Effect, Entry } from "../state/effect.ts";
import type { AppEvent } from "../state/event.ts";
import { Following, type Gap } from "./following.ts";
import { missedText, type Seen } from "./missed.ts";

/** How far each process was seen here, for the next time. */
export interface SeenPort {
  of(pid: string): Seen | null;
  keep(pid: string, seen: Seen): void;
  /** When somebody was here last, whomever they talked to; null before anybody was. */
  left(): number | null;
}

export interface PresenceOptions {
  readonly io: Io;
  /** The process one talks to now. */
  readonly pid: () => string;
  readonly happen: (happening: AppEvent) => void;
  readonly print: (entry: Entry) => void;
  readonly seen: SeenPort | null;
}

/** What these tell, history tells, too. */
const IN_HISTORY: ReadonlySet<string> = new Set(
  ["start", "delta", "text", "tool_call", "tool_result"].map((name) => `chat.${name}`),
);

interface Return {
  readonly pid: string;
  readonly since: Seen;
  /** When they went from this terminal; null where they were only with another process. */
  readonly left: number | null;
}

export class Presence {
  private readonly following = new Following();
  /** Signals that came while something before them was read. */
  private unheard: Signal[] | null = null;
  /** Those that came while a process was looked at that is to be talked to, and how many looks go on. */
  private readonly held: Signal[] = [];
  private looks = 0;
  private isBack = false;

  constructor(private readonly options: PresenceOptions) {}

  /** History is on the screen up to there. */
  begin(pid: string, seq: number): void {
    this.following.begin(seq);
    const since = this.options.seen?.of(pid) ?? null;
    const left = this.isBack ? null : (this.options.seen?.left() ?? null);
    this.isBack = true;
    if (since !== null) void this.tellMissed({ pid, since, left }).catch(() => {});
  }

  /** The last message of the process one talks to that was seen. */
  get seq(): number {
    return this.following.seq;
  }

  /** How far it was seen, for the next time. */
  keep(): void {
    const { seen, pid, io } = this.options;
    const { seq } = this.following;
    if (seq >= 0) seen?.keep(pid(), { seq, at: io.clock.now() });
  }

  /** What is said here need not be read back. */
  noting(happening: AppEvent, effects: readonly Effect[]): void {
    if (happening.type === "sent") this.following.sent(happening.runId);
    for (const effect of effects) if (effect.do === "send") this.following.said(effect.text);
    if (happening.type === "signal" && happening.signal.name === "chat.complete") this.keep();
  }

  /** From now on what is told waits until it is known what is on the screen. */
  hold(): void {
    this.looks++;
  }

  /** What history told is not told again. */
  release(): void {
    if (--this.looks > 0) return;
    const waiting = this.held.splice(0);
    const pid = this.options.pid();
    const { seq } = this.following;
    const isShown = (signal: Signal) => signal.pid === pid && "seq" in signal && signal.seq <= seq;
    const last = waiting.findLastIndex(isShown);
    for (const [at, signal] of waiting.entries())
      if (at > last || signal.pid !== pid || !IN_HISTORY.has(signal.name)) this.hear(signal);
  }

  /** What was said elsewhere stands before what was answered to it. */
  hear(signal: Signal): void {
    const { pid, happen, io } = this.options;
    if (this.looks > 0) {
      this.held.push(signal);
      return;
    }
    if (this.unheard !== null) {
      this.unheard.push(signal);
      return;
    }
    const gap = signal.pid === pid() ? this.following.gapBefore(signal) : null;
    if (gap === null) happen({ type: "signal", signal, at: io.clock.now() });
    else {
      this.unheard = [];
      void this.fill(gap, signal);
    }
  }

  private async fill(gap: Gap, signal: Signal): Promise<void> {
    const { io, pid, print, happen } = this.options;
    const limit = Math.min(LIMITS.historyPageMax, gap.through - gap.afterSeq);
    const page = await io
      .sys()
      .call<HistoryPage>("proc.history", { pid: pid(), afterSeq: gap.afterSeq, limit })
      .catch(() => null);
    for (const text of this.following.saidElsewhere(page?.messages ?? [], gap)) print({ kind: "said", text });
    const waiting = this.unheard ?? [];
    this.unheard = null;
    happen({ type: "signal", signal, at: io.clock.now() });
    for (const each of waiting) this.hear(each);
  }

  private async tellMissed({ pid, since, left }: Return): Promise<void> {
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
