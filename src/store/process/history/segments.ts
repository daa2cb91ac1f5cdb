// Segments: which part of a history a model gets, and compaction. A model gets the newest messages and, for older ones, the summary of the
// active segment. A segment deletes nothing and commits together with its summary message, so a crash leaves a valid history.

import { LIMITS } from "../../../abi/config/limits.ts";
import type { Message } from "../../../abi/process/message.ts";
import type { Usage } from "../../../abi/process/process.ts";
import type { CompactionCause, HistoryPolicy, Segment } from "../../../abi/process/segment.ts";
import type { Db } from "../../open.ts";
import type { ProcessFiles } from "../files/files.ts";
import { type GuardedWrite, HeadRow } from "../head.ts";
import type { Outcome, Refusal } from "../outcome.ts";
import { insertMessage, type MessageRow, messageFromRow } from "../rows.ts";
import { spend } from "../turns.ts";
import { BYTES, rowsWithin, type Size } from "./history.ts";
import { NOT_REWOUND, putRewind, type Rewind } from "./rewinds.ts";

export interface Compaction {
  /** The history that was planned for: generation and last segment. If either changed, compaction does nothing. */
  readonly generation: number;
  readonly after: Segment | null;
  /** The last summarized message. The next one must not be a tool result. */
  readonly toSeq: number;
  readonly summary: string;
  readonly cause: CompactionCause;
  readonly model: string | null;
  /** Cost of the summary. */
  readonly spent: { readonly by: string; readonly usage: Usage; readonly priced?: boolean } | null;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly now: number;
}

export interface Undone {
  readonly undone: Segment | null;
  /** Number of messages after the summary: with any, it is not undone. */
  readonly later: number;
}

/** Sizes of what the next model call gets. */
export interface ContextShape {
  readonly generation: number;
  readonly segment: Segment | null;
  readonly summaryBytes: number;
  /** Messages after the summary, oldest first. */
  readonly rows: readonly { readonly seq: number; readonly role: Message["role"]; readonly bytes: number }[];
  /** False if older history did not fit. */
  readonly isWhole: boolean;
  /** Tokens that the provider counted at the last turn, if that turn is among the rows. */
  readonly counted: { readonly seq: number; readonly usage: Usage } | null;
}

/** A page of history to copy into a new process. */
export interface Graft {
  readonly messages: readonly Message[];
  readonly segments: readonly Segment[];
  readonly rewinds?: readonly Rewind[];
}

export interface SegmentVerbs {
  /** Context of the next model call: the summary of the last segment, if any, then later messages, oldest first. */
  context(pid: string): Promise<readonly Message[]>;
  contextShape(pid: string): Promise<ContextShape>;
  /** Null: the history changed since the plan was made. */
  compact(pid: string, request: Compaction): Promise<Outcome<Segment | null>>;
  undoCompaction(pid: string, options: { readonly now: number }): Promise<Outcome<Undone>>;
  /** Oldest first. */
  segments(pid: string): Promise<readonly Segment[]>;
  /** Null if the process has no policy of its own. */
  historyPolicy(pid: string): Promise<HistoryPolicy | null>;
  setHistoryPolicy(pid: string, policy: HistoryPolicy | null): Promise<Outcome<null>>;
  /** Appends copied history; skips rows that exist. */
  graft(pid: string, part: Graft): Promise<Outcome<null>>;
}

const POLICY = "history_policy";

export function segmentVerbs(files: ProcessFiles, write: GuardedWrite): SegmentVerbs {
  return {
    context: async (pid) => context(files.get(pid), LIMITS.contextBytesMax),
    async contextShape(pid) {
      const db = files.get(pid);
      return contextShape(db, new HeadRow(db, "read"), LIMITS.contextBytesMax);
    },
    compact: async (pid, request) => write(pid, "full", (db, head) => compact(db, head, request)),
    undoCompaction: async (pid, { now }) => write(pid, "full", (db, head) => undoCompaction(db, head, now)),
    segments: async (pid) => files.rows(pid, "segments", segments),

    async historyPolicy(pid) {
      const row = files.get(pid).get<{ value: string }>("SELECT value FROM process_kv WHERE key = ?", POLICY);
      return row === null ? null : (JSON.parse(row.value) as HistoryPolicy);
    },
    setHistoryPolicy: async (pid, policy) =>
      write(pid, "full", (db) => {
        db.run("DELETE FROM process_kv WHERE key = ?", POLICY);
        if (policy !== null)
          db.run("INSERT INTO process_kv (key, value) VALUES (?, ?)", POLICY, JSON.stringify(policy));
        return null;
      }),

    graft: async (pid, part) => write(pid, "full", (db, head) => graft(db, head, part)),
  };
}

