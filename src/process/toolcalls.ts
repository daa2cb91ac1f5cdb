// The tool calls of a turn, one after the other in source order: known, well-formed, allowed, written ahead, carried out through the same
// dispatch as everything else, result stored. A call ends exactly once; whatever goes wrong with it is its result.

import { type KeyWritten, keyFiled } from "../abi/config-key.ts";
import { SysError } from "../abi/errno.ts";
import type { Caller } from "../abi/identity.ts";
import { approvalId, type RandomBytes } from "../abi/ids.ts";
import { LIMITS } from "../abi/limits.ts";
import { normaliseText, type ToolOutcome } from "../abi/message.ts";
import { PROFILES_ALONE } from "../abi/process.ts";
import type { ToolSpec } from "../abi/stream.ts";
import { KERNEL_LEAVES, type Sys } from "../abi/sys.ts";
import type { FileGround } from "../kernel/host-files.ts";
import type { HostGround } from "../kernel/host-shells.ts";
import type { Clock } from "../lib/clock.ts";
import { headAndTail } from "../lib/truncate.ts";
import type { ApprovalRows } from "../store/kernel/approvals.ts";
import type { ProcessRow } from "../store/kernel/processes.ts";
import { StoreUnavailable } from "../store/open.ts";
import type { CallRow, Claimed, ProcessStore } from "../store/process/verbs.ts";
import { renderText } from "../syscalls/format.ts";
import { parseArgs } from "../syscalls/parse.ts";
import { parametersOf } from "../syscalls/schema.ts";
import type { ExecRequest } from "../syscalls/shell-service.ts";
import type { AnySyscall } from "../syscalls/table.ts";
import { tooHeavy } from "./arguments.ts";
import { BlockCalls } from "./block-calls.ts";
import type { Blocks } from "./blocks.ts";
import { changesFile, isSetting, namesItself, pathNamed } from "./call-files.ts";
import type { Changes } from "./changes.ts";
import { hostFileVerdict, isHostFileCall } from "./host-file-policy.ts";
import type { Ledger } from "./ledger.ts";
import { isLoopWhy, unlessLoop } from "./loops.ts";
import { type Verdict, verdictOf } from "./policy.ts";
import { shellVerdict } from "./shell-policy.ts";

export interface ToolCallPorts {
  readonly table: ReadonlyMap<string, AnySyscall>;
  readonly store: ProcessStore;
  readonly approvals: ApprovalRows;
  readonly ledger: Ledger;
  readonly blocks: Blocks;
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** The process's own door, with its agent as caller; through the approved one goes what a person has seen and approved. */
  readonly sysOf: (row: ProcessRow, seen?: Pick<Caller, "approved" | "allowed">) => Sys;
  /** The file a path leads to for the process's agent, links followed. */
  readonly locate: (row: ProcessRow, path: string) => Promise<string>;
  /** Where on the host a command of the process would run; refuses where it cannot. */
  readonly hostGround: (row: ProcessRow, command: string, cwd: string | undefined) => Promise<HostGround>;
  /** The same for a file of the host. */
  readonly hostFile: (row: ProcessRow, path: string) => Promise<FileGround>;
  /** A file with all of a long result that the process can read; null where there is no room. */
  readonly keep: (row: ProcessRow, id: string, text: string) => Promise<string | null>;
  /** A person has said yes to a directory of the host. */
  readonly attach: (row: ProcessRow, directory: string) => Promise<void>;
  /** What a change of a setting would do; refuses what no agent may change. Null: what it would become is not known. */
  /** Notes what each call changes in files. */
  readonly changes: Pick<Changes, "begin" | "end">;
  readonly proposal: (row: ProcessRow, key: KeyWritten, value: string | null) => Promise<string>;
}

export interface RunPlace {
  readonly row: ProcessRow;
  readonly run: Claimed;
  readonly signal: AbortSignal;
  /** Aborted when somebody wants the run to step aside at the next safe point. */
  readonly leaving: AbortSignal;
}

