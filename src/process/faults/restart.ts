// Restarts runs that ended by an internal error or a protocol error of the model, if the process's restart rule allows: from the last
// commit, at growing intervals, at most three times. After ten minutes without an error the count starts at zero. Outages, refusals, limits
// and stops are not restarted. Count and instant are stored.

import { RESTART_BASE_MS, RESTARTS_MAX, STABLE_MS } from "../../abi/process/lifecycle.ts";
import type { Restarts, WaitsFor } from "../../abi/process/process.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { LedgerPorts } from "../life/ledger.ts";

export interface RestarterPorts extends LedgerPorts {
  /** The session belongs to another channel, where no person can restart the run. */
  readonly isExternal: (pid: string) => Promise<boolean>;
}

export interface Fault {
  readonly epoch: number;
  readonly runId: string;
  readonly reason: string;
}

export function nextRestart(before: Restarts | null, now: number): (Restarts & { readonly until: number }) | null {
  const count = before === null || now - before.at >= STABLE_MS ? 0 : before.count;
  if (count >= RESTARTS_MAX) return null;
  const until = now + RESTART_BASE_MS * 3 ** count;
  return { count: count + 1, at: until, until };
}

export class Restarter {
  constructor(private readonly ports: RestarterPorts) {}

  /** True if the run will restart, or another request changed it; false: end the run. */
  async after(row: ProcessRow, { epoch, runId, reason }: Fault): Promise<boolean> {
    const { store, ledger, clock } = this.ports;
    if (row.restart === null ? !(await this.ports.isExternal(row.pid)) : row.restart !== "on-failure") return false;
    const { restarts: before, stopped } = await store.head(row.pid);
    const next = stopped ? null : nextRestart(before, clock.now());
    if (next === null) return false;
    const { until, count: attempt, at } = next;
    const why = `${reason}; restarting (${attempt} of ${RESTARTS_MAX})`;
    const waitsFor: WaitsFor = { kind: "restart", reason: why, until, attempt };
    const put = await store.restart(row.pid, epoch, { runId, restarts: { count: attempt, at }, waitsFor });
    if (!put.ok) return true;
    const restart = { name: "process.restart", run: runId, attempt, of: RESTARTS_MAX, until, reason } as const;
    await ledger.publish(row, [restart]);
    return true;
  }
}
