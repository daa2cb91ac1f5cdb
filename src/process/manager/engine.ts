// What a manager has done to the process of a session: made, told, sent to, stopped, let go. Each is one step that is stored when it returns;
// nothing here remembers anything.

import { uuidv7 } from "../../abi/ids.ts";
import { MAIN_AGENT } from "../../abi/process/session.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { SessionRow, SessionRows } from "../../store/kernel/processes/sessions.ts";
import type { Admission } from "../../store/process/verbs.ts";
import { carryOut } from "../approvals/approvals.ts";
import { endSignals } from "../life/ledger.ts";
import type { Engine } from "./ports.ts";

export interface StartOptions {
  /** How many sessions started each other before it. */
  readonly depth?: number;
  /** Nobody is there: what would ask is refused. */
  readonly schedulerMode?: boolean;
}

export interface SessionEnginePorts {
  readonly engine: Engine | undefined;
  readonly sessions: SessionRows;
  readonly clock: Clock;
}

/** A session says what is not there. */
export class NotFound extends Error {}

const STOPPED = "its session was stopped";
const INTERRUPTED = "This session was interrupted. Go on from where it stopped.";

export class SessionEngine {
  constructor(private readonly ports: SessionEnginePorts) {}

  /** The process of a session, made now where there is none: whoever it acts as and what it is started with stays with it. */
  async processOf(session: SessionRow, options: StartOptions): Promise<string> {
    const { sessions, clock } = this.ports;
    const { kernel, sysOf } = this.engine;
    const { agentId, workDir, projectId } = session;
    const project = projectId === null ? null : await kernel.projects.get(projectId);
    if (projectId !== null && project === null) throw new NotFound(`there is no project ${projectId}`);
    const now = await sessions.get(session.id);
    const row = now?.pid == null ? null : await kernel.processes.get(now.pid);
    if (row !== null && row.phase === "live") return row.pid;
    const { pid } = await sysOf(session.ownerUid).call<{ pid: string }>("proc.spawn", {
      profile: options.schedulerMode ? "cron" : "task",
      ...(session.name === "" ? {} : { label: session.name }),
      ...(workDir === null ? {} : { cwd: workDir }),
      ...(agentId === null || agentId === MAIN_AGENT ? {} : { as: agentId }),
      ...(project === null ? {} : { project: project.name }),
    });
    await sessions.attach(session.id, { pid, generationId: this.newId(), now: clock.now() });
    return pid;
  }

  async send(session: SessionRow, pid: string, message: string): Promise<string> {
    const { sysOf } = this.engine;
    const sys = sysOf(session.ownerUid);
    // What a person stopped goes on too: whoever starts a session means it.
    if ((await this.engine.store.head(pid)).stopped) await sys.call("proc.signal", { pid, signal: "CONT" });
    return (await sys.call<{ runId: string }>("proc.send", { pid, message })).runId;
  }

  /** Goes on with what there is: null where nothing was ever said. */
  async goOn(session: SessionRow, pid: string): Promise<string | null> {
    const { store, runners } = this.engine;
    const head = await store.head(pid);
    if (head.currentRun !== null) {
      await this.letGo(session, pid);
      return head.currentRun;
    }
    const { messages } = await store.history(pid, { limit: 1 });
    if (messages.length === 0)
      return session.initialPrompt === "" ? null : await this.send(session, pid, session.initialPrompt);
    const now = this.ports.clock.now();
    const runId = this.newId();
    const event: Admission = {
      ...{ kind: "event", runId, wakes: true, urgent: false, text: INTERRUPTED },
      ...{ origin: { kind: "kernel" }, source: `session:${session.id}`, requestKey: `resume:${runId}`, now },
    };
    await this.write(pid, (row) => this.admitted(row, event));
    runners.wake(pid);
    return runId;
  }

  /** Lets go what was stopped, or waits for an instant. */
  async letGo(session: SessionRow, pid: string): Promise<void> {
    await this.engine.sysOf(session.ownerUid).call("proc.signal", { pid, signal: "CONT" });
  }

  /** Ends the run in flight, whatever it is at. */
  async abort(pid: string): Promise<void> {
    const { store, ledger, runners } = this.engine;
    await this.write(pid, async (row) => {
      const [requestKey, now] = [`manager:${this.newId()}`, this.ports.clock.now()];
      const ended = await store.abort(pid, { runId: null, reason: "user.abort", requestKey, now });
      if (ended.ok && ended.value.ends.length > 0) runners.interrupt(pid);
      await ledger.publish(row, ended.ok ? endSignals(ended.value.ends) : []);
    });
  }

  /** Ends the run in flight and holds the process until somebody starts it again. False where it rests already. */
  async stop(pid: string): Promise<boolean> {
    const { store, ledger } = this.engine;
    const { currentRun, queued, stopped } = await store.head(pid);
    if (stopped || (currentRun === null && queued === 0)) return false;
    const now = this.ports.clock.now();
    await this.write(pid, async (row) => {
      await store.hold(pid, { stopped: true, why: STOPPED, now });
      await ledger.publish(row);
    });
    await this.abort(pid);
    return true;
  }

  async decide(
    pid: string,
    given: { readonly id: string; readonly decision: "deny" | "expired"; readonly said: string },
  ) {
    const row = await this.engine.kernel.processes.get(pid);
    if (row === null) return;
    const { id: approvalId, decision, said } = given;
    const now = this.ports.clock.now();
    const output = decision === "expired" ? said : undefined;
    await carryOut(this.engine, row, { approvalId, decision, said, by: "time", now, ...(output && { output }) });
  }

  private newId(): string {
    return uuidv7(this.ports.clock.now(), this.engine.random);
  }

  isThere(): boolean {
    return this.ports.engine !== undefined;
  }

  private get engine(): Engine {
    if (this.ports.engine === undefined) throw new Error("there is no kernel that could start processes");
    return this.ports.engine;
  }

  private async write(pid: string, work: (row: ProcessRow) => Promise<unknown>): Promise<void> {
    const { kernel, ledger } = this.engine;
    const row = await kernel.processes.get(pid);
    if (row !== null && row.phase === "live") await ledger.write(row, () => work(row));
  }

  private async admitted(row: ProcessRow, event: Admission): Promise<void> {
    const { store, ledger } = this.engine;
    const admitted = await store.admit(row.pid, event);
    await ledger.publish(row, admitted.ok ? endSignals(admitted.value.ends) : []);
  }
}
