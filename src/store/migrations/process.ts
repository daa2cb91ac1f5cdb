// Schema of proc/<pid>.db. Never edit a shipped migration: append one.

import type { Schema } from "../migrate.ts";

export const PROCESS_SCHEMA: Schema = {
  component: "process",
  applicationId: 0x67737650, // "gsvP"
  migrations: [
    {
      name: "messages, queue, runs, calls, approvals, usage, outbox, requests",
      statements: [
        "CREATE TABLE process_kv (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
        `CREATE TABLE messages (
          id INTEGER PRIMARY KEY, conversation_id TEXT NOT NULL DEFAULT 'default', generation INTEGER NOT NULL, role TEXT NOT NULL,
          content TEXT NOT NULL, tool_calls TEXT, tool_call_id TEXT, media_json TEXT, origin_json TEXT, run_id TEXT,
          created_at INTEGER NOT NULL
        ) STRICT`,
        `CREATE TABLE message_queue (
          id INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT, conversation_id TEXT NOT NULL DEFAULT 'default', generation INTEGER NOT NULL,
          kind TEXT NOT NULL CHECK (kind IN ('user', 'event')), wakes INTEGER NOT NULL, urgent INTEGER NOT NULL DEFAULT 0,
          source TEXT, message TEXT NOT NULL, media_json TEXT, overrides_json TEXT, origin_json TEXT, created_at INTEGER NOT NULL
        ) STRICT`,
        `CREATE TABLE runs (
          run_id TEXT PRIMARY KEY, generation INTEGER NOT NULL, model TEXT, status TEXT, reason TEXT, text TEXT, error TEXT, merged_into TEXT,
          turn INTEGER NOT NULL DEFAULT 0, deaths INTEGER NOT NULL DEFAULT 0, usage_json TEXT, started_at INTEGER NOT NULL, finished_at INTEGER
        ) STRICT`,
        "CREATE INDEX runs_merged ON runs (merged_into) WHERE merged_into IS NOT NULL",
        `CREATE TABLE pending_tool_calls (
          dispatch_id TEXT PRIMARY KEY, run_id TEXT NOT NULL, generation INTEGER NOT NULL, turn INTEGER NOT NULL, position INTEGER NOT NULL,
          call_id TEXT NOT NULL, tool TEXT NOT NULL, call TEXT, args_json TEXT NOT NULL, repeat TEXT NOT NULL,
          status TEXT NOT NULL, created_at INTEGER NOT NULL
        ) STRICT`,
        "CREATE INDEX calls_by_run ON pending_tool_calls (run_id, turn, position)",
        `CREATE TABLE pending_hil (
          request_id TEXT NOT NULL, run_id TEXT NOT NULL, generation INTEGER NOT NULL, dispatch_id TEXT NOT NULL, tool_name TEXT NOT NULL,
          syscall TEXT NOT NULL, args_json TEXT NOT NULL, why TEXT NOT NULL, created_at INTEGER NOT NULL,
          decision TEXT, decided_by TEXT, decided_at INTEGER, PRIMARY KEY (request_id, created_at)
        ) STRICT`,
        "CREATE INDEX hil_open ON pending_hil (created_at) WHERE decision IS NULL",
        `CREATE TABLE usage (
          id INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT NOT NULL, turn INTEGER NOT NULL, model TEXT NOT NULL, usage_json TEXT NOT NULL,
          wasted INTEGER NOT NULL, created_at INTEGER NOT NULL
        ) STRICT`,
        `CREATE TABLE syscall_log (
          id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, call TEXT NOT NULL, args TEXT NOT NULL, outcome TEXT NOT NULL, ms REAL NOT NULL
        ) STRICT`,
        "CREATE TABLE outbox (seq INTEGER PRIMARY KEY, body_json TEXT NOT NULL) STRICT",
        `CREATE TABLE requests (
          request_id TEXT PRIMARY KEY, body_hash TEXT NOT NULL, answer_json TEXT NOT NULL, created_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID`,
        "CREATE INDEX requests_by_age ON requests (created_at)",
      ],
    },
    {
      name: "segments: parts of a history that a summary stands for",
      statements: [
        `CREATE TABLE segments (
          id INTEGER PRIMARY KEY AUTOINCREMENT, conversation_id TEXT NOT NULL DEFAULT 'default', generation INTEGER NOT NULL,
          kind TEXT NOT NULL DEFAULT 'compaction', from_message_id INTEGER NOT NULL, to_message_id INTEGER NOT NULL,
          summary_message_id INTEGER NOT NULL, cause TEXT NOT NULL, model TEXT, tokens_before INTEGER NOT NULL,
          tokens_after INTEGER NOT NULL, created_at INTEGER NOT NULL, undone_at INTEGER
        ) STRICT`,
        "CREATE UNIQUE INDEX segments_by_summary ON segments (summary_message_id)",
      ],
    },
    {
      name: "what a process is told besides, and what its last turns were told",
      statements: [
        "CREATE TABLE context_files (name TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT, WITHOUT ROWID",
        "CREATE TABLE prompt_texts (sha256 TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT, WITHOUT ROWID",
        "CREATE TABLE prompts (id INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT NOT NULL, turn INTEGER NOT NULL, sha256 TEXT NOT NULL, body_json TEXT NOT NULL) STRICT",
        "CREATE INDEX prompts_by_turn ON prompts (run_id, turn)",
      ],
    },
    {
      name: "what calls changed in files, and what of it was undone",
      statements: [
        `CREATE TABLE changes (
          id INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT NOT NULL, turn INTEGER NOT NULL, dispatch_id TEXT NOT NULL, seq INTEGER NOT NULL, tool TEXT NOT NULL,
          place TEXT NOT NULL, path TEXT, before TEXT, after TEXT, ended INTEGER NOT NULL, left_out_json TEXT NOT NULL, fault TEXT,
          undone_by INTEGER, created_at INTEGER NOT NULL
        ) STRICT`,
        "CREATE INDEX changes_by_run ON changes (run_id)",
        `CREATE TABLE undos (
          id INTEGER PRIMARY KEY AUTOINCREMENT, created_at INTEGER NOT NULL, undone_by TEXT NOT NULL, changes_json TEXT NOT NULL,
          files_json TEXT NOT NULL, redo_of INTEGER, done INTEGER NOT NULL, redone INTEGER NOT NULL
        ) STRICT`,
      ],
    },
    {
      name: "histories that were taken back to an earlier message",
      statements: [
        "ALTER TABLE undos ADD COLUMN rewind_through INTEGER",
        "ALTER TABLE undos ADD COLUMN request_key TEXT NOT NULL DEFAULT ''",
        `CREATE TABLE rewinds (
          undo_id INTEGER PRIMARY KEY, from_message_id INTEGER NOT NULL, to_message_id INTEGER NOT NULL, note_message_id INTEGER NOT NULL,
          segments_json TEXT NOT NULL, created_at INTEGER NOT NULL, undone_at INTEGER
        ) STRICT`,
      ],
    },
    {
      name: "calls of blocks of code",
      statements: [
        // For calls of a code block: the call that runs the block, and the result, which is not a message.
        "ALTER TABLE pending_tool_calls ADD COLUMN block TEXT",
        "ALTER TABLE pending_tool_calls ADD COLUMN result_json TEXT",
        "CREATE INDEX calls_by_block ON pending_tool_calls (block, position) WHERE block IS NOT NULL",
      ],
    },
    {
      name: "what a person is shown, questions",
      statements: [
        "ALTER TABLE pending_hil ADD COLUMN kind TEXT NOT NULL DEFAULT 'approval'",
        "ALTER TABLE pending_hil ADD COLUMN about_json TEXT",
        "ALTER TABLE pending_hil ADD COLUMN hash TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE pending_hil ADD COLUMN expires_at INTEGER",
        "ALTER TABLE pending_hil ADD COLUMN said TEXT",
        "ALTER TABLE pending_hil ADD COLUMN edited INTEGER NOT NULL DEFAULT 0",
      ],
    },
    {
      name: "what a process knows of files",
      statements: [
        `CREATE TABLE known_files (
          id INTEGER PRIMARY KEY AUTOINCREMENT, target TEXT NOT NULL, path TEXT NOT NULL, version TEXT NOT NULL, how TEXT NOT NULL,
          run_id TEXT, at INTEGER NOT NULL, text TEXT
        ) STRICT`,
        "CREATE UNIQUE INDEX known_files_by_path ON known_files (path, target)",
      ],
    },
    { name: "causes of runs", statements: ["ALTER TABLE runs ADD COLUMN cause_json TEXT"] },
    // Of a call whose server waits for an answer of a person: what continues it.
    { name: "calls that a server holds", statements: ["ALTER TABLE pending_tool_calls ADD COLUMN held_json TEXT"] },
  ],
};
