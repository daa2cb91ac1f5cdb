// A process as plain lists and maps: what the process store promises, said once more without SQL and without the table of states.
// Slow and simple on purpose; the store is wrong where it differs from this.

import type { Message, ToolOutcome } from "../../src/abi/process/message.ts";
import {
  type Approval,
  NO_USAGE,
  type Restarts,
  type Retrying,
  type RunEnd,
  type RunStatus,
  type State,
  TRIED_AGAIN,
  type WaitsFor,
} from "../../src/abi/process/process.ts";
import type { HistoryPolicy, Segment } from "../../src/abi/process/segment.ts";
import type { CallStatus, Closing, LoggedCall, OutboxRow, Projection } from "../../src/store/process/verbs.ts";
import type { ModelAsked, ModelCall, ModelQueued, ModelRun, NewMessage } from "./model-rows.ts";
import { ModelTold } from "./model-told.ts";
import { endOf, ModelUsage } from "./model-usage.ts";

const OPEN: readonly CallStatus[] = ["registered", "asking", "approved", "dispatched"];

export class ModelProcess {
  readonly context = new ModelTold();
  epoch = 0;
  nextSeq = 1;
  generation = 1;
  stopped = false;
  stoppedWhy: string | null = null;
  restarts: Restarts | null = null;
  paused: WaitsFor | null = null;
  broken = false;
  /** What a run in flight is at; null while the process rests. */
  active: "running" | "waiting_tool" | null = null;
  currentRun: string | null = null;
  retrying: { -readonly [K in keyof Retrying]: Retrying[K] } | null = null;
  lastRun: string | null = null;
  private toldRun: string | null = null;
  closing: Closing | null = null;
  lastActiveAt: number | null = null;
  messages: { readonly generation: number; readonly message: Message }[] = [];
  segments: Segment[] = [];
  segmentsEver = 0;
  policy: HistoryPolicy | null = null;
  queue: ModelQueued[] = [];
  runs = new Map<string, ModelRun>();
  calls: ModelCall[] = [];
  asked: ModelAsked[] = [];
  requests = new Map<string, { readonly body: string; readonly answer: object; readonly at: number }>();
  outbox: OutboxRow[] = [];
  log: (LoggedCall & { readonly id: number })[] = [];
  logged = 0;
  queuedEver = 0;
  private readonly told: Approval[] = [];
  readonly usage = new ModelUsage();
  private ended: { runId: string | null; text: string } | null = null;

  constructor(
    readonly pid: string,
    public kernel: number,
    public outboxSeq: number,
  ) {}

  /** One verb: what it changed goes out with one row. */
  write<T>(step: () => T): T {
    const before = JSON.stringify(this.projection());
    const result = step();
    this.noticeEnd();
    const projection = this.projection();
    const [approvals, usage, ended] = [this.told.splice(0), this.usage.tell(), this.ended];
    this.ended = null;
    if (JSON.stringify(projection) !== before || approvals.length + usage.length > 0 || ended !== null)
      this.outbox.push({ seq: ++this.outboxSeq, projection, approvals, ended, usage });
    return result;
  }

  private noticeEnd(): void {
    if (this.state !== "idle" || this.lastRun === this.toldRun) return;
    const run = this.lastRun === null ? undefined : this.runs.get(this.lastRun);
    if (run?.status) this.ended ??= { runId: run.runId, text: run.status };
    this.toldRun = this.lastRun;
  }

  get queued(): number {
    return this.queue.filter((row) => row.generation === this.generation && row.wakes).length;
  }

  get openApproval(): Approval | null {
    return this.asked.find(({ approval }) => approval.decision === null)?.approval ?? null;
  }

  approvedAs(dispatchId: string): Approval | null {
    const found = this.asked.findLast((each) => each.dispatchId === dispatchId && each.approval.decision === "approve");
    return found?.approval ?? null;
  }

  get state(): State {
    if (this.broken) return "error";
    if (this.active !== null) return this.active;
    if (this.stopped) return "stopped";
    if (this.paused !== null) return "paused";
    if (this.openApproval !== null) return "waiting_hil";
    return this.queued > 0 ? "queued" : "idle";
  }

  /** The process comes to rest, unless a run of its has something to do and nothing holds it. */
  rest(): void {
    const held = this.stopped || this.paused !== null || this.openApproval !== null;
    this.active = this.currentRun !== null && !held ? "running" : null;
  }

  retry(retrying: Retrying, held: boolean): null {
    this.retrying = { ...retrying };
    if (held) this.pause(retrying.waitsFor);
    return null;
  }

  pause(waitsFor: WaitsFor | null, model?: string): void {
    if (model !== undefined) this.retrying = null;
    if (model !== undefined && this.currentRun !== null) this.runs.get(this.currentRun)!.model = model;
    this.paused = waitsFor;
    const aside = this.retrying?.waitsFor?.kind;
    if (waitsFor === null && TRIED_AGAIN.includes(aside)) this.retrying!.waitsFor = null;
    if (waitsFor !== null || this.active === null) this.rest();
  }

  get currentModel(): string | null {
    return this.runs.get(this.currentRun ?? "")?.model ?? null;
  }

  projection(): Projection {
    const { state, currentRun: activeRunId, queued, lastActiveAt } = this;
    const lastStatus = (this.lastRun === null ? null : this.runs.get(this.lastRun)?.status) ?? null;
    return { state, activeRunId, queued, lastActiveAt, waitsFor: this.waitsFor(state), lastStatus };
  }

  openCalls(runId: string | null): ModelCall[] {
    return this.allOpenCalls(runId).filter(({ block }) => block === undefined);
  }

