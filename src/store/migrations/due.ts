// Claims of what is due in other databases, created by a migration.

import type { Migration } from "../migrate.ts";

export const DUE_CLAIMS: Migration = {
  name: "one queue of what is due",
  statements: [
    // The current kernel has claimed this instant of a request or a paused run. Emptied when a kernel starts.
    "CREATE TABLE due_claims (kind TEXT NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL, claimed_at INTEGER NOT NULL, PRIMARY KEY (kind, id)) STRICT, WITHOUT ROWID",
    "CREATE INDEX approvals_due ON approvals (expires_at) WHERE decision IS NULL AND expires_at IS NOT NULL",
    "CREATE INDEX processes_due ON processes (waits_json ->> 'until') WHERE state = 'paused'",
  ],
};
