// Reads of a process database: pages of history, the syscall log. Message numbers have no gaps and a reset deletes a prefix, so
// counts follow from the first and last number. Sizes are read before rows: memory is bounded by bytes.

import type { Message } from "../../../abi/process/message.ts";
import type { Db } from "../../open.ts";
import { type MessageRow, messageFromRow } from "../rows.ts";

export interface HistorySlice {
  readonly messages: readonly Message[];
  readonly count: number;
  readonly hasMoreBefore: boolean;
  readonly hasMoreAfter: boolean;
}

export interface HistoryRange {
  readonly limit: number;
  readonly offset?: number;
  readonly afterSeq?: number;
  readonly beforeSeq?: number;
  /** Starts after the last message that is older than this instant. */
  readonly sinceMs?: number;
  /** Total size of the messages; at least one is returned. */
  readonly bytesMax?: number;
}

/** Part of the text of a message, in characters (not UTF-16 units). */
export interface TextPiece {
  readonly seq: number;
  readonly offset: number;
  readonly charsMax: number;
}

export interface LoggedCall {
  readonly at: number;
  readonly call: string;
  readonly args: string;
  readonly outcome: string;
  readonly ms: number;
}

export interface HistoryVerbs {
  history(pid: string, query: HistoryRange): Promise<HistorySlice>;
  /** Null if there is no such message; `next` is the offset of the rest. */
  messageText(pid: string, piece: TextPiece): Promise<{ readonly text: string; readonly next: number | null } | null>;
  trace(
    pid: string,
    query: { readonly after?: number; readonly limit: number },
  ): Promise<readonly (LoggedCall & { readonly id: number })[]>;
  logCall(pid: string, row: LoggedCall): Promise<void>;
}

const SIZES_PAGE_ROWS = 1000;
/** Size of a message. SQLite computes it without reading the text. */
export const BYTES = "octet_length(content) + coalesce(octet_length(tool_calls), 0)";

export type Size = { readonly id: number; readonly role: Message["role"]; readonly bytes: number };

export function history(db: Db, query: HistoryRange): HistorySlice {
  return db.snapshot(() => {
    const { first, last, low, high } = rangeIn(db, query);
    return {
      messages: rowsBetween(db, low, high).map(messageFromRow),
      count: last - first + 1,
      hasMoreBefore: last >= first && low > first,
      hasMoreAfter: last >= first && high < last,
    };
  });
}

/** The same as database rows, for the archive. */
export function historyRows(db: Db, query: HistoryRange): MessageRow[] {
  return db.snapshot(() => {
    const { low, high } = rangeIn(db, query);
    return rowsBetween(db, low, high);
  });
}

function rowsBetween(db: Db, low: number, high: number): MessageRow[] {
  return db.all<MessageRow>("SELECT * FROM messages WHERE id BETWEEN ? AND ? ORDER BY id", low, high);
}

function rangeIn(db: Db, query: HistoryRange) {
  const ends = db.get<{ first: number | null; last: number | null }>(
    "SELECT (SELECT min(id) FROM messages) AS first, (SELECT max(id) FROM messages) AS last",
  );
  const last = ends?.last ?? 0;
  const first = Math.max(ends?.first ?? 1, query.sinceMs === undefined ? 1 : 1 + lastBefore(db, query.sinceMs));
  const [low, high] = fittingRange(db, range({ first, last, ...query }), query);
  return { first, last, low, high };
}

/** Searches from the newest row: recent history is asked for most. */
function lastBefore(db: Db, sinceMs: number): number {
  const row = db.get<{ id: number }>("SELECT id FROM messages WHERE created_at < ? ORDER BY id DESC LIMIT 1", sinceMs);
  return row?.id ?? 0;
}

