// The tool calls of a turn, one after the other in source order: known, well-formed, allowed, written ahead, carried out through the same
// dispatch as everything else, result stored. A call ends exactly once; whatever goes wrong with it is its result.

import { LIMITS } from "../../abi/config/limits.ts";
import { SysError } from "../../abi/errno.ts";
import type { Caller } from "../../abi/identity.ts";
import { approvalId, type RandomBytes } from "../../abi/ids.ts";
import { type MediaRef, normaliseText, type ToolOutcome } from "../../abi/process/message.ts";
import { type Approval, PROFILES_ALONE } from "../../abi/process/process.ts";
import { KERNEL_LEAVES, type Sys } from "../../abi/sys.ts";
import type { Clock } from "../../lib/clock.ts";
import { headAndTail } from "../../lib/text/truncate.ts";
import type { ApprovalRows } from "../../store/kernel/processes/approvals.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { CallEnd, CallRow, ProcessStore } from "../../store/process/verbs.ts";
import { renderText } from "../../syscalls/format.ts";
import { parseArgs } from "../../syscalls/parse.ts";
import type { AnySyscall } from "../../syscalls/table.ts";
import { editedText, needSame, type Seen, seenOf } from "../approvals/policy/allowed.ts";
import { hashOf, type Judge, type Judged } from "../approvals/policy/judge.ts";
import type { Questions } from "../approvals/questions.ts";
import type { Ledger } from "../life/ledger.ts";
import type { Changes } from "../workspace/changes.ts";
import { tooHeavy } from "./arguments.ts";
import { BlockCalls } from "./block-calls.ts";
import type { Blocks } from "./code-blocks.ts";
import { isLoopWhy, unlessLoop } from "./loops.ts";
import type { OfferedTools } from "./offered-tools.ts";
import type { CallsOutcome, RunPlace } from "./place.ts";
import { asCalled, type ToolServers } from "./tool-servers.ts";

export interface ToolCallPorts {
  readonly offered: OfferedTools;
  readonly table: ReadonlyMap<string, AnySyscall>;
  /** Tools that are opened for some processes. */
  readonly servers: Pick<ToolServers, "opened">;
  readonly store: ProcessStore;
  readonly approvals: ApprovalRows;
  readonly ledger: Ledger;
  readonly blocks: Blocks;
  /** A sign of life of the run that the process has in flight; a call that was given so much time may take it. */
  readonly active: (pid: string, untilMs?: number) => void;
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** The process's own door, with its agent as caller; through the approved one goes what a person has seen and approved. */
  readonly sysOf: (row: ProcessRow, seen?: Seen & Pick<Caller, "doing">) => Sys;
  readonly judge: Judge;
  /** What a hook of a person has against a call; null where none has anything, or the run has to end. */
  readonly objection: (place: RunPlace, call: CallRow) => Promise<string | null>;
  /** As it is now: its mode may have changed since the run began. */
  readonly rowNow: (row: ProcessRow) => Promise<ProcessRow>;
  readonly questions: Questions;
  /** A file with all of a long result that the process can read; null where there is no room. */
  readonly keep: (row: ProcessRow, id: string, text: string) => Promise<string | null>;
  /** A person has said yes to a directory of the host. */
  readonly attach: (row: ProcessRow, directory: string) => Promise<void>;
  /** An image that a call has come to, kept for the model to see. */
  readonly keepImage: (row: ProcessRow, bytes: Uint8Array) => Promise<MediaRef>;
  /** Notes what each call changes in files. */
  readonly changes: Pick<Changes, "begin" | "end">;
}

/** How a call ended, as it is told. */
type Ended = Omit<CallEnd, "now">;

/** Room for the name of the file with all of it. */
const FILE_BYTES = 256;

export class ToolCalls {
  constructor(private readonly ports: ToolCallPorts) {}

  async runAll(place: RunPlace): Promise<CallsOutcome> {
    const { row, run } = place;
    // Taken up after a start of gsv, they are not there yet.
    await this.ports.servers.opened(row.pid);
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
    const fault = this.faultOf(call, await this.ports.offered.namesFor(place.row));
    if (fault !== null) return await this.refuse(place, call, "failed", fault);
    if (call.call === "hil.ask") return await this.question(place, call);
    // Once more where a person has approved it: what is shown may have come to be something else since.
    const judged = await this.ports.judge.judge(place.row, call);
    if (judged.verdict.action === "deny") {
      const why = `denied by a policy: ${judged.verdict.why}; do not try another way.`;
      return await this.refuse(place, call, "denied", why);
    }
    const isNew = call.status === "registered";
    const { store } = this.ports;
    const verdict = isNew ? await unlessLoop(store, place.row.pid, call, judged.verdict) : judged.verdict;
    if (verdict.action === "refuse") return await this.refuse(place, call, "failed", verdict.why);
    const objection = await this.ports.objection(place, call);
    if (place.signal.aborted) return "left";
    if (objection !== null) return await this.refuse(place, call, "denied", objection);
    if (isNew && verdict.action === "ask") {
      if (!PROFILES_ALONE.includes(place.row.profile)) return await this.ask(place, call, { why: verdict.why, judged });
      const alone = isLoopWhy(verdict.why)
        ? `You ${verdict.why}. Do something else, or say what is in the way.`
        : `${call.tool} needs a person's approval and this process has nobody to ask.`;
      return await this.refuse(place, call, "denied", alone);
    }
    return await this.carryOut(place, call, judged);
  }

