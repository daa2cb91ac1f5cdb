// Schedules: what is due, when, and who added it.

import type { ScheduleRules, ScheduleTarget, Timing } from "../../../abi/schedule.ts";
import type { Receipt } from "../../../objects/objects.ts";
import type { Db } from "../../open.ts";
import type { KernelDb } from "../db.ts";
import { putRequest } from "../requests.ts";
import { numberOrNull, textOrNull } from "./columns.ts";

/** Who added a schedule: it may never do more than its creator. */
export interface Creator {
  readonly uid: number;
  /** Of an agent. */
  readonly pid?: string;
  readonly dropped?: readonly string[];
}

export interface ScheduleRow {
  readonly id: string;
  readonly ownerUid: number;
  readonly name: string;
  readonly creator: Creator;
  readonly timing: Timing;
  readonly target: ScheduleTarget;
  readonly rules: ScheduleRules;
  readonly enabled: boolean;
  readonly pausedWhy: string | null;
  /** The instant of its timing, and with jitter the one at which it is due. */
  readonly nominalAt: number | null;
  readonly nextAt: number | null;
  readonly failures: number;
  readonly runs: number;
  readonly costMicros: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly file: string | null;
}

export interface Next {
  readonly nominalAt: number | null;
  readonly nextAt: number | null;
}

export interface ScheduleChange {
  readonly name?: string;
  readonly timing?: Timing;
  readonly target?: ScheduleTarget;
  readonly rules?: ScheduleRules;
  readonly enabled?: boolean;
  readonly pausedWhy?: string | null;
  readonly creator?: Creator;
  readonly next?: Next;
}

export interface ScheduleRows {
  /** By name. */
  list(query: {
    readonly ownerUid?: number;
    readonly after?: string;
    readonly limit: number;
  }): Promise<readonly ScheduleRow[]>;
  named(ownerUid: number, name: string): Promise<ScheduleRow | null>;
  get(id: string): Promise<ScheduleRow | null>;
  count(ownerUid: number): Promise<number>;
  /** With the answer to the request. */
  add(row: ScheduleRow, receipt?: Receipt): Promise<void>;
  change(id: string, change: ScheduleChange, now: number): Promise<void>;
  /** With its occurrences. */
  remove(id: string): Promise<void>;
  /** Schedules due after this instant that were also added or last ran after it: the clock was wrong then. */
  ahead(at: number): Promise<readonly ScheduleRow[]>;
  /** Enabled schedules with a cron expression that are due after this instant. */
  crons(after: number): Promise<readonly ScheduleRow[]>;
  /** Removes schedules for one instant that ended before. */
  sweep(endedBefore: number): Promise<void>;
  cronFile(path: string): Promise<CronFileRow | null>;
  cronFiles(): Promise<readonly CronFileRow[]>;
  /** Replaces the file and its schedules, all or none. Without content the file is removed. */
  install(file: CronFileRow | { readonly path: string }, rows: readonly ScheduleRow[]): Promise<void>;
}

export interface CronFileRow {
  readonly path: string;
  readonly ownerUid: number;
  readonly content: string;
  readonly updatedAt: number;
}

export interface Columns {
  readonly [name: string]: string | number | null;
}

const SELECT = `SELECT s.*, (SELECT path FROM cron_file_schedules f WHERE f.schedule_id = s.schedule_id) AS file FROM schedules s`;

export function scheduleRows(kernel: KernelDb): ScheduleRows {
  const { db } = kernel;
  return {
    list: async ({ ownerUid, after, limit }) =>
      db
        .all<Columns>(
          `${SELECT} WHERE (?1 IS NULL OR owner_uid = ?1) AND name > ?2 ORDER BY name, owner_uid LIMIT ?3`,
          ...[ownerUid ?? null, after ?? "", limit],
        )
        .map(scheduleFrom),
    async named(ownerUid, name) {
      const row = db.get<Columns>(`${SELECT} WHERE owner_uid = ? AND name = ?`, ownerUid, name);
      return row === null ? null : scheduleFrom(row);
    },
    get: async (id) => scheduleIn(db, id),
    count: async (ownerUid) =>
      db.get<{ n: number }>("SELECT count(*) AS n FROM schedules WHERE owner_uid = ?", ownerUid)?.n ?? 0,
    async add(row, receipt) {
      kernel.write("full", () => {
        put(db, row);
        if (receipt !== undefined) putRequest(db, receipt);
      });
    },
    async change(id, change, now) {
      kernel.write("full", () => changeSchedule(db, id, change, now));
    },
    async remove(id) {
      kernel.write("full", () => remove(db, [id]));
    },
    ahead: async (at) =>
      db
        .all<Columns>(
          `${SELECT} WHERE next_run_at > ?1 AND expression_json NOT LIKE '{"kind":"at"%' AND (created_at > ?1
            OR schedule_id IN (SELECT schedule_id FROM schedule_runs WHERE scheduled_at > ?1))`,
          at,
        )
        .map(scheduleFrom),
    crons: async (after) =>
      db
        .all<Columns>(`${SELECT} WHERE next_run_at > ? AND expression_json LIKE '{"kind":"cron"%'`, after)
        .map(scheduleFrom),
    async sweep(endedBefore) {
      kernel.write("normal", () => {
        const over = db.all<{ schedule_id: string }>(
          `SELECT schedule_id FROM schedules WHERE next_run_at IS NULL AND expression_json LIKE '{"kind":"at"%' AND updated_at < ?`,
          endedBefore,
        );
        remove(
          db,
          over.map(({ schedule_id }) => schedule_id),
        );
      });
    },
    async cronFile(path) {
      const row = db.get<Columns>("SELECT * FROM cron_files WHERE path = ?", path);
      return row === null ? null : fileFrom(row);
    },
    cronFiles: async () => db.all<Columns>("SELECT * FROM cron_files ORDER BY path").map(fileFrom),
    async install(file, rows) {
      kernel.write("full", () => install(db, file, rows));
    },
  };
}

