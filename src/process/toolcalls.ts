// The tool calls of a turn, one after the other in source order: known, well-formed, allowed, written ahead, carried out through the same
// dispatch as everything else, result stored. A call ends exactly once; whatever goes wrong with it is its result.

import { normalise } from "../../fs/path.ts";
import { type KeyWritten, keyFiled } from "../abi/config-key.ts";
import { SysError } from "../abi/errno.ts";
import type { Caller } from "../abi/identity.ts";
import { approvalId, type RandomBytes } from "../abi/ids.ts";
import { LIMITS } from "../abi/limits.ts";
import { normaliseText, type ToolOutcome } from "../abi/message.ts";
import { PROFILES_ALONE } from "../abi/process.ts";
import type { ToolSpec } from "../abi/stream.ts";
import { KERNEL_LEAVES, type Sys } from "../abi/sys.ts";
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
import type { Changes } from "./changes.ts";
import type { Ledger } from "./ledger.ts";
import { isLoopWhy, unlessLoop } from "./loops.ts";
import { type Verdict, verdictOf } from "./policy.ts";
import { shellVerdict } from "./shell-policy.ts";

export interface ToolCallPorts {
  readonly table: ReadonlyMap<string, AnySyscall>;
  readonly store: ProcessStore;
  readonly approvals: ApprovalRows;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** The process's own door, with its agent as caller; through the approved one goes what a person has seen and approved. */
  readonly sysOf: (row: ProcessRow, seen?: Pick<Caller, "approved" | "allowed">) => Sys;
  /** The file a path leads to for the process's agent, links followed. */
  readonly locate: (row: ProcessRow, path: string) => Promise<string>;
  /** Where on the host a command of the process would run; refuses where it cannot. */
  readonly hostGround: (row: ProcessRow, command: string, cwd: string | undefined) => Promise<HostGround>;
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

  // Told like any other call, so that whoever looks on never sees a result without its call.
  private refuse(place: RunPlace, call: CallRow, outcome: ToolOutcome, why: string): Promise<CallsOutcome> {
    this.announce(place, call);
    return this.end(place, call, outcome, why);
  }

  private announce({ row, run }: RunPlace, { callId, tool, call, args }: CallRow): void {
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
    this.announce(place, call);
    const { outcome, output } = await this.effect(row, call, signal);
    // It may have outlived this kernel: the next one asks for it again.
    if (signal.reason === KERNEL_LEAVES && call.repeat === "resume") return "left";
    await this.ports.changes.end(row, call);
    return await this.end(place, call, outcome, output);
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
      return {
        outcome: "completed",
        output: syscall.tool?.text?.(result as never) ?? renderText(syscall.cli.print, result),
      };
    } catch (error) {
      return { outcome: signal.aborted ? "cancelled" : "failed", output: errorText(error) };
    }
  }

  /** What of this call a person has seen and allowed: a setting, or one file where it really lies. */
  private async seen(row: ProcessRow, call: CallRow): Promise<Pick<Caller, "approved" | "allowed">> {
    const { path } = call.args;
    if (call.status === "approved" && isLoopWhy(await this.ports.store.approvedWhy(row.pid, call.dispatchId)))
      return {};
    if (call.status === "approved" && call.call === "shell.exec") return { approved: true };
    if (call.status !== "approved" || typeof path !== "string") return {};
    if (!changesFile(call) && call.call !== "fs.delete") return {};
    return isSetting(call) ? { approved: true } : { allowed: await this.placeShown(row, call, path) };
  }

  /** A link on the way may lead elsewhere since: a yes is to the file that was shown. */
  private async placeShown(row: ProcessRow, call: CallRow, path: string): Promise<string> {
    const place = await this.ports.locate(row, path);
    const now = verdictOf(call, place);
    const why = await this.ports.store.approvedWhy(row.pid, call.dispatchId);
    if (now.action === "ask" && now.why === why) return place;
    throw new SysError("EPERM", `what a person has approved is to ${why}, and ${path} leads to ${place} now`, [
      "make the call again: it asks anew",
    ]);
  }

  private async end(place: RunPlace, call: CallRow, outcome: ToolOutcome, text: string): Promise<CallsOutcome> {
    const { row, run } = place;
    const output = headAndTail(normaliseText(text), LIMITS.toolOutputBytesMax).text;
    const ended = await this.ports.store.endCall(row.pid, run.epoch, call.dispatchId, {
      outcome,
      output,
      now: this.ports.clock.now(),
    });
    if (!ended.ok) return "left";
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
}

function changesFile({ call }: CallRow): boolean {
  return call === "fs.write" || call === "fs.edit";
}

function namesItself({ args }: CallRow, place: string): boolean {
  return typeof args.path === "string" && args.path.startsWith("/") && normalise(args.path) === place;
}

function isSetting(call: CallRow): boolean {
  const { path } = call.args;
  return changesFile(call) && typeof path === "string" && path.startsWith("/") && keyFiled(normalise(path)) !== null;
}

function errorText(error: unknown): string {
  if (!(error instanceof SysError)) return "a fault inside gsv";
  return [`${error.code}: ${error.message}`, ...error.hints].join("\n");
}
