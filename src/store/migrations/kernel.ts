// Schema of kernel.db. Never edit a shipped migration: append one.

import type { Schema } from "../migrate.ts";
import { DUE_CLAIMS } from "./due.ts";
import { IPC_CALLS } from "./ipc.ts";
import { LOGINS, TOKEN_LIMITS } from "./logins.ts";
import { MCP_SCOPES, MCP_SERVERS } from "./mcp.ts";
import { NOTIFICATIONS } from "./notifications.ts";
import { OAUTH } from "./oauth.ts";
import { PRESET_BUNDLES } from "./preset-bundles.ts";
import { SCHEDULES } from "./schedules.ts";
import { SIGNAL_WATCHES } from "./watches.ts";

export const KERNEL_SCHEMA: Schema = {
  component: "kernel",
  applicationId: 0x6773764b, // "gsvK"
  migrations: [
    {
      name: "accounts, processes, approvals, archives, objects, requests, audit",
      statements: [
        // One row: the generation that may write.
        "CREATE TABLE kernel (id INTEGER PRIMARY KEY CHECK (id = 1), generation INTEGER NOT NULL, started_at INTEGER NOT NULL, ended_cleanly INTEGER NOT NULL) STRICT",
        "INSERT INTO kernel VALUES (1, 0, 0, 1)",
        `CREATE TABLE passwd (
          username TEXT PRIMARY KEY, uid INTEGER NOT NULL UNIQUE, gid INTEGER NOT NULL, gecos TEXT NOT NULL DEFAULT '',
          home TEXT NOT NULL, shell TEXT NOT NULL DEFAULT '/bin/init'
        ) STRICT`,
        `CREATE TABLE shadow (
          username TEXT PRIMARY KEY REFERENCES passwd (username) ON DELETE CASCADE, hash TEXT NOT NULL DEFAULT '!',
          lastchanged INTEGER, min INTEGER NOT NULL DEFAULT 0, max INTEGER NOT NULL DEFAULT 99999, warn INTEGER NOT NULL DEFAULT 7,
          inactive INTEGER, expire INTEGER, reserved TEXT NOT NULL DEFAULT ''
        ) STRICT`,
        "CREATE TABLE groups (name TEXT PRIMARY KEY, gid INTEGER NOT NULL UNIQUE, members TEXT NOT NULL DEFAULT '') STRICT",
        "CREATE TABLE personal_agents (owner_uid INTEGER PRIMARY KEY, agent_uid INTEGER NOT NULL UNIQUE) STRICT",
        // Agents other than the personal one.
        "CREATE TABLE agent_owners (agent_uid INTEGER PRIMARY KEY, owner_uid INTEGER NOT NULL) STRICT",
        `CREATE TABLE auth_tokens (
          token_id TEXT PRIMARY KEY, uid INTEGER NOT NULL, kind TEXT NOT NULL, label TEXT, token_hash TEXT NOT NULL UNIQUE,
          token_prefix TEXT NOT NULL, allowed_role TEXT NOT NULL, allowed_device_id TEXT, created_at INTEGER NOT NULL,
          last_used_at INTEGER, expires_at INTEGER, revoked_at INTEGER, revoked_reason TEXT
        ) STRICT`,
        `CREATE TABLE login_guard (
          kind TEXT NOT NULL, subject TEXT NOT NULL, failures INTEGER NOT NULL, last_failed_at INTEGER NOT NULL, locked_until INTEGER,
          PRIMARY KEY (kind, subject)
        ) STRICT`,
        "CREATE TABLE config_kv (key TEXT PRIMARY KEY, value TEXT NOT NULL, updated_at INTEGER NOT NULL, updated_by INTEGER NOT NULL) STRICT",
        "CREATE TABLE group_capabilities (gid INTEGER NOT NULL, capability TEXT NOT NULL, PRIMARY KEY (gid, capability)) STRICT",
        `CREATE TABLE processes (
          process_id TEXT PRIMARY KEY, parent_pid TEXT, uid INTEGER NOT NULL, owner_uid INTEGER NOT NULL, profile TEXT NOT NULL,
          interactive INTEGER NOT NULL, label TEXT, cwd TEXT NOT NULL, workspace_id TEXT, created_at INTEGER NOT NULL,
          phase TEXT NOT NULL CHECK (phase IN ('creating', 'live', 'killing')), phase_json TEXT,
          dirty INTEGER NOT NULL DEFAULT 0,
          state TEXT NOT NULL DEFAULT 'idle', active_run_id TEXT, queued_count INTEGER NOT NULL DEFAULT 0, last_active_at INTEGER,
          waits_json TEXT, last_status TEXT, dropped_json TEXT, projected_seq INTEGER NOT NULL DEFAULT 0
        ) STRICT`,
        "CREATE INDEX processes_by_owner ON processes (owner_uid, created_at)",
        "CREATE INDEX processes_by_parent ON processes (parent_pid)",
        "CREATE INDEX processes_dirty ON processes (dirty) WHERE dirty = 1",
        `CREATE TABLE approvals (
          request_id TEXT NOT NULL, process_id TEXT NOT NULL, owner_uid INTEGER NOT NULL, run_id TEXT NOT NULL, tool TEXT NOT NULL,
          call TEXT NOT NULL, args_json TEXT NOT NULL, why TEXT NOT NULL, created_at INTEGER NOT NULL,
          decision TEXT, decided_by TEXT, decided_at INTEGER, PRIMARY KEY (request_id, created_at)
        ) STRICT`,
        "CREATE INDEX approvals_open ON approvals (owner_uid, created_at) WHERE decision IS NULL",
        `CREATE TABLE archives (
          archive_id TEXT PRIMARY KEY, process_id TEXT NOT NULL, owner_uid INTEGER NOT NULL, object_key TEXT NOT NULL,
          reason TEXT NOT NULL, messages INTEGER NOT NULL, lines INTEGER NOT NULL, undelivered INTEGER NOT NULL,
          bytes INTEGER NOT NULL, sha256 TEXT NOT NULL, created_at INTEGER NOT NULL
        ) STRICT`,
        "CREATE INDEX archives_by_owner ON archives (owner_uid, created_at)",
        `CREATE TABLE run_routes (
          run_id TEXT PRIMARY KEY, route_kind TEXT NOT NULL, uid INTEGER NOT NULL, connection_id TEXT NOT NULL,
          process_id TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
        ) STRICT`,
        `CREATE TABLE requests (
          uid INTEGER NOT NULL, request_id TEXT NOT NULL, body_hash TEXT NOT NULL, answer_json TEXT NOT NULL, created_at INTEGER NOT NULL,
          PRIMARY KEY (uid, request_id)
        ) STRICT`,
        "CREATE INDEX requests_by_age ON requests (created_at)",
        `CREATE TABLE audit (
          id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, uid INTEGER NOT NULL, pid TEXT, call TEXT NOT NULL,
          outcome TEXT NOT NULL, detail TEXT NOT NULL
        ) STRICT`,
        `CREATE TABLE objects (
          key TEXT PRIMARY KEY, uid INTEGER NOT NULL, gid INTEGER NOT NULL, mode INTEGER NOT NULL, type TEXT NOT NULL,
          size INTEGER NOT NULL, sha256 TEXT NOT NULL, mtime_ms INTEGER NOT NULL, dirmarker INTEGER NOT NULL, symlink TEXT
        ) STRICT, WITHOUT ROWID`,
        "CREATE TABLE object_intents (id TEXT PRIMARY KEY, kind TEXT NOT NULL, body_json TEXT NOT NULL) STRICT",
      ],
    },
    {
      name: "directories of this machine that workspaces may use",
      statements: [
        // Scope: a workspace, or a process without one.
        "CREATE TABLE host_directories (scope TEXT NOT NULL, directory TEXT NOT NULL, attached_at INTEGER NOT NULL, PRIMARY KEY (scope, directory)) STRICT",
      ],
    },
    {
      name: "workspaces",
      statements: [
        // With a directory: a host directory. Without: a tree below repos/.
        `CREATE TABLE workspaces (
          workspace_id TEXT PRIMARY KEY, owner_uid INTEGER NOT NULL, label TEXT, directory TEXT,
          state TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'archived')),
          created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
        ) STRICT`,
        "CREATE INDEX workspaces_by_owner ON workspaces (owner_uid, created_at)",
        "CREATE UNIQUE INDEX workspaces_by_directory ON workspaces (owner_uid, directory) WHERE directory IS NOT NULL",
        "CREATE INDEX processes_by_workspace ON processes (workspace_id) WHERE workspace_id IS NOT NULL",
        // Existing homes: accounts that may create repositories may create workspaces.
        "INSERT OR IGNORE INTO group_capabilities SELECT gid, 'workspace.*' FROM group_capabilities WHERE capability = 'repo.create'",
      ],
    },
    {
      name: "directories that an account trusts to speak to its agents",
      statements: [
        "CREATE TABLE trusted_directories (owner_uid INTEGER NOT NULL, directory TEXT NOT NULL, trusted_by INTEGER NOT NULL, trusted_at INTEGER NOT NULL, PRIMARY KEY (owner_uid, directory)) STRICT",
      ],
    },
    {
      name: "usage and budgets",
      statements: [
        // One row per model call; outlives its process. `row_id` is the row's id in the process database.
        `CREATE TABLE usage (
          usage_id INTEGER PRIMARY KEY, owner_uid INTEGER NOT NULL, process_id TEXT NOT NULL, session_key TEXT, row_id INTEGER NOT NULL,
          run_id TEXT NOT NULL, turn INTEGER NOT NULL, model TEXT NOT NULL, input INTEGER NOT NULL, output INTEGER NOT NULL,
          cache_read INTEGER NOT NULL, cache_write INTEGER NOT NULL, cost_micros INTEGER NOT NULL, run_ms INTEGER NOT NULL,
          priced INTEGER NOT NULL, wasted INTEGER NOT NULL, at INTEGER NOT NULL
        ) STRICT`,
        "CREATE INDEX usage_by_owner ON usage (owner_uid, at)",
        "CREATE INDEX usage_by_process ON usage (process_id, row_id)",
        // A budget stays below its parent even when processes end.
        `CREATE TABLE budgets (
          budget_id INTEGER PRIMARY KEY AUTOINCREMENT, parent_id INTEGER, process_id TEXT NOT NULL, owner_uid INTEGER NOT NULL,
          max_micros INTEGER, max_tokens INTEGER, max_ms INTEGER, used_micros INTEGER NOT NULL DEFAULT 0,
          used_tokens INTEGER NOT NULL DEFAULT 0, used_ms INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL
        ) STRICT`,
        "CREATE INDEX budgets_by_owner ON budgets (owner_uid)",
        "CREATE INDEX budgets_by_parent ON budgets (parent_id)",
        "CREATE INDEX budgets_by_process ON budgets (process_id)",
        "ALTER TABLE processes ADD COLUMN budget_id INTEGER",
        "ALTER TABLE processes ADD COLUMN cost_micros INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE processes ADD COLUMN tokens INTEGER NOT NULL DEFAULT 0",
        "CREATE INDEX processes_by_budget ON processes (budget_id) WHERE budget_id IS NOT NULL",
      ],
    },
    {
      name: "pages of the web",
      statements: [
        // Existing homes: accounts that may run commands may fetch pages.
        "INSERT OR IGNORE INTO group_capabilities SELECT gid, 'net.fetch' FROM group_capabilities WHERE capability = 'shell.*' AND gid = 100",
      ],
    },
    {
      name: "modes, standing rules, questions",
      statements: [
        "ALTER TABLE processes ADD COLUMN mode TEXT NOT NULL DEFAULT 'ask'",
        // `place` is a workspace or a host directory; null applies everywhere.
        `CREATE TABLE policy_rules (
          rule_id TEXT PRIMARY KEY, owner_uid INTEGER NOT NULL, place TEXT, rule_json TEXT NOT NULL,
          created_by TEXT NOT NULL, created_at INTEGER NOT NULL
        ) STRICT`,
        "CREATE INDEX policy_rules_by_owner ON policy_rules (owner_uid, created_at)",
        "ALTER TABLE approvals ADD COLUMN kind TEXT NOT NULL DEFAULT 'approval'",
        "ALTER TABLE approvals ADD COLUMN about_json TEXT",
        "ALTER TABLE approvals ADD COLUMN hash TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE approvals ADD COLUMN expires_at INTEGER",
        "ALTER TABLE approvals ADD COLUMN said TEXT",
        "ALTER TABLE approvals ADD COLUMN edited INTEGER NOT NULL DEFAULT 0",
        // Existing homes: accounts with processes may see and set their policy.
        "INSERT OR IGNORE INTO group_capabilities SELECT gid, 'policy.*' FROM group_capabilities WHERE capability = 'hil.*'",
      ],
    },
    {
      name: "sessions",
      statements: [
        // Addresses of processes. `pid` is null before the first message and after a kill. `name`, `work_dir` and `initial_prompt` are for
        // a new process; `outcome` is the final status if the process cannot report it. Status and cost are joined, not stored.
        `CREATE TABLE sessions (
          id TEXT PRIMARY KEY, owner_uid INTEGER NOT NULL, session_key TEXT, pid TEXT, agent_id TEXT, project_id TEXT,
          name TEXT NOT NULL DEFAULT '', source TEXT NOT NULL DEFAULT 'cli', initial_prompt TEXT NOT NULL DEFAULT '', work_dir TEXT,
          outcome TEXT CHECK (outcome IN ('stopped', 'error')), restart_count INTEGER NOT NULL DEFAULT 0,
          council_launch_id TEXT, council_role TEXT,
          reset_mode TEXT, reset_at_hour INTEGER, reset_idle_minutes INTEGER,
          created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
        ) STRICT`,
        "CREATE UNIQUE INDEX sessions_by_key ON sessions (owner_uid, session_key) WHERE session_key IS NOT NULL",
        "CREATE UNIQUE INDEX sessions_by_process ON sessions (pid) WHERE pid IS NOT NULL",
        // One row per conversation: `id` is the visible session id and the name of its archive, `closing_id` the archive id of the reset or
        // kill that ended it, which makes a repeated closing find its work.
        `CREATE TABLE session_generations (
          id TEXT PRIMARY KEY, session_id TEXT NOT NULL, number INTEGER NOT NULL, process_id TEXT NOT NULL, restored_from TEXT,
          started_at INTEGER NOT NULL, ended_at INTEGER, closing_id TEXT, object_key TEXT, UNIQUE (session_id, number)
        ) STRICT`,
        "CREATE UNIQUE INDEX session_generations_open ON session_generations (process_id) WHERE ended_at IS NULL",
        "CREATE INDEX session_generations_by_closing ON session_generations (closing_id) WHERE closing_id IS NOT NULL",
        "CREATE INDEX usage_by_session ON usage (owner_uid, session_key) WHERE session_key IS NOT NULL",
        // Existing homes: accounts with processes may use sessions.
        "INSERT OR IGNORE INTO group_capabilities SELECT gid, 'session.*' FROM group_capabilities WHERE capability = 'proc.*'",
      ],
    },
    { name: "what becomes of a process after a fault", statements: ["ALTER TABLE processes ADD COLUMN restart TEXT"] },
    {
      name: "agents, personas, bundles, projects, credits",
      statements: [
        // Profiles of agent accounts. No row: defaults.
        `CREATE TABLE agents (
          id TEXT PRIMARY KEY, uid INTEGER NOT NULL UNIQUE, owner_uid INTEGER NOT NULL, model TEXT, mcp_tool_permissions TEXT,
          request_key TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
        ) STRICT`,
        `CREATE TABLE agent_personas (
          agent_id TEXT PRIMARY KEY REFERENCES agents (id) ON DELETE CASCADE, archetype TEXT NOT NULL DEFAULT 'custom',
          traits TEXT NOT NULL DEFAULT '[]', voice_guidelines TEXT NOT NULL DEFAULT '', background TEXT NOT NULL DEFAULT '',
          example_messages TEXT NOT NULL DEFAULT '[]', created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
        ) STRICT`,
        // Without an owner: ships with gsv.
        `CREATE TABLE skill_bundles (
          id TEXT PRIMARY KEY, owner_uid INTEGER, description TEXT NOT NULL DEFAULT '', tools TEXT NOT NULL DEFAULT '[]',
          prompt_additions TEXT NOT NULL DEFAULT '', preset INTEGER NOT NULL DEFAULT 0,
          created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
        ) STRICT`,
        ...PRESET_BUNDLES,
        `CREATE TABLE agent_skills (
          agent_id TEXT NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
          bundle_id TEXT NOT NULL REFERENCES skill_bundles (id) ON DELETE CASCADE, sort_order INTEGER NOT NULL,
          PRIMARY KEY (agent_id, bundle_id)
        ) STRICT`,
        `CREATE TABLE projects (
          id TEXT PRIMARY KEY, owner_uid INTEGER NOT NULL, name TEXT NOT NULL, working_dir TEXT NOT NULL DEFAULT '',
          instructions TEXT NOT NULL DEFAULT '', created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, UNIQUE (owner_uid, name)
        ) STRICT`,
        `CREATE TABLE project_skills (
          project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
          bundle_id TEXT NOT NULL REFERENCES skill_bundles (id) ON DELETE CASCADE, sort_order INTEGER NOT NULL,
          PRIMARY KEY (project_id, bundle_id)
        ) STRICT`,
        "ALTER TABLE processes ADD COLUMN project_id TEXT",
        // Credits of users who come through a channel; the owner's own work is not charged. credit_transactions is append-only.
        `CREATE TABLE credit_ledger (
          id INTEGER PRIMARY KEY AUTOINCREMENT, owner_uid INTEGER NOT NULL, wallet_address TEXT NOT NULL,
          credits INTEGER NOT NULL DEFAULT 0 CHECK (credits >= 0), reserved INTEGER NOT NULL DEFAULT 0 CHECK (reserved >= 0),
          total_purchased INTEGER NOT NULL DEFAULT 0, total_consumed INTEGER NOT NULL DEFAULT 0,
          created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, UNIQUE (owner_uid, wallet_address)
        ) STRICT`,
        `CREATE TABLE credit_transactions (
          id INTEGER PRIMARY KEY AUTOINCREMENT, owner_uid INTEGER NOT NULL, wallet_address TEXT NOT NULL, type TEXT NOT NULL,
          amount INTEGER NOT NULL CHECK (amount > 0), balance_after INTEGER NOT NULL, reference TEXT, session_id TEXT,
          created_at INTEGER NOT NULL
        ) STRICT`,
        "CREATE INDEX credit_transactions_by_wallet ON credit_transactions (owner_uid, wallet_address, id)",
        "CREATE UNIQUE INDEX credit_transactions_once ON credit_transactions (owner_uid, wallet_address, type, reference) WHERE reference IS NOT NULL",
        "CREATE TABLE credit_config (owner_uid INTEGER NOT NULL, key TEXT NOT NULL, value INTEGER NOT NULL, updated_at INTEGER NOT NULL, PRIMARY KEY (owner_uid, key)) STRICT",
        `CREATE VIEW daily_spending AS
          SELECT owner_uid, date(at / 1000, 'unixepoch') AS date, sum(cost_micros) AS cost_micros FROM usage GROUP BY 1, 2`,
        "INSERT OR IGNORE INTO group_capabilities SELECT gid, 'agent.*' FROM group_capabilities WHERE capability = 'account.create'",
        "INSERT OR IGNORE INTO group_capabilities SELECT gid, 'persona.*' FROM group_capabilities WHERE capability = 'account.create'",
        "INSERT OR IGNORE INTO group_capabilities SELECT gid, 'bundle.*' FROM group_capabilities WHERE capability = 'account.create'",
        "INSERT OR IGNORE INTO group_capabilities SELECT gid, 'project.*' FROM group_capabilities WHERE capability = 'account.create'",
        "INSERT OR IGNORE INTO group_capabilities SELECT gid, 'credits.*' FROM group_capabilities WHERE capability = 'account.create'",
      ],
    },
    {
      name: "hooks",
      statements: [
        // Decisions about files in hooks.d, by content hash.
        `CREATE TABLE hooks (
          owner_uid INTEGER NOT NULL, hook TEXT NOT NULL, sha256 TEXT NOT NULL,
          decision TEXT NOT NULL CHECK (decision IN ('seen', 'allowed', 'denied')),
          decided_by TEXT NOT NULL, decided_at INTEGER NOT NULL, PRIMARY KEY (owner_uid, hook)
        ) STRICT`,
        "INSERT OR IGNORE INTO group_capabilities SELECT gid, 'hooks.*' FROM group_capabilities WHERE capability = 'policy.*'",
      ],
    },
    {
      name: "who wrote which file",
      statements: [
        `CREATE TABLE file_writes (
          id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, target TEXT NOT NULL, path TEXT NOT NULL, verb TEXT NOT NULL,
          uid INTEGER NOT NULL, pid TEXT, run_id TEXT, call_id TEXT, tool TEXT, version TEXT, moved_from TEXT
        ) STRICT`,
        "CREATE INDEX file_writes_by_path ON file_writes (path, id)",
      ],
    },
    {
      name: "senders as written",
      statements: [
        // A key is folded; a wallet is compared as its channel writes it.
        "ALTER TABLE sessions ADD COLUMN sender TEXT",
        "CREATE INDEX sessions_by_sender ON sessions (owner_uid, sender) WHERE sender IS NOT NULL",
      ],
    },
    {
      name: "processes of sessions send their parents no notices",
      statements: [
        "ALTER TABLE processes ADD COLUMN end_notice TEXT CHECK (end_notice IN ('ignore'))",
        "UPDATE processes SET end_notice = 'ignore' WHERE process_id IN (SELECT process_id FROM session_generations)",
      ],
    },
    {
      name: "names of bundles are per account",
      statements: [
        // The id of an account's bundle is UID/NAME, the id of a preset its name.
        `INSERT INTO skill_bundles (id, owner_uid, description, tools, prompt_additions, preset, created_at, updated_at)
          SELECT owner_uid || '/' || id, owner_uid, description, tools, prompt_additions, preset, created_at, updated_at
          FROM skill_bundles WHERE owner_uid IS NOT NULL`,
        ...["agent_skills", "project_skills"].map(
          (
            table,
          ) => `UPDATE ${table} SET bundle_id = (SELECT b.owner_uid || '/' || b.id FROM skill_bundles b WHERE b.id = bundle_id)
          WHERE bundle_id IN (SELECT id FROM skill_bundles WHERE owner_uid IS NOT NULL)`,
        ),
        "DELETE FROM skill_bundles WHERE owner_uid IS NOT NULL AND instr(id, '/') = 0",
      ],
    },
    SCHEDULES,
    NOTIFICATIONS,
    IPC_CALLS,
    SIGNAL_WATCHES,
    DUE_CLAIMS,
    LOGINS,
    MCP_SERVERS,
    MCP_SCOPES,
    OAUTH,
    TOKEN_LIMITS,
  ],
};
