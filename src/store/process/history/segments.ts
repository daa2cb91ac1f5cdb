// What a model is given of a history: its newest messages, and in the place of the older ones the summary of the segment that stands for
// them. A segment deletes nothing and is one transaction with its summary, so whatever dies, a history is told in a legal way. Messages
// that hold summaries are told only where their segment begins.

import type { Message } from "../../../abi/process/message.ts";
import type { Segment } from "../../../abi/process/segment.ts";
import type { Db } from "../../open.ts";
import type { HeadRow } from "../head.ts";
import { insertMessage, type MessageRow, messageFromRow } from "../rows.ts";
import { spend } from "../turns.ts";
import type { Compaction, ContextShape, Refusal, Undone } from "../verbs.ts";
import { BYTES, rowsWithin, type Size } from "./history.ts";
import { NOT_REWOUND } from "./rewinds.ts";

const COLUMNS = `id, from_message_id AS fromSeq, to_message_id AS toSeq, summary_message_id AS summarySeq, cause, model,
  tokens_before AS tokensBefore, tokens_after AS tokensAfter, created_at AS createdAt, undone_at AS undoneAt`;
/** As messages of their own. */
const TOLD = `messages.id NOT IN (SELECT summary_message_id FROM segments) AND ${NOT_REWOUND}`;

type SegmentColumns = { readonly [K in keyof Segment]: Segment[K] };

/** Oldest first. */
export function segments(db: Db): Segment[] {
  // Looked at without a kernel it may be a database that no kernel of this version has opened yet.
  if (db.get("SELECT 1 AS one FROM sqlite_schema WHERE name = 'segments'") === null) return [];
  return db.all<SegmentColumns>(`SELECT ${COLUMNS} FROM segments ORDER BY id`);
}

function activeSegment(db: Db): Segment | null {
  return db.get<SegmentColumns>(`SELECT ${COLUMNS} FROM segments WHERE undone_at IS NULL ORDER BY id DESC LIMIT 1`);
}

interface Told {
  readonly segment: Segment | null;
  /** Newest first. */
  readonly sizes: readonly Size[];
  /** Nothing is left out for its size. */
  readonly isWhole: boolean;
}

function told(db: Db, bytesMax: number): Told {
  const segment = activeSegment(db);
  const low = (segment?.toSeq ?? 0) + 1;
  const summary = segment === null ? 0 : (sizeOf(db, segment.summarySeq) ?? 0);
  const within = { low, high: Number.MAX_SAFE_INTEGER, bytesMax: Math.max(0, bytesMax - summary), newestFirst: true };
  const sizes = rowsWithin(db, { ...within, only: TOLD });
  const older = "SELECT 1 AS one FROM messages WHERE id BETWEEN ? AND ?";
  const oldest = sizes.at(-1)?.id ?? 0;
  return { segment, sizes, isWhole: db.get(`${older} AND ${TOLD} LIMIT 1`, low, oldest - 1) === null };
}

function sizeOf(db: Db, seq: number): number | null {
  return db.get<{ bytes: number }>(`SELECT ${BYTES} AS bytes FROM messages WHERE id = ?`, seq)?.bytes ?? null;
}

/** The newest history that fits, oldest first, beginning where a model may begin: never at a tool result without its call. */
export function context(db: Db, bytesMax: number): Message[] {
  return db.snapshot(() => {
    const { segment, sizes, isWhole } = told(db, bytesMax);
    const rows = db.all<MessageRow>(
      `SELECT * FROM messages WHERE id >= ? AND ${TOLD} ORDER BY id`,
      sizes.at(-1)?.id ?? Number.MAX_SAFE_INTEGER,
    );
    const first = segment === null ? [] : db.all<MessageRow>("SELECT * FROM messages WHERE id = ?", segment.summarySeq);
    return [...first, ...(isWhole ? rows : fromLegalBegin(db, rows))].map(messageFromRow);
  });
}

// At a person's word if the window holds one, else at an assistant's turn. A window of nothing but results is widened to the turn that
// called for them: what a model may read comes before how much.
function fromLegalBegin(db: Db, rows: readonly MessageRow[]): readonly MessageRow[] {
  const said = rows.findIndex((row) => row.role === "user" || row.role === "system");
  const begin = said === -1 ? rows.findIndex((row) => row.role !== "toolResult") : said;
  const first = rows[0];
  if (begin !== -1 || first === undefined) return rows.slice(Math.max(0, begin));
  const before = db.all<MessageRow>(
    `SELECT * FROM messages WHERE id < ?1 AND ${TOLD}
     AND id >= (SELECT max(id) FROM messages WHERE id < ?1 AND role <> 'toolResult' AND ${TOLD}) ORDER BY id`,
    first.id,
  );
  return [...before, ...rows];
}

