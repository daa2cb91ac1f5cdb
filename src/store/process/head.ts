// The head of a process: the few values every verb reads and some change, kept in process_kv, and what follows from a change of them:
// the state by the one table, and the outbox row that carries it to kernel.db. A verb loads the head, changes it, and saves it, all in
// one transaction.

import type {
  Approval,
  Restarts,
  Retrying,
  RunEnd,
  RunStatus,
  State,
  UsageRow,
  WaitsFor,
} from "../../abi/process/process.ts";
import { TRIED_AGAIN, WORKING_STATES } from "../../abi/process/process.ts";
import { type Facts, nextState, type StateEvent } from "../../abi/process/states.ts";
import type { Db } from "../open.ts";
import type { Hold } from "./holding.ts";
import { approvalFromRow, type HilRow, runEnd } from "./rows.ts";
import type { Closing, EndedNotice, Head, OutboxRow, Projection } from "./verbs.ts";

// kernel.db ignores a number it has seen. What a later start sends, or a database made anew in the place of a damaged one, must be
// beyond every number sent before, also by a database whose tail a power cut took.
export function outboxSeqBefore(kernelGeneration: number, madeAnew: number): number {
  return kernelGeneration * 2 ** 32 + madeAnew * 2 ** 24;
}

export function kernelGenerationOf(db: Db): number {
  const row = db.get<{ value: string }>("SELECT value FROM process_kv WHERE key = 'kernel_generation'");
  return row === null ? 0 : (JSON.parse(row.value) as number);
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
  /** Of the turn in flight. */
  retrying: Retrying | null;
  lastRun: string | null;
  /** The last run whose end the parent was told. */
  private toldRun: string | null;
  closing: Closing | null;
  lastActiveAt: number | null;
  /** Which start of the kernel may write. */
  kernelGeneration: number;
  private outboxSeq: number;
  private readonly stored: ReadonlyMap<string, string>;
  private readonly closed: Approval[] = [];
  private readonly spent: UsageRow[] = [];
  private ended: EndedNotice | null = null;
  private readonly before: string;

  constructor(private readonly db: Db) {
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
    this.toldRun = read<string | null>("told_run", null);
    this.closing = read<Closing | null>("closing", null);
    this.lastActiveAt = read<number | null>("last_active_at", null);
    this.kernelGeneration = read("kernel_generation", 0);
    this.outboxSeq = read("outbox_seq", 0);
    this.before = JSON.stringify(this.projection());
  }

  get queued(): number {
    const row = this.db.get<{ n: number }>(
      "SELECT count(*) AS n FROM message_queue WHERE generation = ? AND wakes = 1",
      this.generation,
    );
    return row?.n ?? 0;
  }

  openApproval(): Approval | null {
    const row = this.db.get<HilRow>("SELECT * FROM pending_hil WHERE decision IS NULL ORDER BY created_at LIMIT 1");
    return row === null ? null : approvalFromRow(row, this.pid());
  }

  facts(): Facts {
    return {
      stopped: this.stopped,
      paused: this.paused !== null,
      asking: this.openApproval() !== null,
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

  /** `model` is for the run in flight, in the place of the one that it waited for. */
  pause(waitsFor: WaitsFor | null, model?: string): void {
    this.paused = waitsFor;
    // What it waited for while it was put aside; an instant that a run in flight waits for is waited for after that, too.
    const { retrying } = this;
    const isAside = TRIED_AGAIN.includes(retrying?.waitsFor?.kind);
    if (waitsFor === null && retrying !== null && isAside) this.retrying = { ...retrying, waitsFor: null };
    if (model !== undefined) {
      this.db.run("UPDATE runs SET model = ? WHERE run_id = ?", model, this.currentRun);
      this.retrying = null;
    }
    this.move(waitsFor === null ? "release" : "pause");
  }

  hold({ stopped, now, why, atOnce }: Hold): void {
    const isNew = this.stopped !== stopped;
    // A person's stop stays a person's, and takes the place of one of ours.
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

  retry(retrying: Retrying, held: boolean): null {
    this.retrying = retrying;
    if (!held) return null;
    this.paused = retrying.waitsFor;
    this.move("pause");
    return null;
  }

  /** What was waited for with the run goes with it. */
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

  /** Goes out with the next projection, so that kernel.db lists it. */
  tellApproval(approval: Approval): void {
    this.closed.push(approval);
  }

  /** Goes out with the next projection, so that kernel.db charges it. */
  tellSpent(row: UsageRow): void {
    this.spent.push(row);
  }

  /** A wait on the process would return now: its parent is told. */
  tellEnded(notice: EndedNotice): void {
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
      told_run: this.toldRun,
      closing: this.closing,
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
    const told = this.closed.length + this.spent.length;
    if (JSON.stringify(projection) === this.before && told === 0 && this.ended === null) return;
    const { closed: approvals, ended, spent: usage } = this;
    const row: OutboxRow = { seq: ++this.outboxSeq, projection, approvals, ended, usage };
    this.db.run("INSERT INTO outbox (seq, body_json) VALUES (?, ?)", row.seq, JSON.stringify(row));
  }

  private lastStatus(): RunStatus | null {
    const end = this.lastRun === null ? null : runEnd(this.db, this.lastRun);
    return end === null || end === "open" ? null : end.status;
  }

  // Whatever brought the process to rest: a run that ended while it was stopped counts when it goes on.
  private noticeEnd(): void {
    if (this.state !== "idle" || this.lastRun === this.toldRun) return;
    const end = this.lastRun === null ? null : runEnd(this.db, this.lastRun);
    if (end !== null && end !== "open") this.ended ??= { runId: end.runId, text: endedText(end) };
    this.toldRun = this.lastRun;
  }

  private waitsFor(): WaitsFor | null {
    if (this.state === "stopped") {
      const reason = `${this.stoppedWhy ?? "stopped"}; gsv proc resume ${this.pid()} lets it go on`;
      return { kind: this.stoppedWhy === null ? "person" : "limit", reason };
    }
    if (this.state === "paused") return this.paused;
    if (this.state === "running") return this.retrying?.waitsFor ?? null;
    if (this.state === "error")
      return { kind: "repair", reason: `its database is damaged; gsv proc reset --pid ${this.pid()} starts it afresh` };
    const asking = WORKING_STATES.includes(this.state) || this.state === "idle" ? null : this.openApproval();
    return asking === null ? null : { kind: asking.kind, id: asking.id, tool: asking.tool, summary: asking.why };
  }
}

const ENDED_CHARS_MAX = 500;

function endedText({ status, error, text }: RunEnd): string {
  const tail = error ?? text ?? "";
  if (tail === "") return status;
  return `${status}: ${tail.length > ENDED_CHARS_MAX ? `${tail.slice(0, ENDED_CHARS_MAX - 1).toWellFormed()}…` : tail}`;
}
