// The service behind sys.mcp.*: MCP servers of an account.

import type { McpServer, McpToolShown, McpToolUse } from "../../abi/links/mcp.ts";
import type { CallContext } from "../define.ts";

export interface McpAdded {
  readonly name: string;
  readonly command?: readonly string[];
  readonly url?: string;
  readonly env?: readonly string[];
  readonly header?: readonly string[];
  readonly directory?: string;
}

export interface McpListed {
  readonly server: McpServer;
  readonly tools: readonly McpToolShown[];
}

export interface McpService {
  add(context: CallContext, asked: McpAdded): Promise<McpListed>;
  list(context: CallContext): Promise<{ readonly servers: readonly McpServer[] }>;
  show(context: CallContext, name: string): Promise<McpListed>;
  refresh(context: CallContext, asked: { readonly name: string; readonly accept?: string }): Promise<McpListed>;
  enable(context: CallContext, name: string, enabled: boolean): Promise<McpServer>;
  allow(
    context: CallContext,
    asked: { readonly name: string; readonly tool: string; readonly use?: McpToolUse },
  ): Promise<McpListed>;
  remove(context: CallContext, name: string): Promise<{ readonly name: string }>;
  logs(context: CallContext, name: string): Promise<{ readonly lines: readonly string[] }>;
}
