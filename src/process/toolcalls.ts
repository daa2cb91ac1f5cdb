// The tool calls of a turn, one after the other in source order: known, well-formed, allowed, written ahead, carried out through the same
// dispatch as everything else, result stored. A call ends exactly once; whatever goes wrong with it is its result.

import { normalise } from "../../fs/path.ts";
import { keyFiled } from "../abi/config-key.ts";
import { SysError } from "../abi/errno.ts";
import type { Caller } from "../abi/identity.ts";
import { approvalId, type RandomBytes } from "../abi/ids.ts";
import { LIMITS } from "../abi/limits.ts";
import { normaliseText, type ToolOutcome } from "../abi/message.ts";
import { type Approval, PROFILES_ALONE } from "../abi/process.ts";
import type { ToolSpec } from "../abi/stream.ts";
import { KERNEL_LEAVES, type Sys } from "../abi/sys.ts";
import type { Clock } from "../lib/clock.ts";
import { headAndTail } from "../lib/truncate.ts";
import type { ApprovalRows } from "../store/kernel/approvals.ts";
import type { ProcessRow } from "../store/kernel/processes.ts";
import type { CallRow, Claimed, ProcessStore } from "../store/process/verbs.ts";
import { renderText } from "../syscalls/format.ts";
import { parseArgs } from "../syscalls/parse.ts";
import { parametersOf } from "../syscalls/schema.ts";
import type { AnySyscall } from "../syscalls/table.ts";
import { tooHeavy } from "./arguments.ts";
import type { Ledger } from "./ledger.ts";
import { changesFile, hashOf, type Judge, type Judged } from "./policy/judge.ts";
import type { Questions } from "./questions.ts";

export interface ToolCallPorts {
  readonly table: ReadonlyMap<string, AnySyscall>;
  readonly store: ProcessStore;
  readonly approvals: ApprovalRows;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** The process's own door, with its agent as caller; through the approved one goes what a person has seen and approved. */
  readonly sysOf: (row: ProcessRow, seen?: Seen) => Sys;
  readonly judge: Judge;
  /** As it is now: its mode may have changed since the run began. */
  readonly rowNow: (row: ProcessRow) => Promise<ProcessRow>;
  readonly questions: Questions;
}

