// Which messages of the process this screen has shown. Message numbers have no gaps: a gap means that another client, a child or the kernel
// added messages, which are read before the next signal is shown.

import type { Message } from "../../src/abi/process/message.ts";
import type { Signal } from "../../src/abi/signal.ts";

export interface Gap {
  readonly afterSeq: number;
  /** The last missing number. */
  readonly through: number;
}

const TEXTS_MAX = 50;

export class Following {
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