/** done: every call has its result. left: the run stepped aside, waits for a person, or belongs to somebody else now. */
export type CallsOutcome = "done" | "left";

/** Room for the name of the file with all of it. */
const FILE_BYTES = 256;

export class ToolCalls {
  private readonly byTool: ReadonlyMap<string, AnySyscall>;

  constructor(private readonly ports: ToolCallPorts) {
    this.byTool = new Map(
      [...ports.table.values()].flatMap((call) => (call.tool === undefined ? [] : [[call.tool.name, call]])),
    );
  }

  specs(): ToolSpec[] {
    return [...this.byTool].map(([name, call]) => ({
      name,
      description: call.tool?.description ?? call.summary,
      parameters: parametersOf(call.input),
    }));
  }

  syscallOf(tool: string): AnySyscall | null {
    return this.byTool.get(tool) ?? null;
  }

  async runAll(place: RunPlace): Promise<CallsOutcome> {
    const { row, run } = place;
    for (const call of await this.ports.store.openCalls(row.pid, run.runId)) {
      if (place.signal.aborted) return "left";
      if (place.leaving.aborted) {
        // A stop is written down here; what is left of the turn is taken up by the next claim.
        const now = this.ports.clock.now();
        await this.ports.store.boundary(row.pid, run.epoch, { runId: run.runId, enter: false, now });
        await this.ports.ledger.publish(row);
        return "left";
      }
      if ((await this.runOne(place, call)) === "left") return "left";
    }
    return "done";
  }

  private async runOne(place: RunPlace, call: CallRow): Promise<CallsOutcome> {
    const fault = this.faultOf(call);
    if (fault !== null) return await this.refuse(place, call, "failed", fault);
    if (call.status === "registered") {
      const { store } = this.ports;
      const verdict = await unlessLoop(store, place.row.pid, call, await this.verdict(place.row, call));
      if (verdict.action === "refuse") return await this.refuse(place, call, "failed", verdict.why);
      if (verdict.action === "ask") {
        if (!PROFILES_ALONE.includes(place.row.profile)) return await this.ask(place, call, verdict.why);
        const alone = isLoopWhy(verdict.why)
          ? `You ${verdict.why}. Do something else, or say what is in the way.`
          : `${call.tool} needs a person's approval and this process has nobody to ask.`;
        return await this.refuse(place, call, "denied", alone);
      }
    }
    return await this.carryOut(place, call);
  }

  private async verdict(row: ProcessRow, call: CallRow): Promise<Verdict> {
    if (call.call === "shell.exec") return await this.shellVerdict(row, call);
    if (isHostFileCall(call)) return await this.hostFileVerdict(row, call);
    const { path, content } = call.args;
    const place = typeof path === "string" ? await this.ports.locate(row, path) : "";
    const key = changesFile(call) ? keyFiled(place) : null;
    if (key === null) return verdictOf(call, place);
    try {
      // What a person approves is what they read: a link to a setting could lead elsewhere by then.
      if (!namesItself(call, place)) throw new SysError("EPERM", `a setting is changed by its own path: ${place}`);
      return { action: "ask", why: await this.ports.proposal(row, key, typeof content === "string" ? content : null) };
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      return { action: "refuse", why: errorText(error) };
    }
  }

  private async shellVerdict(row: ProcessRow, { args }: CallRow): Promise<Verdict> {
    const request = { target: "gsv", ...args } as ExecRequest;
    try {
      const { command, target, cwd } = request;
      const isOnHost = command !== undefined && target === "host";
      return shellVerdict(request, isOnHost ? await this.ports.hostGround(row, command, cwd) : null);
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      return { action: "refuse", why: errorText(error) };
    }
  }

  private async hostFileVerdict(row: ProcessRow, call: CallRow): Promise<Verdict> {
    try {
      return hostFileVerdict(call, await this.ports.hostFile(row, pathNamed(call)));
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      return { action: "refuse", why: errorText(error) };
    }
  }

