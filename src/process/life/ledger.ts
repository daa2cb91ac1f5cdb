// Commit, project, signal, in this order: after each change of a process the ledger copies its outbox into kernel.db, notifies the parent
// if the process ended, and then signals clients. Before its first write it takes the process over for this kernel and marks it dirty in
// kernel.db, so that the next start checks it.

import { messageOf } from "../../abi/errno.ts";
import { isInit } from "../../abi/ids.ts";
import { NO_CAUSE } from "../../abi/process/cause.ts";
import type { Approval, RunEnd, State, UsageRow, WaitsFor } from "../../abi/process/process.ts";
import { WORKING_STATES } from "../../abi/process/process.ts";
import { LABELLED, type Signal } from "../../abi/signal.ts";
import type { Bus } from "../../kernel/bus.ts";
import type { Clock } from "../../lib/clock.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { Serial } from "../../lib/serial.ts";
import { shortText } from "../../lib/text/truncate.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import { StoreCorrupt, StoreUnavailable } from "../../store/open.ts";
import { firstInstant } from "../../store/process/outbox.ts";
import type { Admission, EndedNotice, OutboxRow, ProcessStore, Projection } from "../../store/process/verbs.ts";
import type { Retries } from "../faults/disk-retry.ts";

const INIT_NOTICE_CHARS_MAX = 120;
/** Outbox rows of a run that may wait for its end to be removed. */
const KEPT_ROWS_MAX = 100;

/** For parts that change processes. */
export interface LedgerPorts {
  readonly store: ProcessStore;
  readonly ledger: Ledger;
  readonly clock: Clock;
}

export interface LedgerOptions {
  readonly kernel: KernelStore;
  readonly store: ProcessStore;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: (line: string) => void;
  readonly retries: Retries;
  /** The previous kernel crashed: its open runs count one crash more. */
  readonly afterCrash: boolean;
  /** Charges answers to the sender. Repeated after a crash. */
  readonly charge: (row: ProcessRow, usage: readonly UsageRow[]) => Promise<void>;
  /** Called after usage is charged, before any signal about it. */
  readonly charged: (row: ProcessRow) => Promise<void>;
  readonly wake: (pid: string) => void;
  /** Called after a change was copied into kernel.db, with the instant at which a pause or a request ends, if one does. */
  readonly due: (at: number | null) => void;
  /** Called at the end of a run, before its signal. */
  readonly ended: (row: ProcessRow, end: RunEnd) => Promise<void>;
}

type Change = (pid: string, projection: Projection) => void;
// A plain Omit would keep only the fields that all signals have.
type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
export type SignalBody = Without<Signal, "pid" | "uid" | "parent" | "at" | "label">;

const GONE: Projection = {
  state: "idle",
  activeRunId: null,
  queued: 0,
  lastActiveAt: null,
  waitsFor: null,
  lastStatus: null,
};

export class Ledger {
  private readonly adopted = new Set<string>();
  private readonly opening = new Map<string, Promise<void>>();
  private readonly publishing = new Map<string, Serial>();
  /** Processes marked in kernel.db: the next start checks them. */
  private readonly dirty = new Set<string>();
  /** Current and total number of writers. */
  private readonly writes = new Map<string, { readonly now: number; readonly ever: number }>();
  private readonly watchers = new Set<Change>();
  private readonly inMemory = new Map<string, WaitsFor>();
  private readonly interrupted = new Set<string>();
  /** Last copied outbox row and number of copied rows that are not removed yet. */
  private readonly kept = new Map<string, { readonly seq: number; readonly rows: number }>();
  /** Last signalled outbox row, so that publishing again signals nothing twice. */
  private readonly signalled = new Map<string, number>();
  /** Last signalled state: rows that only charge do not change it. */
  private readonly lastShown = new Map<string, string>();
  private readonly working = new Set<string>();

  constructor(private readonly options: LedgerOptions) {}

  get busy(): boolean {
    return this.working.size > 0 || this.inMemory.size > 0 || this.options.retries.pending;
  }

