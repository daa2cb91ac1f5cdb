// What a manager remembers of sessions, and nothing else does: which run, which are held, who is about to run again. A session has one run
// at most; every run has a number, and what belongs to an older one finds nobody here. All of it goes with a session's cleanup.

import { STABLE_MS } from "../../abi/process/lifecycle.ts";
import type { Clock } from "../../lib/clock.ts";
import type { SessionRow } from "../../store/kernel/processes/sessions.ts";

export interface SessionRun {
  readonly number: number;
  readonly session: SessionRow;
  /** Null until its process is there. */
  pid: string | null;
  /** Of the kernel, as many as it has had: what comes of others is not its own. */
  readonly ids: Set<string>;
  /** Messages on their way to it. */
  sending: number;
  /** A look found its process at rest. */
  isSeenAtRest: boolean;
}

type Held = Pick<SessionRun, "session" | "ids">;

export interface SessionMeta {
  readonly startedAt: number;
  readonly source: string;
  readonly restartCount: number;
  readonly lastKnownCostUsd: number;
  readonly turnCount: number;
}

export interface PausedSession extends Pick<SessionRun, "session" | "ids"> {
  readonly pausedAt: number;
  readonly resumeAttempts: number;
  readonly nextResumeAt: number;
}

export class SessionState {
  readonly processes = new Map<string, SessionRun>();
  readonly meta = new Map<string, SessionMeta>();
  readonly paused = new Map<string, PausedSession>();
  /** Faulted, and about to be taken up again. */
  readonly restarting = new Map<string, Held>();
  /** On their way to being stopped. */
  readonly stopping = new Set<string>();
  private readonly stable = new Map<string, () => void>();
  private readonly byPid = new Map<string, string>();
  private runs = 0;

  constructor(
    private readonly clock: Clock,
    /** Ten minutes went by without a fault. */
    private readonly onStable: (sessionId: string) => void,
  ) {}

  get stableTimers(): number {
    return this.stable.size;
  }

  /** A new run in the place of any other. */
  register(session: SessionRow, { pid }: { readonly pid: string | null }): SessionRun {
    const { id, source, restartCount } = session;
    const before = this.meta.get(id);
    const run: SessionRun = {
      ...{ number: ++this.runs, session, pid: null, sending: 0, isSeenAtRest: false },
      ids: new Set(),
    };
    this.processes.set(id, run);
    this.meta.set(id, {
      ...{ startedAt: this.clock.now(), source, turnCount: 0 },
      restartCount: before?.restartCount ?? restartCount,
      lastKnownCostUsd: before?.lastKnownCostUsd ?? 0,
    });
    this.paused.delete(id);
    this.restarting.delete(id);
    if (pid !== null) this.placed(run, pid);
    this.stable.get(id)?.();
    this.stable.set(
      id,
      this.clock.after(STABLE_MS, () => {
        this.stable.delete(id);
        this.onStable(id);
      }),
    );
    return run;
  }

  placed(run: SessionRun, pid: string): void {
    run.pid = pid;
    this.byPid.set(pid, run.session.id);
  }

  isCurrent(run: SessionRun): boolean {
    return this.processes.get(run.session.id) === run;
  }

  /** It runs no more; what is remembered of its session stays. */
  unregister(id: string): SessionRun | null {
    const run = this.processes.get(id) ?? null;
    this.processes.delete(id);
    this.stable.get(id)?.();
    this.stable.delete(id);
    return run;
  }

  ofPid(pid: string): string | null {
    return this.byPid.get(pid) ?? null;
  }

  knows(pid: string, id: string): void {
    this.byPid.set(pid, id);
  }

  change(id: string, change: Partial<SessionMeta>): void {
    const meta = this.meta.get(id);
    if (meta !== undefined) this.meta.set(id, { ...meta, ...change });
  }

  isAlive(id: string): boolean {
    return this.processes.has(id) || this.paused.has(id) || this.restarting.has(id) || this.stopping.has(id);
  }

  /** Nothing is left of it. */
  forget(id: string): void {
    this.unregister(id);
    this.meta.delete(id);
    this.paused.delete(id);
    this.restarting.delete(id);
    for (const [pid, session] of this.byPid) if (session === id) this.byPid.delete(pid);
  }
}
