// Runs the tool calls of a turn, one after the other, each as soon as it and those before it are decided: validated, judged, approved, stored
// before they start, run through the same dispatch as all calls, and their results stored. A call ends exactly once; an error is its result.

import { LIMITS } from "../../abi/config/limits.ts";
import { SysError } from "../../abi/errno.ts";
import type { Caller } from "../../abi/identity.ts";
import { type MediaRef, normaliseText, type ToolOutcome } from "../../abi/process/message.ts";
import { type Approval, PROFILES_ALONE, type RunAgain } from "../../abi/process/process.ts";
import { KERNEL_LEAVES, type Sys } from "../../abi/sys.ts";
import { headAndTail } from "../../lib/text/truncate.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { CallEnd, CallRow, ProcessStore } from "../../store/process/verbs.ts";
import { renderText } from "../../syscalls/format.ts";
import { parseArgs } from "../../syscalls/parse.ts";
import type { ServerAnswer, ServerQuestion } from "../../syscalls/run/server-tools.ts";
import type { Execed } from "../../syscalls/run/shell-service.ts";
import type { AnySyscall } from "../../syscalls/table.ts";
import { editedText, needSame, type Seen, seenOf } from "../approvals/policy/allowed.ts";
import type { Verdict } from "../approvals/policy/file-verdict.ts";
import type { Judged } from "../approvals/policy/judge.ts";
import { runAgain, secondRunId } from "../approvals/run-again.ts";
import type { Changes } from "../workspace/changes.ts";
import { tooHeavy } from "./arguments.ts";
import { type AskedCallPorts, AskedCalls, isOutdated } from "./asked-calls.ts";
import { BlockCalls, type Blocks } from "./code-blocks.ts";
import type { CallsOutcome, CurrentRun } from "./current-run.ts";
import type { OfferedTools } from "./offered-tools.ts";
import { withStoredMedia } from "./server-media.ts";
import { asCalled, SERVER_CALL } from "./tool-servers.ts";

export interface ToolCallPorts extends AskedCallPorts {
  readonly offered: OfferedTools;
  readonly table: ReadonlyMap<string, AnySyscall>;
  readonly blocks: Blocks;
  /** Tells the run's timeout that it makes progress; a call with a longer timeout gets that time. */
  readonly active: (pid: string, untilMs?: number) => void;
  /** The process's own Sys with its agent as caller; `seen` carries what a person approved. */
  readonly sysOf: (row: ProcessRow, seen?: Seen & Pick<Caller, "doing" | "granted">) => Sys;
  /** The current row: the mode may have changed during the run. */
  readonly rowNow: (row: ProcessRow) => Promise<ProcessRow>;
  /** Stores a long result in a file that the process can read; null if there is no space. */
  readonly keep: (row: ProcessRow, id: string, text: string) => Promise<string | null>;
  /** A person approved a directory of the host. */
  readonly attach: (row: ProcessRow, directory: string) => Promise<void>;
  readonly keepImage: (row: ProcessRow, bytes: Uint8Array) => Promise<MediaRef>;
  /** A text with the real paths of attached directories. */
  readonly inRealPaths: (row: ProcessRow, text: string) => Promise<string>;
  readonly changes: Pick<Changes, "begin" | "end">;
}

interface Ended extends Omit<CallEnd, "now"> {
  /** The call failed in the sandbox, and may run again with more. */
  readonly again?: RunAgain;
  /** Its server asks a person. */
  readonly asks?: ServerQuestion;
}

const FILE_BYTES = 256;

export class ToolCalls {
  private readonly asked: AskedCalls;

  constructor(private readonly ports: ToolCallPorts) {
    this.asked = new AskedCalls(ports);
  }

