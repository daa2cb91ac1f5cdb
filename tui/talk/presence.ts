// Shows the signals of the attached process without gaps, stores how far it was seen, and sums up what was missed on return.

import type { Io } from "../../commands/command.ts";
import { allProcesses } from "../../commands/proc/process-names.ts";
import { LIMITS } from "../../src/abi/config/limits.ts";
import type { Message } from "../../src/abi/process/message.ts";
import type { Signal } from "../../src/abi/signal.ts";
import type { HistoryPage } from "../../src/syscalls/services.ts";
import type { Effect, Entry } from "../state/effect.ts";
import type { AppEvent } from "../state/event.ts";
import { missedText, type Seen } from "./missed.ts";

interface Gap {
  readonly afterSeq: number;
  /** The last missing number. */
  readonly through: number;
}

const TEXTS_MAX = 50;

class Following {
  /** The newest number that was shown or skipped; below zero before history was read. */
  seq = -1;
  private ownRuns: string[] = [];
  private ownTexts: string[] = [];

  begin(seq: number): void {
    this.seq = seq;
    this.ownRuns = [];
    this.ownTexts = [];
  }

  /** This terminal sends the text, and shows it itself. */
  sending(text: string): void {
    this.ownTexts = [...this.ownTexts, text].slice(-TEXTS_MAX);
  }

  sent(runId: string): void {
    this.ownRuns = [...this.ownRuns, runId].slice(-TEXTS_MAX);
  }

  /** The messages to read before the signal can be shown; null if none is missing. */
  gapBefore(signal: Signal): Gap | null {
    if (!("seq" in signal) || typeof signal.seq !== "number") return null;
    // A summary replaces older messages, so its number is out of order.
    if (signal.name === "chat.compacted" || signal.name === "process.compacted") return null;
    const through = signal.name === "chat.start" ? signal.seq : signal.seq - 1;
    if (this.seq < 0) return null;
    const isOwn = signal.name === "chat.start" && through === this.seq + 1 && this.ownRuns.includes(signal.run);
    const gap = through > this.seq && !isOwn ? { afterSeq: this.seq, through } : null;
    this.seq = Math.max(this.seq, signal.seq);
    return gap;
  }

  /** The messages that people sent from other clients. */
  fromElsewhere(messages: readonly Message[], { through }: Gap): readonly string[] {
    return messages.flatMap((message) =>
      message.role === "user" && message.id <= through && !this.isOwn(message.runId, message.content)
        ? [message.content]
        : [],
    );
  }

  private isOwn(runId: string | null, text: string): boolean {
    const at = this.ownTexts.indexOf(text);
    if (at !== -1) this.ownTexts.splice(at, 1);
    return at !== -1 || (runId !== null && this.ownRuns.includes(runId));
  }
}

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
  private readonly delayed: Signal[] = [];
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

  get seq(): number {
    return this.following.seq;
  }

  keep(): void {
    const { seen, pid, io } = this.options;
    const { seq } = this.following;
    if (seq >= 0) seen?.keep(pid(), { seq, at: io.clock.now() });
  }

  /** Messages sent from here are not read back. */
  observe(event: AppEvent, effects: readonly Effect[]): void {
    if (event.type === "sent") this.following.sent(event.runId);
    for (const effect of effects) if (effect.do === "send") this.following.sending(effect.text);
    if (event.type === "signal" && event.signal.name === "chat.complete") this.keep();
  }

  /** Signals wait until `releaseSignals`, while a process is read. */
  delaySignals(): void {
    this.reads++;
  }

  /** Skips signals that the history shows already. */
  releaseSignals(): void {
    if (--this.reads > 0) return;
    const waiting = this.delayed.splice(0);
    const pid = this.options.pid();
    const { seq } = this.following;
    const isShown = (signal: Signal) => signal.pid === pid && "seq" in signal && signal.seq <= seq;
    const last = waiting.findLastIndex(isShown);
    for (const [at, signal] of waiting.entries())
      if (at > last || signal.pid !== pid || !IN_HISTORY.has(signal.name)) this.onSignal(signal);
  }

  /** Messages from other clients are shown before the answers to them. */
  onSignal(signal: Signal): void {
    const { pid, dispatch, io } = this.options;
    if (this.reads > 0) {
      this.delayed.push(signal);
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
    for (const each of waiting) this.onSignal(each);
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
