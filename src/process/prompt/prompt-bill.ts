// The size of a request by source: context files, tools, MCP servers, and messages by role. Bytes are counted, tokens are estimated. Pure.

import { MCP_CALL, MCP_SEARCH, mcpServerOfLine, mcpToolNamed } from "../../abi/links/mcp.ts";
import type { Message } from "../../abi/process/message.ts";
import type { BillLine, PromptPart, PromptSource } from "../../abi/process/prompt.ts";
import type { ToolSpec } from "../../abi/stream.ts";
import { tokensOfBytes } from "../../lib/text/tokens.ts";

interface Billed {
  readonly parts: readonly PromptPart[];
  readonly tools: readonly ToolSpec[];
  readonly messages: readonly Message[];
}

const LABELS: { readonly [S in PromptSource]?: string } = {
  gsv: "system prompt",
  persona: "persona",
  bundles: "bundles",
  project: "project",
  skills: "skills index",
  process: "process details",
  memory: "date",
};
const SEARCH_LABEL = "search and call of MCP tools";
const ROLES: { readonly [R in Message["role"]]: string } = {
  user: "user messages",
  system: "events",
  assistant: "answers and tool calls",
  toolResult: "tool results",
};

export function billOf({ parts, tools, messages }: Billed): BillLine[] {
  const own = tools.filter((tool) => !isOfServers(tool));
  const lines = own.map((tool) => lineOf("tools", tool.name, bytesOf(tool)));
  lines.push(...serverLines(tools.filter(isOfServers)));
  for (const { source, path, text } of parts)
    lines.push(lineOf(source, path ?? LABELS[source] ?? "notes", Buffer.byteLength(text)));
  const byRole = new Map<string, number>();
  for (const message of messages) {
    const what = ROLES[message.role];
    byRole.set(what, (byRole.get(what) ?? 0) + weightOf(message));
  }
  for (const [what, bytes] of byRole) lines.push(lineOf("messages", what, bytes));
  return lines;
}

function isOfServers({ name }: ToolSpec): boolean {
  return name === MCP_SEARCH || name === MCP_CALL || mcpToolNamed(name) !== null;
}

/** A line for each MCP server, and one for the two tools that stand in for many definitions. */
function serverLines(tools: readonly ToolSpec[]): BillLine[] {
  const byServer = new Map<string, number>();
  const add = (server: string, bytes: number) => byServer.set(server, (byServer.get(server) ?? 0) + bytes);
  for (const tool of tools) {
    const named = mcpToolNamed(tool.name);
    let rest = bytesOf(tool);
    for (const line of tool.name === MCP_SEARCH ? tool.description.split("\n") : []) {
      const server = mcpServerOfLine(line);
      if (server === null) continue;
      const bytes = Buffer.byteLength(JSON.stringify(line));
      add(server, bytes);
      rest -= bytes;
    }
    add(named?.server ?? SEARCH_LABEL, rest);
  }
  return [...byServer].map(([server, bytes]) => lineOf("mcp", server, bytes));
}

function bytesOf(tool: ToolSpec): number {
  return Buffer.byteLength(JSON.stringify(tool));
}

function lineOf(source: PromptSource, what: string, bytes: number): BillLine {
  return { source, what, bytes, tokens: tokensOfBytes(bytes) };
}

/** Bytes sent to the model; thinking is not sent. */
function weightOf(message: Message): number {
  if (message.role === "toolResult") return Buffer.byteLength(message.content.output);
  if (message.role !== "assistant") return Buffer.byteLength(message.content);
  const { text, toolCalls = [] } = message.content;
  return Buffer.byteLength(text) + (toolCalls.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(toolCalls)));
}