  /** Takes the process over before this kernel uses it. A damaged one is quarantined. */
  open(row: ProcessRow): Promise<void> {
    if (this.adopted.has(row.pid)) return Promise.resolve();
    const opening = this.opening.get(row.pid) ?? this.takeOver(row).finally(() => this.opening.delete(row.pid));
    this.opening.set(row.pid, opening);
    return opening;
  }

  private async takeOver(row: ProcessRow): Promise<void> {
    const { store, clock, afterCrash } = this.options;
    try {
      const damage = await store.check(row.pid);
      if (damage !== null) throw new StoreCorrupt(damage);
      if (row.dirty) this.dirty.add(row.pid);
      const { head, ends } = await store.adopt(row.pid, { now: clock.now(), crashed: afterCrash });
      this.adopted.add(row.pid);
      this.note(row.pid, head.state);
      if (head.currentRun !== null && head.state === "running") this.interrupted.add(head.currentRun);
      await this.publish(row, endSignals(ends));
    } catch (error) {
      if (!(error instanceof StoreCorrupt)) throw error;
      // A process that is being created has no data to lose.
      if (row.phase === "creating") throw new StoreUnavailable("io", `${row.pid} is still being made`);
      await this.setAside(row, error.message);
    }
  }

  /** Quarantines a damaged database. The process stays in state error until it is reset. */
  async setAside(row: ProcessRow, damage: string): Promise<void> {
    const { store, kernel, clock, log } = this.options;
    const now = clock.now();
    const place = await store.quarantine(row.pid, now);
    log(`${row.pid}: ${damage}; its files are in ${place}`);
    await store.create(row.pid, { profile: row.profile, identity: {}, now, damagedIn: place });
    await kernel.approvals.withdraw(row.pid, now);
    this.adopted.add(row.pid);
    await this.publish(row);
  }

  /**
   * Wraps every write to a process. Marks the process dirty before its first write, and clears the mark only when nobody writes and
   * everything is published.
   */
  async write<T>(row: ProcessRow, work: () => Promise<T>): Promise<T> {
    const { pid } = row;
    const begun = this.writes.get(pid) ?? { now: 0, ever: 0 };
    this.writes.set(pid, { now: begun.now + 1, ever: begun.ever + 1 });
    try {
      await this.open(row);
      if (!this.dirty.has(pid)) {
        await this.options.kernel.processes.markDirty(pid);
        this.dirty.add(pid);
      }
      return await work();
    } catch (error) {
      if (error instanceof StoreCorrupt) await this.setAside(row, error.message);
      throw error;
    } finally {
      const { now, ever } = this.writes.get(pid) ?? { now: 1, ever: 1 };
      if (this.adopted.has(pid)) this.writes.set(pid, { now: now - 1, ever });
      else this.writes.delete(pid);
      if (now === 1 && !this.working.has(pid)) await this.clearMark(pid, ever);
    }
  }

  // No await between the check of the writers and `dirty.delete`: a writer must not start in between.
  private async clearMark(pid: string, ever: number): Promise<void> {
    if (!this.dirty.has(pid) || !this.adopted.has(pid)) return;
    try {
      // If this kernel does not finish the reset, the next one must.
      if ((await this.options.store.head(pid)).closing !== null) return;
      const pending = await this.options.store.outbox(pid);
      if (pending.length > 0 || this.writes.get(pid)?.ever !== ever) return;
      this.writes.delete(pid);
      this.dirty.delete(pid);
      await this.options.kernel.processes.clearDirty(pid);
    } catch (error) {
      // The process stays marked as dirty; the next kernel only checks it once more.
      this.dirty.add(pid);
      this.options.log(`${pid} stays marked: ${messageOf(error)}`);
    }
  }

