// What a run committed while its signals could not be delivered, read back from history as the signals they would have been.

import { LIMITS } from "../src/abi/limits.ts";
import type { Signal } from "../src/abi/signal.ts";
import type { Sys } from "../src/abi/sys.ts";
import type { HistoryPage } from "../src/syscalls/services.ts";
import { wholeMessage } from "./message.ts";

export interface Missed {
  readonly pid: string;
  readonly run: string;
  readonly parent: string | null;
  /** 0: no number to go by. Then the newest page has to do: what is missing happened just now. */
  readonly afterSeq: number;
}

export async function* missedTexts(sys: Sys, missed: Missed): AsyncGenerator<Signal> {
  const { pid, run, parent } = missed;
  let { afterSeq } = missed;
  for (;;) {
    const query = { pid, limit: LIMITS.historyPageMax, ...(missed.afterSeq > 0 ? { afterSeq } : {}) };
    const page = await sys.call<HistoryPage>("proc.history", query);
    for (const message of page.messages) {
      afterSeq = Math.max(afterSeq, message.id);
      if (message.role !== "assistant" || message.runId !== run) continue;
      const { thinking } = message.content;
      const inPart = page.inPart.includes(message.id);
      const { text } = inPart ? await wholeMessage(sys, { pid, seq: message.id }) : message.content;
      const about = { pid, uid: 0, parent, at: message.timestamp, run, turn: 0, seq: message.id };
      yield { name: "chat.text", ...about, text, ...(thinking ? { thinking } : {}) };
    }
    if (missed.afterSeq === 0 || page.messages.length === 0 || !page.hasMoreAfter) return;
  }
}
