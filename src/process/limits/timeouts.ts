// Until when runs may be at work. A run is stopped so long after it last did something, and never later than four times that after it began;
// whoever needs longer moves the instant, within that bound. What a run waits for a person, or is held, does not count. The instants are
// stored, so that the next kernel goes on with them; there is one timer for each run in flight and none else.

import { TIMEOUT_CAP, TIMEOUT_WARNING_MS } from "../../abi/process/lifecycle.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import { StoreUnavailable } from "../../store/open.ts";
import type { ProcessStore } from "../../store/process/verbs.ts";
import type { Ledger } from "../life/ledger.ts";

export interface TimeoutPorts {
  readonly store: ProcessStore;
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** How long a run of the process may do nothing; 0 for as long as it likes. */
  readonly limitMs: (row: ProcessRow, runId: string) => Promise<number>;
  /** Ends what is in flight at once. */
  readonly interrupt: (pid: string) => void;
  readonly onFault: (error: unknown) => void;
}

interface Live {
  readonly row: ProcessRow;
  readonly runId: string;
  readonly limitMs: number;
  readonly capAt: number;
  /** It is not stopped before, whatever it does. */
  grantedTo: number;
  activeAt: number;
  /** The instant of which it was warned. */
  warnedOf: number;
  keptAt: number;
  cancel: () => void;
}

/** Timers are short enough that a clock that was set, or a machine that slept, is noticed; so much may be lost by a crash. */
const LOOK_MS = 60_000;

export class Timeouts {
  private readonly live = new Map<string, Live>();

  constructor(private readonly ports: TimeoutPorts) {}

  /** Whether a run of the process is at work, and bounded. */
  watches(pid: string): boolean {
    return this.live.has(pid);
  }

  /** At every run that is watched, also where its timer was lost. */
  lookAll(): void {
    for (const live of this.live.values()) this.look(live).catch(this.ports.onFault);
  }

  /** The run is at work from now on. */
  async begin(row: ProcessRow, { runId }: { readonly runId: string }): Promise<void> {
    const limitMs = await this.ports.limitMs(row, runId);
    if (limitMs <= 0) return;
    const known = await this.ports.store.timing(row.pid);
    const now = this.ports.clock.now();
    // What lies between its last step and this one it spent waiting, held, or with no kernel.
    const rested = known?.runId === runId ? Math.max(0, now - known.seenAt) : 0;
    const [capAt, grantedTo] =
      known?.runId === runId ? [known.capAt + rested, known.endsAt + rested] : [now + TIMEOUT_CAP * limitMs, 0];
    const live = { row, runId, limitMs, capAt, grantedTo, activeAt: now, warnedOf: 0, keptAt: now, cancel: () => {} };
    this.live.get(row.pid)?.cancel();
    this.live.set(row.pid, live);
    await this.keep(live);
    this.arm(live);
  }

  /** It did something. Called often: nothing is written for it but once in a while. */
  active(pid: string, untilMs = 0): void {
    const live = this.live.get(pid);
    if (live === undefined) return;
    live.activeAt = this.ports.clock.now();
    // A tool that was given more time has it.
    if (untilMs > live.limitMs) live.grantedTo = Math.max(live.grantedTo, live.activeAt + untilMs);
    if (live.activeAt - live.keptAt >= LOOK_MS) void this.keepIfPossible(live);
  }

  /** It rests: for a person, held, or for good. */
  async leave(pid: string): Promise<void> {
    const live = this.live.get(pid);
    if (live === undefined) return;
    this.live.delete(pid);
    live.cancel();
    await this.keepIfPossible(live);
  }

  /** When the run in flight ends now, or null where none is at work. It is never moved back, nor beyond its bound. */
  async extend(pid: string, ms: number): Promise<number | null> {
    const live = this.live.get(pid);
    if (live === undefined || !(ms > 0)) return null;
    live.grantedTo = Math.max(endOf(live), this.ports.clock.now() + ms);
    await this.keep(live);
    this.arm(live);
    return endOf(live);
  }

  stop(): void {
    for (const { cancel } of this.live.values()) cancel();
    this.live.clear();
  }

  /** Where it cannot be kept now, or the process is gone, what was kept before stands: a little of the rest is taken for work then. */
  private async keepIfPossible(live: Live): Promise<void> {
    try {
      if (await this.ports.store.exists(live.row.pid)) await this.keep(live);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) this.ports.onFault(error);
    }
  }

  private async keep(live: Live): Promise<void> {
    const { runId, capAt } = live;
    live.keptAt = this.ports.clock.now();
    await this.ports.store.keepTiming(live.row.pid, { runId, capAt, endsAt: endOf(live), seenAt: live.keptAt });
  }

  private arm(live: Live): void {
    live.cancel();
    const now = this.ports.clock.now();
    const end = endOf(live);
    const warnAt = end - TIMEOUT_WARNING_MS;
    const at = live.warnedOf === end || warnAt <= now ? end : warnAt;
    const ms = Math.max(0, Math.min(LOOK_MS, at - now));
    live.cancel = this.ports.clock.after(ms, () => {
      this.look(live).catch(this.ports.onFault);
    });
  }

  private async look(live: Live): Promise<void> {
    if (this.live.get(live.row.pid) !== live) return;
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

  private async expire({ row, limitMs, runId }: Live, isCap: boolean): Promise<void> {
    const { store, ledger, clock, interrupt } = this.ports;
    const why = isCap
      ? `stopped after ${spanText(TIMEOUT_CAP * limitMs)} of one run`
      : `stopped after ${spanText(limitMs)} without a sign of life`;
    await ledger.write(row, async () => {
      if ((await store.head(row.pid)).currentRun !== runId) return;
      await store.hold(row.pid, { stopped: true, why, atOnce: true, now: clock.now() });
      await ledger.publish(row);
    });
    await this.leave(row.pid);
    interrupt(row.pid);
  }
}

function endOf({ capAt, grantedTo, activeAt, limitMs }: Live): number {
  return Math.min(capAt, Math.max(grantedTo, activeAt + limitMs));
}

function spanText(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  return minutes >= 1 ? `${minutes} minutes` : `${Math.round(ms / 1000)} seconds`;
}