  // Told like any other call, so that whoever looks on never sees a result without its call.
  private refuse(place: RunPlace, call: CallRow, outcome: ToolOutcome, why: string): Promise<CallsOutcome> {
    this.announce(place, call);
    return this.end(place, call, outcome, why);
  }

  // What a block calls is told with the block.
  private announce({ row, run }: RunPlace, { callId, tool, call, args, block }: CallRow): void {
    if (block !== undefined) return;
    this.ports.ledger.emit(row, { name: "chat.tool_call", run: run.runId, callId, tool, call: call ?? tool, args });
  }

  // What is wrong with the call itself, told so that a model can mend it.
  private faultOf(call: CallRow): string | null {
    const heavy = tooHeavy(call.tool, call.args);
    if (heavy !== null) return heavy;
    const syscall = call.call === null ? undefined : this.ports.table.get(call.call);
    if (syscall === undefined)
      return `there is no tool ${call.tool}; the tools are ${[...this.byTool.keys()].join(", ")}.`;
    try {
      parseArgs(syscall.input, call.args, { unknownKeys: "refuse" });
      return null;
    } catch (error) {
      return errorText(error);
    }
  }

  private async ask(place: RunPlace, call: CallRow, why: string): Promise<CallsOutcome> {
    const { row, run } = place;
    const id = await this.freshApprovalId();
    const asked = await this.ports.store.ask(row.pid, run.epoch, {
      dispatchId: call.dispatchId,
      approvalId: id,
      why,
      now: this.ports.clock.now(),
    });
    if (!asked.ok) return "left";
    await this.ports.ledger.publish(row);
    return "left";
  }

  private async freshApprovalId(): Promise<string> {
    const open = new Set((await this.ports.approvals.open({})).map((approval) => approval.id));
    for (;;) {
      const id = approvalId(this.ports.random);
      if (!open.has(id)) return id;
    }
  }

  private async carryOut(place: RunPlace, call: CallRow): Promise<CallsOutcome> {
    const { row, run, signal } = place;
    await this.ports.changes.begin(row, run.runId, call);
    const begun = await this.ports.store.beginCall(row.pid, run.epoch, call.dispatchId);
    if (!begun.ok) return "left";
    await this.ports.ledger.publish(row);
    const block = call.call === "codemode.exec" ? this.blockOf(place, call) : null;
    // One that is taken up again was told of when it began.
    if (!(await block?.isAgain())) this.announce(place, call);
    const work = () => this.effect(row, call, signal);
    const { outcome, output } =
      block === null ? await work() : await this.ports.blocks.during(call.dispatchId, block, work);
    if (block?.left) return "left";
    // It may have outlived this kernel: the next one asks for it again. A block is told the same as before.
    const isAskedAgain = call.repeat === "resume" || (call.block !== undefined && call.repeat === "read");
    if (signal.reason === KERNEL_LEAVES && isAskedAgain) return "left";
    await this.ports.changes.end(row, call);
    return await this.end(place, call, outcome, output);
  }

  private blockOf(place: RunPlace, call: CallRow): BlockCalls {
    const { table, store, clock, random } = this.ports;
    const runOne = (where: RunPlace, nested: CallRow) => this.runOne(where, nested);
    return new BlockCalls({ table, store, clock, random, runOne }, place, call);
  }

  private async effect(
    row: ProcessRow,
    call: CallRow,
    signal: AbortSignal,
  ): Promise<{ outcome: ToolOutcome; output: string }> {
    const syscall = call.call === null ? undefined : this.ports.table.get(call.call);
    if (syscall === undefined) return { outcome: "failed", output: `there is no tool ${call.tool}.` };
    try {
      const sys = this.ports.sysOf(row, await this.seen(row, call));
      const result = await sys.call(syscall.name, call.args, { requestId: call.dispatchId, signal });
      return { outcome: "completed", output: call.block === undefined ? told(syscall, result) : json(result) };
    } catch (error) {
      return { outcome: signal.aborted ? "cancelled" : "failed", output: errorText(error) };
    }
  }