  /**
   * Copies changes into kernel.db and then signals: first `committed`, then the state. Never fails because the disk is full: the copy is
   * retried later.
   */
  publish(row: ProcessRow, committed: readonly SignalBody[] = []): Promise<void> {
    const serial = this.publishing.get(row.pid) ?? new Serial();
    this.publishing.set(row.pid, serial);
    return serial.run(() => this.copyAndSignal(row, committed));
  }

  private async copyAndSignal(row: ProcessRow, committed: readonly SignalBody[]): Promise<void> {
    const rows = await this.options.store.outbox(row.pid, this.kept.get(row.pid)?.seq);
    const copied = await this.copy(row, rows);
    if (copied && rows.some(({ usage = [] }) => usage.length > 0)) await this.options.charged(row);
    for (const body of committed) {
      // Before the signal, so that its readers find the crash file.
      if (body.name === "chat.complete") await this.options.ended(row, { runId: body.run, ...body });
      this.emit(row, body);
    }
    const fresh = rows.filter(({ seq }) => seq > (this.signalled.get(row.pid) ?? 0));
    const latest = fresh.at(-1);
    if (latest !== undefined) this.signal(row, fresh, latest);
    if (copied) return;
    this.options.retries.later(`publish ${row.pid}`, () => {
      this.publish(row).catch((error) => this.options.log(`${row.pid} cannot be copied: ${messageOf(error)}`));
    });
  }

  private async copy(row: ProcessRow, rows: readonly OutboxRow[]): Promise<boolean> {
    const { store, kernel, log, due } = this.options;
    const latest = rows.at(-1);
    if (latest === undefined) return true;
    try {
      const kept = this.kept.get(row.pid);
      const isCharged = kept !== undefined || rows.some(({ usage = [] }) => usage.length > 0);
      const count = (kept?.rows ?? 0) + rows.length;
      // Charges must be on disk before their outbox rows are deleted. One sync for all turns of a run: at its end or when it waits.
      const isLater = isCharged && count < KEPT_ROWS_MAX && WORKING_STATES.includes(latest.projection.state);
      await kernel.processes.project(row.pid, rows, isCharged && !isLater ? "full" : "normal");
      due(firstInstant(rows));
      for (const { ended, seq } of rows)
        if (ended !== null && !(await this.tellParent(row.pid, ended, seq))) return false;
      const usage = rows.flatMap((each) => each.usage ?? []);
      await this.options.charge(row, usage);
      if (isLater) this.kept.set(row.pid, { seq: latest.seq, rows: count });
      else {
        await store.clearOutbox(row.pid, latest.seq);
        this.kept.delete(row.pid);
      }
      return true;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      log(`${row.pid} is not copied yet: ${error.message}`);
      return false;
    }
  }

  private signal(row: ProcessRow, rows: readonly OutboxRow[], latest: OutboxRow): void {
    const { state, queued, waitsFor } = latest.projection;
    this.signalled.set(row.pid, latest.seq);
    this.note(row.pid, state);
    for (const { approvals } of rows) for (const approval of approvals) this.signalApproval(row, approval);
    const shown = JSON.stringify([latest.projection, rows.some(({ approvals }) => approvals.length > 0)]);
    if (shown !== this.lastShown.get(row.pid)) this.emit(row, { name: "process.state", state, queued, waitsFor });
    this.lastShown.set(row.pid, shown);
    this.toWatchers(row.pid, latest.projection);
  }

  private signalApproval(row: ProcessRow, approval: Approval): void {
    const { id, runId: run, kind, tool, call, args, why, about, hash, expiresAt, decision, by } = approval;
    const asked = { run, kind, id, tool, call, args, why, about, hash, expiresAt };
    if (decision === null) this.emit(row, { name: "chat.hil", ...asked });
    else this.emit(row, { name: "chat.hil_closed", run, id, decision, by: by ?? "kernel" });
  }

  private toWatchers(pid: string, projection: Projection): void {
    for (const watcher of [...this.watchers]) watcher(pid, projection);
  }

