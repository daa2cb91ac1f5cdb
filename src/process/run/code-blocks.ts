// Code blocks (CodeMode). The service behind codemode.exec runs a block only for the tool call it belongs to. Each call of a block is stored,
// judged and run like a call by the model. After an approval or a kernel restart the block runs again from its beginning and gets the same
// results, so nothing happens twice. If it then makes other calls, it fails.

import { LIMITS } from "../../abi/config/limits.ts";
import { SysError } from "../../abi/errno.ts";
import { type RandomBytes, uuidv7 } from "../../abi/ids.ts";
import { MCP_CALL, mcpToolNamed } from "../../abi/links/mcp.ts";
import type { Clock } from "../../lib/clock.ts";
import { clip } from "../../lib/text/truncate.ts";
import type { NestedCall } from "../../store/process/nested.ts";
import type { CallRow, ProcessStore } from "../../store/process/verbs.ts";
import type { CodeMode } from "../../syscalls/run/codemode.ts";
import type { AnySyscall } from "../../syscalls/table.ts";
import { type CallAnswer, type CodeRunner, runBlock } from "../../tools/code-block.ts";
import type { BlockServer } from "../../tools/code-words.ts";
import type { CallsOutcome, CurrentRun } from "./current-run.ts";
import type { OfferedTools, ServerFunction } from "./offered-tools.ts";
import { asCalled, SERVER_CALL } from "./tool-servers.ts";

export interface BlocksPorts {
  readonly newRunner: () => CodeRunner;
  readonly clock: Clock;
}

const LOGS_TOLD = 40;

export class Blocks implements CodeMode {
  private readonly open = new Map<string, BlockCalls>();
  private running = 0;

  constructor(private readonly ports: BlocksPorts) {}

  /** While the work runs, the call with this id may run its block. */
  async during<T>(dispatchId: string, calls: BlockCalls, work: () => Promise<T>): Promise<T> {
    this.open.set(dispatchId, calls);
    try {
      return await work();
    } finally {
      this.open.delete(dispatchId);
    }
  }

  async exec({ requestId, signal }: Parameters<CodeMode["exec"]>[0], { code, args }: Parameters<CodeMode["exec"]>[1]) {
    const calls = this.open.get(requestId);
    if (calls === undefined) throw new SysError("EPERM", "only the tool CodeMode runs code blocks");
    if (this.running >= LIMITS.codeRunningMax)
      throw new SysError("ELIMIT", `${LIMITS.codeRunningMax} code blocks are already running`, [
        "try again in a moment",
      ]);
    this.running++;
    try {
      const request = { code, args, servers: await calls.servers(code), ...beginningOf(requestId) };
      const place = { call: (name: string, json: string) => calls.call(name, json), signal };
      const { result, logs, fault } = await runBlock(this.ports, request, place);
      if (fault !== null) throw new SysError("EINVAL", `the code failed: ${fault}`, logHints(logs));
      return { result: result === null ? null : (JSON.parse(result) as unknown), logs };
    } finally {
      this.running--;
    }
  }
}

/** Time and seed derive from the call id, so that a repeated run of the block is identical. */
function beginningOf(dispatchId: string): { readonly now: number; readonly seed: number } {
  const hex = dispatchId.replaceAll("-", "");
  return { now: Number.parseInt(hex.slice(0, 12), 16) || 0, seed: Number.parseInt(hex.slice(-8), 16) || 1 };
}

function logHints(logs: readonly string[]): readonly string[] {
  if (logs.length === 0) return [];
  const left = logs.length - LOGS_TOLD;
  return ["its log:", ...(left > 0 ? [`(${left} earlier lines)`] : []), ...logs.slice(-LOGS_TOLD)];
}

export interface BlockCallPorts {
  readonly table: ReadonlyMap<string, AnySyscall>;
  readonly store: ProcessStore;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly offered: Pick<OfferedTools, "functions" | "declarations">;
  readonly runOne: (place: CurrentRun, call: CallRow) => Promise<CallsOutcome>;
}

/** Calls that a model could make itself and that end when they return. */
const CALLABLE = ["fs.read", "fs.write", "fs.edit", "fs.delete", "fs.search", "shell.exec", "net.fetch", SERVER_CALL];

export class BlockCalls {
  /** The block stopped: it waits for approval, or the run belongs to another kernel. */
  left = false;
  private position = 0;
  private bytes = 0;
  private known: Map<number, NestedCall> | null = null;
  private functions: readonly ServerFunction[] = [];

  constructor(
    private readonly ports: BlockCallPorts,
    private readonly place: CurrentRun,
    private readonly block: CallRow,
  ) {}

