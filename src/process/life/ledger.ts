// Commit, then project, then signal: after every change of a process the ledger copies its outbox into kernel.db, tells the parent if the
// process ended, and only then signals clients. It also takes a process over for this kernel before its first write and marks it dirty in
// kernel.db, so that the next start looks at it.

import { messageOf } from "../../abi/errno.ts";
import { isInit } from "../../abi/ids.ts";
import type { Approval, RunEnd, State, UsageRow, WaitsFor } from "../../abi/process/process.ts";
import { WORKING_STATES } from "../../abi/process/process.ts";
import type { Signal } from "../../abi/signal.ts";
import type { Bus } from "../../kernel/bus.ts";
import type { Clock } from "../../lib/clock.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { Serial } from "../../lib/serial.ts";
import { shortText } from "../../lib/text/truncate.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import { StoreCorrupt, StoreUnavailable } from "../../store/open.ts";
import type { Admission, EndedNotice, OutboxRow, ProcessStore, Projection } from "../../store/process/verbs.ts";
import type { Retries } from "../faults/disk-retry.ts";

const INIT_NOTICE_CHARS_MAX = 120;

export interface LedgerOptions {
  readonly kernel: KernelStore;
  readonly store: ProcessStore;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: (line: string) => void;
  readonly retries: Retries;
  /** The kernel before this one died: runs it carried count a death. */
  readonly afterCrash: boolean;
  /** Charges answers to the sender; called again with the same answers if the kernel died in between. */
  readonly charge: (row: ProcessRow, usage: readonly UsageRow[]) => Promise<void>;
  /** What a process used was charged; nobody has heard yet of what it was used for. */
  readonly charged: (row: ProcessRow) => Promise<void>;
  /** A process got something to do. */
  readonly wake: (pid: string) => void;
  /** A run ended, and nobody has heard of it yet. */
  readonly ended: (row: ProcessRow, end: RunEnd) => Promise<void>;
}

