// Tools that a process has besides those of gsv, of a server that somebody opened for it. A model calls them by their names, and each such
// call is the one syscall: judged, asked for, logged and carried out like any other, for that process alone. Nothing of it is stored: who
// opened a server opens it again after a start.

import { messageOf, SysError } from "../../abi/errno.ts";
import { SERVER_TOOL } from "../../abi/process/agent.ts";
import type { ToolSpec } from "../../abi/stream.ts";
import { clip } from "../../lib/text/truncate.ts";
import type { CallRow } from "../../store/process/verbs.ts";
import type { ServerTools } from "../../syscalls/run/server-tools.ts";

export interface ToolServer {
  readonly tools: readonly ToolSpec[];
  /** What the model reads of it; whatever it throws is told to the model as the tool's failure. */
  call(tool: string, args: { readonly [name: string]: unknown }, signal: AbortSignal): Promise<string>;
  close(): Promise<void>;
}

/** The syscall that a call of such a tool is. */
export const SERVER_CALL = "sys.mcp.call";
const TOOLS_MAX = 200;

/** What a call is made with: a tool of a server is an argument of the one syscall. */
export function asCalled({ tool, call, args }: Pick<CallRow, "tool" | "call" | "args">): CallRow["args"] {
  return call === SERVER_CALL ? { tool, args } : args;
}

export class ToolServers implements ServerTools {
  private readonly byPid = new Map<string, ToolServer>();
  private opener: (pid: string) => Promise<void> = async () => {};

  /** Who opens servers is asked before each request to a model, so that no run goes without its tools. */
  openedBy(opener: (pid: string) => Promise<void>): void {
    this.opener = opener;
  }

  async opened(pid: string): Promise<void> {
    await this.opener(pid);
  }

  /** Its tools are the process's from now on, until the returned function is called. */
  hold(pid: string, server: ToolServer): () => void {
    const names = server.tools.map(({ name }) => name);
    const wrong = names.find((name, at) => !SERVER_TOOL.test(name) || names.indexOf(name) !== at);
    if (wrong !== undefined)
      throw new SysError("EINVAL", `a tool server offers a tool of the name ${clip(wrong)}`, [
        "a name is like calendar_add, at most 64 characters, and is there once",
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
      throw new SysError("ENOENT", `there is no tool ${clip(tool)} of a server here`, [
        "an agent calls its tools by name",
      ]);
    try {
      return await server.call(tool, args, signal);
    } catch (error) {
      throw error instanceof SysError ? error : new SysError("EIO", `${clip(tool)} failed: ${messageOf(error)}`);
    }
  }
}
