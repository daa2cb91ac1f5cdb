// Occurrences of schedules. A claim stores an occurrence under its schedule and instant before anything starts, so that it starts at most
// once, whatever crashes.

import { FAILURES, type Occurrence, type OccurrenceResult, type OccurrenceState } from "../../../abi/schedule.ts";
import type { Db } from "../../open.ts";
import type { KernelDb } from "../db.ts";
import { numberOrNull, textOrNull } from "./columns.ts";
import { type Columns, changeSchedule, dueIn, type Next, type ScheduleRow, scheduleIn } from "./schedules.ts";

export interface OccurrenceRow extends Occurrence {
  readonly scheduleId: string;
  readonly ownerUid: number;
}

/** What a claim stores for one schedule that is due. */
export interface Plan {
  readonly occurrences: readonly Pick<OccurrenceRow, "id" | "scheduledAt" | "state" | "error" | "result">[];
  readonly next: Next;
}

export interface Due {
  readonly schedule: ScheduleRow;
  /** Occurrences without an end, oldest first. */
  readonly open: readonly OccurrenceRow[];
}

export interface OccurrenceRows {
  /** An occurrence that a person asks for now. False if the instant is taken. */
  add(row: Omit<OccurrenceRow, "schedule">): Promise<boolean>;
  get(id: string): Promise<OccurrenceRow | null>;
  started(id: string, now: number, result: OccurrenceResult): Promise<void>;
  /** Stores a part of the result, for example the new pid, before the start is complete. */
  assigned(id: string, result: OccurrenceResult): Promise<void>;
  /** True if an occurrence of the schedule started the process. */
  isOf(scheduleId: string, pid: string): Promise<boolean>;
  blocked(id: string, why: string): Promise<void>;
  /** Stores the end, counts it, pauses the schedule after too many failures. Returns what may start now. */
  finish(id: string, end: OccurrenceEnd): Promise<Finished>;
  /** Without an end, oldest first. */
  open(): Promise<readonly OccurrenceRow[]>;
  /** Newest first. */
  history(query: {
    readonly ownerUid?: number;
    readonly scheduleId?: string;
    readonly before?: number;
    readonly limit: number;
  }): Promise<readonly OccurrenceRow[]>;
  last(scheduleIds: readonly string[]): Promise<ReadonlyMap<string, OccurrenceRow>>;
}

export interface OccurrenceEnd {
  readonly state: OccurrenceState;
  readonly error: string | null;
  readonly result: OccurrenceResult;
  readonly now: number;
}

export interface Finished {
  /** The next in the queue: `claimed` now. */
  readonly next: OccurrenceRow | null;
  /** Why the schedule was paused by this end. */
  readonly pausedWhy: string | null;
}

const RUNS_KEPT = 100;

const RUNS = "SELECT r.*, s.name FROM schedule_runs r JOIN schedules s USING (schedule_id)";

export function occurrenceRows(kernel: KernelDb): OccurrenceRows {
  const { db } = kernel;
  return {
    async add(row) {
      return kernel.write("full", () => putRun(db, row));
    },
    get: async (id) => {
      const row = db.get<Columns>(`${RUNS} WHERE run_id = ?`, id);
      return row === null ? null : occurrenceFrom(row);
    },
    async started(id, now, result) {
      kernel.write("full", () =>
        db.run(
          "UPDATE schedule_runs SET status = 'running', started_at = ?, result_json = json_patch(result_json, ?) WHERE run_id = ? AND finished_at IS NULL",
          ...[now, JSON.stringify(result), id],
        ),
      );
    },
    async assigned(id, result) {
      kernel.write("full", () =>
        db.run(
          "UPDATE schedule_runs SET result_json = json_patch(result_json, ?) WHERE run_id = ? AND finished_at IS NULL",
          ...[JSON.stringify(result), id],
        ),
      );
    },
    isOf: async (scheduleId, pid) =>
      db.get<{ n: number }>(
        "SELECT 1 AS n FROM schedule_runs WHERE schedule_id = ? AND result_json ->> 'pid' = ? LIMIT 1",
        ...[scheduleId, pid],
      ) !== null,
    async blocked(id, why) {
      kernel.write("full", () =>
        db.run(
          "UPDATE schedule_runs SET status = 'blocked', error = ? WHERE run_id = ? AND finished_at IS NULL",
          why,
          id,
        ),
      );
    },
    async finish(id, end) {
      return kernel.write("full", () => finish(db, id, end));
    },
    open: async () =>
      db.all<Columns>(`${RUNS} WHERE finished_at IS NULL ORDER BY scheduled_at, run_id`).map(occurrenceFrom),
    history: async ({ ownerUid, scheduleId, before, limit }) =>
      db
        .all<Columns>(
          `${RUNS} WHERE (?1 IS NULL OR r.owner_uid = ?1) AND (?2 IS NULL OR schedule_id = ?2) AND scheduled_at < ?3
           ORDER BY scheduled_at DESC, run_id DESC LIMIT ?4`,
          ...[ownerUid ?? null, scheduleId ?? null, before ?? Number.MAX_SAFE_INTEGER, limit],
        )
        .map(occurrenceFrom),
    async last(scheduleIds) {
      const found = scheduleIds.map((id) =>
        db.get<Columns>(`${RUNS} WHERE schedule_id = ? ORDER BY scheduled_at DESC LIMIT 1`, id),
      );
      return new Map(found.filter((row) => row !== null).map((row) => [String(row.schedule_id), occurrenceFrom(row)]));
    },
  };
}