/** The same by size alone, with what the last turn was counted at. */
export function contextShape(db: Db, head: HeadRow, bytesMax: number): ContextShape {
  return db.snapshot(() => {
    const { segment, sizes, isWhole } = told(db, bytesMax);
    return {
      generation: head.generation,
      segment,
      summaryBytes: segment === null ? 0 : (sizeOf(db, segment.summarySeq) ?? 0),
      rows: sizes.map(({ id: seq, role, bytes }) => ({ seq, role, bytes })).reverse(),
      isWhole,
      counted: lastCount(db, sizes),
    };
  });
}

// What a provider counted is true of the turn it answered: of this history only if that turn is in it.
function lastCount(db: Db, sizes: readonly Size[]): ContextShape["counted"] {
  const last = db.get<{ run_id: string; created_at: number; usage_json: string }>(
    "SELECT run_id, created_at, usage_json FROM usage WHERE wasted = 0 AND turn > 0 ORDER BY id DESC LIMIT 1",
  );
  const answer = sizes.find(({ role }) => role === "assistant");
  if (last === null || answer === undefined) return null;
  const same = "SELECT 1 AS one FROM messages WHERE id = ? AND run_id = ? AND created_at = ?";
  if (db.get(same, answer.id, last.run_id, last.created_at) === null) return null;
  return { seq: answer.id, usage: JSON.parse(last.usage_json) };
}

/** Null when history has moved on since it was planned: another compaction, an undo or a reset came first. */
export function compact(db: Db, head: HeadRow, wish: Compaction): Segment | null | Refusal {
  if (head.closing?.reason === "kill") return "no-process";
  const before = activeSegment(db);
  const fromSeq = before === null ? firstSeq(db) : before.toSeq + 1;
  const moved = head.closing !== null || head.generation !== wish.generation || before?.id !== wish.after?.id;
  if (moved || wish.toSeq < fromSeq || wish.toSeq >= head.nextSeq - 1) return null;
  const summarySeq = head.takeSeq();
  insertMessage(db, head.generation, {
    id: summarySeq,
    role: "system",
    content: wish.summary,
    runId: head.currentRun,
    timestamp: wish.now,
    origin: { kind: "kernel" },
  });
  db.run(
    `INSERT INTO segments (generation, from_message_id, to_message_id, summary_message_id, cause, model, tokens_before, tokens_after, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    head.generation,
    fromSeq,
    wish.toSeq,
    summarySeq,
    wish.cause,
    wish.model,
    wish.tokensBefore,
    wish.tokensAfter,
    wish.now,
  );
  if (wish.spent !== null) {
    const { by: model, ...spent } = wish.spent;
    const runId = head.currentRun ?? `compaction-${summarySeq}`;
    spend(db, head, { ...spent, runId, turn: 0, model, wasted: false, now: wish.now });
  }
  return activeSegment(db);
}

function firstSeq(db: Db): number {
  return db.get<{ id: number | null }>("SELECT min(id) AS id FROM messages")?.id ?? 1;
}

/** Takes back the newest compaction while nothing was said since. */
export function undoCompaction(db: Db, head: HeadRow, now: number): Undone | Refusal {
  if (head.closing !== null) return "no-process";
  const segment = activeSegment(db);
  if (segment === null) return { undone: null, later: 0 };
  const later = head.nextSeq - 1 - segment.summarySeq;
  if (later > 0 || head.currentRun !== null) return { undone: null, later: Math.max(1, later) };
  db.run("UPDATE segments SET undone_at = ? WHERE id = ?", now, segment.id);
  return { undone: { ...segment, undoneAt: now }, later: 0 };
}

/** Segments go with their summaries, whose messages go up to a number or above one: without it, what it stood for is told again. */
export function forgetSegments(db: Db, gone: { readonly upTo: number } | { readonly above: number }): void {
  if ("upTo" in gone) db.run("DELETE FROM segments WHERE summary_message_id <= ?", gone.upTo);
  else db.run("DELETE FROM segments WHERE summary_message_id > ?", gone.above);
}
