// What becomes of a session, read off what the kernel signals of its process: it begins, asks, pauses, faults, goes on, ends. What is told
// goes out before anything is forgotten. Of a run that is not the session's current one nothing is told.

import { WORKING_STATES } from "../../abi/process/process.ts";
import type { Signal, SignalOf } from "../../abi/signal.ts";
import type { Clock } from "../../lib/clock.ts";
import type { SessionRow, SessionRows } from "../../store/kernel/processes/sessions.ts";
import { senderOf } from "../limits/sender-credits.ts";
import { EXHAUSTED } from "../run/retry-plan.ts";
import type { ApprovalAsked, ApprovalManager, ApprovalResponse } from "./approvals.ts";
import type { SessionEngine } from "./engine.ts";
import { errorEvent, eventsOf, resultOf } from "./events.ts";
import type { ManagerPorts } from "./ports.ts";
import type { OwnerQuestionManager, QuestionAsked } from "./questions.ts";
import type { SessionRun, SessionState } from "./state.ts";
import type { SessionEventBus } from "./subscriptions.ts";

export interface WatchPorts {
  readonly state: SessionState;
  readonly bus: SessionEventBus;
  readonly engine: SessionEngine;
  readonly sessions: SessionRows;
  readonly ports: ManagerPorts;
  readonly clock: Clock;
  readonly approvals: ApprovalManager;
  readonly questions: OwnerQuestionManager;
  readonly closeTools: (id: string) => Promise<void>;
  readonly cleanup: (id: string) => void;
  /** After all that is under way for the session. */
  readonly queue: (id: string, step: () => Promise<void>) => void;
  readonly broadcast: (topic: string, data: unknown) => void;
}

type Ended = SignalOf<"chat.complete">;

/** Ends of a run that count as a fault. */
const FAULTS: readonly string[] = ["fault", "model.protocol", "kernel.deaths"];
const PAGE = 500;

export class SessionWatch {
  constructor(private readonly on: WatchPorts) {}

  async hear(id: string, signal: Signal): Promise<void> {
    const { state, approvals, questions, cleanup } = this.on;
    if (state.stopping.has(id)) return;
    switch (signal.name) {
      case "chat.start":
        return await this.begun(id, signal);
      case "chat.complete":
        return await this.completed(id, signal);
      case "chat.hil":
        return this.asked(id, signal);
      case "chat.hil_closed":
        approvals.closed(signal.id);
        return questions.closed(signal.id);
      case "process.state":
        return await this.moved(id, signal);
      case "process.restart":
        return this.faulted(id, signal);
      case "process.exit":
        if (state.isAlive(id)) this.on.bus.emit(id, { type: "session_stopped", subtype: "killed" });
        return cleanup(id);
      default:
        return this.told(id, signal);
    }
  }

  /** Of a process that no session is known of yet. */
  unknown(signal: Signal): void {
    const isNews =
      signal.name === "chat.start" || (signal.name === "process.state" && signal.waitsFor?.kind === "outage");
    if (!isNews) return;
    void this.on.sessions.ofProcess(signal.pid).then((session) => {
      if (session === null) return;
      this.on.state.knows(signal.pid, session.id);
      return this.hear(session.id, signal);
    }, this.on.ports.onFault);
  }

  /** The net under the signals: what runs, or is held, and nobody knows of here; and what was taken for running and rests. */
  reconcile(): void {
    if (this.on.ports.engine !== undefined) void this.lookAll().catch(this.on.ports.onFault);
  }

  /** It has nothing to do any more; code as of a program. */
  exited(run: SessionRun, code: 0 | 1): void {
    const { id } = run.session;
    const { state, bus, sessions, clock, cleanup, closeTools, queue } = this.on;
    queue(id, async () => {
      // A message came, or another run took its place.
      if (!state.isCurrent(run) || run.sending > 0 || run.ids.size > 0) return;
      await sessions.change(id, { outcome: code === 0 ? null : "error" }, clock.now());
      await closeTools(id);
      state.unregister(id);
      bus.emit(id, { type: "session_exited", result: "exited", subtype: String(code) });
      cleanup(id);
    });
  }

