// What could not be delivered, read back: texts that a run committed as the signals they would have been, an approval that was asked for
// before anybody listened, an answer too long to be told whole.

import { LIMITS } from "../../src/abi/config/limits.ts";
import { exitStatusOf, SysError } from "../../src/abi/errno.ts";
import type { Approval } from "../../src/abi/process/process.ts";
import type { Signal } from "../../src/abi/signal.ts";
import type { Sys } from "../../src/abi/sys.ts";
import { inPartText } from "../../src/syscalls/format.ts";
import type { HistoryPage, WaitResult } from "../../src/syscalls/services.ts";
import { wholeMessage } from "../history/message-pieces.ts";
import { type Ending, endingOfWait } from "./ending.ts";
import type { ChatView } from "./view.ts";

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

/** The answer of proc.wait is bounded; history has the rest, and what the run said last is its end. */
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

/** Null when it is not open any more. */
export async function openApproval(sys: Sys, id: string): Promise<Approval | null> {
  try {
    const { approvals } = await sys.call<{ approvals: readonly Approval[] }>("hil.list", { id });
    return approvals[0] ?? null;
  } catch (error) {
    if (error instanceof SysError && error.code === "ENOENT") return null;
    throw error;
  }
}

/** A process that was made for a message which was refused is good for nothing. Returns what to tell when it stays. */
export async function discardUnused(sys: Sys, pid: string, refusal: unknown): Promise<string | null> {
  const left = `the new process ${pid} is still there. To end it: gsv kill ${pid}`;
  // Whoever cannot say whether a message was taken must not throw it away.
  if (exitStatusOf(refusal) === exitStatusOf(new SysError("EAGAIN", ""))) return left;
  try {
    await sys.call("proc.kill", { pid, noArchive: true });
    return null;
  } catch {
    return left;
  }
}
