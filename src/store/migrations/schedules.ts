// The tables of schedules, created by a migration.

import type { Migration } from "../migrate.ts";

export const SCHEDULES: Migration = {
  name: "schedules",
  statements: [
    // The text of a step is its checksum: also its indentation never changes.
    // next_run_at: due then; null when paused or over. nominal_at: the same without jitter.
    `CREATE TABLE schedules (
          schedule_id TEXT PRIMARY KEY, owner_uid INTEGER NOT NULL, name TEXT NOT NULL, creator_json TEXT NOT NULL,
          enabled INTEGER NOT NULL, paused_why TEXT, expression_json TEXT NOT NULL, target_json TEXT NOT NULL,
          rules_json TEXT NOT NULL, nominal_at INTEGER, next_run_at INTEGER, failures INTEGER NOT NULL DEFAULT 0,
          run_count INTEGER NOT NULL DEFAULT 0, cost_micros INTEGER NOT NULL DEFAULT 0,
          created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, UNIQUE (owner_uid, name)
        ) STRICT`,
    "CREATE INDEX schedules_due ON schedules (next_run_at) WHERE next_run_at IS NOT NULL",
    "CREATE INDEX schedules_by_name ON schedules (name, owner_uid)",
    // One row per occurrence, stored before anything starts. The last 100 of each schedule stay.
    `CREATE TABLE schedule_runs (
          run_id TEXT PRIMARY KEY, schedule_id TEXT NOT NULL, owner_uid INTEGER NOT NULL, scheduled_at INTEGER NOT NULL,
          started_at INTEGER, finished_at INTEGER, status TEXT NOT NULL, error TEXT, result_json TEXT NOT NULL DEFAULT '{}',
          UNIQUE (schedule_id, scheduled_at)
        ) STRICT`,
    "CREATE INDEX schedule_runs_open ON schedule_runs (schedule_id) WHERE finished_at IS NULL",
    "CREATE INDEX schedule_runs_newest ON schedule_runs (scheduled_at)",
    `CREATE TABLE cron_files (
          path TEXT PRIMARY KEY, owner_uid INTEGER NOT NULL, content TEXT NOT NULL,
          created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
        ) STRICT`,
    "CREATE TABLE cron_file_schedules (schedule_id TEXT PRIMARY KEY, path TEXT NOT NULL) STRICT",
    "CREATE INDEX cron_file_schedules_by_path ON cron_file_schedules (path)",
    "INSERT OR IGNORE INTO group_capabilities SELECT gid, 'sched.*' FROM group_capabilities WHERE capability = 'proc.*'",
  ],
};