  answered({ id, sessionId }: ApprovalAsked, { behavior, message }: ApprovalResponse, by: string): void {
    const { state, engine, ports } = this.on;
    const run = state.processes.get(sessionId);
    if (run?.pid == null) return;
    const said = message === undefined ? {} : { message };
    const decision = behavior === "allow" ? "approve" : "deny";
    const done =
      by === "time" || by === "manager"
        ? engine.decide(run.pid, { id, decision: "deny", said: message ?? "" })
        : ports.engine?.sysOf(run.session.ownerUid).call("hil.answer", { id, decision, ...said });
    done?.catch(ports.onFault);
  }

  answeredQuestion({ id, sessionId }: QuestionAsked, text: string): void {
    const run = this.on.state.processes.get(sessionId);
    if (run === undefined) return;
    const sys = this.on.ports.engine?.sysOf(run.session.ownerUid);
    sys?.call("hil.answer", { id, decision: "answer", text }).catch(this.on.ports.onFault);
  }

  unanswered({ id, sessionId }: QuestionAsked): void {
    const pid = this.on.state.processes.get(sessionId)?.pid ?? null;
    const said = "nobody answered in time; go on as you think best.";
    if (pid !== null) this.on.engine.decide(pid, { id, decision: "expired", said }).catch(this.on.ports.onFault);
  }

  private told(id: string, signal: Signal): void {
    const run = this.on.state.processes.get(id);
    if (run === undefined || ("run" in signal && !run.ids.has(signal.run))) return;
    for (const event of eventsOf(signal)) this.on.bus.emit(id, event);
  }

  private async begun(id: string, { run: runId, pid }: SignalOf<"chat.start">): Promise<void> {
    const { state } = this.on;
    const run = state.processes.get(id);
    if (run !== undefined) return void run.ids.add(runId);
    const session = await this.on.sessions.get(id);
    if (session !== null && !state.processes.has(id)) this.takenUp(session, pid, [runId]);
  }

  private takenUp(session: SessionRow, pid: string, runIds: Iterable<string>): void {
    const run = this.on.state.register(session, { pid });
    for (const runId of runIds) run.ids.add(runId);
    this.on.bus.emit(session.id, { type: "session_started", subtype: "resumed" });
  }

  private async completed(id: string, signal: Ended): Promise<void> {
    const { state, bus } = this.on;
    const run = state.processes.get(id);
    const held = state.paused.get(id) ?? state.restarting.get(id);
    if (run === undefined && held !== undefined) return await this.overWhileHeld(id, signal);
    if (run === undefined || !run.ids.delete(signal.run) || signal.mergedInto !== null) return;
    if (signal.reason === EXHAUSTED) return await this.exhausted(id, signal);
    if (signal.error !== null) bus.emit(id, errorEvent("direct_process_error", signal.error));
    bus.emit(id, resultOf(signal));
    state.change(id, { lastKnownCostUsd: signal.usage.costUsd });
    if (signal.queued === 0 && run.ids.size === 0) this.exited(run, FAULTS.includes(signal.reason) ? 1 : 0);
  }

  /** It was given up, or ended by somebody, while it waited. */
  private async overWhileHeld(id: string, signal: Ended): Promise<void> {
    if (signal.reason === EXHAUSTED) return await this.exhausted(id, signal);
    this.on.bus.emit(id, { type: "session_exited", result: "exited", subtype: "0" });
    this.on.cleanup(id);
  }

  private async exhausted(id: string, { error }: Ended): Promise<void> {
    const { sessions, clock, bus, cleanup } = this.on;
    await sessions.change(id, { outcome: "error" }, clock.now());
    bus.emit(id, errorEvent(EXHAUSTED, error ?? "its provider did not come back"));
    cleanup(id);
  }

  private async moved(id: string, { state: now, waitsFor, pid }: SignalOf<"process.state">): Promise<void> {
    const { state, bus, sessions, clock, cleanup } = this.on;
    const held = state.paused.get(id) ?? state.restarting.get(id);
    if (now === "paused" && waitsFor?.kind === "outage") return this.pausedFor(id, waitsFor);
    if (WORKING_STATES.includes(now) && held !== undefined) return this.takenUp(held.session, pid, held.ids);
    if (now !== "stopped" || !state.isAlive(id)) return;
    state.unregister(id);
    await sessions.change(id, { outcome: "stopped" }, clock.now());
    const why = waitsFor !== null && "reason" in waitsFor ? waitsFor.reason : "stopped";
    bus.emit(id, { type: "system", subtype: "stopped", statusMessage: why });
    bus.emit(id, { type: "session_stopped" });
    cleanup(id);
  }

