// The head of a process: the values every verb reads, stored in process_kv, with the state machine and the outbox row that carries
// changes to kernel.db. A verb loads the head, changes it and saves it in one transaction.

import type { Approval, Restarts, Retrying, RunStatus, State, UsageRow, WaitsFor } from "../../abi/process/process.ts";
import { TRIED_AGAIN, WORKING_STATES } from "../../abi/process/process.ts";
import { type Facts, nextState, type StateEvent } from "../../abi/process/states.ts";
import type { Db, Durability } from "../open.ts";
import { type EndedNotice, endedText, type OutboxRow, outboxSeqBefore, type Projection, putOutbox } from "./outbox.ts";
import type { Outcome, Refusal } from "./outcome.ts";
import { approvalFromRow, blockingRequest, type HilRow, runEnd } from "./rows.ts";

export interface Head {
  readonly epoch: number;
  readonly nextSeq: number;
  readonly generation: number;
  readonly state: State;
  readonly stopped: boolean;
  /** Why the kernel stopped the process; null if a person did. */
  readonly stoppedWhy: string | null;
  readonly restarts: Restarts | null;
  readonly paused: WaitsFor | null;
  /** Failed tries of the turn in flight. */
  readonly retrying: Retrying | null;
  readonly currentRun: string | null;
  /** Model requested for the run in flight. */
  readonly currentModel: string | null;
  readonly lastRun: string | null;
  readonly closing: Closing | null;
  /** Directory of the quarantined database, until a reset. */
  readonly damagedIn: string | null;
  readonly queued: number;
}

export interface Closing {
  readonly reason: "reset" | "kill";
  readonly archive: boolean;
  readonly archiveId: string;
  readonly requestKey: string;
  /** Media that belong to later messages. */
  readonly media?: readonly string[];
  /** Archive to restore into the new history. */
  readonly restore?: string;
  /** Messages up to this number and queue rows up to this generation are closed. */
  readonly cutSeq: number;
  readonly generation: number;
  readonly startedAt: number;
}

export interface StopRequest {
  readonly stopped: boolean;
  readonly now: number;
  /** Set if the kernel stops it; null for a person. */
  readonly why?: string;
  /** Do not wait for a safe point: fence the run in flight. */
  readonly atOnce?: boolean;
}

export interface StopVerbs {
  /** The database is unusable: the process stays in state error until a reset. */
  fail(pid: string): Promise<void>;
  setStopped(pid: string, options: StopRequest): Promise<Outcome<Head>>;
  /** Pauses a run that failed, until it is restarted. */
  restart(
    pid: string,
    epoch: number,
    options: { readonly runId: string; readonly restarts: Restarts; readonly waitsFor: WaitsFor },
  ): Promise<Outcome<null>>;
  /** Null resumes. With a model, the run in flight continues on that model and its retries are cleared. */
  pause(
    pid: string,
    waitsFor: WaitsFor | null,
    options: { readonly now: number; readonly model?: string },
  ): Promise<Outcome<Head>>;
}

/** A guarded transaction on one process. */
export type GuardedWrite = <T>(
  pid: string,
  durability: Durability,
  step: (db: Db, head: HeadRow) => T | Refusal,
) => Outcome<T>;

export function kernelGenerationOf(db: Db): number {
  const row = db.get<{ value: string }>("SELECT value FROM process_kv WHERE key = 'kernel_generation'");
  return row === null ? 0 : (JSON.parse(row.value) as number);
}

function damagedText(pid: string, damagedIn: string | null): string {
  const where = damagedIn === null ? "database damaged" : `database damaged, its files are in ${damagedIn}`;
  return `${where}; to start over: gsv proc reset --pid ${pid}`;
}

export class HeadRow implements Head {
  epoch: number;
  nextSeq: number;
  generation: number;
  state: State;
  stopped: boolean;
  stoppedWhy: string | null;
  restarts: Restarts | null;
  paused: WaitsFor | null;
  currentRun: string | null;
  retrying: Retrying | null;
  lastRun: string | null;
  /** The last run whose end was sent to the parent. */
  private reportedRun: string | null;
  closing: Closing | null;
  damagedIn: string | null;
  lastActiveAt: number | null;
  /** Number of the kernel start that may write. */
  kernelGeneration: number;
  private outboxSeq: number;
  private readonly stored: ReadonlyMap<string, string>;
  private readonly approvals: Approval[] = [];
  private readonly spent: UsageRow[] = [];
  private ended: EndedNotice | null = null;
  private readonly before: string;

