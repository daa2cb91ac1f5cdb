// Stops and resumes processes and aborts their runs, for all callers: signals of people, sessions, timeouts and credits.

import { SysError } from "../../abi/errno.ts";
import type { RunEnd } from "../../abi/process/process.ts";
import { visibleProcess } from "../../kernel/registry.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { Aborting } from "../../store/process/closing.ts";
import type { Head } from "../../store/process/head.ts";
import type { Outcome } from "../../store/process/outcome.ts";
import type { Lifecycle } from "../../syscalls/proc/proc-control.ts";
import { mayRetry, type PausedRuns } from "../faults/paused-runs.ts";
import type { KernelStop, Stopping, Timeouts } from "../limits/timeouts.ts";
import type { Runners } from "../run/runners.ts";
import { endSignals, type LedgerPorts } from "./ledger.ts";

export interface ControlPorts extends LedgerPorts {
  readonly runners: Runners;
  readonly pausedRuns: PausedRuns;
}

interface Aborted {
  readonly runId: string | null;
  readonly requestKey: string;
  readonly reason?: string;
  /** Leave a run in flight alone. */
  readonly onlyQueued?: boolean;
}

export class Control implements Stopping {
  constructor(private readonly ports: ControlPorts) {}

  /**
   * A person's stop waits for the next safe point. A stop by the kernel interrupts at once, and the next message of a person resumes the
   * process.
   */
  async stop(row: ProcessRow, kernel?: KernelStop): Promise<Outcome<Head>> {
    const { store, ledger, runners, clock } = this.ports;
    const now = clock.now();
    const outcome = await ledger.write(row, async (): Promise<Outcome<Head>> => {
      if (kernel?.runId !== undefined && (await store.head(row.pid)).currentRun !== kernel.runId)
        return { ok: false, why: "fenced" };
      await kernel?.before?.();
      const by = kernel === undefined ? {} : { why: kernel.why, atOnce: true };
      const stopped = await store.setStopped(row.pid, { stopped: true, ...by, now });
      if (kernel === undefined) runners.askToLeave(row.pid);
      await ledger.publish(row);
      return stopped;
    });
    if (kernel !== undefined && outcome.ok) runners.interrupt(row.pid);
    return outcome;
  }

  /** Ends a stop, or a pause that a retry may end. */
  async resume(row: ProcessRow): Promise<Outcome<Head>> {
    const { store, ledger, pausedRuns } = this.ports;
    const outcome = await ledger.write(row, async () => {
      const resumed = await this.lift(row.pid);
      if (resumed.ok) this.continueRun(row.pid);
      await ledger.publish(row);
      return resumed;
    });
    if (!outcome.ok || !mayRetry(outcome.value.paused)) return outcome;
    await pausedRuns.resume(row);
    return { ...outcome, value: { ...outcome.value, state: (await store.projection(row.pid)).state } };
  }

  /** Call within a write of the ledger, then publish and wake. */
  async lift(pid: string): Promise<Outcome<Head>> {
    const { store, runners, clock } = this.ports;
    const lifted = await store.setStopped(pid, { stopped: false, now: clock.now() });
    if (lifted.ok) runners.mayStay(pid);
    return lifted;
  }

  continueRun(pid: string): void {
    this.ports.runners.mayStay(pid);
    this.ports.runners.wake(pid);
  }

  /** Ends the current or the named run; then the next queued message starts. */
  async abort(row: ProcessRow, { reason = "user.abort", ...wish }: Aborted): Promise<Outcome<Aborting>> {
    const { store, ledger, runners, clock } = this.ports;
    return await ledger.write(row, async () => {
      const outcome = await store.abort(row.pid, { ...wish, reason, now: clock.now() });
      const ends: readonly RunEnd[] = outcome.ok && !outcome.replay ? outcome.value.ends : [];
      if (ends.length > 0 && outcome.ok && !outcome.value.isWaiting) runners.interrupt(row.pid);
      try {
        await ledger.publish(row, endSignals(ends, (await store.projection(row.pid)).queued));
      } finally {
        runners.wake(row.pid);
      }
      return outcome;
    });
  }
}

/** The service behind proc.extend and proc.restart. */
export function lifecycleService(kernel: KernelStore, timeouts: Timeouts): Lifecycle {
  return {
    async extend({ caller }, { pid, seconds }) {
      const row = await visibleProcess(kernel, caller, pid);
      const endsAt = await timeouts.extend(row.pid, seconds * 1000);
      if (endsAt !== null) return { pid, endsAt };
      throw new SysError("EINVAL", `${pid} has no active run to extend`, ["to see the state of processes: gsv ps"]);
    },

    async restart({ caller }, { pid, rule }) {
      const row = await visibleProcess(kernel, caller, pid);
      if (rule === undefined) return { pid, restart: row.restart };
      await kernel.processes.set(row.pid, { restart: rule });
      return { pid, restart: rule };
    },
  };
}
