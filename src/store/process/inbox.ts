// How messages come in: admitted into the queue and acknowledged, later entered into history by a claim or at a tool boundary, in order.
// Queue rows have ids of their own; a message gets its number when it enters history.

import { LIMITS } from "../../abi/config/limits.ts";
import type { MediaRef, Message, Origin } from "../../abi/process/message.ts";
import type { RunEnd } from "../../abi/process/process.ts";
import type { Db } from "../open.ts";
import { abortRun, endUnstarted, renew } from "./closing.ts";
import type { HeadRow } from "./head.ts";
import { insertMessage, type QueueRow } from "./rows.ts";
import { settleLeftovers } from "./turns.ts";
import type { Admission, Admitted, Claimed, Refusal } from "./verbs.ts";

export function admit(db: Db, head: HeadRow, message: Admission): Admitted | Refusal {
  if (head.closing?.reason === "kill") return "no-process";
  if (message.wakes && queueIsFull(db, message.text)) return "full";
  const renewed = message.kind === "user" && renew(db, head, message);
  const replaced = message.source === null ? [] : replaceEvent(db, head, message.source, message.now);
  if (!message.wakes) makeRoom(db, head.generation);
  const busy = head.currentRun !== null || head.queued > 0;
  db.run(
    `INSERT INTO message_queue (run_id, generation, kind, wakes, urgent, source, message, media_json, overrides_json, origin_json, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    message.runId,
    head.generation,
    message.kind,
    message.wakes ? 1 : 0,
    message.urgent ? 1 : 0,
    message.source,
    message.text,
    message.media === undefined ? null : JSON.stringify(message.media),
    message.model ? JSON.stringify({ model: message.model }) : null,
    JSON.stringify(message.origin),
    message.now,
  );
  if (message.wakes) head.lastActiveAt = message.now;
  // After the message is in: the process goes on with it, so the end of the superseded run is not the end of its work.
  const superseded = message.urgent ? abortRun(db, head, "user.superseded", message.now).ends : [];
  head.move("admit");
  return {
    runId: message.runId,
    queued: busy && !message.urgent,
    ends: [...replaced, ...superseded],
    ...(renewed ? { renewed } : {}),
  };
}

// A run that an event was to start and that another event takes the place of is over like any other: with a finish of its own.
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

// Nobody works notices off: they wait for the next message, however long that takes, and must never be what keeps it out.
function makeRoom(db: Db, generation: number): void {
  db.run(
    `DELETE FROM message_queue WHERE id IN
       (SELECT id FROM message_queue WHERE generation = ? AND wakes = 0 AND run_id IS NULL ORDER BY id DESC LIMIT -1 OFFSET ?)`,
    generation,
    LIMITS.noticesMax - 1,
  );
}

/** Takes up the run in flight or begins the next; null when something holds the process or nothing waits. */
export function claim(db: Db, head: HeadRow, now: number): Claimed | null {
  if (head.closing !== null || head.state === "error") return null;
  if (head.stopped || head.paused !== null) {
    // Held before anybody took the run up: there is no safe point to come, this is it.
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
  db.run(
    "INSERT INTO runs (run_id, generation, model, started_at) VALUES (?, ?, ?, ?)",
    runId,
    head.generation,
    model,
    now,
  );
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

// A message says which model answers it; an event goes on with the model of the run before.
function modelOf(db: Db, head: HeadRow, starter: QueueRow): string | null {
  if (starter.overrides_json !== null) return (JSON.parse(starter.overrides_json) as { model: string }).model;
  if (starter.kind === "user" || head.lastRun === null) return null;
  return db.get<{ model: string | null }>("SELECT model FROM runs WHERE run_id = ?", head.lastRun)?.model ?? null;
}

function resume(db: Db, head: HeadRow, runId: string, now: number): Claimed | null {
  if (head.openApproval() !== null) return null;
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

// What the next run begins with, its own message last: quiet events that came before it, and, when somebody interrupted,
// every message before the interrupting one, so that order is kept and it still starts at once.
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

/** Everything that waits enters the run in flight. */
export function enterWaiting(db: Db, head: HeadRow, runId: string, now: number): Message[] {
  const waiting = db.all<QueueRow>("SELECT * FROM message_queue WHERE generation = ? ORDER BY id", head.generation);
  return waiting.length === 0 ? [] : enter(db, head, waiting, runId, now);
}

// A message that enters another run keeps its own run id, and that run's row says where it went.
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
      db.run(
        "INSERT INTO runs (run_id, generation, merged_into, started_at) VALUES (?, ?, ?, ?)",
        row.run_id,
        head.generation,
        runId,
        now,
      );
    }
    db.run("DELETE FROM message_queue WHERE id = ?", row.id);
    messages.push(message);
  }
  return messages;
}
