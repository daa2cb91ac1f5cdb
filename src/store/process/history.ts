// Reading a process: pages of history by number, the context of a model call, the syscall log. Messages are numbered without gaps and a
// reset removes a prefix, so how many there are follows from the ends and costs nothing.

import type { Message } from "../../abi/message.ts";
import type { Db } from "../open.ts";
import { type MessageRow, messageFromRow } from "./rows.ts";
import type { HistorySlice } from "./verbs.ts";

const CONTEXT_PAGE_ROWS = 100;

export function history(
  db: Db,
  query: { readonly limit: number; readonly offset?: number; readonly afterSeq?: number; readonly beforeSeq?: number },
): HistorySlice {
  return db.snapshot(() => {
    const ends = db.get<{ first: number | null; last: number | null }>(
      "SELECT (SELECT min(id) FROM messages) AS first, (SELECT max(id) FROM messages) AS last",
    );
    const first = ends?.first ?? 1;
    const last = ends?.last ?? 0;
    const [low, high] = range({ first, last, ...query });
    const rows = db.all<MessageRow>("SELECT * FROM messages WHERE id BETWEEN ? AND ? ORDER BY id", low, high);
    return {
      messages: rows.map(messageFromRow),
      count: last - first + 1,
      hasMoreBefore: last >= first && low > first,
      hasMoreAfter: last >= first && high < last,
    };
  });
}

// Numbers are gapless, so a page is a range: after a number it grows upwards, otherwise down from the newest or from `before`.
function range(query: {
  readonly first: number;
  readonly last: number;
  readonly limit: number;
  readonly offset?: number;
  readonly afterSeq?: number;
  readonly beforeSeq?: number;
}): [low: number, high: number] {
  if (query.afterSeq !== undefined) {
    const low = Math.max(query.afterSeq + 1, query.first);
    return [low, Math.min(low + query.limit - 1, (query.beforeSeq ?? Number.MAX_SAFE_INTEGER) - 1)];
  }
  const high = Math.min(query.last, (query.beforeSeq ?? Number.MAX_SAFE_INTEGER) - 1) - (query.offset ?? 0);
  return [Math.max(high - query.limit + 1, query.first), high];
}

/** The newest history that fits, oldest first, beginning where a model may begin: never at a tool result without its call. */
export function context(db: Db, bytesMax: number): Message[] {
  const newestFirst: MessageRow[] = [];
  let bytes = 0;
  let before = Number.MAX_SAFE_INTEGER;
  for (let full = false; !full; ) {
    const page = db.all<MessageRow>(
      "SELECT * FROM messages WHERE id < ? ORDER BY id DESC LIMIT ?",
      before,
      CONTEXT_PAGE_ROWS,
    );
    full = page.length < CONTEXT_PAGE_ROWS;
    for (const row of page) {
      bytes += row.content.length + (row.tool_calls?.length ?? 0);
      if (bytes > bytesMax && newestFirst.length > 0) {
        full = true;
        break;
      }
      newestFirst.push(row);
      before = row.id;
    }
  }
  const rows = newestFirst.reverse();
  return (bytes > bytesMax ? fromLegalBegin(db, rows) : rows).map(messageFromRow);
}

// At a person's word if the window holds one, else at an assistant's turn. A window of nothing but results is widened to the turn that
// called for them: what a model may read comes before how much.
function fromLegalBegin(db: Db, rows: readonly MessageRow[]): readonly MessageRow[] {
  const said = rows.findIndex((row) => row.role === "user" || row.role === "system");
  const begin = said === -1 ? rows.findIndex((row) => row.role !== "toolResult") : said;
  const first = rows[0];
  if (begin !== -1 || first === undefined) return rows.slice(Math.max(0, begin));
  const before = db.all<MessageRow>(
    `SELECT * FROM messages WHERE id < ?1 AND id >= (SELECT max(id) FROM messages WHERE id < ?1 AND role <> 'toolResult')
     ORDER BY id`,
    first.id,
  );
  return [...before, ...rows];
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