/** Within a transaction: at most `limit` schedules that are due, the earliest first, with their new occurrences. */
export function claimSchedules(
  db: Db,
  { now, limit }: { readonly now: number; readonly limit: number },
  plan: (due: Due) => Plan,
) {
  return dueIn(db, now, limit).map((schedule) => {
    const open = db
      .all<Columns>(`${RUNS} WHERE schedule_id = ? AND finished_at IS NULL ORDER BY scheduled_at`, schedule.id)
      .map(occurrenceFrom);
    const { occurrences, next } = plan({ schedule, open });
    changeSchedule(db, schedule.id, { next }, now);
    const stored = occurrences.flatMap((planned) => {
      const isOver = planned.state === "skipped";
      const times = { startedAt: null, finishedAt: isOver ? now : null };
      const row = { ...planned, ...times, scheduleId: schedule.id, ownerUid: schedule.ownerUid };
      // An instant that is stored already has run.
      return putRun(db, row) ? [{ ...row, schedule: schedule.name }] : [];
    });
    return { id: schedule.id, at: schedule.nextAt ?? now, occurrences: stored };
  });
}

function putRun(db: Db, row: Omit<OccurrenceRow, "schedule">): boolean {
  return (
    db.run(
      `INSERT OR IGNORE INTO schedule_runs (run_id, schedule_id, owner_uid, scheduled_at, started_at, finished_at, status, error, result_json)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[row.id, row.scheduleId, row.ownerUid, row.scheduledAt, row.startedAt, row.finishedAt],
      ...[row.state, row.error, JSON.stringify(row.result)],
    ) > 0
  );
}

function finish(db: Db, id: string, { state, error, result, now }: OccurrenceEnd): Finished {
  const nothing: Finished = { next: null, pausedWhy: null };
  const ended = db.run(
    `UPDATE schedule_runs SET status = ?, error = ?, finished_at = ?, result_json = json_patch(result_json, ?)
     WHERE run_id = ? AND finished_at IS NULL`,
    ...[state, error, now, JSON.stringify(result), id],
  );
  const row = ended === 0 ? null : db.get<Columns>(`${RUNS} WHERE run_id = ?`, id);
  const schedule = row === null ? null : scheduleIn(db, String(row.schedule_id));
  if (schedule === null) return nothing;
  const failures = FAILURES.includes(state) ? schedule.failures + 1 : state === "ok" ? 0 : schedule.failures;
  db.run(
    "UPDATE schedules SET failures = ?, run_count = run_count + ?, cost_micros = cost_micros + ?, updated_at = ? WHERE schedule_id = ?",
    ...[failures, state === "skipped" ? 0 : 1, result.costMicros ?? 0, now, schedule.id],
  );
  const { failuresMax } = schedule.rules;
  const isPaused = schedule.enabled && failuresMax > 0 && failures >= failuresMax && schedule.timing.kind !== "at";
  const pausedWhy = isPaused ? `${failures} failures in a row; the last: ${error ?? state}` : null;
  if (pausedWhy !== null)
    changeSchedule(db, schedule.id, { enabled: false, pausedWhy, next: { nominalAt: null, nextAt: null } }, now);
  db.run(
    `DELETE FROM schedule_runs WHERE schedule_id = ?1 AND finished_at IS NOT NULL AND run_id NOT IN
     (SELECT run_id FROM schedule_runs WHERE schedule_id = ?1 ORDER BY scheduled_at DESC LIMIT ?2)`,
    ...[schedule.id, RUNS_KEPT],
  );
  return { next: nextInQueue(db, schedule.id), pausedWhy };
}

function nextInQueue(db: Db, scheduleId: string): OccurrenceRow | null {
  const open = db
    .all<Columns>(`${RUNS} WHERE schedule_id = ? AND finished_at IS NULL ORDER BY scheduled_at`, scheduleId)
    .map(occurrenceFrom);
  const [next] = open;
  if (next === undefined || open.some(({ state }) => state !== "queued")) return null;
  db.run("UPDATE schedule_runs SET status = 'claimed' WHERE run_id = ?", next.id);
  return { ...next, state: "claimed" };
}

function occurrenceFrom(row: Columns): OccurrenceRow {
  return {
    id: String(row.run_id),
    scheduleId: String(row.schedule_id),
    schedule: String(row.name),
    ownerUid: Number(row.owner_uid),
    scheduledAt: Number(row.scheduled_at),
    startedAt: numberOrNull(row.started_at),
    finishedAt: numberOrNull(row.finished_at),
    state: row.status as OccurrenceState,
    error: textOrNull(row.error),
    result: JSON.parse(String(row.result_json)),
  };
}
