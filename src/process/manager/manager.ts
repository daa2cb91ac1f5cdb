// ProcessManager of seed-002: a facade of gsv's own life cycle. Each method calls the kernel of the home that the database belongs to;
// state comes from the kernel's signals. Calls return at once and run in order per session.

import { dirname } from "node:path";
import { ORPHAN_SWEEP_MS, TURNS_BEFORE_RESET } from "../../abi/process/lifecycle.ts";
import type { Signal } from "../../abi/signal.ts";
import type { Sys } from "../../abi/sys.ts";
import { homeSys } from "../../client/home-sys.ts";
import { type Clock, realClock } from "../../lib/clock.ts";
import { Polls } from "../../lib/polls.ts";
import { Serials } from "../../lib/serial.ts";
import type { SessionBegun, SessionLine, SessionStopped } from "../../syscalls/session/session-service.ts";
import { ApprovalManager, OwnerQuestionManager } from "./approvals.ts";
import { type EventCallback, startFailure } from "./events.ts";
import { Owners } from "./owners.ts";
import { aboutOf, given, ifUnknown, isOver, type Session, SessionRun, type StartOptions } from "./session.ts";
import { SessionSignals, sinceResumed } from "./session-signals.ts";
import { SessionEventBus } from "./subscriptions.ts";
import { OfferedServers } from "./tools.ts";

export type { EventCallback } from "./events.ts";

interface Options {
  readonly sys?: Sys;
  readonly clock?: Clock;
  readonly onFault?: (error: unknown) => void;
}

const LISTED = 1000;
/** Signals that reveal a session started elsewhere. */
const NEWS: readonly Signal["name"][] = ["chat.start", "process.state", "resync"];

export class ProcessManager {
  readonly approvalManager: ApprovalManager;
  readonly ownerQuestionManager: OwnerQuestionManager;
  private readonly sys: Sys;
  private readonly clock: Clock;
  private readonly bus: SessionEventBus;
  private readonly signals: SessionSignals;
  private readonly servers: OfferedServers;
  private readonly polls: Polls;
  private readonly runs = new Map<string, SessionRun>();
  private readonly byPid = new Map<string, string>();
  private readonly work: Serials<string>;
  private readonly owners: Owners;
  private early: Signal[] = [];
  private broadcast: (topic: string, data: unknown) => void = () => {};
  private down = false;
  private ends = 0;
  private readonly unlisten: () => void;

  constructor(db: { readonly filename: string }, { sys, clock = realClock, onFault = () => {} }: Options = {}) {
    this.sys = sys ?? homeSys(dirname(db.filename));
    this.clock = clock;
    this.bus = new SessionEventBus(onFault);
    this.work = new Serials(onFault);
    this.owners = new Owners(this.sys);
    const isOwner = (sender: string) => this.owners.has(sender);
    const answer = (args: object) => void this.sys.call("hil.answer", args).catch(onFault);
    this.approvalManager = new ApprovalManager({ isOwner, answer });
    this.ownerQuestionManager = new OwnerQuestionManager({ isOwner, answer });
    this.signals = new SessionSignals({
      emit: (id, event) => this.bus.emit(id, event),
      cleanup: (id) => this.cleanupSessionState(id),
      broadcast: (topic, data) => this.broadcast(topic, data),
      approvals: this.approvalManager,
      questions: this.ownerQuestionManager,
    });
    this.servers = new OfferedServers(this.sys, onFault);
    this.unlisten = this.sys.on({}, (signal) => this.hear(signal));
    this.polls = new Polls(clock, onFault);
    this.polls.every(ORPHAN_SWEEP_MS, () => this.pruneOrphans());
    this.work.track(this.adopt());
  }

  setBroadcast(fn: (topic: string, data: unknown) => void): void {
    this.broadcast = fn;
  }

  setOwnerCheck(fn: (address: string) => boolean): void {
    this.owners.set(fn);
  }

