// Reading a model process: every query against plain arrays.

import type { Message } from "../../src/abi/process/message.ts";
import type { ArchiveRecord, Head, HistoryRange, HistorySlice, TextPiece } from "../../src/store/process/verbs.ts";
import type { ModelProcess } from "./model-process.ts";

export type HistoryQuery = HistoryRange;

/** As each message begins, where it goes on. */
export function textOf(process: ModelProcess, { seq, offset, charsMax }: TextPiece) {
  const found = process.messages.find(({ message }) => message.id === seq)?.message;
  if (found === undefined) return null;
  const chars = [...spoken(found)];
  const piece = chars.slice(offset, offset + charsMax);
  return { text: piece.join(""), next: piece.length < charsMax ? null : offset + charsMax };
}

function spoken({ content }: Message): string {
  if (typeof content === "string") return content;
  return "output" in content ? content.output : content.text;
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

function lightest(page: readonly Message[], { bytesMax = Number.POSITIVE_INFINITY, afterSeq }: HistoryQuery) {
  const inOrder = afterSeq === undefined ? [...page].reverse() : [...page];
  let bytes = 0;
  const heavy = inOrder.findIndex((message, at) => {
    bytes += sizeOf(message);
    return bytes > bytesMax && at > 0;
  });
  const kept = heavy === -1 ? inOrder : inOrder.slice(0, heavy);
  return afterSeq === undefined ? kept.reverse() : kept;
}

/** The newest that fit, from where a model may begin; `begin` is where they begin by size alone. */
export function windowOf(all: readonly Message[], bytesMax: number) {
  let begin = all.length;
  for (let bytes = 0; begin > 0; begin--) {
    bytes += sizeOf(all[begin - 1]);
    if (bytes > bytesMax && begin < all.length) break;
  }
  return { begin, messages: fromLegalBegin(all, begin) };
}

function fromLegalBegin(all: readonly Message[], begin: number): readonly Message[] {
  if (begin === 0) return all;
  const spoken = all.findIndex((message, at) => at >= begin && (message.role === "user" || message.role === "system"));
  if (spoken !== -1) return all.slice(spoken);
  const turn = all.findIndex((message, at) => at >= begin && message.role !== "toolResult");
  return all.slice(turn === -1 ? all.findLastIndex((message) => message.role !== "toolResult") : turn);
}

export function sizeOf(message: Message | undefined): number {
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
  const { epoch, nextSeq, generation, state, stopped, paused, currentRun, currentModel, lastRun } = process;
  const { closing, queued, retrying, stoppedWhy, restarts } = process;
  const now = { state, stopped, stoppedWhy, restarts, paused, retrying, queued };
  return { epoch, nextSeq, generation, ...now, currentRun, currentModel, lastRun, closing };
}
