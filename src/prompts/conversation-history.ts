// The last messages of a conversation as one text, for a model that goes on without the rest. Whatever they hold, they stay inside of the
// frame and each stays whose it is: what looks like the frame in them is not it, and every line but the first of a message is set in.

import type { Message } from "../abi/process/message.ts";

/** How many of them. */
export const SAID_MAX = 20;
const CHARS_MAX = 2000;

const SPEAKERS = { user: "User", assistant: "Assistant" } as const;
const WITH_NEWS = "This is how the conversation went so far. What follows after it is new: answer that.";
const WITHOUT = "This is how the conversation went so far. It was interrupted: go on from where it stopped.";

export interface Said {
  readonly by: keyof typeof SPEAKERS;
  readonly text: string;
}

/** The last that were said by somebody; null where nothing was. */
export function conversationHistory(said: readonly Said[], { hasNews }: { readonly hasNews: boolean }): string | null {
  const last = said.slice(-SAID_MAX);
  if (last.length === 0) return null;
  const lines = last.map(({ by, text }) => `[${SPEAKERS[by]}]: ${framed(text)}`);
  return ["<conversation_history>", hasNews ? WITH_NEWS : WITHOUT, "", ...lines, "</conversation_history>"].join("\n");
}

/** What of a history was said by a person or the model. */
export function saidIn(messages: readonly Message[]): Said[] {
  return messages
    .flatMap((message): Said[] => {
      if (message.role === "user") return [{ by: "user", text: message.content }];
      return message.role === "assistant" ? [{ by: "assistant", text: message.content.text }] : [];
    })
    .filter(({ text }) => text.trim() !== "");
}

function framed(text: string): string {
  const cut = text.length > CHARS_MAX ? `${text.slice(0, CHARS_MAX).replace(/[\uD800-\uDBFF]$/, "")}...` : text;
  const plain = cut.replace(/<(?=[\s/]*conversation_history)/gi, "&lt;");
  // Whatever a model may take for the end of a line.
  return plain.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/).join("\n  ");
}
