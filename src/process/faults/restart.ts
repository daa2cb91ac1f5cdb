// Runs that ended by a fault: of gsv itself, or of a model that does not keep to its protocol. Where the process says so, the same run is
// taken up again from its last commit, later each time and three times at most; ten minutes without a fault begin the count anew. An
// outage, a refusal, a limit and a stop are no faults. Count and instant are stored with the process.

import { RESTART_BASE_MS, RESTARTS_MAX, STABLE_MS } from "../../abi/process/lifecycle.ts";
import type { Restarts, WaitsFor } from "../../abi/process/process.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { ProcessStore } from "../../store/process/verbs.ts";
import type { Ledger } from "../life/ledger.ts";
import type { HeldRuns } from "./held-runs.ts";

export interface RestarterPorts {
  readonly store: ProcessStore;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly held: () => HeldRuns;
  /** A process whose session lies outside of the terminal: nobody is there to start it again. */
  readonly isExternal: (pid: string) => Promise<boolean>;
}

export interface Fault {
  readonly epoch: number;
  readonly runId: string;
  readonly reason: string;
}

/** The next one, or null when there were as many as there may be. */
export function nextRestart(before: Restarts | null, now: number): (Restarts & { readonly until: number }) | null {
  const count = before === null || now - before.at >= STABLE_MS ? 0 : before.count;
  if (count >= RESTARTS_MAX) return null;
  const until = now + RESTART_BASE_MS * 3 ** count;
  return { count: count + 1, at: until, until };
}

export class Restarter {
  constructor(private readonly ports: RestarterPorts) {}

  /** Whether the run is put aside to be taken up again; else it is over. */
  async after(row: ProcessRow, { epoch, runId, reason }: Fault): Promise<boolean> {
    const { store, ledger, clock, held } = this.ports;
    if (!(await this.mayRestart(row))) return false;
    const { restarts: before, stopped } = await store.head(row.pid);
    const next = stopped ? null : nextRestart(before, clock.now());
    if (next === null) return false;
    const { until, count: attempt, at } = next;
    const why = `${reason}; taken up again (${attempt} of ${RESTARTS_MAX})`;
    const waitsFor: WaitsFor = { kind: "restart", reason: why, until, attempt };
    const put = await store.restart(row.pid, epoch, { runId, restarts: { count: attempt, at }, waitsFor });
    if (!put.ok) return true;
    const told = { name: "process.restart", run: runId, attempt, of: RESTARTS_MAX, until, reason } as const;
    await ledger.publish(row, [told]);
    held().until(row.pid, until);
    return true;
  }

  private async mayRestart({ pid, restart }: ProcessRow): Promise<boolean> {
    return restart === null ? await this.ports.isExternal(pid) : restart === "on-failure";
  }
}
