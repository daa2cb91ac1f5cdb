// Commit, then project, then signal. After every verb on a process the ledger copies what changed into kernel.db, tells the parent if the
// process ended, and only then tells clients. It also takes processes over for this kernel and keeps the mark that a start must look at them.

import { isInit } from "../abi/ids.ts";
import type { Approval, RunEnd, State, WaitsFor } from "../abi/process.ts";
import { WORKING_STATES } from "../abi/process.ts";
import type { Signal } from "../abi/signal.ts";
import type { Bus } from "../kernel/bus.ts";
import type { Clock } from "../lib/clock.ts";
import type { ProcessRow } from "../store/kernel/processes.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import { StoreCorrupt } from "../store/open.ts";
import type { EndedNotice, ProcessStore, Projection } from "../store/process/verbs.ts";

export interface LedgerOptions {
  readonly kernel: KernelStore;
  readonly store: ProcessStore;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: (line: string) => void;
  /** A process got something to do. */
  readonly wake: (pid: string) => void;
}

type Change = (pid: string, projection: Projection) => void;
// Without it a plain Omit would keep only what all signals have in common.
type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
export type SignalBody = Without<Signal, "pid" | "uid" | "parent" | "at">;

export class Ledger {
  private readonly adopted = new Set<string>();
  private readonly dirty = new Set<string>();
  private readonly watchers = new Set<Change>();
  private readonly held = new Map<string, WaitsFor>();

  /** Processes with something to do, as last published. */
  private readonly working = new Set<string>();

  constructor(private readonly options: LedgerOptions) {}

  get busy(): boolean {
    return this.working.size > 0 || this.held.size > 0;
  }

  /** Before any use of a process by this kernel: takes it over; a damaged one is set aside and marked. */
  async open(row: ProcessRow): Promise<void> {
    if (this.adopted.has(row.pid)) return;
    const { store, clock, kernel } = this.options;
    try {
      const damage = row.dirty ? await store.check(row.pid) : null;
      if (damage !== null) throw new StoreCorrupt(damage);
      if (row.dirty) this.dirty.add(row.pid);
      else await kernel.processes.markDirty(row.pid).then(() => this.dirty.add(row.pid));
      const { ends } = await store.adopt(row.pid, { now: clock.now() });
      this.adopted.add(row.pid);
      await this.publish(row);
      this.note(row.pid, (await store.projection(row.pid)).state);
      this.announceEnds(row, ends);
    } catch (error) {
      if (!(error instanceof StoreCorrupt)) throw error;
      await this.setAside(row, error.message);
    }
  }

  /** A damaged database goes to quarantine whole; the process stays, in error, until somebody resets it. */
  async setAside(row: ProcessRow, damage: string): Promise<void> {
    const { store, clock, log } = this.options;
    const place = await store.quarantine(row.pid, clock.now());
    log(`${row.pid}: ${damage}; its files are in ${place}`);
    await store.create(row.pid, { profile: row.profile, identity: {}, now: clock.now() });
    await store.fail(row.pid);
    this.adopted.add(row.pid);
    await this.publish(row);
  }

  /** Commits the mark that a start has to look at this process; before its first write after being quiet. */
  async touch(row: ProcessRow): Promise<void> {
    await this.open(row);
    if (this.dirty.has(row.pid)) return;
    await this.options.kernel.processes.markDirty(row.pid);
    this.dirty.add(row.pid);
  }

  /** Copies what a verb changed, in order, and says so. */
  async publish(row: ProcessRow): Promise<void> {
    const { store, kernel } = this.options;
    const rows = await store.outbox(row.pid);
    const latest = rows.at(-1);
    if (latest === undefined) return;
    this.dirty.add(row.pid);
    await kernel.processes.project(row.pid, rows);
    for (const { ended, seq } of rows) if (ended !== null) await this.tellParent(row.pid, ended, seq);
    await store.clearOutbox(row.pid, latest.seq);
    const { projection } = latest;
    this.note(row.pid, projection.state);
    this.emit(row, {
      name: "process.state",
      state: projection.state,
      queued: projection.queued,
      waitsFor: projection.waitsFor,
    });
    for (const watcher of [...this.watchers]) watcher(row.pid, projection);
    if (!WORKING_STATES.includes(projection.state)) await this.rest(row.pid);
  }

