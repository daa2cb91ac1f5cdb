// The inbox: messages are queued and acknowledged, then enter history in order, by a claim or between turns. A queue row has its own id;
// a message gets its number when it enters history.

import { LIMITS } from "../../abi/config/limits.ts";
import type { MediaRef, Message, Origin } from "../../abi/process/message.ts";
import type { Retrying, RunEnd } from "../../abi/process/process.ts";
import type { Db } from "../open.ts";
import { addCauses } from "./cause.ts";
import { abortRun, endUnstarted, type Renewal, renew } from "./closing.ts";
import type { HeadRow } from "./head.ts";
import type { Outcome, Refusal } from "./outcome.ts";
import { insertMessage, type QueueRow } from "./rows.ts";
import { settleLeftovers } from "./turns.ts";

export interface Admission {
  readonly kind: "user" | "event";
  /** Null: the event enters with the next run. */
  readonly runId: string | null;
  readonly wakes: boolean;
  /** Aborts the run in flight. */
  readonly urgent: boolean;
  readonly text: string;
  readonly media?: readonly MediaRef[];
  readonly origin: Origin;
  /** The model the sender asked for, stored with the run. */
  readonly model?: string | null;
  /** A waiting event with the same source is replaced. */
  readonly source: string | null;
  readonly requestKey: string;
  readonly now: number;
  /** Reset the history before this message, if the process is idle. */
  readonly renew?: Renewal | undefined;
}

export interface Admitted {
  readonly runId: string | null;
  readonly queued: boolean;
  /** Runs aborted by an urgent message, and replaced events. */
  readonly ends: readonly RunEnd[];
  /** The history before this message is being archived. */
  readonly renewed?: true;
}

export interface RunInFlight {
  readonly runId: string;
  readonly turn: number;
  readonly generation: number;
  readonly model: string | null;
}

export interface Claimed extends RunInFlight {
  readonly epoch: number;
  readonly resumed: boolean;
  /** State of the retries, if the run resumes in the middle of them. */
  readonly retrying: Retrying | null;
  /** Messages that entered history with this claim. */
  readonly entered: readonly Message[];
}

export interface Boundary {
  readonly entered: readonly Message[];
  /** The process was stopped, or asked for its own reset. */
  readonly leave: boolean;
}

export interface InboxVerbs {
  admit(pid: string, message: Admission): Promise<Outcome<Admitted>>;
  /** Resumes the run in flight or starts the next one. Null if the process is stopped or paused or has nothing to do. */
  claim(pid: string, options: { readonly now: number }): Promise<Claimed | null>;
  /**
   * A safe point: `leave` if the process is stopped or paused, or its next call waits for an answer. Between two turns (`enter`) queued
   * messages enter history; between a call and its result they must not.
   */
  boundary(
    pid: string,
    epoch: number,
    options: { readonly runId: string; readonly enter: boolean; readonly now: number },
  ): Promise<Outcome<Boundary>>;
}

export function admit(db: Db, head: HeadRow, message: Admission): Admitted | Refusal {
  if (head.closing?.reason === "kill") return "no-process";
  if (message.wakes && queueIsFull(db, message.text)) return "full";
  const media = (message.media ?? []).map(({ id }) => id);
  const renewed =
    message.kind === "user" && message.renew !== undefined && renew(db, head, message.renew, media, message.now);
  const replaced = message.source === null ? [] : replaceEvent(db, head, message.source, message.now);
  if (!message.wakes) makeRoom(db, head.generation);
  const busy = head.currentRun !== null || head.queued > 0;
  db.insert("message_queue", {
    run_id: message.runId,
    generation: head.generation,
    kind: message.kind,
    wakes: message.wakes ? 1 : 0,
    urgent: message.urgent ? 1 : 0,
    source: message.source,
    message: message.text,
    media_json: message.media === undefined ? null : JSON.stringify(message.media),
    overrides_json: message.model ? JSON.stringify({ model: message.model }) : null,
    origin_json: JSON.stringify(message.origin),
    created_at: message.now,
  });
  if (message.wakes) head.lastActiveAt = message.now;
  // After the insert: the process has more work, so the end of the superseded run is not reported as the end.
  const superseded = message.urgent ? abortRun(db, head, "user.superseded", message.now).ends : [];
  head.move("admit");
  return {
    runId: message.runId,
    queued: busy && !message.urgent,
    ends: [...replaced, ...superseded],
    ...(renewed ? { renewed } : {}),
  };
}

// A replaced event never runs, but its run id still gets a finish.
function replaceEvent(db: Db, head: HeadRow, source: string, now: number): RunEnd[] {
  const rows = db.all<{ run_id: string | null }>(
    "DELETE FROM message_queue WHERE source = ? AND generation = ? RETURNING run_id",
    source,
    head.generation,
  );
  return endUnstarted(
    db,
    rows.flatMap(({ run_id }) => run_id ?? []),
    { generation: head.generation, reason: "event.replaced", now },
  );
}

function queueIsFull(db: Db, text: string): boolean {
  const now = db.get<{ rows: number; bytes: number | null }>(
    "SELECT count(*) AS rows, sum(length(message)) AS bytes FROM message_queue WHERE wakes = 1",
  );
  return (now?.rows ?? 0) >= LIMITS.queueRowsMax || (now?.bytes ?? 0) + text.length > LIMITS.queueBytesMax;
}