const COLUMNS = `id, from_message_id AS fromSeq, to_message_id AS toSeq, summary_message_id AS summarySeq, cause, model,
  tokens_before AS tokensBefore, tokens_after AS tokensAfter, created_at AS createdAt, undone_at AS undoneAt`;
/** Messages a model gets as they are: no summaries, nothing rewound. */
const VISIBLE = `messages.id NOT IN (SELECT summary_message_id FROM segments) AND ${NOT_REWOUND}`;

type SegmentColumns = { readonly [K in keyof Segment]: Segment[K] };

/** Oldest first. */
function segments(db: Db): Segment[] {
  // A read without a kernel may find a database from before the segments table.
  if (db.get("SELECT 1 AS one FROM sqlite_schema WHERE name = 'segments'") === null) return [];
  return db.all<SegmentColumns>(`SELECT ${COLUMNS} FROM segments ORDER BY id`);
}

function activeSegment(db: Db): Segment | null {
  return db.get<SegmentColumns>(`SELECT ${COLUMNS} FROM segments WHERE undone_at IS NULL ORDER BY id DESC LIMIT 1`);
}

interface Window {
  readonly segment: Segment | null;
  readonly sizes: readonly Size[];
  readonly isWhole: boolean;
}

function windowOf(db: Db, bytesMax: number): Window {
  const segment = activeSegment(db);
  const low = (segment?.toSeq ?? 0) + 1;
  const summary = segment === null ? 0 : (sizeOf(db, segment.summarySeq) ?? 0);
  const within = { low, high: Number.MAX_SAFE_INTEGER, bytesMax: Math.max(0, bytesMax - summary), newestFirst: true };
  const sizes = rowsWithin(db, { ...within, only: VISIBLE });
  const older = "SELECT 1 AS one FROM messages WHERE id BETWEEN ? AND ?";
  const oldest = sizes.at(-1)?.id ?? 0;
  return { segment, sizes, isWhole: db.get(`${older} AND ${VISIBLE} LIMIT 1`, low, oldest - 1) === null };
}

function sizeOf(db: Db, seq: number): number | null {
  return db.get<{ bytes: number }>(`SELECT ${BYTES} AS bytes FROM messages WHERE id = ?`, seq)?.bytes ?? null;
}

/** The newest history that fits, oldest first. Never starts with a tool result whose call is missing. */
function context(db: Db, bytesMax: number): Message[] {
  return db.snapshot(() => {
    const { segment, sizes, isWhole } = windowOf(db, bytesMax);
    const rows = db.all<MessageRow>(
      `SELECT * FROM messages WHERE id >= ? AND ${VISIBLE} ORDER BY id`,
      sizes.at(-1)?.id ?? Number.MAX_SAFE_INTEGER,
    );
    const first = segment === null ? [] : db.all<MessageRow>("SELECT * FROM messages WHERE id = ?", segment.summarySeq);
    return [...first, ...(isWhole ? rows : fromValidStart(db, rows))].map(messageFromRow);
  });
}

// Start at the first user message if there is one, else at an assistant message. A window of tool results alone grows backwards to the turn
// that made the calls, even beyond the size limit.
function fromValidStart(db: Db, rows: readonly MessageRow[]): readonly MessageRow[] {
  const user = rows.findIndex((row) => row.role === "user" || row.role === "system");
  const begin = user === -1 ? rows.findIndex((row) => row.role !== "toolResult") : user;
  const first = rows[0];
  if (begin !== -1 || first === undefined) return rows.slice(Math.max(0, begin));
  const before = db.all<MessageRow>(
    `SELECT * FROM messages WHERE id < ?1 AND ${VISIBLE}
     AND id >= (SELECT max(id) FROM messages WHERE id < ?1 AND role <> 'toolResult' AND ${VISIBLE}) ORDER BY id`,
    first.id,
  );
  return [...before, ...rows];
}

