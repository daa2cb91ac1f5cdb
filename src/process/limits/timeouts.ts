// Stops runs that take too long: after a time without activity, and at the latest after four times that time. proc.extend moves the end up
// to that cap. Time in which a run waits for a person or is paused does not count. The instants are stored for the next kernel. A run that
// was stopped by its time gets a new cap when it is resumed.

import { TIMEOUT_CAP, TIMEOUT_WARNING_MS } from "../../abi/process/lifecycle.ts";
import { Alarms, type DueQueue } from "../../lib/alarm.ts";
import { spanText } from "../../lib/text/duration.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import { StoreUnavailable } from "../../store/open.ts";
import type { LedgerPorts } from "../life/ledger.ts";

export interface KernelStop {
  readonly why: string;
  /** Stops nothing if another run is in flight by then. */
  readonly runId?: string;
  /** Stored before the process is stopped. */
  readonly before?: () => Promise<void>;
}

export interface Stopping {
  stop(row: ProcessRow, kernel: KernelStop): Promise<unknown>;
  resume(row: ProcessRow): Promise<unknown>;
}

export interface TimeoutPorts extends LedgerPorts {
  readonly queue: DueQueue;
  /** Limit without activity; 0 for none. */
  readonly limitMs: (row: ProcessRow, runId: string) => Promise<number>;
  readonly control: () => Pick<Stopping, "stop">;
  readonly onFault: (error: unknown) => void;
}

interface Live {
  readonly row: ProcessRow;
  readonly runId: string;
  readonly limitMs: number;
  readonly capAt: number;
  /** Span of the cap: the limit may have changed since. */
  readonly capMs: number;
  /** Runs until this instant even without activity. */
  grantedTo: number;
  activeAt: number;
  /** The end that the last warning named. */
  warnedOf: number;
  keptAt: number;
}

/** A crash loses at most this much. */
const KEEP_MS = 60_000;

export class Timeouts {
  private readonly live = new Map<string, Live>();

  private readonly alarms: Alarms<string>;

  constructor(private readonly ports: TimeoutPorts) {
    this.alarms = new Alarms({ queue: ports.queue, ring: (pid) => this.look(pid) });
  }

  watches(pid: string): boolean {
    return this.live.has(pid);
  }

  async begin(row: ProcessRow, { runId }: { readonly runId: string }): Promise<void> {
    const limitMs = await this.ports.limitMs(row, runId);
    if (limitMs <= 0) return;
    const known = await this.ports.store.timing(row.pid);
    const now = this.ports.clock.now();
    const isGoingOn = known?.runId === runId && !known.isOver;
    // The run waited, was paused, or had no kernel since its last step.
    const restedMs = isGoingOn ? Math.max(0, now - known.seenAt) : 0;
    const capMs = isGoingOn ? (known.capMs ?? TIMEOUT_CAP * limitMs) : TIMEOUT_CAP * limitMs;
    const [capAt, grantedTo] = isGoingOn ? [known.capAt + restedMs, known.endsAt + restedMs] : [now + capMs, 0];
    const live: Live = { row, runId, limitMs, capAt, capMs, grantedTo, activeAt: now, warnedOf: 0, keptAt: now };
    this.live.set(row.pid, live);
    await this.keep(live);
    this.arm(live);
  }

  /** Called often, so stored only once in a while. */
  active(pid: string, untilMs = 0): void {
    const live = this.live.get(pid);
    if (live === undefined) return;
    live.activeAt = this.ports.clock.now();
    // A tool's own timeout may be longer.
    if (untilMs > live.limitMs) live.grantedTo = Math.max(live.grantedTo, live.activeAt + untilMs);
    if (live.activeAt - live.keptAt >= KEEP_MS) void this.keepIfPossible(live);
  }

  /** Called when the run waits for a person, is paused, or ends. */
  async leave(pid: string): Promise<void> {
    const live = this.live.get(pid);
    if (live === undefined) return;
    this.forget(pid);
    await this.keepIfPossible(live);
  }

  /** Returns the new end; null without an active run. */
  async extend(pid: string, ms: number): Promise<number | null> {
    const live = this.live.get(pid);
    if (live === undefined || !(ms > 0)) return null;
    live.grantedTo = Math.max(endOf(live), this.ports.clock.now() + ms);
    await this.keep(live);
    this.arm(live);
    return endOf(live);
  }

  stop(): void {
    this.alarms.clear();
    this.live.clear();
  }

  private forget(pid: string): void {
    this.live.delete(pid);
    this.alarms.delete(pid);
  }

  /** If the store fails or the process is gone, the older instants stay. */
  private async keepIfPossible(live: Live): Promise<void> {
    try {
      if (await this.ports.store.exists(live.row.pid)) await this.keep(live);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) this.ports.onFault(error);
    }
  }

  private async keep(live: Live, isOver = false): Promise<void> {
    const { runId, capAt, capMs } = live;
    live.keptAt = this.ports.clock.now();
    const over = isOver ? { isOver: true as const } : {};
    const timing = { runId, capAt, capMs, endsAt: endOf(live), seenAt: live.keptAt, ...over };
    await this.ports.store.keepTiming(live.row.pid, timing);
  }

  private arm(live: Live): void {
    const end = endOf(live);
    const warnAt = end - TIMEOUT_WARNING_MS;
    const isWarned = live.warnedOf === end || warnAt <= this.ports.clock.now();
    this.alarms.set(live.row.pid, isWarned ? end : warnAt);
  }

  private async look(pid: string): Promise<void> {
    const live = this.live.get(pid);
    if (live === undefined) return;
    const now = this.ports.clock.now();
    const end = endOf(live);
    if (now >= end) return await this.expire(live, now >= live.capAt);
    if (now >= end - TIMEOUT_WARNING_MS && live.warnedOf !== end) {
      live.warnedOf = end;
      const { row, runId: run, capAt: latest } = live;
      this.ports.ledger.emit(row, { name: "process.timeout_warning", run, endsAt: end, latest });
    }
    this.arm(live);
  }

  private async expire(live: Live, isCap: boolean): Promise<void> {
    const { row, runId, limitMs, capMs } = live;
    const why = isCap
      ? `stopped after ${spanText(capMs)}, the limit for one run`
      : `stopped after ${spanText(limitMs)} without activity`;
    await this.ports.control().stop(row, { why, runId, before: () => this.keep(live, true) });
    this.forget(row.pid);
  }
}

function endOf({ capAt, grantedTo, activeAt, limitMs }: Live): number {
  return Math.min(capAt, Math.max(grantedTo, activeAt + limitMs));
}