  /** The tool servers among them offer their tools to sessions started or resumed from now on. */
  setMcpServices(...services: readonly unknown[]): void {
    this.servers.set(services);
  }

  startProcess(session: Session, prompt?: string, { depth, schedulerMode }: StartOptions = {}): void {
    const text = prompt ?? (session.initialPrompt || undefined);
    this.begin(session, "session.start", { prompt: text, depth, unattended: schedulerMode });
  }

  resumeProcess(session: Session, prompt?: string): void {
    const run = this.runs.get(session.id);
    if (run?.state !== "running" || run.turns >= TURNS_BEFORE_RESET) this.begin(session, "session.resume", { prompt });
    else if (prompt !== undefined) this.sendMessage(session.id, prompt);
  }

  stopProcess(sessionId: string): void {
    const run = this.runs.get(sessionId);
    if (run?.state === "stopping") return;
    if (run !== undefined) run.state = "stopping";
    this.work.run(sessionId, async () => {
      const key = run?.conversation ?? run?.session.key ?? sessionId;
      const { stopped } = await this.sys.call<SessionStopped>("session.stop", { key }).catch(ifUnknown);
      if (run !== undefined || stopped) this.bus.emit(sessionId, { type: "session_stopped" });
      // Started again meanwhile: keep the new run.
      if (this.runs.get(sessionId) === run) this.cleanupSessionState(sessionId);
    });
  }

  cleanupSessionState(sessionId: string): void {
    this.ends++;
    this.servers.close(sessionId);
    this.runs.delete(sessionId);
    for (const [pid, id] of this.byPid) if (id === sessionId) this.byPid.delete(pid);
    this.bus.clear(sessionId);
    this.approvalManager.cancelSession(sessionId);
    this.ownerQuestionManager.cancelSession(sessionId);
  }

  /** Each running session has its timers in the kernel. */
  getMemoryStats() {
    const running = this.getActiveSessionIds().length;
    return {
      processes: running,
      subscribers: this.bus.sessions,
      sessionMeta: this.runs.size,
      pausedSessions: this.getPausedSessionIds().length,
      sessionTimeouts: running,
      stableTimers: running,
      globalSubscribers: this.bus.globals,
    };
  }

  sendMessage(sessionId: string, content: string): boolean {
    const run = this.runs.get(sessionId);
    if (run?.state !== "running" || this.down) return false;
    run.turns++;
    run.sending++;
    this.work.run(sessionId, async () => {
      try {
        // A replaced session has the same process.
        const now = this.runs.get(sessionId);
        if (now === undefined || now.state === "stopping" || run.pid === null) return;
        now.ids.add((await this.sys.call<{ runId: string }>("proc.send", { pid: run.pid, message: content })).runId);
      } finally {
        run.sending--;
      }
    });
    return true;
  }

  isRunning(sessionId: string): boolean {
    return this.runs.get(sessionId)?.state === "running";
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
    return [...this.runs].flatMap(([id, { state }]) => (state === "running" ? [id] : []));
  }

  shutdown(): void {
    if (this.down) return;
    this.polls.stop();
    for (const id of [...this.runs.keys()]) this.stopProcess(id);
    this.down = true;
    void this.settled().then(() => {
      this.unlisten();
      this.bus.clearSessions();
      void this.sys.close();
    });
  }

  resumeSession(sessionId: string): boolean {
    const run = this.runs.get(sessionId);
    if (run?.state !== "paused") return false;
    this.begin(run.session, "session.resume", {});
    return true;
  }

  isPaused(sessionId: string): boolean {
    return this.runs.get(sessionId)?.state === "paused";
  }

  getPausedSessionIds(): string[] {
    return [...this.runs].flatMap(([id, { state }]) => (state === "paused" ? [id] : []));
  }