/** Like context(), but sizes only, with the token count of the last turn. */
function contextShape(db: Db, head: HeadRow, bytesMax: number): ContextShape {
  return db.snapshot(() => {
    const { segment, sizes, isWhole } = windowOf(db, bytesMax);
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

// The provider's count applies only if the answered turn is still the newest one in this history.
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

/** Null if the history changed since the plan: another compaction, an undo or a reset. */
function compact(db: Db, head: HeadRow, request: Compaction): Segment | null | Refusal {
  if (head.closing?.reason === "kill") return "no-process";
  const before = activeSegment(db);
  const fromSeq = before === null ? firstSeq(db) : before.toSeq + 1;
  const moved = head.closing !== null || head.generation !== request.generation || before?.id !== request.after?.id;
  if (moved || request.toSeq < fromSeq || request.toSeq >= head.nextSeq - 1) return null;
  const summarySeq = head.takeSeq();
  insertMessage(db, head.generation, {
    id: summarySeq,
    role: "system",
    content: request.summary,
    runId: head.currentRun,
    timestamp: request.now,
    origin: { kind: "kernel" },
  });
  db.insert("segments", {
    generation: head.generation,
    from_message_id: fromSeq,
    to_message_id: request.toSeq,
    summary_message_id: summarySeq,
    cause: request.cause,
    model: request.model,
    tokens_before: request.tokensBefore,
    tokens_after: request.tokensAfter,
    created_at: request.now,
  });
  if (request.spent !== null) {
    const { by: model, ...spent } = request.spent;
    const runId = head.currentRun ?? `compaction-${summarySeq}`;
    spend(db, head, { ...spent, runId, turn: 0, model, wasted: false, now: request.now });
  }
  return activeSegment(db);
}

function firstSeq(db: Db): number {
  return db.get<{ id: number | null }>("SELECT min(id) AS id FROM messages")?.id ?? 1;
}

/** Undoes the newest compaction if no message followed. */
function undoCompaction(db: Db, head: HeadRow, now: number): Undone | Refusal {
  if (head.closing !== null) return "no-process";
  const segment = activeSegment(db);
  if (segment === null) return { undone: null, later: 0 };
  const later = head.nextSeq - 1 - segment.summarySeq;
  if (later > 0 || head.currentRun !== null) return { undone: null, later: Math.max(1, later) };
  db.run("UPDATE segments SET undone_at = ? WHERE id = ?", now, segment.id);
  return { undone: { ...segment, undoneAt: now }, later: 0 };
}

/** Deletes segments whose summary messages are deleted. */
export function forgetSegments(db: Db, gone: { readonly upTo: number } | { readonly above: number }): void {
  if ("upTo" in gone) db.run("DELETE FROM segments WHERE summary_message_id <= ?", gone.upTo);
  else db.run("DELETE FROM segments WHERE summary_message_id > ?", gone.above);
}

/** Works page by page; a repeated page changes nothing. */
function graft(db: Db, head: HeadRow, { messages, segments, rewinds = [] }: Graft): null {
  const last = db.get<{ id: number | null }>("SELECT max(id) AS id FROM messages")?.id ?? 0;
  for (const message of messages) if (message.id > last) insertMessage(db, head.generation, message);
  for (const each of segments) {
    db.insert(
      "segments",
      {
        id: each.id,
        generation: head.generation,
        from_message_id: each.fromSeq,
        to_message_id: each.toSeq,
        summary_message_id: each.summarySeq,
        cause: each.cause,
        model: each.model,
        tokens_before: each.tokensBefore,
        tokens_after: each.tokensAfter,
        created_at: each.createdAt,
        undone_at: each.undoneAt,
      },
      "IGNORE",
    );
  }
  for (const each of rewinds) putRewind(db, each);
  head.nextSeq = Math.max(head.nextSeq, (messages.at(-1)?.id ?? 0) + 1);
  return null;
}