  private async question(place: RunPlace, call: CallRow): Promise<CallsOutcome> {
    const { row, run } = place;
    const asked = await this.ports.questions.of(row, call);
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
    return this.end(place, call, { outcome, output: why });
  }

  // What a block calls is told with the block.
  private announce({ row, run }: RunPlace, { callId, tool, call, args, block }: CallRow): void {
    if (block !== undefined) return;
    this.ports.ledger.emit(row, { name: "chat.tool_call", run: run.runId, callId, tool, call: call ?? tool, args });
  }

  // What is wrong with the call itself, told so that a model can mend it.
  private faultOf(call: CallRow, allowed: ReadonlySet<string>): string | null {
    const heavy = tooHeavy(call.tool, call.args);
    if (heavy !== null) return heavy;
    const syscall = call.call === null ? undefined : this.ports.table.get(call.call);
    if (syscall === undefined || !allowed.has(call.tool))
      return `there is no tool ${call.tool}; the tools are ${[...allowed].join(", ")}.`;
    try {
      parseArgs(syscall.input, asCalled(call), { unknownKeys: "refuse" });
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
      expiresAt: await this.ports.questions.approvalEnds(row),
      now: this.ports.clock.now(),
    });
    if (!asked.ok) return "left";
    this.ports.questions.watch(asked.value);
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
    await this.ports.changes.begin(row, run.runId, call, judged.attaches);
    const begun = await this.ports.store.beginCall(row.pid, run.epoch, call.dispatchId);
    if (!begun.ok) return "left";
    await this.ports.ledger.publish(row);
    const block = call.call === "codemode.exec" ? this.blockOf(place, call) : null;
    // One that is taken up again was told of when it began.
    if (!(await block?.isAgain())) this.announce(place, call);
    const { timeoutMs } = call.args;
    this.ports.active(row.pid, typeof timeoutMs === "number" ? timeoutMs : 0);
    const work = () => this.effect({ row, call, judged, run: run.runId }, signal);
    const ended = block === null ? await work() : await this.ports.blocks.during(call.dispatchId, block, work);
    if (block?.left) return "left";
    // It may have outlived this kernel: the next one asks for it again. A block is told the same as before.
    const isAskedAgain = call.repeat === "resume" || (call.block !== undefined && call.repeat === "read");
    if (signal.reason === KERNEL_LEAVES && isAskedAgain) return "left";
    await this.ports.changes.end(row, call);
    return await this.end(place, call, ended);
  }

  private blockOf(place: RunPlace, call: CallRow): BlockCalls {
    const { table, store, clock, random } = this.ports;
    const runOne = (where: RunPlace, nested: CallRow) => this.runOne(where, nested);
    return new BlockCalls({ table, store, clock, random, runOne }, place, call);
  }

  private async effect(
    {
      row,
      run,
      call,
      judged,
    }: { readonly row: ProcessRow; readonly run: string; readonly call: CallRow; readonly judged: Judged },
    signal: AbortSignal,
  ): Promise<Ended> {
    const syscall = call.call === null ? undefined : this.ports.table.get(call.call);
    if (syscall === undefined) return { outcome: "failed", output: `there is no tool ${call.tool}.` };
    try {
      const approval = call.status === "approved" ? await this.approvedAs(row, call, judged) : null;
      const seen = seenOf(call, judged, approval !== null && !isLoopWhy(approval.why));
      const sys = this.ports.sysOf(row, { ...seen, doing: { run, call: call.dispatchId, tool: call.tool } });
      // A block of code has no eyes.
      const shows = call.block === undefined ? syscall.tool?.shows : undefined;
      const args = { ...asCalled(call), ...shows?.with };
      const result = await sys.call(syscall.name, args, { requestId: call.dispatchId, signal });
      const image = shows?.image(result as never) ?? null;
      const media = image === null ? {} : { media: [await this.ports.keepImage(row, image)] };
      const output = call.block === undefined ? told(syscall, result) : json(result);
      return {
        outcome: "completed",
        output: `${approval?.edited ? editedText(call, approval) : ""}${output}`,
        ...media,
      };
    } catch (error) {
      return { outcome: signal.aborted ? "cancelled" : "failed", output: errorText(error) };
    }
  }

  /** What a person said yes to, if this is still that; what the yes attaches is attached by it. */
  private async approvedAs(row: ProcessRow, call: CallRow, judged: Judged): Promise<Approval | null> {
    const approval = await this.ports.store.approvedAs(row.pid, call.dispatchId);
    // A read that was cut off is marked so as well: nobody was asked about that.
    if (approval === null) return null;
    needSame(approval, call, judged);
    if (judged.attaches !== null) await this.ports.attach(row, judged.attaches);
    return approval;
  }

  private async end(place: RunPlace, call: CallRow, ended: Ended): Promise<CallsOutcome> {
    const { row, run } = place;
    this.ports.active(row.pid);
    const { outcome, output: text, media } = ended;
    const isNested = call.block !== undefined;
    const output = isNested ? text : await this.told(row, call, normaliseText(text));
    const stored = await this.ports.store.endCall(row.pid, run.epoch, call.dispatchId, {
      outcome,
      output,
      ...(media === undefined ? {} : { media }),
      now: this.ports.clock.now(),
    });
    if (!stored.ok) return "left";
    if (isNested) return "done";
    this.ports.ledger.emit(row, {
      name: "chat.tool_result",
      run: run.runId,
      callId: call.callId,
      tool: call.tool,
      call: call.call ?? call.tool,
      ok: outcome === "completed",
      seq: stored.value.seq,
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
