// The table of calls between processes, created by a migration.

import type { Migration } from "../migrate.ts";

export const IPC_CALLS: Migration = {
  name: "calls between processes",
  statements: [
    // uid: the owner. request_key: of the request that made the call. delivered_at: when a reply that nothing waited for was handed over.
    `CREATE TABLE ipc_calls (
      call_id TEXT PRIMARY KEY, uid INTEGER NOT NULL, request_key TEXT NOT NULL UNIQUE, source_pid TEXT, source_run_id TEXT,
      target_pid TEXT NOT NULL, target_run_id TEXT, message TEXT NOT NULL, reply_as TEXT NOT NULL, status TEXT NOT NULL,
      deadline_at INTEGER NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, response TEXT, error TEXT,
      delivered_at INTEGER
    ) STRICT`,
    "CREATE INDEX ipc_calls_open ON ipc_calls (deadline_at) WHERE status = 'open'",
    "CREATE INDEX ipc_calls_over ON ipc_calls (updated_at) WHERE status <> 'open'",
  ],
};
