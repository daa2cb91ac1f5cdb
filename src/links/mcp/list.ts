// MCP servers as their owner sees them. Needs no kernel: then none of them runs.

import { SysError } from "../../abi/errno.ts";
import type { McpServer, McpState } from "../../abi/links/mcp.ts";
import { revealLines } from "../../lib/text/sanitize.ts";
import { clip } from "../../lib/text/truncate.ts";
import type { McpServerRow, McpServerRows } from "../../store/kernel/links/mcp-servers.ts";
import type { McpListed, McpService } from "../../syscalls/links/mcp-service.ts";
import type { Era } from "./link.ts";
import { offerOf, shownTools, specOf, tokensOf, unaccepted, usable } from "./pins.ts";

export interface RunningState {
  readonly state: Exclude<McpState, "off" | "pending">;
  readonly error: string | null;
  readonly pid: number | null;
}

const AT_REST: RunningState = { state: "idle", error: null, pid: null };

export function mcpLists({ list }: Pick<McpServerRows, "list">): Pick<McpService, "list" | "show" | "logs"> {
  return {
    list: async ({ caller }) => ({ servers: (await list(caller.ownerUid)).map((row) => shownServer(row)) }),
    show: async ({ caller }, name) => shownWhole(serverNamed(await list(caller.ownerUid), name)),
    async logs({ caller }, name) {
      serverNamed(await list(caller.ownerUid), name);
      return { lines: [] };
    },
  };
}

export function serverNamed(rows: readonly McpServerRow[], name: string): McpServerRow {
  const row = rows.find((each) => each.name === name);
  if (row !== undefined) return row;
  throw new SysError("ENOENT", `no such MCP server: ${clip(name)}`, ["to list yours: gsv mcp list"]);
}

export function shownWhole(row: McpServerRow, running: RunningState = AT_REST): McpListed {
  return { server: shownServer(row, running), tools: shownTools(row.name, row.pinned, row.found?.offered ?? []) };
}

export function shownServer(row: McpServerRow, { state, error, pid }: RunningState = AT_REST): McpServer {
  const { id, name, definition, scope, enabled, pending, pinned, found, updatedAt } = row;
  const offered = found?.offered ?? [];
  const use = usable(pinned, offered);
  return {
    ...{ name, definition, scope, updatedAt, error, state: pending ? "pending" : enabled ? state : "off" },
    ...{ pid, hasResources: found?.hasResources ?? false, prompts: found?.prompts ?? [] },
    ...{ server: found?.server ?? null, tools: use.length, instructions: revealLines(found?.instructions ?? "") },
    protocol: found === null ? null : (found.era as Era).kind === "modern" ? "2026-07-28" : "2025-11-25",
    waiting: unaccepted(pinned, offered).length,
    offer: found === null ? null : offerOf(id, offered),
    tokens: tokensOf(use.map(({ tool }) => specOf(name, tool))),
  };
}