  /** Never shortens; limited to four times the usual time. */
  extendTimeout(sessionId: string, additionalMs: number): boolean {
    const pid = this.isRunning(sessionId) ? (this.runs.get(sessionId)?.pid ?? null) : null;
    if (pid === null || !(additionalMs > 0)) return false;
    const seconds = Math.ceil(additionalMs / 1000);
    this.work.run(sessionId, async () => void (await this.sys.call("proc.extend", { pid, seconds })));
    return true;
  }

  async settled(): Promise<void> {
    await this.work.settled();
  }

  private begin(session: Session, call: "session.start" | "session.resume", args: object): void {
    const { id } = session;
    if (this.down) return;
    const run = new SessionRun(session);
    this.runs.set(id, run);
    this.work.run(id, async () => {
      // Stopped or started again meanwhile.
      if (this.runs.get(id) !== run || run.state !== "running") return;
      try {
        await this.owners.note(session);
        const about = { key: session.key ?? id, ...aboutOf(session) };
        await this.servers.open(session, about);
        const begun = await this.sys.call<SessionBegun>(call, { ...about, ...given(args) });
        if (begun.replaced) this.bus.emit(id, { type: "session_stopped", subtype: "replaced" });
        this.started(run, begun);
      } catch (error) {
        this.failed(run, error);
      }
    });
  }

  private started(run: SessionRun, { id: conversation, pid, runId }: SessionBegun): void {
    const { id } = run.session;
    const before = this.runs.get(this.byPid.get(pid) ?? id);
    if (before !== undefined && before !== run) this.signals.replaced(before);
    Object.assign(run, { pid, conversation });
    this.byPid.set(pid, id);
    this.bus.emit(id, { type: "session_started" });
    if (runId === null) this.signals.exited(run, 0);
    else run.ids.add(runId);
    for (const signal of sinceResumed(pid, this.early.splice(0))) this.hear(signal);
  }

  private failed(run: SessionRun, error: unknown, { id } = run.session): void {
    this.bus.emit(id, startFailure(error));
    if (this.runs.get(id) === run) this.cleanupSessionState(id);
  }

  private hear(signal: Signal): void {
    const id = this.byPid.get(signal.pid);
    const run = id === undefined ? undefined : this.runs.get(id);
    if (signal.name === "resync" || run === undefined || run.pid === null) {
      // Its session may still be starting.
      if (!this.work.isIdle && signal.name !== "resync") this.early.push(signal);
      else if (NEWS.includes(signal.name)) this.work.track(this.adopt(signal.name === "resync"));
      if (signal.name === "chat.complete" || signal.name === "process.exit") this.ends++;
    } else if (this.work.has(run.session.id)) this.work.run(run.session.id, async () => this.signals.hear(run, signal));
    else this.signals.hear(run, signal);
  }

  /** `missed`: signals were lost, such as the end of a run. */
  private async adopt(missed = false, ends = this.ends): Promise<void> {
    const before = missed ? [...this.runs.values()].filter(({ session: { id } }) => !this.work.has(id)) : [];
    const { sessions } = await this.sys.call<{ sessions: readonly SessionLine[] }>("session.list", { limit: LISTED });
    // The list may be older than the end of a session.
    if (ends !== this.ends) return await this.adopt(missed);
    for (const { id, key, pid, status } of sessions) {
      if (pid === null || (status !== "running" && status !== "paused") || this.runs.has(id)) continue;
      const run = new SessionRun({ id, key: key === id ? null : key });
      run.state = status;
      run.isAdopted = true;
      run.pid = pid;
      this.runs.set(id, run);
      this.byPid.set(pid, id);
      if (status === "running") this.bus.emit(id, { type: "session_started", subtype: "resumed" });
    }
    for (const run of before)
      if (this.runs.get(run.session.id) === run && isOver(run, sessions)) this.signals.exited(run, 0);
    this.servers.again();
  }

  private pruneOrphans(): void {
    for (const [id, since] of this.bus.since())
      if (!this.runs.has(id) && this.clock.now() - since >= ORPHAN_SWEEP_MS) this.cleanupSessionState(id);
  }
}