  announceEnds(row: ProcessRow, ends: readonly RunEnd[], queued = 0): void {
    for (const { runId, ...end } of ends) this.emit(row, { name: "chat.complete", run: runId, queued, ...end });
  }

  announceWithdrawn(row: ProcessRow, approvals: readonly Approval[]): void {
    for (const { id, runId, decision, by } of approvals) {
      if (decision !== null) this.emit(row, { name: "chat.hil_closed", run: runId, id, decision, by: by ?? "kernel" });
    }
  }

  emit(row: ProcessRow, body: SignalBody): void {
    this.options.bus.emit({
      pid: row.pid,
      uid: row.ownerUid,
      parent: row.parentPid,
      at: this.options.clock.now(),
      ...body,
    } as Signal);
  }

  /** Called at every published change, until the returned function is. */
  watch(change: Change): () => void {
    this.watchers.add(change);
    return () => this.watchers.delete(change);
  }

  /** Something holds the process that cannot be written down now, such as a full disk. Null lets go. */
  hold(row: ProcessRow, waitsFor: WaitsFor | null): void {
    if (waitsFor === null) this.held.delete(row.pid);
    else {
      this.held.set(row.pid, waitsFor);
      this.emit(row, { name: "process.state", state: "paused", queued: row.queued, waitsFor });
    }
  }

  heldBy(pid: string): WaitsFor | null {
    return this.held.get(pid) ?? null;
  }

  private note(pid: string, state: State): void {
    if (WORKING_STATES.includes(state)) this.working.add(pid);
    else this.working.delete(pid);
  }

  forget(pid: string): void {
    this.working.delete(pid);
    this.adopted.delete(pid);
    this.dirty.delete(pid);
    this.held.delete(pid);
  }

  /** Tells those who wait that a process is gone. */
  gone(pid: string): void {
    for (const watcher of [...this.watchers])
      watcher(pid, { state: "idle", activeRunId: null, queued: 0, lastActiveAt: null, waitsFor: null });
  }

  /** A process found quiet at a start: nothing has to look at it again. */
  async settle(row: ProcessRow): Promise<void> {
    await this.publish(row);
    await this.rest(row.pid);
  }

  private async rest(pid: string): Promise<void> {
    if (!this.dirty.has(pid)) return;
    await this.options.kernel.processes.clearDirty(pid);
    this.dirty.delete(pid);
  }

  // One event per end, under a key of its own, so that telling again after a crash changes nothing. A task wakes for it; an init reads
  // it with its next message.
  async tellParent(pid: string, ended: EndedNotice, seq: number | "kill"): Promise<void> {
    const { kernel, store, clock, wake, log } = this.options;
    const child = await kernel.processes.get(pid);
    const parent = child?.parentPid ? await kernel.processes.get(child.parentPid) : null;
    if (child === null || parent === null || parent.phase !== "live") return;
    try {
      await this.touch(parent);
      const wakes = !isInit(parent.pid);
      const label = child.label === null ? "" : ` (${child.label})`;
      await store.admit(parent.pid, {
        kind: "event",
        runId: wakes ? eventRunId(pid, seq, ended) : null,
        wakes,
        urgent: false,
        text: `Process ${pid}${label} ended: ${ended.text}`,
        origin: { kind: "process", uid: child.uid, pid },
        source: `child:${pid}`,
        requestKey: `ended:${pid}:${seq}`,
        now: clock.now(),
      });
      await this.publish(parent);
      if (wakes) wake(parent.pid);
    } catch (error) {
      // The parent's trouble is not the child's.
      log(`${parent.pid} was not told that ${pid} ended: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

// The run an event starts must have the same id when the event is told again, so it is derived and not drawn.
function eventRunId(pid: string, seq: number | "kill", ended: EndedNotice): string {
  const hex = new Bun.CryptoHasher("sha256").update(`${pid}\n${seq}\n${ended.runId}`).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