type Change = (pid: string, projection: Projection) => void;
// Without it a plain Omit would keep only what all signals have in common.
type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
export type SignalBody = Without<Signal, "pid" | "uid" | "parent" | "at">;

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
  /** Marked in kernel.db: a start looks at these. */
  private readonly dirty = new Set<string>();
  /** Who is writing now, and how many have. */
  private readonly writes = new Map<string, { readonly now: number; readonly ever: number }>();
  private readonly watchers = new Set<Change>();
  private readonly held = new Map<string, WaitsFor>();
  /** Runs that an earlier kernel was carrying. */
  private readonly interrupted = new Set<string>();
  /** What was signalled last of each process, so that copying again does not say it again. */
  private readonly told = new Map<string, number>();
  /** And what was said of its state: what only charges it is no news of that. */
  private readonly saidOf = new Map<string, string>();
  /** Processes with something to do, as last published. */
  private readonly working = new Set<string>();

  constructor(private readonly options: LedgerOptions) {}

  get busy(): boolean {
    return this.working.size > 0 || this.held.size > 0 || this.options.retries.pending;
  }

  /** Before any use of a process by this kernel: takes it over; a damaged one is set aside and marked. */
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
      // A process that is only just being made has nothing that could be damaged.
      if (row.phase === "creating") throw new StoreUnavailable("io", `${row.pid} is still being made`);
      await this.setAside(row, error.message);
    }
  }

  /** A damaged database goes to quarantine whole; the process stays, in error, until somebody resets it. */
  async setAside(row: ProcessRow, damage: string): Promise<void> {
    const { store, kernel, clock, log } = this.options;
    const now = clock.now();
    const place = await store.quarantine(row.pid, now);
    log(`${row.pid}: ${damage}; its files are in ${place}`);
    await store.create(row.pid, { profile: row.profile, identity: {}, now, damaged: true });
    await kernel.approvals.withdraw(row.pid, now);
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
    } catch (error) {
      if (error instanceof StoreCorrupt) await this.setAside(row, error.message);
      throw error;
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
      this.options.log(`${pid} stays marked: ${messageOf(error)}`);
    }
  }

  /**
   * Copies what a verb changed into kernel.db and then says so, `said` first: what was committed, before the state it led to. The
   * verb has committed by now, so this does not fail for want of disk space: what could not be copied is copied later.
   */
  publish(row: ProcessRow, said: readonly SignalBody[] = []): Promise<void> {
    const serial = this.publishing.get(row.pid) ?? new Serial();
    this.publishing.set(row.pid, serial);
    return serial.run(() => this.copyAndTell(row, said));
  }

  private async copyAndTell(row: ProcessRow, said: readonly SignalBody[]): Promise<void> {
    const rows = await this.options.store.outbox(row.pid);
    const copied = await this.copy(row, rows);
    if (copied && rows.some(({ usage = [] }) => usage.length > 0)) await this.options.charged(row);
    for (const body of said) {
      // Before it is told: whoever hears that it failed finds out why.
      if (body.name === "chat.complete") await this.options.ended(row, { runId: body.run, ...body });
      this.emit(row, body);
    }
    const fresh = rows.filter(({ seq }) => seq > (this.told.get(row.pid) ?? 0));
    const latest = fresh.at(-1);
    if (latest !== undefined) this.tell(row, fresh, latest);
    if (copied) return;
    const { retries, log } = this.options;
    retries.later(`publish ${row.pid}`, () => {
      this.publish(row).catch((error: unknown) => log(`${row.pid} cannot be copied: ${messageOf(error)}`));
    });
  }

  /** False when it has to be done again. */
  private async copy(row: ProcessRow, rows: readonly OutboxRow[]): Promise<boolean> {
    const { store, kernel, log } = this.options;
    const latest = rows.at(-1);
    if (latest === undefined) return true;
    try {
      await kernel.processes.project(row.pid, rows);
      for (const { ended, seq } of rows)
        if (ended !== null && !(await this.tellParent(row.pid, ended, seq))) return false;
      await this.options.charge(
        row,
        rows.flatMap(({ usage = [] }) => usage),
      );
      await store.clearOutbox(row.pid, latest.seq);
      return true;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      log(`${row.pid} is not copied yet: ${error.message}`);
      return false;
    }
  }

  private tell(row: ProcessRow, rows: readonly OutboxRow[], latest: OutboxRow): void {
    const { state, queued, waitsFor } = latest.projection;
    this.told.set(row.pid, latest.seq);
    this.note(row.pid, state);
    for (const { approvals } of rows) for (const approval of approvals) this.tellApproval(row, approval);
    const said = JSON.stringify([latest.projection, rows.some(({ approvals }) => approvals.length > 0)]);
    if (said !== this.saidOf.get(row.pid)) this.emit(row, { name: "process.state", state, queued, waitsFor });
    this.saidOf.set(row.pid, said);
    this.toWatchers(row.pid, latest.projection);
  }

  private tellApproval(row: ProcessRow, approval: Approval): void {
    const { id, runId: run, kind, tool, call, args, why, about, hash, expiresAt, decision, by } = approval;
    const asked = { run, kind, id, tool, call, args, why, about, hash, expiresAt };
    if (decision === null) this.emit(row, { name: "chat.hil", ...asked });
    else this.emit(row, { name: "chat.hil_closed", run, id, decision, by: by ?? "kernel" });
  }

  private toWatchers(pid: string, projection: Projection): void {
    for (const watcher of [...this.watchers]) watcher(pid, projection);
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
    else this.held.set(row.pid, waitsFor);
    const state = waitsFor === null ? row.state : "paused";
    this.emit(row, { name: "process.state", state, queued: row.queued, waitsFor });
    this.toWatchers(row.pid, { ...row, state, waitsFor });
  }

  /** True once for a run that an earlier kernel was carrying. */
  wasInterrupted(runId: string): boolean {
    return this.interrupted.delete(runId);
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
    this.told.delete(pid);
    this.saidOf.delete(pid);
  }

  /** Tells those who wait that a process is gone. */
  gone(pid: string): void {
    this.toWatchers(pid, GONE);
  }

  // One event per end, under a key of its own, so that telling again changes nothing. A task wakes for it; an init reads it with its next
  // message. False when the parent could not take it now.
  async tellParent(pid: string, ended: EndedNotice, seq: number | "kill"): Promise<boolean> {
    const { kernel, store, clock, wake, log } = this.options;
    const child = await kernel.processes.get(pid);
    const parent = child?.parentPid ? await kernel.processes.get(child.parentPid) : null;
    if (child === null || parent === null || parent.phase === "killing" || child.endNotice === "ignore") return true;
    const wakes = !isInit(parent.pid);
    const label = child.label === null ? "" : ` (${child.label})`;
    const event: Admission = {
      kind: "event",
      runId: wakes ? eventRunId(pid, seq, ended) : null,
      wakes,
      urgent: false,
      // An init reads it again at every turn, and the whole of it is in the child's own history.
      text: `Process ${pid}${label} ended: ${wakes ? ended.text : shortText(ended.text, INIT_NOTICE_CHARS_MAX)}`,
      origin: { kind: "process", uid: child.uid, pid },
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
      // The parent's trouble is not the child's.
      log(`${parent.pid} was not told yet that ${pid} ended: ${messageOf(error)}`);
      return !(error instanceof StoreUnavailable);
    }
  }
}

/** The finish of each run, as clients are told. */
export function endSignals(ends: readonly RunEnd[], queued = 0): SignalBody[] {
  return ends.map(({ runId, ...end }) => ({ name: "chat.complete", run: runId, queued, ...end }));
}

// The run an event starts must have the same id when the event is told again, so it is derived and not drawn.
function eventRunId(pid: string, seq: number | "kill", ended: EndedNotice): string {
  const hex = sha256Hex(`${pid}\n${seq}\n${ended.runId}`);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