  async runAll(place: CurrentRun): Promise<CallsOutcome> {
    const { row, run } = place;
    for (;;) {
      // Read again after each call: requests of later calls may have been answered meanwhile.
      const [call, ...later] = await this.ports.store.openCalls(row.pid, run.runId);
      if (call === undefined) return "done";
      if (place.signal.aborted) return "left";
      if (place.leaving.aborted || call.status === "asking") {
        // A stop or the wait for an answer is stored here; the next claim continues with the remaining calls.
        const now = this.ports.clock.now();
        await this.ports.store.boundary(row.pid, run.epoch, { runId: run.runId, enter: false, now });
        await this.ports.ledger.publish(row);
        return "left";
      }
      if ((await this.runOne(place, call, later)) === "left") return "left";
    }
  }

  /** `later`: calls of the turn that may be asked together with this one. */
  private async runOne(begun: CurrentRun, given: CallRow, later: readonly CallRow[] = []): Promise<CallsOutcome> {
    const place = { ...begun, row: await this.ports.rowNow(begun.row) };
    const names = await this.ports.offered.namesFor(place.row);
    const fault = this.faultOf(given, names, place.row);
    if (fault !== null) return await this.refuse(place, given, "failed", fault);
    if (given.call === "hil.ask") return await this.question(place, given);
    const isApproved = given.status === "approved";
    const approval = isApproved ? await this.ports.store.approvedAs(place.row.pid, given.dispatchId) : null;
    // Also for an approved call: its target may have changed since.
    const judged = await this.ports.judge.judge(place.row, given, approval?.about?.again?.withheld);
    const isNewAgain = approval !== null && isOutdated(approval, given, judged);
    const call: CallRow = isNewAgain ? { ...given, status: "registered" } : given;
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
      const isSound = (each: CallRow) => this.faultOf(each, names, place.row) === null;
      const first = { call, why: verdict.why, judged };
      if (!PROFILES_ALONE.includes(place.row.profile))
        return await this.asked.ask(place, await this.asked.withLater(place, first, { later, isSound }));
      const times = timesRepeated(verdict.why);
      const repeats = `You have made the same call ${times} times without new results; you may be stuck in a loop.`;
      const alone = times
        ? `${repeats} Do something else, or explain what blocks you.`
        : `${call.tool} needs approval, and this process cannot ask anyone.`;
      return await this.refuse(place, call, "denied", alone);
    }
    return await this.carryOut(place, call, judged);
  }

  private async question(place: CurrentRun, call: CallRow): Promise<CallsOutcome> {
    const asked = await this.ports.questions.of(place.row, call);
    if ("output" in asked) return await this.refuse(place, call, asked.outcome, asked.output);
    return await this.asked.store(place, [{ ...asked.request, dispatchId: call.dispatchId }]);
  }

  // Announced like any other call, so that clients never see a result without its call.
  private refuse(place: CurrentRun, call: CallRow, outcome: ToolOutcome, why: string): Promise<CallsOutcome> {
    this.announce(place, call);
    return this.end(place, call, { outcome, output: why });
  }

  // Calls inside a code block are not announced: the block is.
  private announce({ row, run }: CurrentRun, { callId, tool, call, args, block }: CallRow): void {
    if (block !== undefined) return;
    this.ports.ledger.emit(row, { name: "chat.tool_call", run: run.runId, callId, tool, call: call ?? tool, args });
  }

  /** Errors in the call itself, worded for the model. */
  private faultOf(call: CallRow, allowed: ReadonlySet<string>, { mode }: ProcessRow): string | null {
    const heavy = tooHeavy(call.tool, call.args);
    if (heavy !== null) return heavy;
    const syscall = call.call === null ? undefined : this.ports.table.get(call.call);
    if (syscall === undefined || !allowed.has(call.tool))
      return `unknown tool ${call.tool}; available: ${[...allowed].filter((name) => name !== "Plan").join(", ")}.`;
    // An accepted plan has ended its mode.
    const wanted = syscall.tool?.mode;
    if (wanted !== undefined && wanted !== mode && call.status === "registered")
      return `${call.tool} is for mode ${wanted}; the mode is ${mode}: do the work.`;
    try {
      parseArgs(syscall.input, asCalled(call), { unknownKeys: "refuse" });
      return null;
    } catch (error) {
      return errorText(error);
    }
  }

  private async carryOut(place: CurrentRun, call: CallRow, judged: Judged): Promise<CallsOutcome> {
    const { row, run, signal } = place;
    await this.ports.changes.begin(row, run.runId, call, judged.attaches);
    const begun = await this.ports.store.beginCall(row.pid, run.epoch, call.dispatchId);
    if (!begun.ok) return "left";
    await this.ports.ledger.publish(row);
    const block = call.call === "codemode.exec" ? this.blockOf(place, call) : null;
    // A resumed block was announced when it began.
    if (!(await block?.isAgain()) && call.isHeld !== true) this.announce(place, call);
    const { timeoutMs } = call.args;
    this.ports.active(row.pid, typeof timeoutMs === "number" ? timeoutMs : 0);
    const work = () => this.effect({ row, call, judged, run: run.runId }, signal);
    const ended = block === null ? await work() : await this.ports.blocks.during(call.dispatchId, block, work);
    if (block?.left) return "left";
    // The next kernel repeats these calls; a command may still be running then. A resumed block gets the same results.
    const isRepeatable = call.repeat === "resume" || (call.block !== undefined && call.repeat === "read");
    if (signal.reason === KERNEL_LEAVES && isRepeatable) return "left";
    await this.ports.changes.end(row, call);
    if (ended.again !== undefined && !signal.aborted) return await this.askForSecondRun(place, call, ended.again);
    if (ended.asks !== undefined && !signal.aborted) return await this.askForServer(place, call, ended.asks);
    return await this.end(place, call, ended);
  }

  private async askForSecondRun(place: CurrentRun, call: CallRow, again: RunAgain): Promise<CallsOutcome> {
    const judged = await this.ports.judge.judge(place.row, call, again.withheld);
    return await this.asked.ask(place, [{ call, why: judged.what, judged, again }]);
  }

  private async askForServer(place: CurrentRun, call: CallRow, asks: ServerQuestion): Promise<CallsOutcome> {
    const request = await this.ports.questions.ofServer(place.row, asks);
    return await this.asked.store(place, [{ ...request, dispatchId: call.dispatchId }]);
  }

  private blockOf(place: CurrentRun, call: CallRow): BlockCalls {
    const { table, store, clock, random, offered } = this.ports;
    const runOne = (where: CurrentRun, nested: CallRow) => this.runOne(where, nested);
    return new BlockCalls({ table, store, clock, random, offered, runOne }, place, call);
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
    if (syscall === undefined) return { outcome: "failed", output: `unknown tool ${call.tool}.` };
    try {
      const approval = call.status === "approved" ? await this.approvedAs(row, call, judged) : null;
      const seen = seenOf(call, judged, approval !== null && timesRepeated(approval.why) === null);
      const had = approval?.about?.again?.withheld ?? [];
      const doing = { run, call: call.dispatchId, tool: call.tool, callId: call.callId };
      const granted = approval === null ? [] : [...new Set([...(judged.about.grants ?? []), ...had])];
      const sys = this.ports.sysOf(row, { ...seen, ...(granted.length > 0 && { granted }), doing });
      // Code blocks are given no images.
      const shows = call.block === undefined ? syscall.tool?.shows : undefined;
      const args = { ...asCalled(call), ...shows?.with };
      const requestId = had.length > 0 && approval ? secondRunId(call.dispatchId, approval.id) : call.dispatchId;
      const given = await sys.call<unknown>(syscall.name, args, { requestId, signal });
      const isServers = syscall.name === SERVER_CALL;
      const kept = isServers
        ? await withStoredMedia(given as ServerAnswer, (bytes) => this.ports.keepImage(row, bytes))
        : null;
      const result = kept === null ? given : kept.answer;
      const again = syscall.name === "shell.exec" ? runAgain(row, { seen, had, execed: result as Execed }) : null;
      const image = shows?.image(result as never) ?? null;
      // Code blocks get the paths only.
      const stored = call.block === undefined ? [...(kept?.media ?? [])] : [];
      if (image !== null) stored.push(await this.ports.keepImage(row, image));
      const { lost, asks } = (result ?? {}) as Pick<ServerAnswer, "lost" | "asks">;
      const isText = call.block === undefined || lost === true;
      const output = isText ? modelText(syscall, result) : JSON.stringify(result ?? null);
      return {
        outcome: lost === true ? "unknown" : "completed",
        output: `${approval?.edited ? editedText(call, approval) : ""}${output}`,
        ...(stored.length > 0 && { media: stored }),
        ...(again !== null && { again }),
        ...(isServers && asks !== undefined && { asks }),
      };
    } catch (error) {
      return { outcome: signal.aborted ? "cancelled" : "failed", output: errorText(error) };
    }
  }

  /** The approval of the call, if it still matches. An approved attachment takes effect here. */
  private async approvedAs(row: ProcessRow, call: CallRow, judged: Judged): Promise<Approval | null> {
    const approval = await this.ports.store.approvedAs(row.pid, call.dispatchId);
    // An interrupted read has this status too, without an approval.
    if (approval === null) return null;
    needSame(approval, call, judged);
    if (judged.attaches !== null) await this.ports.attach(row, judged.attaches);
    return approval;
  }

  private async end(place: CurrentRun, call: CallRow, ended: Ended): Promise<CallsOutcome> {
    const { row, run } = place;
    this.ports.active(row.pid);
    const { outcome, output: said, media } = ended;
    const isError = outcome !== "completed" && call.call !== "shell.exec";
    const text = isError ? await this.ports.inRealPaths(row, said) : said;
    const isNested = call.block !== undefined;
    const output = isNested ? text : await this.withinLimit(row, call, normaliseText(text));
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

  private async withinLimit(row: ProcessRow, { dispatchId }: CallRow, text: string): Promise<string> {
    if (headAndTail(text, LIMITS.toolOutputBytesMax).omittedBytes === 0) return text;
    const ends = headAndTail(text, LIMITS.toolOutputBytesMax - FILE_BYTES).text;
    const file = await this.ports.keep(row, dispatchId, text);
    return file === null ? ends : `${ends}\n(full output: ${file})`;
  }
}

