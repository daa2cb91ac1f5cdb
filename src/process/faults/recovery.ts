// What a kernel does before it serves: every process that an earlier one left in the middle of something is taken to a legal state and
// goes on. Processes that were quiet are not looked at. One that cannot be read hurts nobody else.

import { WORKING_STATES } from "../../abi/process/process.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ObjectStore } from "../../objects/objects.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import { StoreUnavailable } from "../../store/open.ts";
import type { ProcessStore } from "../../store/process/verbs.ts";
import type { Closer } from "../life/closing.ts";
import type { Ledger } from "../life/ledger.ts";
import { completeSpawn } from "../life/spawn.ts";
import type { Runners } from "../run/runners.ts";
import type { UndoService } from "../workspace/undo.ts";
import type { Retries } from "./disk-retry.ts";

export interface RecoveryPorts {
  readonly kernel: KernelStore;
  readonly store: ProcessStore;
  readonly objects: ObjectStore;
  readonly ledger: Ledger;
  readonly runners: Runners;
  /** Carries an undo to its end that a kernel died in. */
  readonly undoing: Pick<UndoService, "settle">;
  readonly closer: Closer;
  readonly clock: Clock;
  readonly retries: Retries;
  readonly onFault: (error: unknown) => void;
}

/** Returns how many processes were looked at. */
export async function recover(ports: RecoveryPorts): Promise<number> {
  const rows = await ports.kernel.processes.unfinished();
  // All is copied before anything goes on: what one has spent bounds the others. What fails here fails again below, and is dealt with.
  for (const row of rows) if (row.phase === "live") await ports.ledger.open(row).catch(() => {});
  for (const row of rows) await recoverOrLater(ports, row);
  return rows.length;
}

async function recoverOrLater(ports: RecoveryPorts, row: ProcessRow): Promise<void> {
  try {
    await recoverOne(ports, row);
  } catch (error) {
    ports.onFault(error);
    if (error instanceof StoreUnavailable)
      ports.retries.later(`recover ${row.pid}`, () => void recoverOrLater(ports, row));
  }
}

async function recoverOne(ports: RecoveryPorts, row: ProcessRow): Promise<void> {
  const { store, ledger, runners, closer, onFault } = ports;
  if (row.phase === "creating") return await completeSpawn(ports, row.pid);
  if (row.phase === "live") await ledger.open(row);
  // A reset or kill on its way may have much to pack: clients need not wait for that, the process itself does.
  if (row.phase === "killing" || (await store.head(row.pid)).closing !== null) {
    closer.rollForward(row.pid).catch(onFault);
    return;
  }
  await ports.undoing.settle(row).catch(onFault);
  const { state } = await store.projection(row.pid);
  if (WORKING_STATES.includes(state)) runners.wake(row.pid);
  // Nothing is left to do: writing nothing takes the mark away.
  else await ledger.write(row, () => ledger.publish(row));
}
