// Definitions of tools as a person accepted them, against those that a server offers now. What a server says of its tool is text of a
// stranger: it is compared byte for byte, shown with its invisible characters, and never a permission.

import type { McpPinnedTool, McpTool, McpToolShown, McpToolUse } from "../../abi/links/mcp.ts";
import type { ToolSpec } from "../../abi/stream.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { lineDiff } from "../../lib/text/line-diff.ts";
import { reveal, revealLines } from "../../lib/text/sanitize.ts";
import { clip } from "../../lib/text/truncate.ts";
import { modelName } from "./model-name.ts";

const DESCRIPTION_CHARS_MAX = 4096;
const SCHEMA_DEPTH_MAX = 32;
const DIFF_LINES_MAX = 200;
const BYTES_PER_TOKEN = 4;
const OFFER_CHARS = 12;

/** Equal for equal definitions, whatever the order of their keys. */
function pinOf(tool: McpTool): string {
  return sha256Hex(JSON.stringify(sorted(tool)));
}

/** Names a list of definitions. With the id of its server, which the server does not know: it cannot build another list of the same name. */
export function offerOf(id: string, offered: readonly McpTool[]): string {
  return sha256Hex([id, ...offered.map(pinOf).sort()].join("\n")).slice(0, OFFER_CHARS);
}

/** The definition for a model. */
export function specOf(server: string, { name, description = "", inputSchema }: McpTool): ToolSpec {
  const text = clipTo(revealLines(description), DESCRIPTION_CHARS_MAX);
  return {
    name: modelName(server, name),
    description: `Tool of the MCP server ${server}, in its own words: ${text}`,
    parameters: { type: "object", ...(revealed(inputSchema, 0) as object) } as ToolSpec["parameters"],
  };
}

export function tokensOf(specs: readonly ToolSpec[]): number {
  return specs.length === 0 ? 0 : Math.ceil(Buffer.byteLength(JSON.stringify(specs)) / BYTES_PER_TOKEN);
}

/** Accepts what a server offers now; what a person decided about a tool of the same name stays. */
export function accepted(pinned: readonly McpPinnedTool[], offered: readonly McpTool[]): readonly McpPinnedTool[] {
  const uses = new Map<string, McpToolUse>(pinned.map(({ tool, use }) => [tool.name, use]));
  const before = new Map(pinned.map(({ tool }) => [tool.name, pinOf(tool)]));
  return offered.map((tool) => {
    // An allowance belongs to the definition that a person saw.
    const isSame = before.get(tool.name) === pinOf(tool);
    const use = uses.get(tool.name) ?? "ask";
    return { tool, use: use === "auto" && !isSame ? "ask" : use };
  });
}

/** Tools that may be called: accepted, still offered, and not changed since. */
export function usable(pinned: readonly McpPinnedTool[], offered: readonly McpTool[]): readonly McpPinnedTool[] {
  const now = new Map(offered.map((tool) => [tool.name, pinOf(tool)]));
  return pinned.filter(({ tool, use }) => use !== "never" && now.get(tool.name) === pinOf(tool));
}

/** Offered tools that a person has neither accepted as they are now nor refused. */
export function unaccepted(pinned: readonly McpPinnedTool[], offered: readonly McpTool[]): readonly McpTool[] {
  const settled = new Set(usable(pinned, offered).map(({ tool }) => tool.name));
  for (const { tool, use } of pinned) if (use === "never") settled.add(tool.name);
  return offered.filter(({ name }) => !settled.has(name));
}

export function shownTools(
  server: string,
  pinned: readonly McpPinnedTool[],
  offered: readonly McpTool[],
): readonly McpToolShown[] {
  const known = new Map(pinned.map((each) => [each.tool.name, each]));
  const now = new Map(offered.map((tool) => [tool.name, tool]));
  return [...new Set([...known.keys(), ...now.keys()])].map((name) => {
    const [before, after] = [known.get(name), now.get(name)];
    const tool = after ?? before!.tool;
    const isChanged = before !== undefined && after !== undefined && pinOf(before.tool) !== pinOf(after);
    const state = before === undefined ? "new" : after === undefined ? "gone" : isChanged ? "changed" : "accepted";
    return {
      ...{ server, name: clip(reveal(name)), use: before?.use ?? "ask", state },
      description: clipTo(revealLines(tool.description ?? ""), DESCRIPTION_CHARS_MAX),
      parameters: revealed(tool.inputSchema, 0) as McpToolShown["parameters"],
      tokens: tokensOf([specOf(server, tool)]),
      diff: isChanged ? lineDiff(textOf(before.tool), textOf(after), DIFF_LINES_MAX) : null,
    };
  });
}

function textOf(tool: McpTool): string {
  const { description = "", ...rest } = tool;
  return revealLines(`${description}\n${JSON.stringify(sorted(rest), null, 2)}\n`);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, each]) => [key, sorted(each)]));
}

/** All texts of a schema, its names included, with invisible characters shown. Deeper parts are left out. */
function revealed(value: unknown, depth: number): unknown {
  if (typeof value === "string") return revealLines(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= SCHEMA_DEPTH_MAX) return {};
  if (Array.isArray(value)) return value.map((each) => revealed(each, depth + 1));
  const entries = Object.entries(value).map(([key, each]) => [reveal(key), revealed(each, depth + 1)]);
  return Object.fromEntries(entries);
}

function clipTo(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars)}…`;
}