export function scheduleIn(db: Db, id: string): ScheduleRow | null {
  const row = db.get<Columns>(`${SELECT} WHERE schedule_id = ?`, id);
  return row === null ? null : scheduleFrom(row);
}

function put(db: Db, row: ScheduleRow): void {
  db.insert("schedules", {
    schedule_id: row.id,
    owner_uid: row.ownerUid,
    name: row.name,
    creator_json: JSON.stringify(row.creator),
    enabled: row.enabled ? 1 : 0,
    paused_why: row.pausedWhy,
    expression_json: JSON.stringify(row.timing),
    target_json: JSON.stringify(row.target),
    rules_json: JSON.stringify(row.rules),
    nominal_at: row.nominalAt,
    next_run_at: row.nextAt,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  });
  if (row.file !== null) db.insert("cron_file_schedules", { path: row.file, schedule_id: row.id });
}

export function changeSchedule(db: Db, id: string, change: ScheduleChange, now: number): void {
  const columns: { [name: string]: string | number | null } = { updated_at: now };
  if (change.name !== undefined) columns.name = change.name;
  if (change.timing !== undefined) columns.expression_json = JSON.stringify(change.timing);
  if (change.target !== undefined) columns.target_json = JSON.stringify(change.target);
  if (change.rules !== undefined) columns.rules_json = JSON.stringify(change.rules);
  if (change.creator !== undefined) columns.creator_json = JSON.stringify(change.creator);
  if (change.pausedWhy !== undefined) columns.paused_why = change.pausedWhy;
  if (change.enabled !== undefined) {
    columns.enabled = change.enabled ? 1 : 0;
    if (change.enabled) columns.failures = 0;
  }
  if (change.next !== undefined) {
    columns.nominal_at = change.next.nominalAt;
    columns.next_run_at = change.next.nextAt;
  }
  const names = Object.keys(columns);
  const set = names.map((name) => `${name} = ?`).join(", ");
  db.run(`UPDATE schedules SET ${set} WHERE schedule_id = ?`, ...Object.values(columns), id);
}

function remove(db: Db, ids: readonly string[]): void {
  for (const id of ids)
    for (const table of ["schedule_runs", "cron_file_schedules", "schedules"])
      db.run(`DELETE FROM ${table} WHERE schedule_id = ?`, id);
}

/** Deletes the schedules and the cron files of a removed account. */
export function forgetSchedules(db: Db, ownerUid: number): void {
  const ids = db.all<{ id: string }>("SELECT schedule_id AS id FROM schedules WHERE owner_uid = ?", ownerUid);
  remove(
    db,
    ids.map(({ id }) => id),
  );
  db.run("DELETE FROM cron_files WHERE owner_uid = ?", ownerUid);
}

/** Schedules that are due, the earliest first. */
export function dueIn(db: Db, now: number, limit: number): readonly ScheduleRow[] {
  return db.all<Columns>(`${SELECT} WHERE next_run_at <= ? ORDER BY next_run_at LIMIT ?`, now, limit).map(scheduleFrom);
}

function install(db: Db, file: CronFileRow | { readonly path: string }, rows: readonly ScheduleRow[]): void {
  const { path } = file;
  const before = db.all<{ schedule_id: string }>("SELECT schedule_id FROM cron_file_schedules WHERE path = ?", path);
  const kept = new Set(rows.map(({ id }) => id));
  remove(
    db,
    before.map(({ schedule_id }) => schedule_id).filter((id) => !kept.has(id)),
  );
  const known = new Set(before.map(({ schedule_id }) => schedule_id));
  for (const row of rows) if (!known.has(row.id)) put(db, row);
  if (!("content" in file)) db.run("DELETE FROM cron_files WHERE path = ?", path);
  else
    db.run(
      `INSERT INTO cron_files (path, owner_uid, content, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?4)
       ON CONFLICT (path) DO UPDATE SET content = ?3, updated_at = ?4`,
      ...[path, file.ownerUid, file.content, file.updatedAt],
    );
}

function fileFrom(row: Columns): CronFileRow {
  return {
    path: String(row.path),
    ownerUid: Number(row.owner_uid),
    content: String(row.content),
    updatedAt: Number(row.updated_at),
  };
}

function scheduleFrom(row: Columns): ScheduleRow {
  return {
    id: String(row.schedule_id),
    ownerUid: Number(row.owner_uid),
    name: String(row.name),
    creator: JSON.parse(String(row.creator_json)),
    timing: JSON.parse(String(row.expression_json)),
    target: JSON.parse(String(row.target_json)),
    rules: JSON.parse(String(row.rules_json)),
    enabled: row.enabled === 1,
    pausedWhy: textOrNull(row.paused_why),
    nominalAt: numberOrNull(row.nominal_at),
    nextAt: numberOrNull(row.next_run_at),
    failures: Number(row.failures),
    runs: Number(row.run_count),
    costMicros: Number(row.cost_micros),
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    file: textOrNull(row.file),
  };
}
