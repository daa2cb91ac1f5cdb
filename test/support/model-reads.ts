// Reading a model process: every query against plain arrays.

import type { Message } from "../../src/abi/message.ts";
import type { ArchiveRecord, Head, HistorySlice } from "../../src/store/process/verbs.ts";
import type { ModelProcess } from "./model-process.ts";

export interface HistoryQuery {
  readonly limit: number;
  readonly offset?: number;
  readonly afterSeq?: number;
  readonly beforeSeq?: number;
}

export function historyOf(process: ModelProcess, query: HistoryQuery): HistorySlice {
  return pageOf(
    process.messages.map(({ message }) => message),
    query,
  );
}

/** What a page of history is, said with array methods. */
export function pageOf(all: readonly Message[], query: HistoryQuery): HistorySlice {
  const before = query.beforeSeq ?? Number.POSITIVE_INFINITY;
  const { afterSeq } = query;
  const within = all.filter((message) => message.id < before && message.id > (afterSeq ?? 0));
  const kept = within.slice(0, Math.max(0, within.length - (afterSeq === undefined ? (query.offset ?? 0) : 0)));
  const messages = afterSeq === undefined ? kept.slice(-query.limit) : kept.slice(0, query.limit);
  const first = messages[0]?.id ?? (afterSeq === undefined ? 0 : afterSeq + 1);
  const last = messages.at(-1)?.id ?? (afterSeq === undefined ? 0 : before - 1);
  return {
    messages,
    count: all.length,
    hasMoreBefore: all.some((message) => message.id < first),
    hasMoreAfter: all.some((message) => message.id > last),
  };
}

export function contextOf(process: ModelProcess, charsMax: number): readonly Message[] {
  const all = process.messages.map(({ message }) => message);
  let begin = all.length;
  for (let chars = 0; begin > 0; begin--) {
    chars += sizeOf(all[begin - 1]);
    if (chars > charsMax && begin < all.length) break;
  }
  if (begin === 0) return all;
  const spoken = all.findIndex((message, at) => at >= begin && (message.role === "user" || message.role === "system"));
  if (spoken !== -1) return all.slice(spoken);
  const turn = all.findIndex((message, at) => at >= begin && message.role !== "toolResult");
  return all.slice(turn === -1 ? all.findLastIndex((message) => message.role !== "toolResult") : turn);
}

function sizeOf(message: Message | undefined): number {
  if (message === undefined) return 0;
  if (message.role === "assistant") {
    const { text, ...extra } = message.content;
    return text.length + (Object.keys(extra).length === 0 ? 0 : JSON.stringify(extra).length);
  }
  if (message.role === "toolResult") {
    const { output, toolCallId: _, ...extra } = message.content;
    return output.length + JSON.stringify(extra).length;
  }
  return message.content.length;
}

/** Of the fields of an archive line only those that say which message it is. */
export function closingRecordsOf(process: ModelProcess, after: string | null, limit: number) {
  const { closing } = process;
  if (closing === null) return { records: [], messages: 0, undelivered: 0, next: null };
  const messages = process.messages.filter(({ message }) => message.id <= closing.cutSeq);
  const waiting = process.queue.filter((row) => row.generation <= closing.generation);
  const all: ArchiveRecord[] = [
    ...messages.map(({ message, generation }) => ({
      id: message.id,
      generation,
      role: message.role,
      ts: message.timestamp,
    })),
    ...waiting.map((row) => ({
      id: null,
      generation: row.generation,
      role: row.kind === "user" ? "user" : "system",
      ts: row.now,
      undelivered: true,
    })),
  ];
  const from = Number(after ?? 0);
  const records = all.slice(from, from + limit);
  return {
    records,
    messages: records.filter((record) => record.undelivered !== true).length,
    undelivered: records.filter((record) => record.undelivered === true).length,
    next: from + limit < all.length ? String(from + limit) : null,
  };
}

export function plainHead(process: ModelProcess): Head {
  const { epoch, nextSeq, generation, state, stopped, paused, currentRun, lastRun, closing, queued } = process;
  return { epoch, nextSeq, generation, state, stopped, paused, currentRun, lastRun, closing, queued };
}
