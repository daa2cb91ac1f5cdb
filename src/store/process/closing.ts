// Abort, and the two halves of reset and kill. Each raises the epoch, which fences the current owner of the run.

import { FAILED_NOTE } from "../../abi/process/message.ts";
import type { Approval, RunEnd } from "../../abi/process/process.ts";
import type { Db } from "../open.ts";
import { forgetKnownFiles } from "./files/known.ts";
import type { Closing, HeadRow } from "./head.ts";
import { historyRows } from "./history/history.ts";
import { forgetRewinds } from "./history/rewinds.ts";
import { forgetSegments } from "./history/segments.ts";
import type { Outcome } from "./outcome.ts";
import {
  type ArchiveRecord,
  approvalFromRow,
  archiveRecord,
  type HilRow,
  type QueueRow,
  runEnd,
  undeliveredRecord,
} from "./rows.ts";
import { addNote, cancelCalls, finishRun } from "./turns.ts";

/** A reset in the transaction that admits a message. */
export interface Renewal {
  /** Only if the last message is older than this instant. */
  readonly before: number;
  readonly archiveId: string;
  readonly requestKey: string;
}

export interface Cut {
  readonly closing: Closing;
  readonly ends: readonly RunEnd[];
  readonly withdrawn: readonly Approval[];
}

export interface Aborting {
  readonly aborted: boolean;
  readonly runId: string | null;
  /** The run id belonged to a queued message. */
  readonly isWaiting?: true;
  readonly interruptedToolCalls: number;
  readonly ends: readonly RunEnd[];
  readonly withdrawn: readonly Approval[];
  readonly nextRunId: string | null;
}

export interface ClosingVerbs {
  /**
   * Ends the run in flight and gives its open calls a result. With a run id, only that run; the id of a queued message removes the
   * message and ends nothing else.
   */
  abort(
    pid: string,
    options: {
      readonly runId: string | null;
      readonly reason: string;
      readonly requestKey: string;
      readonly now: number;
      /** Leave a run in flight alone. */
      readonly onlyQueued?: boolean;
    },
  ): Promise<Outcome<Aborting>>;
  /** First half of reset and kill: fences the run, closes open requests and fixes the cut. */
  cut(
    pid: string,
    closing: Omit<Closing, "cutSeq" | "generation" | "startedAt"> & { readonly now: number },
  ): Promise<Outcome<Cut>>;
  /** Pages of closed rows for the archive: messages, then undelivered queue rows. Heavy pages end early. */
  closingRecords(
    pid: string,
    after: string | null,
    limit: number,
  ): Promise<{
    readonly records: readonly ArchiveRecord[];
    readonly messages: number;
    readonly undelivered: number;
    readonly next: string | null;
  }>;
  /** Deletes a part of the archived messages, so that no transaction is long. False if `seal` may delete the rest. */
  clearClosed(pid: string): Promise<boolean>;
  /** Second half: deletes what was archived; queued messages may start. */
  seal(pid: string, options: { readonly answer: object; readonly now: number }): Promise<void>;
}

const PAGE_BYTES_MAX = 1024 * 1024;
const CLEARED_AT_ONCE = 200;

export function abortRun(db: Db, head: HeadRow, reason: string, now: number): Aborting {
  const runId = head.currentRun;
  if (runId === null)
    return { aborted: false, runId: null, interruptedToolCalls: 0, ends: [], withdrawn: [], nextRunId: null };
  head.epoch++;
  const withdrawn = withdrawApprovals(db, head, now);
  const interrupted = cancelCalls(db, head, runId, "cancelled: the run was aborted", now);
  noteFailure(db, head, runId, now);
  const ends = finishRun(db, head, { runId, status: "aborted", reason, text: null, error: null, now });
  const next = db.get<{ run_id: string | null }>(
    "SELECT run_id FROM message_queue WHERE generation = ? AND wakes = 1 ORDER BY id LIMIT 1",
    head.generation,
  );
  return { aborted: true, runId, interruptedToolCalls: interrupted, ends, withdrawn, nextRunId: next?.run_id ?? null };
}

/** The history keeps why an aborted run had no answer. */
function noteFailure(db: Db, head: HeadRow, runId: string, now: number): void {
  const reason = head.paused?.kind === "credential" ? head.paused.reason : head.retrying?.reason;
  if (reason !== undefined) addNote(db, head, { runId, note: `${FAILED_NOTE} ${reason}; the run was aborted`, now });
}

/** Removes a queued message; the run in flight continues. Null if no such message is queued. */
export function takeBack(db: Db, head: HeadRow, runId: string, now: number): Aborting | null {
  const gone = db.get<{ run_id: string }>(
    "DELETE FROM message_queue WHERE generation = ? AND run_id = ? AND kind = 'user' RETURNING run_id",
    head.generation,
    runId,
  );
  if (gone === null) return null;
  const ends = endUnstarted(db, [runId], { generation: head.generation, reason: "user.withdrawn", now });
  // The queue changed, as it does after an admission.
  head.move("admit");
  return { aborted: true, runId, isWaiting: true, interruptedToolCalls: 0, ends, withdrawn: [], nextRunId: null };
}

export function withdrawApprovals(db: Db, head: HeadRow, now: number): Approval[] {
  const rows = db.all<HilRow>(
    "UPDATE pending_hil SET decision = 'withdrawn', decided_by = 'kernel', decided_at = ? WHERE decision IS NULL RETURNING *",
    now,
  );
  const withdrawn = rows.map((row) => approvalFromRow(row, head.pid()));
  for (const approval of withdrawn) head.publishApproval(approval);
  return withdrawn;
}

