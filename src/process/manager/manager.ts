// ProcessManager of seed-002: starts, resumes and stops sessions. Calls return at once and run in order, session by session.

import {
  INVOCATION_DEPTH_MAX,
  ORPHAN_SWEEP_MS,
  RECONCILE_MS,
  TURNS_BEFORE_RESET,
} from "../../abi/process/lifecycle.ts";
import type { Signal } from "../../abi/signal.ts";
import { type Clock, realClock } from "../../lib/clock.ts";
import { Polls } from "../../lib/polls.ts";
import { Serial } from "../../lib/serial.ts";
import type { KernelDb } from "../../store/kernel/db.ts";
import { type SessionRow, sessionRows } from "../../store/kernel/processes/sessions.ts";
import { orphansOf } from "../faults/orphans.ts";
import { ApprovalManager } from "./approvals.ts";
import { NotFound, SessionEngine, type StartOptions } from "./engine.ts";
import { type EventCallback, errorEvent } from "./events.ts";
import type { ManagerPorts } from "./ports.ts";
import { OwnerQuestionManager } from "./questions.ts";
import { type SessionRun, SessionState } from "./state.ts";
import { SessionEventBus } from "./subscriptions.ts";
import { SessionTools } from "./tools.ts";
import { SessionWatch } from "./watch.ts";

export type { EventCallback } from "./events.ts";

interface Start {
  readonly prompt: string | null;
  readonly options: StartOptions;
  readonly isResumed: boolean;
  /** It goes on with its history in short. */
  readonly isReset?: boolean;
}

export class ProcessManager {
  readonly approvalManager: ApprovalManager;
  readonly ownerQuestionManager: OwnerQuestionManager;
  private readonly clock: Clock;
  private readonly sessions: ReturnType<typeof sessionRows>;
  private readonly bus: SessionEventBus;
  private readonly state: SessionState;
  private readonly engine: SessionEngine;
  private readonly watch: SessionWatch;
  private readonly work = new Map<string, { readonly serial: Serial; steps: number }>();
  private readonly busy = new Set<Promise<void>>();
  private readonly polls: Polls;
  private broadcast: (topic: string, data: unknown) => void = () => {};
  private isOwner: (address: string) => boolean = () => false;
  private readonly tools: SessionTools;
  private deaf = () => {};
  private down = false;

  constructor(
    db: KernelDb,
    private readonly ports: ManagerPorts = {},
  ) {
    const { engine, clock = realClock } = ports;
    this.clock = clock;
    this.sessions = sessionRows(db);
    this.bus = new SessionEventBus(this.onFault);
    this.state = new SessionState(clock, (id) => this.stable(id));
    this.engine = new SessionEngine({ engine, sessions: this.sessions, clock });
    const isOver = (id: string) => this.down || this.state.stopping.has(id);
    this.tools = new SessionTools({ ...ports, sessions: this.sessions, isOver });
    const isOwner = (sender: string) => this.isOwner(sender);
    this.approvalManager = new ApprovalManager({
      isOwner,
      answer: (asked, response, by) => this.watch.answered(asked, response, by),
    });
    this.ownerQuestionManager = new OwnerQuestionManager({
      ...{ clock, isOwner },
      answer: (asked, text) => this.watch.answeredQuestion(asked, text),
      expire: (asked) => this.watch.unanswered(asked),
    });
    this.watch = new SessionWatch({
      ...{ state: this.state, bus: this.bus, engine: this.engine, sessions: this.sessions, ports, clock },
      ...{ approvals: this.approvalManager, questions: this.ownerQuestionManager },
      closeTools: (id) => this.tools.close(id),
      cleanup: (id) => this.cleanupSessionState(id),
      queue: (id, step) => this.queue(id, step),
      broadcast: (topic, data) => this.broadcast(topic, data),
    });
    this.deaf = engine?.hear((signal) => this.hear(signal)) ?? this.deaf;
    this.polls = new Polls(clock, this.onFault);
    this.polls.every(RECONCILE_MS, () => this.watch.reconcile());
    this.polls.every(ORPHAN_SWEEP_MS, () => this.pruneOrphans());
    this.watch.reconcile();
  }

  setBroadcast(fn: (topic: string, data: unknown) => void): void {
    this.broadcast = fn;
  }

  setOwnerCheck(fn: (address: string) => boolean): void {
    this.isOwner = fn;
  }

  /** What tool servers of sessions are opened with, from the next start on. */
  setMcpServices(...services: readonly unknown[]): void {
    this.tools.set(services);
  }

  startProcess(session: SessionRow, prompt?: string, options: StartOptions = {}): void {
    this.begin(session, { prompt: prompt ?? session.initialPrompt, options, isResumed: false });
  }

