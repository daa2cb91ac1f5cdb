// The tables of MCP servers, created by a migration.

import type { Migration } from "../migrate.ts";

export const MCP_SCOPES: Migration = {
  name: "scopes of MCP servers",
  statements: [
    `ALTER TABLE mcp_servers ADD COLUMN scope_json TEXT NOT NULL DEFAULT '{"kind":"account"}'`,
    // Came with a workspace, and no person has approved it.
    "ALTER TABLE mcp_servers ADD COLUMN pending INTEGER NOT NULL DEFAULT 0",
  ],
};

export const MCP_SERVERS: Migration = {
  name: "MCP servers",
  statements: [
    // secret_mark: where the values of its variables or headers are. pinned_json: the tools as a person accepted them, and how they may be used.
    `CREATE TABLE mcp_servers (
      server_id TEXT PRIMARY KEY, uid INTEGER NOT NULL, display_name TEXT NOT NULL, definition_json TEXT NOT NULL,
      secret_mark TEXT, enabled INTEGER NOT NULL, pinned_json TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
      UNIQUE (uid, display_name)
    ) STRICT`,
    // What the last connection found.
    `CREATE TABLE cf_agents_mcp_servers (
      server_id TEXT PRIMARY KEY REFERENCES mcp_servers (server_id) ON DELETE CASCADE, era_json TEXT NOT NULL, era_at INTEGER NOT NULL,
      server_json TEXT NOT NULL, instructions TEXT NOT NULL, offered_json TEXT NOT NULL
    ) STRICT`,
  ],
};
