// MCP servers of accounts: their definitions, the tools that a person accepted, and what the last connection found.

import type { McpDefinition, McpPinnedTool, McpPrompt, McpScope, McpTool } from "../../../abi/links/mcp.ts";
import type { Db } from "../../open.ts";
import type { KernelDb } from "../db.ts";

export interface McpServerRow {
  readonly id: string;
  readonly uid: number;
  readonly name: string;
  readonly definition: McpDefinition;
  /** Where the values of its variables or headers are; null without any. */
  readonly secret: string | null;
  readonly enabled: boolean;
  readonly scope: McpScope;
  /** No person has approved it yet. */
  readonly pending: boolean;
  readonly pinned: readonly McpPinnedTool[];
  /** null before the first connection. */
  readonly found: McpFound | null;
  readonly updatedAt: number;
}

export interface McpFound {
  /** Which protocol it speaks, in the words of the SDK. */
  readonly era: object;
  readonly eraAt: number;
  readonly server: { readonly name: string; readonly version: string };
  readonly hasResources: boolean;
  readonly prompts: readonly McpPrompt[];
  readonly instructions: string;
  readonly offered: readonly McpTool[];
}

export interface McpServerRows {
  /** By name. */
  list(uid: number): Promise<readonly McpServerRow[]>;
  /** Replaces the row with the same id. */
  put(row: McpServerRow): Promise<void>;
  found(id: string, found: McpFound): Promise<void>;
  remove(id: string): Promise<void>;
}

/** Older rows have only a name and a version. */
type About = McpFound["server"] & Partial<Pick<McpFound, "hasResources" | "prompts">>;

type Columns = {
  readonly server_id: string;
  readonly uid: number;
  readonly display_name: string;
  readonly definition_json: string;
  readonly secret_mark: string | null;
  readonly enabled: number;
  readonly scope_json: string;
  readonly pending: number;
  readonly pinned_json: string;
  readonly updated_at: number;
  readonly era_json: string | null;
  readonly era_at: number | null;
  readonly server_json: string | null;
  readonly instructions: string | null;
  readonly offered_json: string | null;
};

export function mcpServerRows(kernel: KernelDb): McpServerRows {
  const { db } = kernel;
  return {
    list: async (uid) =>
      db
        .all<Columns>(
          `SELECT * FROM mcp_servers LEFT JOIN cf_agents_mcp_servers USING (server_id) WHERE uid = ? ORDER BY display_name`,
          uid,
        )
        .map(rowFrom),
    async put(row) {
      kernel.write("full", () => put(db, row));
    },
    async found(id, { era, eraAt, server, hasResources, prompts, instructions, offered }) {
      const about = JSON.stringify({ ...server, hasResources, prompts });
      kernel.write("normal", () =>
        db.run(
          `INSERT OR REPLACE INTO cf_agents_mcp_servers (server_id, era_json, era_at, server_json, instructions, offered_json)
           SELECT server_id, ?, ?, ?, ?, ? FROM mcp_servers WHERE server_id = ?`,
          ...[JSON.stringify(era), eraAt, about, instructions, JSON.stringify(offered), id],
        ),
      );
    },
    async remove(id) {
      kernel.write("full", () => db.run("DELETE FROM mcp_servers WHERE server_id = ?", id));
    },
  };
}

function put(db: Db, row: McpServerRow): void {
  const { id, uid, name, definition, secret, enabled, scope, pending, pinned, updatedAt } = row;
  db.run(
    `INSERT INTO mcp_servers (server_id, uid, display_name, definition_json, secret_mark, enabled, scope_json, pending, pinned_json,
       created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (server_id) DO UPDATE SET display_name = excluded.display_name, definition_json = excluded.definition_json,
       secret_mark = excluded.secret_mark, enabled = excluded.enabled, scope_json = excluded.scope_json, pending = excluded.pending,
       pinned_json = excluded.pinned_json, updated_at = excluded.updated_at`,
    ...[
      id,
      uid,
      name,
      JSON.stringify(definition),
      secret,
      enabled ? 1 : 0,
      JSON.stringify(scope),
      pending ? 1 : 0,
      JSON.stringify(pinned),
      updatedAt,
      updatedAt,
    ],
  );
}

function rowFrom(row: Columns): McpServerRow {
  const { name, version, hasResources, prompts } = JSON.parse(row.server_json ?? "{}") as About;
  const found: McpFound | null =
    row.era_json === null
      ? null
      : {
          era: JSON.parse(row.era_json) as object,
          eraAt: row.era_at ?? 0,
          ...{ server: { name, version }, hasResources: hasResources ?? false, prompts: prompts ?? [] },
          instructions: row.instructions ?? "",
          offered: JSON.parse(row.offered_json ?? "[]") as readonly McpTool[],
        };
  return {
    ...{ id: row.server_id, uid: row.uid, name: row.display_name, enabled: row.enabled === 1, found },
    ...{ secret: row.secret_mark, scope: JSON.parse(row.scope_json) as McpScope, pending: row.pending === 1 },
    definition: JSON.parse(row.definition_json) as McpDefinition,
    pinned: JSON.parse(row.pinned_json) as readonly McpPinnedTool[],
    updatedAt: row.updated_at,
  };
}