  emit(row: ProcessRow, body: SignalBody): void {
    const { pid, ownerUid: uid, parentPid: parent, label } = row;
    const of = { pid, uid, parent, at: this.options.clock.now(), ...(LABELLED.has(body.name) && { label }) };
    this.options.bus.emit({ ...of, ...body } as Signal);
  }

  /** Called for every published change, until the returned function is called. */
  watch(change: Change): () => void {
    this.watchers.add(change);
    return () => this.watchers.delete(change);
  }

  /** Pauses a process in memory only, because the disk is full. null resumes it. */
  pauseInMemory(row: ProcessRow, waitsFor: WaitsFor | null): void {
    if (waitsFor === null) this.inMemory.delete(row.pid);
    else this.inMemory.set(row.pid, waitsFor);
    const state = waitsFor === null ? row.state : "paused";
    this.emit(row, { name: "process.state", state, queued: row.queued, waitsFor });
    this.toWatchers(row.pid, { ...row, state, waitsFor });
  }

  wasInterrupted(runId: string): boolean {
    return this.interrupted.delete(runId);
  }

  inMemoryPause(pid: string): WaitsFor | null {
    return this.inMemory.get(pid) ?? null;
  }

  private note(pid: string, state: State): void {
    if (WORKING_STATES.includes(state)) this.working.add(pid);
    else this.working.delete(pid);
  }

  forget(pid: string): void {
    this.working.delete(pid);
    this.adopted.delete(pid);
    this.dirty.delete(pid);
    this.writes.delete(pid);
    this.publishing.delete(pid);
    this.inMemory.delete(pid);
    this.signalled.delete(pid);
    this.kept.delete(pid);
    this.lastShown.delete(pid);
  }

  /** Ends waits for a process that is gone. */
  gone(pid: string): void {
    this.toWatchers(pid, GONE);
  }

  // One event per end, under its own request key, so that repeating changes nothing. A task wakes for it; an init reads it with its next
  // message. False if the parent cannot take it now.
  async tellParent(pid: string, ended: EndedNotice, seq: number | "kill"): Promise<boolean> {
    const { kernel, store, clock, wake, log } = this.options;
    const child = await kernel.processes.get(pid);
    const parent = child?.parentPid ? await kernel.processes.get(child.parentPid) : null;
    if (child === null || parent === null || parent.phase === "killing" || child.endNotice === "ignore") return true;
    const wakes = !isInit(parent.pid);
    const cause = ended.runId === null ? NO_CAUSE : await store.causeOf(pid, ended.runId);
    const label = child.label === null ? "" : ` (${child.label})`;
    const event: Admission = {
      kind: "event",
      runId: wakes ? eventRunId(pid, seq, ended) : null,
      wakes,
      urgent: false,
      // An init gets the event at every turn; the full text is in the child's history.
      text: `Process ${pid}${label} ended: ${wakes ? ended.text : shortText(ended.text, INIT_NOTICE_CHARS_MAX)}`,
      origin: { kind: "process", uid: child.uid, pid, ...(cause.hops > 0 && { cause }) },
      source: `child:${pid}`,
      requestKey: `ended:${pid}:${seq}`,
      now: clock.now(),
    };
    try {
      const admitted = await this.write(parent, () => store.admit(parent.pid, event));
      await this.publish(parent, admitted.ok ? endSignals(admitted.value.ends) : []);
      if (wakes) wake(parent.pid);
      return admitted.ok || admitted.why !== "full";
    } catch (error) {
      // A fault of the parent must not fail the child.
      log(`${parent.pid} has no event yet that ${pid} ended: ${messageOf(error)}`);
      return !(error instanceof StoreUnavailable);
    }
  }
}

export function endSignals(ends: readonly RunEnd[], queued = 0): SignalBody[] {
  return ends.map(({ runId, ...end }) => ({ name: "chat.complete", run: runId, queued, ...end }));
}

// Derived and not random: a repeated event must start the same run.
function eventRunId(pid: string, seq: number | "kill", ended: EndedNotice): string {
  const hex = sha256Hex(`${pid}\n${seq}\n${ended.runId}`);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