  /** A head that is only read needs no projection to compare with. */
  constructor(
    private readonly db: Db,
    use: "change" | "read" = "change",
  ) {
    const rows = db.all<{ key: string; value: string }>("SELECT key, value FROM process_kv");
    this.stored = new Map(rows.map((row) => [row.key, row.value]));
    const read = <T>(key: string, absent: T): T => {
      const text = this.stored.get(key);
      return text === undefined ? absent : (JSON.parse(text) as T);
    };
    this.epoch = read("epoch", 0);
    this.nextSeq = read("next_seq", 1);
    this.generation = read("generation", 1);
    this.state = read<State>("state", "idle");
    this.stopped = read("stopped", false);
    this.stoppedWhy = read<string | null>("stopped_why", null);
    this.restarts = read<Restarts | null>("restarts", null);
    this.paused = read<WaitsFor | null>("paused", null);
    this.currentRun = read<string | null>("current_run", null);
    this.retrying = read<Retrying | null>("retrying", null);
    this.lastRun = read<string | null>("last_run", null);
    this.reportedRun = read<string | null>("told_run", null);
    this.closing = read<Closing | null>("closing", null);
    this.damagedIn = read<string | null>("damaged_in", null);
    this.lastActiveAt = read<number | null>("last_active_at", null);
    this.kernelGeneration = read("kernel_generation", 0);
    this.outboxSeq = read("outbox_seq", 0);
    this.before = use === "read" ? "" : JSON.stringify(this.projection());
  }

  get queued(): number {
    const row = this.db.get<{ n: number }>(
      "SELECT count(*) AS n FROM message_queue WHERE generation = ? AND wakes = 1",
      this.generation,
    );
    return row?.n ?? 0;
  }

  openApproval(): Approval | null {
    const row = this.db.get<HilRow>(
      "SELECT * FROM pending_hil WHERE decision IS NULL ORDER BY created_at, request_id LIMIT 1",
    );
    return row === null ? null : approvalFromRow(row, this.pid());
  }

  /** The open request that the run waits for. */
  blocking(): Approval | null {
    return blockingRequest(this.db, this.pid());
  }

  facts(): Facts {
    return {
      stopped: this.stopped,
      paused: this.paused !== null,
      asking: this.blocking() !== null,
      openRun: this.currentRun !== null,
      waking: this.queued > 0,
    };
  }

  move(event: StateEvent): void {
    this.state = nextState(this.state, event, this.facts());
  }

  get currentModel(): string | null {
    if (this.currentRun === null) return null;
    const row = this.db.get<{ model: string | null }>("SELECT model FROM runs WHERE run_id = ?", this.currentRun);
    return row?.model ?? null;
  }

  /** `model` replaces the model of the run in flight. */
  pause(waitsFor: WaitsFor | null, model?: string): void {
    this.paused = waitsFor;
    // Clear what the retry waited for during the pause. A delay between retries still counts.
    const { retrying } = this;
    const isRetried = TRIED_AGAIN.includes(retrying?.waitsFor?.kind);
    if (waitsFor === null && retrying !== null && isRetried) this.retrying = { ...retrying, waitsFor: null };
    if (model !== undefined) {
      this.db.run("UPDATE runs SET model = ? WHERE run_id = ?", model, this.currentRun);
      this.retrying = null;
    }
    this.move(waitsFor === null ? "release" : "pause");
  }

  setStopped({ stopped, now, why, atOnce }: StopRequest): void {
    const isNew = this.stopped !== stopped;
    // Keep a person's stop if the kernel stops the process too; a person's stop replaces the kernel's.
    if (isNew || why === undefined) this.stoppedWhy = stopped ? (why ?? null) : null;
    if (isNew) {
      this.stopped = stopped;
      this.lastActiveAt = now;
      this.move(stopped ? "stop" : "cont");
    }
    if (!stopped || !atOnce) return;
    this.epoch++;
    if (this.state === "running" || this.state === "waiting_tool") this.move("leave");
  }

  restart(restarts: Restarts, waitsFor: WaitsFor): null {
    this.restarts = restarts;
    this.pause(waitsFor);
    return null;
  }

