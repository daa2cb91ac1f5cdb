// The last message of a usable history: a message keeps the results of its calls, and a turn with missing results is left out. Pure.

import type { Message } from "../../abi/process/message.ts";

/** `around`: the wanted message, its turn and what follows. null if nothing is left. */
export function legalEnd(around: readonly Message[], wanted: number): number | null {
  const at = around.findLastIndex(({ id }) => id <= wanted);
  if (at === -1) return null;
  const turn = around.findLastIndex(({ role }, index) => index <= at && role === "assistant");
  const called = around[turn];
  const calls = called?.role === "assistant" ? (called.content.toolCalls ?? []) : [];
  const open = new Set(calls.map(({ id }) => id));
  let end = turn;
  for (let index = turn + 1; index < around.length && open.size > 0; index++) {
    const message = around[index];
    if (message?.role === "assistant") break;
    if (message?.role === "toolResult" && open.delete(message.content.toolCallId)) end = index;
  }
  if (open.size === 0) return around[Math.max(at, end)]?.id ?? null;
  return around[turn - 1]?.id ?? null;
}