/** Fences the run and fixes the cut: older rows will be archived and deleted, newer messages wait for the next generation. */
export function cut(
  db: Db,
  head: HeadRow,
  closing: Omit<Closing, "cutSeq" | "generation" | "startedAt"> & { readonly now: number },
): Cut {
  const { now, ...asked } = closing;
  // A kill takes over a reset in progress, with a later cut.
  const aborted = abortRun(db, head, `process.${asked.reason}`, now);
  head.epoch++;
  const queueEnds = endQueued(db, head, asked.reason, now);
  head.lastRun = queueEnds.at(-1)?.runId ?? head.lastRun;
  head.closing = { ...asked, cutSeq: head.nextSeq - 1, generation: head.generation, startedAt: now };
  head.generation++;
  head.paused = null;
  head.move("reset");
  return { closing: head.closing, ends: [...aborted.ends, ...queueEnds], withdrawn: aborted.withdrawn };
}

/** Cuts the history before a message that follows a long silence. Only if the process is idle. */
export function renew(
  db: Db,
  head: HeadRow,
  { before, archiveId, requestKey }: Renewal,
  media: readonly string[],
  now: number,
): boolean {
  if (head.closing !== null || head.state === "error") return false;
  if (head.currentRun !== null || head.queued > 0) return false;
  const last = db.get<{ created_at: number }>("SELECT created_at FROM messages ORDER BY id DESC LIMIT 1");
  if (last === null || last.created_at >= before) return false;
  const waiting = head.generation;
  cut(db, head, { reason: "reset", archive: true, archiveId, requestKey, media, now });
  // Unread notices belong to the new generation.
  db.run("UPDATE message_queue SET generation = ? WHERE generation = ?", head.generation, waiting);
  return true;
}

function endQueued(db: Db, head: HeadRow, reason: string, now: number): RunEnd[] {
  const rows = db.all<{ run_id: string }>(
    "SELECT run_id FROM message_queue WHERE generation = ? AND run_id IS NOT NULL ORDER BY id",
    head.generation,
  );
  return endUnstarted(
    db,
    rows.map((row) => row.run_id),
    { generation: head.generation, reason: `process.${reason}`, now },
  );
}

/** Stores a finish for runs that never started. */
export function endUnstarted(
  db: Db,
  runIds: readonly string[],
  { generation, reason, now }: { readonly generation: number; readonly reason: string; readonly now: number },
): RunEnd[] {
  return runIds.flatMap((runId) => {
    db.insert("runs", { run_id: runId, generation, status: "aborted", reason, started_at: now, finished_at: now });
    const end = runEnd(db, runId);
    return end === null || end === "open" ? [] : [end];
  });
}

/** Pages through closed rows: messages by number, then queue rows by id. The cursor holds the kind and the position. */
export function closingRecords(
  db: Db,
  closing: Closing,
  after: string | null,
  limit: number,
): { records: ArchiveRecord[]; messages: number; undelivered: number; next: string | null } {
  const [kind, at] = [after?.slice(0, 1) ?? "m", Number(after?.slice(1) ?? 0)];
  if (kind === "m") {
    const range = { limit, afterSeq: at, beforeSeq: closing.cutSeq + 1, bytesMax: PAGE_BYTES_MAX };
    const rows = historyRows(db, range);
    const last = rows.at(-1);
    return {
      records: rows.map(archiveRecord),
      messages: rows.length,
      undelivered: 0,
      next: last === undefined || last.id === closing.cutSeq ? "q0" : `m${last.id}`,
    };
  }
  const rows = db.all<QueueRow>(
    "SELECT * FROM message_queue WHERE generation <= ? AND id > ? ORDER BY id LIMIT ?",
    closing.generation,
    at,
    limit,
  );
  const last = rows.at(-1);
  return {
    records: rows.map(undeliveredRecord),
    messages: 0,
    undelivered: rows.filter(({ kind }) => kind === "user").length,
    next: rows.length < limit || last === undefined ? null : `q${last.id}`,
  };
}

export function clearClosed(db: Db, { closing }: HeadRow): boolean {
  if (closing === null) return false;
  const upTo = db.get<{ id: number }>(
    "SELECT id FROM messages WHERE id <= ? ORDER BY id LIMIT 1 OFFSET ?",
    closing.cutSeq,
    CLEARED_AT_ONCE,
  );
  if (upTo === null) return false;
  db.run("DELETE FROM messages WHERE id < ?", upTo.id);
  return true;
}

export function seal(db: Db, head: HeadRow): void {
  const closing = head.closing;
  if (closing === null) return;
  db.run("DELETE FROM messages WHERE id <= ?", closing.cutSeq);
  forgetSegments(db, { upTo: closing.cutSeq });
  forgetRewinds(db, closing.cutSeq);
  forgetKnownFiles(db);
  db.run("DELETE FROM message_queue WHERE generation <= ?", closing.generation);
  db.run("DELETE FROM pending_tool_calls WHERE generation <= ?", closing.generation);
  db.run("DELETE FROM pending_hil WHERE generation <= ?", closing.generation);
  // The status of old runs is kept, their text is not.
  db.run("UPDATE runs SET text = NULL, error = NULL WHERE generation <= ?", closing.generation);
  head.closing = null;
  head.damagedIn = null;
  head.move("reset");
}
