// Reads back what signals did not deliver: committed texts, approvals from before the subscription, and long answers.

import { LIMITS } from "../../src/abi/config/limits.ts";
import { exitStatusOf, SysError } from "../../src/abi/errno.ts";
import type { Signal } from "../../src/abi/signal.ts";
import type { Sys } from "../../src/abi/sys.ts";
import { inPartText } from "../../src/syscalls/format.ts";
import type { HistoryPage, WaitResult } from "../../src/syscalls/services.ts";
import { wholeMessage } from "../history/messages.ts";
import { type Ending, endingOfWait } from "./ending.ts";
import type { ChatView } from "./view.ts";

export interface Missed {
  readonly pid: string;
  readonly run: string;
  readonly parent: string | null;
  /** 0 if unknown; then the newest page is enough, because the missing texts are recent. */
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

/** proc.wait cuts long answers; the last text of the run is the whole answer. */
export async function wholeEnding(
  result: WaitResult,
  { lastText, view }: { readonly lastText: string | null; readonly view: Pick<ChatView, "status"> },
): Promise<Ending> {
  const ending = endingOfWait(result);
  if (!result.inPart) return ending;
  if (lastText !== null) return { ...ending, text: lastText };
  await view.status(inPartText(result.pid));
  return ending;
}

/** Kills a new process that refused its message. Returns a warning if the process stays. */
export async function discardUnused(sys: Sys, pid: string, refusal: unknown): Promise<string | null> {
  const left = `the new process ${pid} is still there. To end it: gsv kill ${pid}`;
  // After EAGAIN the message may have been accepted: keep the process.
  if (exitStatusOf(refusal) === exitStatusOf(new SysError("EAGAIN", ""))) return left;
  try {
    await sys.call("proc.kill", { pid, noArchive: true });
    return null;
  } catch {
    return left;
  }
}
