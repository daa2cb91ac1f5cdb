// Tools of servers that are open for a process. A model calls them by name; each call is one syscall, judged, approved and logged like any
// other, for this process only. Nothing is stored: after a restart the opener opens the servers again.

import { messageOf, SysError } from "../../abi/errno.ts";
import { SERVER_TOOL } from "../../abi/process/agent.ts";
import type { ToolSpec } from "../../abi/stream.ts";
import { clip } from "../../lib/text/truncate.ts";
import type { CallRow } from "../../store/process/verbs.ts";
import type { ServerTools } from "../../syscalls/run/server-tools.ts";

export interface ToolServer {
  readonly tools: readonly ToolSpec[];
  /** Returns the result for the model; an error becomes the failure of the call. */
  call(tool: string, args: { readonly [name: string]: unknown }, signal: AbortSignal): Promise<string>;
  close(): Promise<void>;
}

/** The syscall behind every call of a server's tool. */
export const SERVER_CALL = "sys.mcp.call";
const TOOLS_MAX = 200;

/** The arguments of the syscall: the tool is one of them. */
export function asCalled({ tool, call, args }: Pick<CallRow, "tool" | "call" | "args">): CallRow["args"] {
  return call === SERVER_CALL ? { tool, args } : args;
}

export class ToolServers implements ServerTools {
  private readonly byPid = new Map<string, ToolServer>();
  private opener: (pid: string) => Promise<void> = async () => {};

  /** The opener runs before each request to a model, so that no run lacks its tools. */
  openedBy(opener: (pid: string) => Promise<void>): void {
    this.opener = opener;
  }

  async opened(pid: string): Promise<void> {
    await this.opener(pid);
  }

  /** The tools belong to the process until the returned function is called. */
  hold(pid: string, server: ToolServer): () => void {
    const names = server.tools.map(({ name }) => name);
    const wrong = names.find((name, at) => !SERVER_TOOL.test(name) || names.indexOf(name) !== at);
    if (wrong !== undefined)
      throw new SysError("EINVAL", `invalid or duplicate tool name: ${clip(wrong)}`, [
        "use names like calendar_add, at most 64 characters",
      ]);
    if (names.length > TOOLS_MAX) throw new SysError("ELIMIT", `a tool server offers more than ${TOOLS_MAX} tools`);
    this.byPid.set(pid, server);
    return () => {
      if (this.byPid.get(pid) === server) this.byPid.delete(pid);
    };
  }

  specsOf(pid: string): readonly ToolSpec[] {
    return this.byPid.get(pid)?.tools ?? [];
  }

  has(pid: string, tool: string): boolean {
    return this.specsOf(pid).some(({ name }) => name === tool);
  }

  async call(...[{ caller, signal }, { tool, args }]: Parameters<ServerTools["call"]>): Promise<string> {
    const server = caller.pid === undefined || !this.has(caller.pid, tool) ? undefined : this.byPid.get(caller.pid);
    if (server === undefined)
      throw new SysError("ENOENT", `no server of this process has the tool ${clip(tool)}`, [
        "agents call these tools by name",
      ]);
    try {
      return await server.call(tool, args, signal);
    } catch (error) {
      throw error instanceof SysError ? error : new SysError("EIO", `${clip(tool)} failed: ${messageOf(error)}`);
    }
  }
}
