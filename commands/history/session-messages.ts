// The conversation of a session, message by message and oldest first, each whole however long it is. Pulled in pages, so that memory stays
// bounded.

import { LIMITS } from "../../src/abi/config/limits.ts";
import type { Message } from "../../src/abi/process/message.ts";
import type { Sys } from "../../src/abi/sys.ts";
import type { HistoryPage } from "../../src/syscalls/services.ts";
import type { SessionInfo } from "../../src/syscalls/session/session-service.ts";
import { wholeMessage } from "./message-pieces.ts";

/** All of them, or the newest `limit`. */
export async function* messagesOf(sys: Sys, { pid, messages }: SessionInfo, limit?: number): AsyncGenerator<Message> {
  if (pid === null) return;
  let skipped = limit === undefined ? 0 : Math.max(0, messages - limit);
  for (let afterSeq = 0; ; ) {
    const page = await sys.call<HistoryPage>("proc.history", { pid, limit: LIMITS.historyPageMax, afterSeq });
    for (const message of page.messages) {
      afterSeq = message.id;
      if (skipped-- > 0) continue;
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
