// The last messages of a conversation as one text, for a model that continues without the rest. A message can neither end the frame nor
// speak for the other side: its frame tags are escaped, and all its lines but the first are indented.

import type { Message } from "../abi/process/message.ts";
import { RESET_MARK } from "../abi/process/segment.ts";

export const CHAT_LINES_MAX = 20;
const CHARS_MAX = 2000;

const SPEAKERS = { user: "User", assistant: "Assistant" } as const;
const WITH_NEWS = "This is the conversation so far. The message after it is new: answer that.";
const WITHOUT = "This is the conversation so far. It was interrupted: continue where it stopped.";

export interface ChatLine {
  readonly by: keyof typeof SPEAKERS;
  readonly text: string;
}

export function conversationHistory(
  lines: readonly ChatLine[],
  { hasNews }: { readonly hasNews: boolean },
): string | null {
  const last = lines.slice(-CHAT_LINES_MAX);
  if (last.length === 0) return null;
  const rows = last.map(({ by, text }) => `[${SPEAKERS[by]}]: ${framed(text)}`);
  return [RESET_MARK, hasNews ? WITH_NEWS : WITHOUT, "", ...rows, "</conversation_history>"].join("\n");
}

export function chatLinesIn(messages: readonly Message[]): ChatLine[] {
  return messages
    .flatMap((message): ChatLine[] => {
      if (message.role === "user") return [{ by: "user", text: message.content }];
      return message.role === "assistant" ? [{ by: "assistant", text: message.content.text }] : [];
    })
    .filter(({ text }) => text.trim() !== "");
}

function framed(text: string): string {
  const cut = text.length > CHARS_MAX ? `${text.slice(0, CHARS_MAX).replace(/[\uD800-\uDBFF]$/, "")}...` : text;
  const plain = cut.replace(/<(?=[\s/]*conversation_history)/gi, "&lt;");
  // Every character that a model may read as a line break.
  return plain.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/).join("\n  ");
}