  allOpenCalls(runId: string | null): ModelCall[] {
    return this.calls.filter((call) => call.runId === runId && OPEN.includes(call.status));
  }

  openCall(dispatchId: string): ModelCall | null {
    return this.calls.find((call) => call.dispatchId === dispatchId && OPEN.includes(call.status)) ?? null;
  }

  beginCall(dispatchId: string): null | "fenced" {
    const call = this.openCall(dispatchId);
    if (call === null || call.status === "asking") return "fenced";
    call.status = "dispatched";
    if (this.active !== null) this.active = "waiting_tool";
    return null;
  }

  enterMessage(message: NewMessage): Message {
    const numbered = { id: this.nextSeq++, ...message } as Message;
    this.messages.push({ generation: this.generation, message: numbered });
    return numbered;
  }

  enter(rows: readonly ModelQueued[], runId: string): Message[] {
    this.queue = this.queue.filter((row) => !rows.includes(row));
    return rows.map((row) => {
      if (row.runId !== null && row.runId !== runId) this.addRun(row.runId, { mergedInto: runId });
      const role = row.kind === "user" ? "user" : "system";
      return this.enterMessage({
        role,
        content: row.text,
        ...(row.kind === "user" && row.media !== undefined && { media: row.media }),
        runId: row.runId ?? runId,
        timestamp: row.now,
        origin: row.origin,
      });
    });
  }

  addRun(runId: string, about: { readonly mergedInto?: string; readonly model?: string | null }): ModelRun {
    const run: ModelRun = {
      runId,
      generation: this.generation,
      model: about.model ?? null,
      mergedInto: about.mergedInto ?? null,
      status: null,
      reason: "",
      text: null,
      error: null,
      usage: NO_USAGE,
      turn: 0,
      deaths: 0,
      finishedAt: null,
    };
    this.runs.set(runId, run);
    return run;
  }

  endCall(call: ModelCall, outcome: ToolOutcome, output: string, now: number): number {
    call.status = outcome;
    const run = this.runs.get(call.runId);
    if (run !== undefined) run.deaths = 0;
    if (call.block !== undefined) {
      call.result = { outcome, output };
      return 0;
    }
    const { tool: toolName, callId: toolCallId } = call;
    const content = { toolName, toolCallId, isError: outcome !== "completed", outcome, output };
    return this.enterMessage({ role: "toolResult", runId: call.runId, timestamp: now, content }).id;
  }

  cancelCalls(runId: string, now: number): number {
    const open = this.openCalls(runId);
    for (const call of open) {
      const begun = call.status === "dispatched" && call.repeat !== "read";
      this.endCall(call, begun ? "unknown" : "cancelled", "", now);
    }
    return open.length;
  }

  /** Ends a run and what was merged into it. */
  finish(
    runId: string,
    end: {
      readonly status: RunStatus;
      readonly reason: string;
      readonly error: string | null;
      readonly text: string | null;
    },
    now: number,
  ): RunEnd[] {
    const ending = [...this.runs.values()].filter(
      (run) => run.status === null && (run.runId === runId || run.mergedInto === runId),
    );
    for (const run of ending) Object.assign(run, end, { finishedAt: now });
    this.calls = this.calls.filter((call) => call.runId !== runId);
    this.currentRun = null;
    this.retrying = null;
    if (TRIED_AGAIN.includes(this.paused?.kind)) this.paused = null;
    this.lastRun = runId;
    this.lastActiveAt = now;
    this.rest();
    return ending.sort((a, b) => Number(a.mergedInto !== null) - Number(b.mergedInto !== null)).map(endOf);
  }

  /** Ended before an instant; but for the last, whose end is the process's last word. Returns how many. */
  forgetRuns(before: number, rowsMax: number): number {
    const kept = [this.currentRun, this.lastRun, this.toldRun];
    const old = [...this.runs.values()].filter((run) => run.finishedAt !== null && run.finishedAt < before);
    const gone = old.filter((run) => !kept.includes(run.runId)).slice(0, rowsMax);
    for (const { runId } of gone) this.runs.delete(runId);
    return gone.length;
  }

  /** Ends runs that wait and will never begin. */
  endUnstarted(rows: readonly ModelQueued[], reason: string): RunEnd[] {
    return rows.flatMap((row) => {
      if (row.runId === null) return [];
      const run = this.addRun(row.runId, {});
      run.status = "aborted";
      run.reason = reason;
      return [endOf(run)];
    });
  }

  withdraw(now: number): Approval[] {
    const open = this.asked.filter(({ approval }) => approval.decision === null);
    return open.map((asked) => this.decide(asked, { decision: "withdrawn", by: "kernel", decidedAt: now }));
  }

  decide(asked: ModelAsked, decided: Partial<Approval>): Approval {
    asked.approval = { ...asked.approval, ...decided };
    this.told.push(asked.approval);
    return asked.approval;
  }

  tellAsked(approval: Approval): void {
    this.told.push(approval);
    this.ended = { runId: this.currentRun, text: "asks" };
  }

  private waitsFor(state: State): WaitsFor | null {
    if (state === "stopped") return { kind: this.stoppedWhy === null ? "person" : "limit", reason: "" };
    if (state === "paused") return this.paused;
    if (state === "running") return this.retrying?.waitsFor ?? null;
    if (state === "error") return { kind: "repair", reason: "" };
    const asked = state === "waiting_hil" ? this.openApproval : null;
    return asked === null ? null : { kind: asked.kind, id: asked.id, tool: asked.tool, summary: asked.why };
  }
}
