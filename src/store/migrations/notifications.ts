// The table of notifications, created by a migration.

import type { Migration } from "../migrate.ts";

export const NOTIFICATIONS: Migration = {
  name: "notifications",
  statements: [
    // announce_at: when people get one that waits; null once they have.
    `CREATE TABLE notifications (
      notification_id TEXT PRIMARY KEY, uid INTEGER NOT NULL, title TEXT NOT NULL, body TEXT, level TEXT NOT NULL,
      source_json TEXT NOT NULL, actions_json TEXT NOT NULL DEFAULT '[]', created_at INTEGER NOT NULL,
      read_at INTEGER, dismissed_at INTEGER, expires_at INTEGER NOT NULL, announce_at INTEGER
    ) STRICT`,
    "CREATE INDEX notifications_newest ON notifications (uid, created_at)",
    "CREATE INDEX notifications_expired ON notifications (expires_at)",
    "CREATE INDEX notifications_waiting ON notifications (announce_at) WHERE announce_at IS NOT NULL",
  ],
};
