// Tools that a client offers to one process, besides those of gsv. The model calls them by name; each call is one syscall, judged, approved and
// logged like any other, and carried out by the client. Nothing is stored: a client offers its tools again after a start.

import { SysError } from "../../abi/errno.ts";
import { type RandomBytes, uuidv7 } from "../../abi/ids.ts";
import { MCP_CALL, mcpToolName, mcpToolNamed } from "../../abi/links/mcp.ts";
import { SERVER_TOOL } from "../../abi/process/agent.ts";
import type { ToolSpec } from "../../abi/stream.ts";
import type { Bus } from "../../kernel/bus.ts";
import { visibleProcess } from "../../kernel/registry.ts";
import type { Clock } from "../../lib/clock.ts";
import { clip } from "../../lib/text/truncate.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { CallRow } from "../../store/process/verbs.ts";
import type { CallContext } from "../../syscalls/define.ts";
import type { ServerAnswer, ServerTools } from "../../syscalls/run/server-tools.ts";

interface ToolServer {
  readonly ownerUid: number;
  readonly tools: readonly ToolSpec[];
}

export interface ToolServerPorts {
  readonly kernel: Pick<KernelStore, "processes" | "archives" | "requests">;
  readonly bus: Pick<Bus, "wanted" | "emit">;
  readonly clock: Clock;
  readonly random: RandomBytes;
}

interface Open {
  readonly ownerUid: number;
  readonly settle: (answer: { readonly text: string; readonly failed?: boolean }) => void;
}

/** The syscall behind every call of a server's tool. */
export const SERVER_CALL = "sys.mcp.call";
const TOOLS_MAX = 200;
const ANSWER_MS = 5 * 60_000;

/** The arguments of the syscall: the tool is one of them. */
export function asCalled({ tool, call, args }: Pick<CallRow, "tool" | "call" | "args">): CallRow["args"] {
  if (call !== SERVER_CALL) return args;
  const isFound = tool === MCP_CALL;
  const named = isFound ? String(args.tool) : tool;
  const name = isFound && !/^mcp(?:\.|__)/.test(named) ? `mcp.${named}` : named;
  const linked = mcpToolNamed(name);
  const given = isFound ? (args.args ?? {}) : args;
  return { tool: linked === null ? name : mcpToolName(linked), args: given };
}

export class ToolServers implements ServerTools {
  private readonly byPid = new Map<string, ToolServer>();
  private readonly calls = new Map<string, Open>();

  constructor(private readonly ports: ToolServerPorts) {}

  async offer(
    { caller }: Pick<CallContext, "caller">,
    { pid, tools: written = [] }: { pid: string; tools?: readonly string[] },
  ) {
    const { ownerUid } = await visibleProcess(this.ports.kernel, caller, pid);
    const tools = written.map(specOf);
    const names = tools.map(({ name }) => name);
    const wrong = names.find((name, at) => !SERVER_TOOL.test(name) || names.indexOf(name) !== at);
    if (wrong !== undefined)
      throw new SysError("EINVAL", `a tool server cannot offer a tool named ${clip(wrong)}`, [
        "a name is like calendar_add, at most 64 characters, and occurs once",
      ]);
    if (names.length > TOOLS_MAX) throw new SysError("ELIMIT", `a tool server offers more than ${TOOLS_MAX} tools`);
    if (tools.length === 0) this.byPid.delete(pid);
    else this.byPid.set(pid, { ownerUid, tools });
    return { pid, tools: tools.length };
  }

  answer(
    { caller }: Pick<CallContext, "caller">,
    { call, ...answer }: { call: string; text: string; failed?: boolean },
  ) {
    const open = this.calls.get(call);
    if (open === undefined || open.ownerUid !== caller.ownerUid) return { taken: false };
    open.settle(answer);
    return { taken: true };
  }

  specsOf(pid: string): readonly ToolSpec[] {
    return this.byPid.get(pid)?.tools ?? [];
  }

  has(pid: string, tool: string): boolean {
    return this.specsOf(pid).some(({ name }) => name === tool);
  }

  async call(...[{ caller, signal }, { tool, args }]: Parameters<ServerTools["call"]>): Promise<ServerAnswer> {
    const server = caller.pid === undefined || !this.has(caller.pid, tool) ? undefined : this.byPid.get(caller.pid);
    if (server === undefined)
      throw new SysError("ENOENT", `no server of this process has the tool ${clip(tool)}`, [
        "agents call these tools by name",
      ]);
    return { text: await this.asked(caller.pid ?? "", server, { tool, args, signal }) };
  }

  private async asked(
    pid: string,
    { ownerUid }: ToolServer,
    { tool, args, signal }: { readonly tool: string; readonly args: object; readonly signal: AbortSignal },
  ): Promise<string> {
    const { kernel, bus, clock, random } = this.ports;
    const row = await kernel.processes.get(pid);
    if (row === null || !bus.wanted(pid, "process.server_call"))
      throw new SysError("EAGAIN", `${clip(tool)} is not served now: its server is gone`);
    const call = uuidv7(clock.now(), random);
    const { promise, resolve } = Promise.withResolvers<{ readonly text: string; readonly failed?: boolean }>();
    const over = () => resolve({ text: "cancelled", failed: true });
    this.calls.set(call, { ownerUid, settle: resolve });
    signal.addEventListener("abort", over, { once: true });
    const cancel = clock.after(ANSWER_MS, () => resolve({ text: "its server did not answer in time", failed: true }));
    const about = { pid, uid: ownerUid, parent: row.parentPid, at: clock.now() };
    bus.emit({ name: "process.server_call", ...about, call, tool, args });
    const { text, failed } = await promise.finally(() => {
      this.calls.delete(call);
      cancel();
      signal.removeEventListener("abort", over);
    });
    if (failed) throw new SysError("EIO", `${clip(tool)} failed: ${clip(text)}`);
    return text;
  }
}

function specOf(written: string): ToolSpec {
  try {
    const { name, description, parameters } = JSON.parse(written) as ToolSpec;
    if (typeof name === "string" && typeof description === "string" && typeof parameters === "object")
      return { name, description, parameters };
  } catch {} // not JSON: refused like JSON that is no tool
  throw new SysError("EINVAL", `not a tool: ${clip(written)}`, ["a tool has name, description and parameters"]);
}
