// Up to where a history can be told on its own: a message wanted as the last one takes the results of its calls along, and a turn whose
// results are not all there yet is left out. Pure; for copies of a history and for its rewinding.

import type { Message } from "../../abi/process/message.ts";

/** `around` holds the message wanted, what came before it as far as its turn, and what came after it. Null where nothing is left. */
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
