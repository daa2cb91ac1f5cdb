// The tables of signal watches and of what they did, created by a migration.

import type { Migration } from "../migrate.ts";

export const SIGNAL_WATCHES: Migration = {
  name: "signal watches",
  statements: [
    `CREATE TABLE signal_watches (
      watch_id TEXT PRIMARY KEY, uid INTEGER NOT NULL, creator_json TEXT NOT NULL, dedupe_key TEXT NOT NULL, signal TEXT NOT NULL,
      process_id TEXT, where_text TEXT, action_json TEXT NOT NULL, state_json TEXT, once_only INTEGER NOT NULL, status TEXT NOT NULL,
      error TEXT, fired INTEGER NOT NULL DEFAULT 0, last_at INTEGER, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL, UNIQUE (uid, dedupe_key)
    ) STRICT`,
    "CREATE INDEX signal_watches_expired ON signal_watches (expires_at)",
    // One row per event, stored before the action begins. The last 100 of each watch stay.
    `CREATE TABLE signal_firings (
      watch_id TEXT NOT NULL REFERENCES signal_watches (watch_id) ON DELETE CASCADE, event_id TEXT NOT NULL, at INTEGER NOT NULL,
      event_json TEXT NOT NULL, cause_json TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, status TEXT NOT NULL, error TEXT,
      finished_at INTEGER, PRIMARY KEY (watch_id, event_id)
    ) STRICT`,
    "CREATE INDEX signal_firings_open ON signal_firings (at) WHERE finished_at IS NULL",
    "INSERT OR IGNORE INTO group_capabilities SELECT gid, 'signal.*' FROM group_capabilities WHERE capability = 'proc.*'",
  ],
};
