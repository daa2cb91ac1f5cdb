// Tools of MCP servers as agents see and call them. A few definitions go to the model as they are; many would fill its context, so then it
// gets one tool that finds them by words and one that calls what it found.

import { SysError } from "../../abi/errno.ts";
import {
  MCP_CALL,
  MCP_SEARCH,
  type McpToolName,
  type McpToolUse,
  mcpSearchLine,
  mcpToolName,
  mcpToolNamed,
} from "../../abi/links/mcp.ts";
import { MCP_MOUNT, pathOfUri } from "../../abi/links/mcp-paths.ts";
import type { ToolSpec } from "../../abi/stream.ts";
import { reveal } from "../../lib/text/sanitize.ts";
import { clip } from "../../lib/text/truncate.ts";
import type { ServerFunction } from "../../process/run/offered-tools.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { CallContext } from "../../syscalls/define.ts";
import type { ServerAnswer } from "../../syscalls/run/server-tools.ts";
import type { Conversations } from "./asked/conversation.ts";
import { tokensOf } from "./pins.ts";
import { foundTools } from "./search.ts";
import type { LinkedTool, McpServers, McpUser } from "./servers.ts";
import { declarationsOf, signatureOf } from "./typed.ts";

export interface LinkedToolPorts {
  readonly servers: Pick<McpServers, "tools" | "tool" | "list">;
  readonly conversations: Conversations;
  /** The setting mcp.deferAbove of the account. */
  readonly deferAbove: (uid: number) => Promise<number>;
  readonly processOf: (pid: string) => Promise<ProcessRow | null>;
}

type UsedBy = Pick<ProcessRow, "ownerUid" | "uid" | "workspaceId">;

type Asked = { readonly tool: string; readonly args: { readonly [name: string]: unknown } };

const LINE_CHARS = 100;
const LINKS_MAX = 50;

export class LinkedTools {
  private readonly sizes = new WeakMap<readonly LinkedTool[], number>();

  constructor(private readonly ports: LinkedToolPorts) {}

  async specs(row: UsedBy): Promise<readonly ToolSpec[]> {
    const tools = await this.ports.servers.tools(userOf(row));
    if (tools.length === 0) return [];
    return (await this.isDeferred(row.ownerUid, tools))
      ? [searchSpec(tools), CALL_SPEC]
      : tools.map(({ spec }) => spec);
  }

  async functions(used: UsedBy): Promise<readonly ServerFunction[]> {
    const tools = await this.ports.servers.tools(userOf(used));
    const isDeferred = await this.isDeferred(used.ownerUid, tools);
    return tools.map(({ row, pinned, spec }) => ({
      ...{ server: row.name, tool: pinned.tool.name },
      by: isDeferred ? MCP_CALL : spec.name,
    }));
  }

  async declarations(used: UsedBy, server: string): Promise<string> {
    const own = (await this.ports.servers.tools(userOf(used))).filter(({ row }) => row.name === server);
    return declarationsOf(
      server,
      own.map(({ pinned }) => pinned.tool),
    );
  }

  private async isDeferred(ownerUid: number, tools: readonly LinkedTool[]): Promise<boolean> {
    const tokens = this.sizes.get(tools) ?? tokensOf(tools.map(({ spec }) => spec));
    this.sizes.set(tools, tokens);
    return tokens > (await this.ports.deferAbove(ownerUid));
  }

  has(tool: string): boolean {
    return tool === MCP_SEARCH || tool === MCP_CALL || mcpToolNamed(tool) !== null;
  }

  /** null if no server of the process has the tool. */
  async use(row: UsedBy, tool: string): Promise<McpToolUse | null> {
    const name = mcpToolNamed(tool);
    return name === null ? null : ((await this.ports.servers.tool(userOf(row), name))?.pinned.use ?? null);
  }

  async call(context: Pick<CallContext, "caller" | "signal">, { tool, args }: Asked): Promise<ServerAnswer> {
    const user = await this.userOf(context.caller);
    if (tool === MCP_SEARCH) return { text: await this.search(user, String(args.query ?? "")) };
    const linked = await this.callable(user, tool);
    const { end, notes, asks } = await this.ports.conversations.call(context, linked, args);
    const shown = mcpToolName({ server: linked.row.name, tool: linked.pinned.tool.name });
    if (end.kind === "failed") throw new SysError("EIO", `${clip(shown)} failed: ${end.text}`, notes);
    const text = [...notes.map((note) => `[${note}]`), end.kind === "asks" ? "" : end.text].join("\n");
    if (end.kind !== "done") return { text, lost: true, ...(asks !== undefined && { asks }) };
    const files = linkedFiles(linked.row.name, end.links ?? []);
    return {
      text: [text, ...files].join("\n"),
      ...(end.structured !== undefined && { structured: end.structured }),
      // A person's call has no process to store them for.
      ...(end.media.length > 0 && context.caller.kind === "process" && { media: end.media }),
    };
  }