// The part of the range that fits into bytesMax, at least one row: from the start if afterSeq is set, else from the end.
function fittingRange(db: Db, [low, high]: [number, number], query: HistoryRange): [low: number, high: number] {
  const { bytesMax, afterSeq } = query;
  if (bytesMax === undefined || low >= high) return [low, high];
  const onwards = afterSeq !== undefined;
  const kept = rowsWithin(db, { low, high, bytesMax, newestFirst: !onwards }).at(-1);
  if (kept === undefined) return [low, high];
  return onwards ? [low, Math.min(high, kept.id)] : [Math.max(low, kept.id), high];
}

interface Within {
  readonly low: number;
  readonly high: number;
  readonly bytesMax: number;
  readonly newestFirst: boolean;
  /** SQL condition for the rows that count. */
  readonly only?: string;
}

/** Rows from one end of a range that fit, at least one. Reads only sizes. */
export function rowsWithin(db: Db, { low, high, bytesMax, newestFirst, only = "TRUE" }: Within): Size[] {
  const kept: Size[] = [];
  let bytes = 0;
  for (let [from, to] = [low, high]; from <= to; ) {
    const page = db.all<Size>(
      `SELECT id, role, ${BYTES} AS bytes FROM messages
       WHERE id BETWEEN ? AND ? AND ${only} ORDER BY id ${newestFirst ? "DESC" : "ASC"} LIMIT ?`,
      from,
      to,
      SIZES_PAGE_ROWS,
    );
    for (const size of page) {
      bytes += size.bytes;
      if (bytes > bytesMax && kept.length > 0) return kept;
      kept.push(size);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < SIZES_PAGE_ROWS) break;
    [from, to] = newestFirst ? [from, last.id - 1] : [last.id + 1, to];
  }
  return kept;
}

/** Part of the text of one message; does not load the rest. Null if there is no such message. */
export function messageText(
  db: Db,
  { seq, offset, charsMax }: TextPiece,
): { text: string; next: number | null } | null {
  const row = db.get<{ piece: string; chars: number }>(
    "SELECT piece, length(piece) AS chars FROM (SELECT substr(content, ? + 1, ?) AS piece FROM messages WHERE id = ?)",
    offset,
    charsMax,
    seq,
  );
  return row === null ? null : { text: row.piece, next: row.chars < charsMax ? null : offset + charsMax };
}

// Numbers have no gaps, so a page is a range: up from afterSeq, else down from the newest or from beforeSeq.
function range(query: HistoryRange & { readonly first: number; readonly last: number }): [low: number, high: number] {
  if (query.afterSeq !== undefined) {
    const low = Math.max(query.afterSeq + 1, query.first);
    return [low, Math.min(low + query.limit - 1, (query.beforeSeq ?? Number.MAX_SAFE_INTEGER) - 1)];
  }
  const high = Math.min(query.last, (query.beforeSeq ?? Number.MAX_SAFE_INTEGER) - 1) - (query.offset ?? 0);
  return [Math.max(high - query.limit + 1, query.first), high];
}

type TraceColumns = {
  readonly id: number;
  readonly at: number;
  readonly call: string;
  readonly args: string;
  readonly outcome: string;
  readonly ms: number;
};

/** Rows after a number, or the newest; oldest first either way. */
export function trace(db: Db, { after, limit }: { readonly after?: number; readonly limit: number }): TraceColumns[] {
  const columns = "SELECT id, at, call, args, outcome, ms FROM syscall_log";
  if (after !== undefined) return db.all<TraceColumns>(`${columns} WHERE id > ? ORDER BY id LIMIT ?`, after, limit);
  return db.all<TraceColumns>(`${columns} ORDER BY id DESC LIMIT ?`, limit).reverse();
}

/** Keeps the newest rowsMax rows. */
export function logCall(db: Db, { at, call, args, outcome, ms }: LoggedCall, rowsMax: number): void {
  db.run("INSERT INTO syscall_log (at, call, args, outcome, ms) VALUES (?, ?, ?, ?, ?)", at, call, args, outcome, ms);
  db.run("DELETE FROM syscall_log WHERE id <= (SELECT max(id) FROM syscall_log) - ?", rowsMax);
}
