// Commit, then project, then signal. After every verb on a process the ledger copies what changed into kernel.db, tells the parent if the
// process ended, and only then tells clients. It also takes processes over for this kernel and keeps the mark that a start must look at them.

import { isInit } from "../abi/ids.ts";
import type { Approval, RunEnd, State, WaitsFor } from "../abi/process.ts";
import { WORKING_STATES } from "../abi/process.ts";
import type { Signal } from "../abi/signal.ts";
import type { Bus } from "../kernel/bus.ts";
import type { Clock } from "../lib/clock.ts";
import { Serial } from "../lib/serial.ts";
import type { ProcessRow } from "../store/kernel/processes.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import { StoreCorrupt } from "../store/open.ts";
import type { Admission, EndedNotice, ProcessStore, Projection } from "../store/process/verbs.ts";

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
  private readonly opening = new Map<string, Promise<void>>();
  private readonly publishing = new Map<string, Serial>();
  /** Marked in kernel.db: a start looks at these. */
  private readonly dirty = new Set<string>();
  /** Who is writing now, and how many have. */
  private readonly writes = new Map<string, { readonly now: number; readonly ever: number }>();
  private readonly watchers = new Set<Change>();
  private readonly held = new Map<string, WaitsFor>();

  /** Runs that an earlier kernel left in the middle of something. */
  private readonly cut = new Set<string>();
  /** Processes with something to do, as last published. */
  private readonly working = new Set<string>();

  constructor(private readonly options: LedgerOptions) {}

  get busy(): boolean {
    return this.working.size > 0 || this.held.size > 0;
  }

  /** Before any use of a process by this kernel: takes it over; a damaged one is set aside and marked. */
  open(row: ProcessRow): Promise<void> {
    if (this.adopted.has(row.pid)) return Promise.resolve();
    const opening = this.opening.get(row.pid) ?? this.takeOver(row).finally(() => this.opening.delete(row.pid));
    this.opening.set(row.pid, opening);
    return opening;
  }

  private async takeOver(row: ProcessRow): Promise<void> {
    const { store, clock } = this.options;
    try {
      const damage = row.dirty ? await store.check(row.pid) : null;
      if (damage !== null) throw new StoreCorrupt(damage);
      if (row.dirty) this.dirty.add(row.pid);
      const { head, ends } = await store.adopt(row.pid, { now: clock.now() });
      this.adopted.add(row.pid);
      this.note(row.pid, head.state);
      if (head.currentRun !== null) this.cut.add(head.currentRun);
      await this.publish(row);
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

  /**
   * Everything that writes to a process does it in here: before the first write after being quiet the mark is committed that a start
   * has to look at the process, and it is taken away only when nobody is writing and everything was copied.
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
    } finally {
      const { now, ever } = this.writes.get(pid) ?? { now: 1, ever: 1 };
      if (this.adopted.has(pid)) this.writes.set(pid, { now: now - 1, ever });
      else this.writes.delete(pid);
      if (now === 1 && !this.working.has(pid)) await this.rest(pid, ever);
    }
  }

  // Between the look at the outbox and the commit that takes the mark away nobody may begin to write.
  private async rest(pid: string, ever: number): Promise<void> {
    if (!this.dirty.has(pid) || !this.adopted.has(pid)) return;
    try {
      // A reset that was begun and not finished is for the next start to finish, if this one does not.
      if ((await this.options.store.head(pid)).closing !== null) return;
      const pending = await this.options.store.outbox(pid);
      if (pending.length > 0 || this.writes.get(pid)?.ever !== ever) return;
      this.writes.delete(pid);
      this.dirty.delete(pid);
      await this.options.kernel.processes.clearDirty(pid);
    } catch (error) {
      // The mark stays, and a start looks once more than it had to.
      this.dirty.add(pid);
      this.options.log(`${pid} stays marked: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** Copies what a verb changed, in order, and says so. */
  publish(row: ProcessRow): Promise<void> {
    const serial = this.publishing.get(row.pid) ?? new Serial();
    this.publishing.set(row.pid, serial);
    return serial.run(() => this.copyAndTell(row));
  }

  private async copyAndTell(row: ProcessRow): Promise<void> {
    const { store, kernel } = this.options;
    const rows = await store.outbox(row.pid);
    const latest = rows.at(-1);
    if (latest === undefined) return;
    await kernel.processes.project(row.pid, rows);
    for (const { ended, seq } of rows) if (ended !== null) await this.tellParent(row.pid, ended, seq);
    await store.clearOutbox(row.pid, latest.seq);
    const { state, queued, waitsFor } = latest.projection;
    this.note(row.pid, state);
    this.emit(row, { name: "process.state", state, queued, waitsFor });
    for (const { approvals } of rows) for (const approval of approvals) this.tellApproval(row, approval);
    for (const watcher of [...this.watchers]) watcher(row.pid, latest.projection);
  }

  private tellApproval(row: ProcessRow, { id, runId: run, tool, call, args, why, decision, by }: Approval): void {
    if (decision === null) this.emit(row, { name: "chat.hil", run, kind: "approval", id, tool, call, args, why });
    else this.emit(row, { name: "chat.hil_closed", run, id, decision, by: by ?? "kernel" });
  }

  announceEnds(row: ProcessRow, ends: readonly RunEnd[], queued = 0): void {
    for (const { runId, ...end } of ends) this.emit(row, { name: "chat.complete", run: runId, queued, ...end });
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

  /** True once for such a run. */
  wasCut(runId: string): boolean {
    return this.cut.delete(runId);
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
    this.writes.delete(pid);
    this.publishing.delete(pid);
    this.held.delete(pid);
  }

  /** Tells those who wait that a process is gone. */
  gone(pid: string): void {
    for (const watcher of [...this.watchers])
      watcher(pid, { state: "idle", activeRunId: null, queued: 0, lastActiveAt: null, waitsFor: null });
  }

  // One event per end, under a key of its own, so that telling again after a crash changes nothing. A task wakes for it; an init reads
  // it with its next message.
  async tellParent(pid: string, ended: EndedNotice, seq: number | "kill"): Promise<void> {
    const { kernel, store, clock, wake, log } = this.options;
    const child = await kernel.processes.get(pid);
    const parent = child?.parentPid ? await kernel.processes.get(child.parentPid) : null;
    if (child === null || parent === null || parent.phase !== "live") return;
    try {
      const wakes = !isInit(parent.pid);
      const label = child.label === null ? "" : ` (${child.label})`;
      const event: Admission = {
        kind: "event",
        runId: wakes ? eventRunId(pid, seq, ended) : null,
        wakes,
        urgent: false,
        text: `Process ${pid}${label} ended: ${ended.text}`,
        origin: { kind: "process", uid: child.uid, pid },
        source: `child:${pid}`,
        requestKey: `ended:${pid}:${seq}`,
        now: clock.now(),
      };
      await this.write(parent, async () => {
        await store.admit(parent.pid, event);
        await this.publish(parent);
      });
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