  /** What of this call a person has seen and allowed: a setting, or one file where it really lies. */
  private async seen(row: ProcessRow, call: CallRow): Promise<Pick<Caller, "approved" | "allowed">> {
    const { path } = call.args;
    // By now it is allowed, by whatever rule.
    if (call.call === "net.fetch") return { approved: true };
    if (call.status === "approved" && isLoopWhy(await this.ports.store.approvedWhy(row.pid, call.dispatchId)))
      return {};
    if (call.status === "approved" && call.call === "shell.exec") return { approved: true };
    if (call.status === "approved" && isHostFileCall(call)) return { allowed: await this.hostFileShown(row, call) };
    if (call.status !== "approved" || typeof path !== "string") return {};
    if (!changesFile(call) && call.call !== "fs.delete") return {};
    return isSetting(call) ? { approved: true } : { allowed: await this.placeShown(row, call, path) };
  }

  /** A link on the way may lead elsewhere since: a yes is to the file that was shown. */
  private async placeShown(row: ProcessRow, call: CallRow, path: string): Promise<string> {
    const place = await this.ports.locate(row, path);
    await this.needShown(row, call, { verdict: verdictOf(call, place), place });
    return place;
  }

  /** Of the host the same; what the yes attaches is attached by it. */
  private async hostFileShown(row: ProcessRow, call: CallRow): Promise<string> {
    const ground = await this.ports.hostFile(row, pathNamed(call));
    await this.needShown(row, call, { verdict: hostFileVerdict(call, ground), place: ground.path });
    if (ground.attaches !== null) await this.ports.attach(row, ground.attaches);
    return ground.path;
  }

  private async needShown(
    row: ProcessRow,
    call: CallRow,
    { verdict, place }: { readonly verdict: Verdict; readonly place: string },
  ): Promise<void> {
    const why = await this.ports.store.approvedWhy(row.pid, call.dispatchId);
    if (verdict.action === "ask" && verdict.why === why) return;
    throw new SysError(
      "EPERM",
      `what a person has approved is to ${why}, and ${pathNamed(call)} leads to ${place} now`,
      ["make the call again: it asks anew"],
    );
  }

  private async end(place: RunPlace, call: CallRow, outcome: ToolOutcome, text: string): Promise<CallsOutcome> {
    const { row, run } = place;
    const isNested = call.block !== undefined;
    const output = isNested ? text : await this.told(row, call, normaliseText(text));
    const ended = await this.ports.store.endCall(row.pid, run.epoch, call.dispatchId, {
      outcome,
      output,
      now: this.ports.clock.now(),
    });
    if (!ended.ok) return "left";
    if (isNested) return "done";
    this.ports.ledger.emit(row, {
      name: "chat.tool_result",
      run: run.runId,
      callId: call.callId,
      tool: call.tool,
      call: call.call ?? call.tool,
      ok: outcome === "completed",
      seq: ended.value.seq,
      output,
    });
    return "done";
  }

  private async told(row: ProcessRow, { dispatchId }: CallRow, text: string): Promise<string> {
    if (headAndTail(text, LIMITS.toolOutputBytesMax).omittedBytes === 0) return text;
    const ends = headAndTail(text, LIMITS.toolOutputBytesMax - FILE_BYTES).text;
    const file = await this.ports.keep(row, dispatchId, text);
    return file === null ? ends : `${ends}\n(all of it: ${file})`;
  }
}

/** As a model reads it. */
function told({ tool, cli }: AnySyscall, result: unknown): string {
  return tool?.text?.(result as never) ?? renderText(cli.print, result);
}

function json(result: unknown): string {
  return JSON.stringify(result ?? null);
}

function errorText(error: unknown): string {
  if (!(error instanceof SysError)) return "a fault inside gsv";
  return [`${error.code}: ${error.message}`, ...error.hints].join("\n");
}