  retry(retrying: Retrying, isPaused: boolean): null {
    const { waitsFor } = retrying;
    const reason = waitsFor !== null && "reason" in waitsFor ? waitsFor.reason : this.retrying?.reason;
    this.retrying = reason === undefined ? retrying : { ...retrying, reason };
    if (!isPaused) return null;
    this.paused = retrying.waitsFor;
    this.move("pause");
    return null;
  }

  /** Also drops what the run waited for. */
  runOver(runId: string): void {
    this.currentRun = null;
    this.lastRun = runId;
    this.retrying = null;
    if (TRIED_AGAIN.includes(this.paused?.kind)) this.paused = null;
  }

  takeSeq(): number {
    return this.nextSeq++;
  }

  takeOver(kernelGeneration: number): void {
    this.kernelGeneration = kernelGeneration;
    this.outboxSeq = Math.max(this.outboxSeq, outboxSeqBefore(kernelGeneration, 0));
  }

  /** Adds an approval to the next outbox row: kernel.db lists it. */
  publishApproval(approval: Approval): void {
    this.approvals.push(approval);
  }

  /** Adds usage to the next outbox row: kernel.db charges it. */
  publishUsage(row: UsageRow): void {
    this.spent.push(row);
  }

  /** Adds an end to the next outbox row: the parent is notified. */
  publishEnd(notice: EndedNotice): void {
    this.ended = notice;
  }

  projection(): Projection {
    return {
      state: this.state,
      activeRunId: this.currentRun,
      queued: this.queued,
      lastActiveAt: this.lastActiveAt,
      waitsFor: this.waitsFor(),
      lastStatus: this.lastStatus(),
    };
  }

  save(): void {
    this.publish();
    const values = {
      epoch: this.epoch,
      next_seq: this.nextSeq,
      generation: this.generation,
      state: this.state,
      stopped: this.stopped,
      stopped_why: this.stoppedWhy,
      restarts: this.restarts,
      paused: this.paused,
      current_run: this.currentRun,
      retrying: this.retrying,
      last_run: this.lastRun,
      told_run: this.reportedRun,
      closing: this.closing,
      damaged_in: this.damagedIn,
      last_active_at: this.lastActiveAt,
      kernel_generation: this.kernelGeneration,
      outbox_seq: this.outboxSeq,
    };
    for (const [key, value] of Object.entries(values)) {
      const text = JSON.stringify(value);
      if (this.stored.get(key) === text) continue;
      this.db.run(
        "INSERT INTO process_kv (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        key,
        text,
      );
    }
  }

  pid(): string {
    return JSON.parse(this.stored.get("pid") ?? '""') as string;
  }

  private publish(): void {
    this.noticeEnd();
    const projection = this.projection();
    const extra = this.approvals.length + this.spent.length;
    if (JSON.stringify(projection) === this.before && extra === 0 && this.ended === null) return;
    const { approvals, ended, spent: usage } = this;
    const row: OutboxRow = { seq: ++this.outboxSeq, projection, approvals, ended, usage };
    putOutbox(this.db, row);
  }

  private lastStatus(): RunStatus | null {
    const end = this.lastRun === null ? null : runEnd(this.db, this.lastRun);
    return end === null || end === "open" ? null : end.status;
  }

  // Whatever made the process idle: a run that ended while it was stopped counts when the process resumes.
  private noticeEnd(): void {
    if (this.state !== "idle" || this.lastRun === this.reportedRun) return;
    const end = this.lastRun === null ? null : runEnd(this.db, this.lastRun);
    if (end !== null && end !== "open") this.ended ??= { runId: end.runId, text: endedText(end) };
    this.reportedRun = this.lastRun;
  }

  private waitsFor(): WaitsFor | null {
    if (this.state === "stopped") {
      const reason = `${this.stoppedWhy ?? "stopped"}; to resume: gsv proc resume ${this.pid()}`;
      return { kind: this.stoppedWhy === null ? "person" : "limit", reason };
    }
    if (this.state === "paused") return this.paused;
    if (this.state === "running") return this.retrying?.waitsFor ?? null;
    if (this.state === "error") return { kind: "repair", reason: damagedText(this.pid(), this.damagedIn) };
    const asking =
      WORKING_STATES.includes(this.state) || this.state === "idle" ? null : (this.blocking() ?? this.openApproval());
    return asking === null ? null : { kind: asking.kind, id: asking.id, tool: asking.tool, summary: asking.why };
  }
}