  async isAgain(): Promise<boolean> {
    return (await this.load()).size > 0;
  }

  /** The MCP servers of the process. Only those that the code names come with their types. */
  async servers(code: string): Promise<readonly BlockServer[]> {
    const { offered } = this.ports;
    this.functions = await offered.functions(this.place.row);
    const byServer = Map.groupBy(this.functions, ({ server }) => server);
    const named = ([name, functions]: [string, readonly ServerFunction[]]) => ({
      ...{ name, tools: functions.map(({ tool }) => tool) },
      isNamed: code.includes(name) || code.includes(name.replaceAll("-", "_")),
    });
    return await Promise.all(
      [...byServer].map(named).map(async ({ isNamed, ...server }) => ({
        ...server,
        types: isNamed ? await offered.declarations(this.place.row, server.name) : server.tools.join(" "),
      })),
    );
  }

  async call(name: string, json: string): Promise<CallAnswer> {
    const position = this.position++;
    const known = (await this.load()).get(position) ?? null;
    const syscall = CALLABLE.includes(name) ? this.ports.table.get(name) : undefined;
    if (syscall === undefined) throw new SysError("EINVAL", `code blocks cannot call ${name.slice(0, 40)}`);
    if (Buffer.byteLength(json) > LIMITS.toolArgsBytesMax)
      return { fault: `EFBIG: one call takes at most ${LIMITS.toolArgsBytesMax} bytes` };
    const args = JSON.parse(json) as CallRow["args"];
    if (known !== null && (known.call.call !== name || JSON.stringify(asCalled(known.call)) !== JSON.stringify(args)))
      throw new SysError("ECONFLICT", `the block made other calls when it ran again: call ${position + 1} differs`);
    this.count(json);
    if (known?.result) return this.answered(known.result);
    return await this.carryOut(
      position,
      known?.call ?? (await this.begun(position, syscall, this.asModel(syscall, args))),
    );
  }

  /** The call as a model would make it. */
  private asModel(syscall: AnySyscall, args: CallRow["args"]): Pick<CallRow, "tool" | "args"> {
    if (syscall.name !== SERVER_CALL) return { tool: syscall.tool?.name ?? syscall.name, args };
    const name = mcpToolNamed(String(args.tool));
    const found = this.functions.find(({ server, tool }) => server === name?.server && tool === name.tool);
    if (found === undefined)
      throw new SysError("EINVAL", `no server of this process has the tool ${clip(String(args.tool))}`);
    const { server, tool, by } = found;
    const given = args.args as CallRow["args"];
    return { tool: by, args: by === MCP_CALL ? { tool: `${server}.${tool}`, args: given } : given };
  }

  private async begun(
    position: number,
    syscall: AnySyscall,
    { tool, args }: Pick<CallRow, "tool" | "args">,
  ): Promise<CallRow> {
    const { store, clock, random } = this.ports;
    const { row, run } = this.place;
    const now = clock.now();
    const call: CallRow = {
      dispatchId: uuidv7(now, random),
      callId: `${this.block.callId}.${position + 1}`,
      tool,
      call: syscall.name,
      args,
      repeat: syscall.tool?.repeat ?? "effect",
      status: "registered",
      block: this.block.dispatchId,
    };
    const stored = await store.nest(row.pid, run.epoch, { block: this.block.dispatchId, position, call, now });
    if (!stored.ok) throw this.aside();
    return call;
  }

  private async carryOut(position: number, call: CallRow): Promise<CallAnswer> {
    if ((await this.ports.runOne(this.place, call)) === "left") throw this.aside();
    this.known = null;
    const result = (await this.load()).get(position)?.result;
    if (result === undefined || result === null) throw this.aside();
    return this.answered(result);
  }

  private answered({ outcome, output }: NonNullable<NestedCall["result"]>): CallAnswer {
    this.count(output);
    return outcome === "completed"
      ? { value: JSON.parse(output) as unknown }
      : { fault: output.replaceAll("\n", "; ") };
  }

  private count(text: string): void {
    this.bytes += Buffer.byteLength(text);
    if (this.bytes <= LIMITS.codeTrafficBytesMax) return;
    const most = LIMITS.codeTrafficBytesMax / 1024 / 1024;
    throw new SysError("EFBIG", `calls and results of a code block exceed ${most} MiB`, [
      "split it into several blocks",
    ]);
  }

  private aside(): SysError {
    this.left = true;
    return new SysError("ECANCELED", "the block was stopped");
  }

  private async load(): Promise<Map<number, NestedCall>> {
    this.known ??= new Map(
      (await this.ports.store.nested(this.place.row.pid, this.block.dispatchId)).map((each) => [each.position, each]),
    );
    return this.known;
  }
}