  private pausedFor(id: string, { until, looks = 1, reason }: { until: number; looks?: number; reason: string }): void {
    const { state, bus, clock, approvals } = this.on;
    const counts = { resumeAttempts: looks - 1, nextResumeAt: until };
    const before = state.paused.get(id);
    if (before !== undefined) return void state.paused.set(id, { ...before, ...counts });
    const run = state.unregister(id);
    if (run === null) return;
    const { session, ids } = run;
    state.paused.set(id, { ...counts, pausedAt: clock.now(), session, ids });
    approvals.cancelSession(id);
    const then = new Date(until).toISOString();
    bus.emit(id, errorEvent("api_outage", `its provider does not answer (${reason}); tried again at ${then}`));
  }

  private faulted(id: string, { run: runId, attempt, reason }: SignalOf<"process.restart">): void {
    const { state, bus, sessions, clock, approvals, queue } = this.on;
    const run = state.processes.get(id);
    if (run === undefined || !run.ids.has(runId)) return;
    state.unregister(id);
    state.restarting.set(id, run);
    state.change(id, { restartCount: attempt });
    approvals.cancelSession(id);
    bus.emit(id, errorEvent("direct_process_error", reason));
    bus.emit(id, { type: "session_exited", result: "exited", subtype: "1" });
    queue(id, () => sessions.change(id, { restartCount: attempt }, clock.now()));
  }

  private asked(id: string, signal: SignalOf<"chat.hil">): void {
    const { state, bus, approvals, questions, broadcast } = this.on;
    const session = state.processes.get(id)?.session;
    if (session === undefined) return;
    const { source } = session;
    const base = { id: signal.id, sessionId: id, source, sender: senderOf(session), createdAt: signal.at };
    if (signal.kind === "approval") {
      const asked = { ...base, toolName: signal.tool, description: `${signal.tool}: ${signal.why}` };
      const timeoutMs = approvals.opened(asked);
      const { source: _, sender: __, ...wire } = asked;
      bus.emit(id, { type: "approval_request", ...wire, timeoutMs });
      return;
    }
    const { choices, timeoutSeconds } = signal.args as { choices?: readonly string[]; timeoutSeconds?: number };
    const timeout = timeoutSeconds === undefined ? {} : { timeoutMs: timeoutSeconds * 1000 };
    const question = { ...base, question: signal.why, options: choices ?? [], ...timeout };
    questions.opened(question);
    broadcast("owner", { type: "agent_question", question });
  }

  private async lookAll(): Promise<void> {
    const { sessions, state, ports } = this.on;
    for (let after: Parameters<SessionRows["list"]>[0]["after"]; ; ) {
      const rows = await sessions.list({ limit: PAGE, ...(after === undefined ? {} : { after }) });
      for (const session of rows) {
        const row = session.pid === null ? null : await ports.engine?.kernel.processes.get(session.pid);
        if (row == null || state.stopping.has(session.id)) continue;
        const isKnown = state.isAlive(session.id);
        const isWorking = WORKING_STATES.includes(row.state) || row.state === "waiting_hil";
        const runIds = row.activeRunId === null ? [] : [row.activeRunId];
        if (!isKnown && isWorking) this.takenUp(session, row.pid, runIds);
        else if (!isKnown && row.waitsFor?.kind === "outage") {
          const held = this.on.state.register(session, { pid: row.pid });
          for (const runId of runIds) held.ids.add(runId);
          this.pausedFor(session.id, row.waitsFor);
        } else if (isKnown && row.state === "idle") this.rested(session.id);
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE) return;
      after = { createdAt: last.activeAt, id: last.id };
    }
  }

  /** Seen at rest twice, a minute apart, what was taken for running has ended unheard. */
  private rested(id: string): void {
    const run = this.on.state.processes.get(id);
    if (run === undefined || run.pid === null || run.sending > 0) return;
    if (run.isSeenAtRest) {
      run.ids.clear();
      this.exited(run, 0);
    }
    run.isSeenAtRest = true;
  }
}