// Notices wait for the next message. Drop the oldest: they must never block a message.
function makeRoom(db: Db, generation: number): void {
  db.run(
    `DELETE FROM message_queue WHERE id IN
       (SELECT id FROM message_queue WHERE generation = ? AND wakes = 0 AND run_id IS NULL ORDER BY id DESC LIMIT -1 OFFSET ?)`,
    generation,
    LIMITS.noticesMax - 1,
  );
}

/** Resumes the run in flight or starts the next one. Null if the process is stopped or paused or has nothing to do. */
export function claim(db: Db, head: HeadRow, now: number): Claimed | null {
  if (head.closing !== null || head.state === "error") return null;
  if (head.stopped || head.paused !== null) {
    // Held before a run was claimed: this is its safe point.
    if (head.state === "running" || head.state === "waiting_tool") head.move("leave");
    return null;
  }
  if (head.currentRun !== null) return resume(db, head, head.currentRun, now);
  const waiting = rowsToEnter(db, head.generation);
  const starter = waiting.at(-1);
  if (starter === undefined) return null;
  const runId = starter.run_id;
  if (runId === null) throw new Error("a message that starts a run has no run id");
  head.epoch++;
  head.move("claim");
  head.currentRun = runId;
  head.lastActiveAt = now;
  const model = modelOf(db, head, starter);
  db.insert("runs", { run_id: runId, generation: head.generation, model, started_at: now });
  const entered = enter(db, head, waiting, runId, now);
  return {
    epoch: head.epoch,
    runId,
    turn: 0,
    generation: head.generation,
    model,
    resumed: false,
    retrying: null,
    entered,
  };
}

// A message may name its model; an event uses the model of the previous run.
function modelOf(db: Db, head: HeadRow, starter: QueueRow): string | null {
  if (starter.overrides_json !== null) return (JSON.parse(starter.overrides_json) as { model: string }).model;
  if (starter.kind === "user" || head.lastRun === null) return null;
  return db.get<{ model: string | null }>("SELECT model FROM runs WHERE run_id = ?", head.lastRun)?.model ?? null;
}

function resume(db: Db, head: HeadRow, runId: string, now: number): Claimed | null {
  if (head.blocking() !== null) return null;
  const run = db.get<{ turn: number; generation: number; model: string | null }>(
    "SELECT turn, generation, model FROM runs WHERE run_id = ?",
    runId,
  );
  if (run === null) throw new Error(`the run in flight has no row: ${runId}`);
  head.epoch++;
  settleLeftovers(db, head, runId, now);
  head.move("claim");
  return {
    epoch: head.epoch,
    runId,
    turn: run.turn,
    generation: run.generation,
    model: run.model,
    resumed: true,
    retrying: head.retrying,
    entered: [],
  };
}

// Messages that start the next run, in order. The last one is the run's own; notices queued before it come first. An interrupting message
// starts at once and takes all earlier messages with it.
function rowsToEnter(db: Db, generation: number): QueueRow[] {
  const urgent = db.get<{ id: number | null }>(
    "SELECT max(id) AS id FROM message_queue WHERE generation = ? AND urgent = 1",
    generation,
  );
  const first = db.get<{ id: number | null }>(
    "SELECT min(id) AS id FROM message_queue WHERE generation = ? AND wakes = 1",
    generation,
  );
  const last = urgent?.id ?? first?.id ?? null;
  if (last === null) return [];
  return db.all<QueueRow>("SELECT * FROM message_queue WHERE generation = ? AND id <= ? ORDER BY id", generation, last);
}

/** All queued messages enter the run in flight. */
export function enterWaiting(db: Db, head: HeadRow, runId: string, now: number): Message[] {
  const waiting = db.all<QueueRow>("SELECT * FROM message_queue WHERE generation = ? ORDER BY id", head.generation);
  return waiting.length === 0 ? [] : enter(db, head, waiting, runId, now);
}

// A message that joins another run keeps its run id; its row names the run it was merged into.
function enter(db: Db, head: HeadRow, rows: readonly QueueRow[], runId: string, now: number): Message[] {
  const messages: Message[] = [];
  for (const row of rows) {
    const media = row.media_json === null ? {} : { media: JSON.parse(row.media_json) as readonly MediaRef[] };
    const message: Message = {
      id: head.takeSeq(),
      ...(row.kind === "user" ? { role: "user", ...media } : { role: "system" }),
      content: row.message,
      runId: row.run_id ?? runId,
      timestamp: row.created_at,
      ...(row.origin_json === null ? {} : { origin: JSON.parse(row.origin_json) as Origin }),
    };
    insertMessage(db, head.generation, message);
    if (row.run_id !== null && row.run_id !== runId) {
      db.insert("runs", { run_id: row.run_id, generation: head.generation, merged_into: runId, started_at: now });
    }
    db.run("DELETE FROM message_queue WHERE id = ?", row.id);
    messages.push(message);
  }
  addCauses(
    db,
    runId,
    rows.map((row) => row.origin_json),
  );
  return messages;
}
