// Which messages of the process are on this screen. Numbers have no gaps: what another terminal, a child or the kernel put in shows as one, and
// is read before what comes after it is shown. Pure but for what it keeps.

import type { Message } from "../../src/abi/process/message.ts";
import type { Signal } from "../../src/abi/signal.ts";

export interface Gap {
  readonly afterSeq: number;
  /** The last that is missing. */
  readonly through: number;
}

const TEXTS_MAX = 50;

export class Following {
  /** The newest that was shown or passed over; below zero before there was a look at history. */
  seq = -1;
  private ownRuns: string[] = [];
  private ownTexts: string[] = [];

  begin(seq: number): void {
    this.seq = seq;
    this.ownRuns = [];
    this.ownTexts = [];
  }

  /** From this terminal, and shown by it. */
  said(text: string): void {
    this.ownTexts = [...this.ownTexts, text].slice(-TEXTS_MAX);
  }

  sent(runId: string): void {
    this.ownRuns = [...this.ownRuns, runId].slice(-TEXTS_MAX);
  }

  /** What has to be read before this signal can be shown; null where nothing is missing. */
  gapBefore(signal: Signal): Gap | null {
    if (!("seq" in signal) || typeof signal.seq !== "number") return null;
    // A summary takes the place of what was there before, and its number comes out of turn.
    if (signal.name === "chat.compacted" || signal.name === "process.compacted") return null;
    const through = signal.name === "chat.start" ? signal.seq : signal.seq - 1;
    if (this.seq < 0) return null;
    const isOwn = signal.name === "chat.start" && through === this.seq + 1 && this.ownRuns.includes(signal.run);
    const gap = through > this.seq && !isOwn ? { afterSeq: this.seq, through } : null;
    this.seq = Math.max(this.seq, signal.seq);
    return gap;
  }

  /** Of what was read, what people said elsewhere. */
  saidElsewhere(messages: readonly Message[], { through }: Gap): readonly string[] {
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