function modelText({ tool, cli }: AnySyscall, result: unknown): string {
  return tool?.text?.(result as never) ?? renderText(cli.print, result);
}

function errorText(error: unknown): string {
  if (!(error instanceof SysError)) return "internal error";
  return [`${error.code}: ${error.message}`, ...error.hints].join("\n");
}

const LOOP_WORDS = "without new results: it may be stuck in a loop";
const LOOP_WHY = new RegExp(`^make the same call for the (\\d+)th time, ${LOOP_WORDS}$`);

/**
 * Asks the owner when an agent repeats a call that would run without asking and gets no new results. The approval lets it continue and gives
 * the call no further rights.
 */
async function unlessLoop(
  store: Pick<ProcessStore, "repeats">,
  pid: string,
  call: CallRow,
  verdict: Verdict,
): Promise<Verdict> {
  // Reading on in a running command repeats by design.
  const readsOn = call.call === "shell.exec" && call.args.command === undefined;
  if (verdict.action !== "auto" || readsOn) return verdict;
  const times = await store.repeats(pid, call.dispatchId);
  if (times === 0 || times % LIMITS.sameCallsMax !== 0) return verdict;
  return { action: "ask", why: `make the same call for the ${times}th time, ${LOOP_WORDS}` };
}

/** How often a call that asks because of a loop was made; null if it asks for another reason. */
function timesRepeated(why: string | null): number | null {
  const [, times] = LOOP_WHY.exec(why ?? "") ?? [];
  return times === undefined ? null : Number(times);
}