/** What of a call a person has seen and allowed, or a rule lets it do. */
export type Seen = Pick<Caller, "approved" | "allowed" | "lifted">;

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

  private async runOne(begun: RunPlace, call: CallRow): Promise<CallsOutcome> {
    const place = { ...begun, row: await this.ports.rowNow(begun.row) };
    const fault = this.faultOf(call);
    if (fault !== null) return await this.refuse(place, call, "failed", fault);
    if (call.call === "hil.ask") return await this.question(place, call);
    // Once more where a person has approved it: what is shown may have come to be something else since.
    const judged = await this.ports.judge.judge(place.row, call);
    const { verdict } = judged;
    if (verdict.action === "refuse") return await this.refuse(place, call, "failed", verdict.why);
    if (verdict.action === "deny")
      return await this.refuse(place, call, "denied", `denied by a policy: ${verdict.why}; do not try another way.`);
    if (call.status === "registered" && verdict.action === "ask") {
      if (!PROFILES_ALONE.includes(place.row.profile)) return await this.ask(place, call, { why: verdict.why, judged });
      const alone = `${call.tool} needs a person's approval and this process has nobody to ask.`;
      return await this.refuse(place, call, "denied", alone);
    }
    return await this.carryOut(place, call, judged);
  }

  private async question(place: RunPlace, call: CallRow): Promise<CallsOutcome> {
    const { row, run } = place;
    const asked = this.ports.questions.of(row, call);
    if ("output" in asked) return await this.refuse(place, call, asked.outcome, asked.output);
    const stored = await this.ports.store.ask(row.pid, run.epoch, {
      ...{ ...asked.request, dispatchId: call.dispatchId },
      approvalId: await this.freshApprovalId(),
    });
    if (stored.ok) this.ports.questions.watch(stored.value);
    await this.ports.ledger.publish(row);
    return "left";
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

  private async ask(
    place: RunPlace,
    call: CallRow,
    { why, judged }: { readonly why: string; readonly judged: Judged },
  ): Promise<CallsOutcome> {
    const { row, run } = place;
    const asked = await this.ports.store.ask(row.pid, run.epoch, {
      kind: "approval",
      dispatchId: call.dispatchId,
      approvalId: await this.freshApprovalId(),
      why,
      about: judged.about,
      hash: hashOf(call, judged),
      expiresAt: null,
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

  private async carryOut(place: RunPlace, call: CallRow, judged: Judged): Promise<CallsOutcome> {
    const { row, run, signal } = place;
    const begun = await this.ports.store.beginCall(row.pid, run.epoch, call.dispatchId);
    if (!begun.ok) return "left";
    await this.ports.ledger.publish(row);
    this.announce(place, call);
    const { outcome, output } = await this.effect({ row, call, judged }, signal);
    // It may have outlived this kernel: the next one asks for it again.
    if (signal.reason === KERNEL_LEAVES && call.repeat === "resume") return "left";
    return await this.end(place, call, outcome, output);
  }

  private async effect(
    { row, call, judged }: { readonly row: ProcessRow; readonly call: CallRow; readonly judged: Judged },
    signal: AbortSignal,
  ): Promise<{ outcome: ToolOutcome; output: string }> {
    const syscall = call.call === null ? undefined : this.ports.table.get(call.call);
    if (syscall === undefined) return { outcome: "failed", output: `there is no tool ${call.tool}.` };
    try {
      const approval = call.status === "approved" ? await this.approvedAs(row, call, judged) : null;
      const sys = this.ports.sysOf(row, seenOf(call, judged, approval !== null));
      const result = await sys.call(syscall.name, call.args, { requestId: call.dispatchId, signal });
      const output = syscall.tool?.text?.(result as never) ?? renderText(syscall.cli.print, result);
      return { outcome: "completed", output: `${approval?.edited ? editedText(call, approval) : ""}${output}` };
    } catch (error) {
      return { outcome: signal.aborted ? "cancelled" : "failed", output: errorText(error) };
    }
  }

  /** What a person said yes to, if this is still that: a link may lead elsewhere since, a file hold something else. */
  private async approvedAs(row: ProcessRow, call: CallRow, judged: Judged): Promise<Approval | null> {
    const approval = await this.ports.store.approvedAs(row.pid, call.dispatchId);
    // A read that was cut off is marked so as well: nobody was asked about that.
    if (approval === null) return null;
    if (approval.hash === hashOf(call, judged)) return approval;
    const isSame = approval.why.endsWith(judged.what);
    const now = isSame ? "what it would change is not the same any more" : `it would ${judged.what} now`;
    throw new SysError("EPERM", `what ${approval.by} has approved is to ${approval.why}, and ${now}`, [
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

function seenOf(call: CallRow, judged: Judged, isApproved: boolean): Seen {
  const { place, about, lifted } = judged;
  if (isApproved && call.call === "shell.exec")
    return { approved: true, ...(about.directory !== null && { allowed: about.directory }) };
  if (isApproved && place !== null && (changesFile(call) || call.call === "fs.delete"))
    return isSetting(call) ? { approved: true } : { allowed: place };
  return lifted ? { lifted: true, ...(about.directory !== null && { allowed: about.directory }) } : {};
}

/** The model asked for something else, and has to know what became of it. */
function editedText({ args }: CallRow, { by }: Approval): string {
  return `(${by} changed this call before it ran, to ${JSON.stringify(args)})\n`;
}

function isSetting(call: CallRow): boolean {
  const { path } = call.args;
  return changesFile(call) && typeof path === "string" && path.startsWith("/") && keyFiled(normalise(path)) !== null;
}

function errorText(error: unknown): string {
  if (!(error instanceof SysError)) return "a fault inside gsv";
  return [`${error.code}: ${error.message}`, ...error.hints].join("\n");
}
