// Messages of a history, read in pieces and pages, because an answer of the kernel has a maximum size.

import { LIMITS } from "../../src/abi/config/limits.ts";
import type { Message } from "../../src/abi/process/message.ts";
import type { Sys } from "../../src/abi/sys.ts";
import type { HistoryPage, MessageText } from "../../src/syscalls/services.ts";

export interface MessageRequest {
  readonly pid?: string;
  readonly seq?: number;
}

/** All pieces of one message, even if a newer answer comes meanwhile. */
export async function* piecesOf(sys: Sys, request: MessageRequest) {
  let wanted: MessageRequest = request;
  for (let offset: number | null = 0; offset !== null; ) {
    const piece: MessageText = await sys.call("proc.message", { ...wanted, offset });
    yield piece;
    wanted = { pid: piece.pid, seq: piece.seq };
    offset = piece.next;
  }
}

export async function wholeMessage(
  sys: Sys,
  request: MessageRequest,
): Promise<{ readonly pid: string; readonly seq: number; readonly text: string }> {
  const pieces = await Array.fromAsync(piecesOf(sys, request));
  const { pid, seq } = pieces[0]!;
  return { pid, seq, text: pieces.map(({ text }) => text).join("") };
}

/** The messages of a process, oldest first, each complete. Read in pages, to limit memory. */
export async function* messagesOf(sys: Sys, pid: string): AsyncGenerator<Message> {
  for (let afterSeq = 0; ; ) {
    const page = await sys.call<HistoryPage>("proc.history", { pid, limit: LIMITS.historyPageMax, afterSeq });
    for (const message of page.messages) {
      afterSeq = message.id;
      yield page.inPart.includes(message.id) ? await whole(sys, pid, message) : message;
    }
    if (page.messages.length === 0 || !page.hasMoreAfter) return;
  }
}

async function whole(sys: Sys, pid: string, message: Message): Promise<Message> {
  const { text } = await wholeMessage(sys, { pid, seq: message.id });
  switch (message.role) {
    case "assistant":
      return { ...message, content: { ...message.content, text } };
    case "toolResult":
      return { ...message, content: { ...message.content, output: text } };
    default:
      return { ...message, content: text };
  }
}
