// Stored messages as entries of the transcript. Pure.

import type { HistoryPage } from "../../src/syscalls/services.ts";
import type { Entry } from "../state/effect.ts";

export function entriesOf({ messages }: HistoryPage): readonly Entry[] {
  const argsOf = new Map(
    messages.flatMap((message) =>
      message.role === "assistant" ? (message.content.toolCalls ?? []).map(({ id, args }) => [id, args] as const) : [],
    ),
  );
  return messages.flatMap((message): Entry[] => {
    if (message.role === "user") return [{ kind: "message", text: message.content }];
    if (message.role === "assistant") {
      const { text, thinking = "" } = message.content;
      return [
        ...(thinking === "" ? [] : [{ kind: "thought", tookMs: null } as const]),
        ...(text === "" ? [] : [{ kind: "text", turn: -1, text } as const]),
      ];
    }
    if (message.role !== "toolResult") return [];
    const { toolName: tool, toolCallId, isError, output } = message.content;
    return [{ kind: "result", tool, args: argsOf.get(toolCallId) ?? {}, ok: !isError, output, tookMs: null }];
  });
}
