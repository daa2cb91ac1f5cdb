// Applies the kernel's signals to a session: running, asking, paused, restarted, ended. Events are emitted before the session is forgotten.

import { WORKING_STATES } from "../../abi/process/process.ts";
import { senderOf } from "../../abi/process/session.ts";
import type { Signal, SignalOf } from "../../abi/signal.ts";
import { EXHAUSTED } from "../run/retry-plan.ts";
import type { ApprovalManager, OwnerQuestionManager } from "./approvals.ts";
import { type ClaudeStreamEvent, errorEvent, eventsOf, resultOf } from "./events.ts";
import type { SessionRun } from "./session.ts";

export interface SessionSignalPorts {
  readonly emit: (sessionId: string, event: ClaudeStreamEvent) => void;
  readonly cleanup: (sessionId: string) => void;
  readonly broadcast: (topic: string, data: unknown) => void;
  readonly approvals: ApprovalManager;
  readonly questions: OwnerQuestionManager;
}

const FAULTS: readonly string[] = ["fault", "model.protocol", "kernel.deaths", EXHAUSTED];

export class SessionSignals {
  constructor(private readonly ports: SessionSignalPorts) {}

  hear(run: SessionRun, signal: Signal): void {
    const { emit, cleanup, approvals, questions } = this.ports;
    const { id } = run.session;
    if (run.state === "stopping") return;
    switch (signal.name) {
      case "chat.start":
        run.ids.add(signal.run);
        break;
      case "chat.complete":
        this.completed(run, signal);
        break;
      case "chat.hil":
        this.asked(run, signal);
        break;
      case "chat.hil_closed":
        approvals.closed(signal.id);
        questions.closed(signal.id);
        break;
      case "process.state":
        this.stateChanged(run, signal);
        break;
      case "process.restart":
        run.state = "restarting";
        approvals.cancelSession(id);
        emit(id, errorEvent("direct_process_error", signal.reason));
        emit(id, { type: "session_exited", result: "exited", subtype: "1" });
        break;
      case "process.exit":
        emit(id, { type: "session_stopped", subtype: "killed" });
        cleanup(id);
        break;
      default:
        if ("run" in signal && !run.ids.has(signal.run) && !run.isAdopted) return;
        for (const event of eventsOf(signal)) emit(id, event);
    }
  }

  /** Another session continues its conversation. */
  replaced({ session: { id } }: SessionRun): void {
    this.ports.emit(id, { type: "session_stopped", subtype: "replaced" });
    this.ports.cleanup(id);
  }

  /** The session has no work left; `code` is an exit status. */
  exited({ session: { id } }: SessionRun, code: 0 | 1): void {
    this.ports.emit(id, { type: "session_exited", result: "exited", subtype: String(code) });
    this.ports.cleanup(id);
  }

  private completed(run: SessionRun, signal: SignalOf<"chat.complete">): void {
    const { id } = run.session;
    if ((!run.ids.delete(signal.run) && !run.isAdopted) || signal.mergedInto !== null) return;
    const type = signal.reason === EXHAUSTED ? EXHAUSTED : "direct_process_error";
    if (signal.error !== null) this.ports.emit(id, errorEvent(type, signal.error));
    this.ports.emit(id, resultOf(signal));
    const isOver = signal.queued === 0 && run.ids.size === 0 && run.sending === 0;
    if (isOver) this.exited(run, FAULTS.includes(signal.reason) ? 1 : 0);
  }

  private stateChanged(run: SessionRun, { state, waitsFor }: SignalOf<"process.state">): void {
    const { emit, cleanup, approvals } = this.ports;
    const { id } = run.session;
    if (state === "paused" && waitsFor?.kind === "outage") {
      if (run.state === "paused") return;
      run.state = "paused";
      approvals.cancelSession(id);
      const then = new Date(waitsFor.until).toISOString();
      const text = `the provider does not answer (${waitsFor.reason}); next try at ${then}`;
      emit(id, errorEvent("api_outage", text));
      return;
    }
    if (WORKING_STATES.includes(state) && run.state !== "running") {
      run.state = "running";
      emit(id, { type: "session_started", subtype: "resumed" });
    }
    if (state !== "stopped") return;
    const why = waitsFor !== null && "reason" in waitsFor ? waitsFor.reason : "stopped";
    emit(id, { type: "system", subtype: "stopped", statusMessage: why });
    emit(id, { type: "session_stopped" });
    cleanup(id);
  }

  private asked({ session }: SessionRun, signal: SignalOf<"chat.hil">): void {
    const { emit, broadcast, approvals, questions } = this.ports;
    const { id: sessionId } = session;
    const timeoutMs = signal.expiresAt === null ? null : signal.expiresAt - signal.at;
    const base = { id: signal.id, sessionId, sender: senderOf(session), createdAt: signal.at };
    if (signal.kind === "approval") {
      const description = `${signal.tool}: ${signal.why}`;
      approvals.opened({ ...base, toolName: signal.tool, description });
      const { sender: _, ...wire } = base;
      emit(sessionId, { type: "approval_request", ...wire, toolName: signal.tool, description, timeoutMs });
      return;
    }
    const { choices = [] } = signal.args as { choices?: readonly string[] };
    const question = { ...base, question: signal.why, options: choices };
    questions.opened(question);
    broadcast("owner", { type: "agent_question", question });
  }
}

/** Without the stop that came before the process was resumed. */
export function sinceResumed(pid: string, signals: readonly Signal[]): readonly Signal[] {
  const isState = (signal: Signal) => signal.name === "process.state" && signal.pid === pid;
  const isStop = (signal: Signal) => signal.name === "process.state" && signal.state === "stopped";
  const resumed = signals.findIndex((signal) => isState(signal) && !isStop(signal));
  const end = resumed === -1 ? signals.length : resumed;
  return signals.filter((signal, at) => at >= end || !isState(signal));
}
