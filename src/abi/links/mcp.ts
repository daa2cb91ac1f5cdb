// MCP servers of an account: what starts or reaches them, what they offer, and what a person allows of it.

export type McpDefinition =
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      /** Where it starts, on this computer. */
      readonly directory: string;
      /** Names of the variables it gets besides the usual ones. Their values are secrets. */
      readonly env: readonly string[];
    }
  | {
      readonly kind: "http";
      readonly url: string;
      /** Names of request headers. Their values are secrets. */
      readonly headers: readonly string[];
    };

/** A tool as its server describes it: text of a stranger. */
export interface McpTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: { readonly [name: string]: unknown };
  readonly outputSchema?: { readonly [name: string]: unknown };
  readonly annotations?: { readonly [name: string]: unknown };
}

/** Which agents of the account get the tools. */
export type McpScope =
  | { readonly kind: "account" }
  /** Processes in one workspace: its directory on this computer, else its path in gsv. */
  | { readonly kind: "workspace"; readonly place: string }
  | { readonly kind: "agent"; readonly uid: number; readonly name: string };

export const MCP_SCOPES = ["account", "workspace", "agent"] as const;

export const TOOL_USES = ["ask", "auto", "never"] as const;
export type McpToolUse = (typeof TOOL_USES)[number];

/** The definition that a person accepted. Another definition of the same tool is not used before it is accepted too. */
export interface McpPinnedTool {
  readonly tool: McpTool;
  readonly use: McpToolUse;
}

/**
 * `pending`: it came with a workspace, and no person has approved it. It is never started.
 * `needs-login`: it refuses requests until a person signs in to it.
 */
export type McpState = "pending" | "off" | "idle" | "starting" | "ready" | "needs-login" | "failed";

export interface McpServer {
  readonly name: string;
  readonly state: McpState;
  readonly definition: McpDefinition;
  readonly scope: McpScope;
  /** Why it failed. */
  readonly error: string | null;
  readonly server: { readonly name: string; readonly version: string } | null;
  /** Of its program, while it runs here. */
  readonly pid: number | null;
  /** Files below /mnt/mcp. */
  readonly hasResources: boolean;
  readonly prompts: readonly McpPrompt[];
  readonly protocol: "2026-07-28" | "2025-11-25" | null;
  readonly instructions: string;
  readonly tools: number;
  /** Tools that are new or changed since a person accepted them. */
  readonly waiting: number;
  /** Names the tools of its last connection as they are shown. `--accept` takes it. null before the first connection. */
  readonly offer: string | null;
  /** About how many tokens its definitions are. */
  readonly tokens: number;
  readonly updatedAt: number;
}

export interface McpToolShown {
  readonly server: string;
  readonly name: string;
  readonly use: McpToolUse;
  /** `changed`: its server describes it otherwise than when it was accepted. */
  readonly state: "accepted" | "new" | "changed" | "gone";
  readonly description: string;
  readonly parameters: { readonly [name: string]: unknown };
  readonly tokens: number;
  /** Of a changed tool, line by line. */
  readonly diff: string | null;
}

export interface McpResources {
  readonly resources: readonly McpResource[];
  readonly templates: readonly { readonly template: string; readonly name: string; readonly description: string }[];
}

export interface McpResource {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly type: string | null;
  readonly size: number | null;
}

export interface McpPrompt {
  readonly name: string;
  readonly description: string;
  readonly args: readonly { readonly name: string; readonly description: string; readonly required: boolean }[];
}

/** Server names are part of tool names. */
export const MCP_NAME = /^[a-z][a-z0-9-]{0,23}$/;

export interface McpToolName {
  readonly server: string;
  /** The tool's own name, or the end of its name for models. */
  readonly tool: string;
}

/** For rules, cards and logs. */
export function mcpToolName({ server, tool }: McpToolName): string {
  return `mcp.${server}.${tool}`;
}

/** Also the form for models, `mcp__github__create_issue`. null if it is no name of a server's tool. */
export function mcpToolNamed(name: string): McpToolName | null {
  const [, server, tool] = /^mcp(?:__|\.)([a-z][a-z0-9-]*)(?:__|\.)(.+)$/s.exec(name) ?? [];
  return server === undefined || tool === undefined ? null : { server, tool };
}

/** The line of a server in the description of MCP_SEARCH. */
export function mcpSearchLine(server: string, tools: number, about: string): string {
  return `${server} (${tools}): ${about}`;
}

/** The server of such a line; null for other lines. */
export function mcpServerOfLine(line: string): string | null {
  return /^([a-z][a-z0-9-]*) \(\d+\): /.exec(line)?.[1] ?? null;
}

/** Finds tools while there are too many to show them all, and calls one of them. */
export const MCP_SEARCH = "mcp__search";
export const MCP_CALL = "mcp__call";