  resumeProcess(session: SessionRow, prompt?: string): void {
    const { id } = session;
    const isRunning = this.isRunning(id);
    const isReset = isRunning && (this.state.meta.get(id)?.turnCount ?? 0) >= TURNS_BEFORE_RESET;
    if (!isRunning || isReset) {
      this.begin(session, { prompt: prompt ?? null, options: {}, isResumed: true, isReset: prompt !== undefined });
    } else if (prompt !== undefined) this.sendMessage(id, prompt);
  }

  stopProcess(sessionId: string): void {
    if (this.state.stopping.has(sessionId)) return;
    const run = this.state.unregister(sessionId);
    this.state.stopping.add(sessionId);
    this.queue(sessionId, async () => {
      const session = await this.sessions.get(sessionId);
      const pid = run?.pid ?? session?.pid ?? null;
      const isHalted = pid !== null && this.engine.isThere() && (await this.engine.stop(pid));
      if (run !== null || isHalted) {
        await this.sessions.change(sessionId, { outcome: "stopped" }, this.clock.now());
        this.bus.emit(sessionId, { type: "session_stopped" });
      }
      await this.tools.close(sessionId);
      this.state.stopping.delete(sessionId);
      // Started again meanwhile: what is remembered is the new run's.
      if (!this.isRunning(sessionId)) this.cleanupSessionState(sessionId);
    });
  }

  /** All that is remembered of a session; of one that nobody knows, and a second time, nothing happens. */
  cleanupSessionState(sessionId: string): void {
    this.tools.closing(sessionId);
    this.state.forget(sessionId);
    this.bus.clear(sessionId);
    this.approvalManager.cancelSession(sessionId);
    this.ownerQuestionManager.cancelSession(sessionId);
  }

  getMemoryStats() {
    const { processes, meta, paused, stableTimers } = this.state;
    const timed = [...processes.values()].filter(({ pid }) => pid !== null && this.ports.engine?.timeouts.watches(pid));
    return {
      processes: processes.size,
      subscribers: this.bus.sessions,
      sessionMeta: meta.size,
      pausedSessions: paused.size,
      sessionTimeouts: timed.length,
      stableTimers,
      globalSubscribers: this.bus.globals,
    };
  }

  sendMessage(sessionId: string, content: string): boolean {
    const run = this.state.processes.get(sessionId);
    if (run === undefined || this.down) return false;
    run.sending++;
    this.state.change(sessionId, { turnCount: (this.state.meta.get(sessionId)?.turnCount ?? 0) + 1 });
    this.queue(sessionId, async () => {
      try {
        if (this.state.isCurrent(run) && run.pid !== null)
          run.ids.add(await this.engine.send(run.session, run.pid, content));
      } finally {
        run.sending--;
      }
    });
    return true;
  }

  isRunning(sessionId: string): boolean {
    return this.state.processes.has(sessionId);
  }

  subscribe(sessionId: string, callback: EventCallback): void {
    this.bus.subscribe(sessionId, callback, this.clock.now());
    if (this.isRunning(sessionId)) this.bus.tell(callback, sessionId, { type: "thinking", thinking: true });
  }

  unsubscribe(sessionId: string, callback: EventCallback): void {
    this.bus.unsubscribe(sessionId, callback);
  }

  subscribeAll(callback: EventCallback): void {
    this.bus.subscribeAll(callback);
  }

  unsubscribeAll(callback: EventCallback): void {
    this.bus.unsubscribeAll(callback);
  }

  getActiveSessionIds(): string[] {
    return [...this.state.processes.keys()];
  }

  /** Every session is stopped; no timer is left. A second time nothing happens. */
  shutdown(): void {
    if (this.down) return;
    this.polls.stop();
    this.approvalManager.shutdown();
    this.ownerQuestionManager.shutdown();
    const { processes, paused, restarting } = this.state;
    for (const id of new Set([...processes.keys(), ...paused.keys(), ...restarting.keys()])) this.stopProcess(id);
    this.down = true;
    void this.settled().then(() => {
      this.deaf();
      for (const id of [...this.state.meta.keys()]) this.state.forget(id);
      this.bus.clearSessions();
    });
  }

  /** Whether it was paused, and is tried now. */
  resumeSession(sessionId: string): boolean {
    const paused = this.state.paused.get(sessionId);
    if (paused === undefined) return false;
    this.state.paused.delete(sessionId);
    this.state.change(sessionId, { restartCount: 0 });
    this.begin(paused.session, { prompt: null, options: {}, isResumed: true });
    return true;
  }

  isPaused(sessionId: string): boolean {
    return this.state.paused.has(sessionId);
  }

