// The default verdict on a tool of an MCP server: it asks, unless a person allowed it. What the server says of its tool decides nothing.

import { MCP_SEARCH, type McpToolUse } from "../../../abi/links/mcp.ts";
import { asCalled, SERVER_CALL } from "../../run/tool-servers.ts";
import type { Called, Verdict } from "./file-verdict.ts";

/** null for other calls. */
export async function serverVerdict(
  call: Called,
  allowance: (tool: string) => Promise<McpToolUse | null>,
): Promise<Verdict | null> {
  if (call.call !== SERVER_CALL) return null;
  const tool = String(asCalled(call).tool);
  if (tool === MCP_SEARCH) return { action: "auto" };
  const use = await allowance(tool);
  if (use === null) return null;
  return use === "auto" ? { action: "auto" } : { action: "ask", why: `use ${tool}, a tool of an MCP server` };
}
