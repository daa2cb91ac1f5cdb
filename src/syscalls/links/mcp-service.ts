// The service behind sys.mcp.*: MCP servers of an account.

import type { McpResources, McpScope, McpServer, McpToolShown, McpToolUse } from "../../abi/links/mcp.ts";
import type { CallContext } from "../define.ts";

export interface McpAdded {
  readonly name: string;
  readonly command?: readonly string[];
  readonly url?: string;
  readonly env?: readonly string[];
  readonly header?: readonly string[];
  readonly directory?: string;
  readonly scope?: McpScope["kind"];
  /** Of the scope: the agent's name, or a workspace or directory. */
  readonly for?: string;
  /** Not started before a person approves it. */
  readonly pending?: boolean;
}

/** Bytes in base64. */
export interface McpResourcePiece {
  readonly type: string | null;
  readonly size: number;
  readonly data: string;
  readonly next: number | null;
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
  /** Also approves a pending server: then it starts, and its tools are accepted. */
  enable(context: CallContext, name: string): Promise<McpListed>;
  disable(context: CallContext, name: string): Promise<McpServer>;
  allow(
    context: CallContext,
    asked: { readonly name: string; readonly tool: string; readonly use?: McpToolUse },
  ): Promise<McpListed>;
  remove(context: CallContext, name: string): Promise<{ readonly name: string }>;
  /** Starts the server if needed. */
  resources(context: CallContext, name: string): Promise<McpResources>;
  resource(
    context: CallContext,
    asked: { readonly name: string; readonly uri: string; readonly offset?: number },
  ): Promise<McpResourcePiece>;
  /** The text of a prompt, with its arguments filled in by the server. */
  prompt(
    context: CallContext,
    asked: { readonly name: string; readonly prompt: string; readonly args?: readonly string[] },
  ): Promise<{ readonly text: string }>;
  logs(context: CallContext, name: string): Promise<{ readonly lines: readonly string[] }>;
}