  /** Calls wait in memory. */
  get isBusy(): boolean {
    return this.ports.conversations.isWaiting;
  }

  runOver(pid: string): void {
    this.ports.conversations.drop(pid);
  }

  /** Throws if a call of the tool would fail, whatever a person answers. */
  async needCallable(row: UsedBy, tool: string): Promise<void> {
    const isNamed = this.has(tool) || tool.startsWith("mcp.");
    if (tool !== MCP_SEARCH && isNamed) await this.callable(userOf(row), tool);
  }

  async userOf({ kind, pid, ownerUid }: CallContext["caller"]): Promise<McpUser> {
    if (kind === "person") return { ownerUid, process: null };
    const row = pid === undefined ? null : await this.ports.processOf(pid);
    return { ownerUid, process: row ?? { uid: -1, workspaceId: null } };
  }

  private async callable(user: McpUser, tool: string): Promise<LinkedTool> {
    const name = mcpToolNamed(tool);
    const linked = name === null ? null : await this.ports.servers.tool(user, name);
    if (linked === null) throw await this.noTool(user.ownerUid, tool, name);
    return linked;
  }

  private async search(user: McpUser, query: string): Promise<string> {
    const tools = await this.ports.servers.tools(user);
    const found = foundTools(
      query,
      tools.map(({ spec }) => spec),
    );
    if (found.length === 0) return `no tool found for ${JSON.stringify(query)}; try other words`;
    const byName = new Map(tools.map((each) => [each.spec.name, each]));
    return found
      .map(({ name, description, parameters }) => {
        const { row, pinned } = byName.get(name)!;
        const code = `${row.name.replaceAll("-", "_")}.${signatureOf(pinned.tool)}`;
        return `${row.name}.${reveal(pinned.tool.name)}: ${description}\narguments: ${JSON.stringify(parameters)}\nin CodeMode: ${code}`;
      })
      .join("\n\n");
  }

  private async noTool(uid: number, tool: string, name: McpToolName | null): Promise<SysError> {
    const row = (await this.ports.servers.list(uid)).find((each) => each.name === name?.server);
    if (row === undefined)
      return new SysError("ENOENT", `no such tool: ${clip(tool)}`, ["to list servers: gsv mcp list"]);
    return new SysError("ENOENT", `${row.name} has no accepted tool ${clip(name?.tool ?? "")}`, [
      `to list its tools: gsv mcp show ${row.name}`,
    ]);
  }
}

/** Links lead to files: nothing reads them by itself. */
function linkedFiles(server: string, uris: readonly string[]): readonly string[] {
  return uris.slice(0, LINKS_MAX).flatMap((uri) => {
    const path = pathOfUri(uri);
    return path === null ? [] : [`[file: ${MCP_MOUNT}/${server}/${path}]`];
  });
}

function userOf({ ownerUid, uid, workspaceId }: UsedBy): McpUser {
  return { ownerUid, process: { uid, workspaceId } };
}

const CALL_SPEC: ToolSpec = {
  name: MCP_CALL,
  description: `Call a tool of an MCP server. Find it with ${MCP_SEARCH} first: the result names its arguments.`,
  parameters: {
    type: "object",
    properties: {
      tool: { type: "string", description: "server.tool, as found" },
      args: { type: "object", description: "its arguments" },
    },
    required: ["tool"],
  },
};

/** A line for each server: all tool names of many servers would be too many. */
function searchSpec(tools: readonly LinkedTool[]): ToolSpec {
  const servers = new Map<string, LinkedTool[]>();
  for (const tool of tools) servers.set(tool.row.name, [...(servers.get(tool.row.name) ?? []), tool]);
  const lines = [...servers].map(([name, own]) => {
    const about =
      reveal(own[0]?.row.found?.instructions.split("\n")[0] ?? "") ||
      own.map(({ pinned }) => pinned.tool.name).join(", ");
    const text = mcpSearchLine(name, own.length, reveal(about));
    return text.length <= LINE_CHARS ? text : `${text.slice(0, LINE_CHARS - 1)}…`;
  });
  return {
    name: MCP_SEARCH,
    description: `Find tools of MCP servers by words. Servers, each with the number of its tools, in their own words:\n${lines.join("\n")}`,
    parameters: {
      type: "object",
      properties: { query: { type: "string", description: "words, such as: create issue" } },
      required: ["query"],
    },
  };
}