  getPausedSessionIds(): string[] {
    return [...this.state.paused.keys()];
  }

  /** Never back, and never beyond four times the usual. */
  extendTimeout(sessionId: string, additionalMs: number): boolean {
    const pid = this.state.processes.get(sessionId)?.pid ?? null;
    const { timeouts } = this.ports.engine ?? {};
    if (pid === null || timeouts === undefined || !timeouts.watches(pid) || !(additionalMs > 0)) return false;
    this.queue(sessionId, async () => void (await timeouts.extend(pid, additionalMs)));
    return true;
  }

  /** All that was set off so far is stored and told. */
  async settled(): Promise<void> {
    while (this.busy.size > 0) await Promise.all(this.busy);
  }

  private begin(session: SessionRow, start: Start): void {
    const { id } = session;
    if (this.down) return;
    if ((start.options.depth ?? 0) > INVOCATION_DEPTH_MAX) {
      const text = `sessions may start each other ${INVOCATION_DEPTH_MAX} deep`;
      this.bus.emit(id, errorEvent("spawn_error", text));
      return;
    }
    const before = this.state.unregister(id);
    const run = this.state.register(session, { pid: null });
    this.queue(id, async () => {
      if (before !== null) await this.replaced(before);
      // Stopped, or started once more, before it came to that.
      if (!this.state.isCurrent(run)) return;
      try {
        const pid = await this.engine.processOf(session, start.options);
        if (this.state.isCurrent(run)) await this.launch(run, pid, start);
      } catch (error) {
        await this.failed(run, error);
      }
    });
  }

  private async launch(run: SessionRun, pid: string, { prompt, isResumed, isReset }: Start): Promise<void> {
    const { session } = run;
    await this.tools.open(session, pid);
    await this.sessions.change(session.id, { outcome: null }, this.clock.now());
    if (!this.state.isCurrent(run)) return await this.tools.close(session.id);
    this.state.placed(run, pid);
    this.bus.emit(session.id, { type: "session_started", ...(isResumed && { subtype: "resumed" }) });
    if (isReset) this.ports.engine?.contextResets.ask(pid);
    const goOn = () => (isResumed ? this.engine.goOn(session, pid) : null);
    const runId = await (prompt ? this.engine.send(session, pid, prompt) : goOn());
    if (runId === null) this.watch.exited(run, 0);
    else run.ids.add(runId);
  }

  /** Who listened to it listens to the next one. */
  private async replaced(before: SessionRun): Promise<void> {
    if (before.pid !== null) await this.engine.abort(before.pid);
    await this.tools.close(before.session.id);
    this.bus.emit(before.session.id, { type: "session_stopped", subtype: "replaced" });
  }

  private async failed(run: SessionRun, error: unknown): Promise<void> {
    const { id } = run.session;
    if (!this.state.isCurrent(run)) return;
    // What is not there was never started: its status stays.
    const isAbsent = error instanceof NotFound;
    if (!isAbsent) await this.sessions.change(id, { outcome: "error" }, this.clock.now());
    await this.tools.close(id);
    const text = error instanceof Error ? error.message : String(error);
    this.bus.emit(id, errorEvent(isAbsent ? "not_found" : "spawn_error", text));
    this.state.unregister(id);
    this.cleanupSessionState(id);
  }

  private hear(signal: Signal): void {
    const id = this.state.ofPid(signal.pid);
    if (id === null) this.watch.unknown(signal);
    // What is under way comes first: events keep their order.
    else if (this.work.has(id)) this.queue(id, async () => this.watch.hear(id, signal));
    else this.watch.hear(id, signal).catch(this.onFault);
  }

  private stable(id: string): void {
    this.state.change(id, { restartCount: 0 });
    this.queue(id, () => this.sessions.change(id, { restartCount: 0 }, this.clock.now()));
  }

  private pruneOrphans(): void {
    const since = new Map(this.bus.since());
    for (const [id, { startedAt }] of this.state.meta) since.set(id, Math.max(startedAt, since.get(id) ?? 0));
    const isAlive = (id: string) => this.state.isAlive(id);
    for (const id of orphansOf({ since, isAlive }, this.clock.now())) this.cleanupSessionState(id);
  }

  private queue(id: string, step: () => Promise<void>): void {
    const work = this.work.get(id) ?? { serial: new Serial(), steps: 0 };
    this.work.set(id, work);
    work.steps++;
    const done = work.serial
      .run(step)
      .catch(this.onFault)
      .then(() => {
        this.busy.delete(done);
        if (--work.steps === 0) this.work.delete(id);
      });
    this.busy.add(done);
  }

  private readonly onFault = (error: unknown): void => this.ports.onFault?.(error);
}
