// The expected page of a history, computed from an array of all its messages.

import type { Message } from "../../../src/abi/process/message.ts";
import type { HistoryRange, HistorySlice } from "../../../src/store/process/verbs.ts";

/** The expected page, made with array methods. */
export function pageOf(all: readonly Message[], query: HistoryRange): HistorySlice {
  const before = query.beforeSeq ?? Number.POSITIVE_INFINITY;
  const { afterSeq } = query;
  const old = query.sinceMs === undefined ? -1 : all.findLastIndex(({ timestamp }) => timestamp < (query.sinceMs ?? 0));
  const within = all.slice(old + 1).filter((message) => message.id < before && message.id > (afterSeq ?? 0));
  const kept = within.slice(0, Math.max(0, within.length - (afterSeq === undefined ? (query.offset ?? 0) : 0)));
  const page = afterSeq === undefined ? kept.slice(-query.limit) : kept.slice(0, query.limit);
  const messages = lightest(page, query);
  const first = messages[0]?.id ?? (afterSeq === undefined ? 0 : afterSeq + 1);
  const last = messages.at(-1)?.id ?? (afterSeq === undefined ? 0 : before - 1);
  return {
    messages,
    count: all.length - old - 1,
    hasMoreBefore: all.slice(old + 1).some((message) => message.id < first),
    hasMoreAfter: all.some((message) => message.id > last),
  };
}

function lightest(page: readonly Message[], { bytesMax = Number.POSITIVE_INFINITY, afterSeq }: HistoryRange) {
  const inOrder = afterSeq === undefined ? [...page].reverse() : [...page];
  let bytes = 0;
  const heavy = inOrder.findIndex((message, at) => {
    bytes += sizeOf(message);
    return bytes > bytesMax && at > 0;
  });
  const kept = heavy === -1 ? inOrder : inOrder.slice(0, heavy);
  return afterSeq === undefined ? kept.reverse() : kept;
}

function sizeOf(message: Message | undefined): number {
  if (message === undefined) return 0;
  if (message.role === "assistant") {
    const { text, ...extra } = message.content;
    return Buffer.byteLength(text) + (Object.keys(extra).length === 0 ? 0 : Buffer.byteLength(JSON.stringify(extra)));
  }
  if (message.role === "toolResult") {
    const { output, toolCallId: _, ...extra } = message.content;
    return Buffer.byteLength(output) + Buffer.byteLength(JSON.stringify(extra));
  }
  return Buffer.byteLength(message.content);
}
