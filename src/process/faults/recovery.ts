// Recovers processes before the kernel serves clients: each process that an earlier kernel left unfinished gets a legal state and
// continues. Idle processes are skipped. An unreadable process does not affect others.

import { WORKING_STATES } from "../../abi/process/process.ts";
import type { ObjectStore } from "../../objects/objects.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import { StoreUnavailable } from "../../store/open.ts";
import type { Closer } from "../life/closing.ts";
import type { LedgerPorts } from "../life/ledger.ts";
import { completeSpawn } from "../life/spawn.ts";
import type { Runners } from "../run/runners.ts";
import type { UndoService } from "../workspace/undo.ts";
import type { Retries } from "./disk-retry.ts";

export interface RecoveryPorts extends LedgerPorts {
  readonly kernel: KernelStore;
  readonly objects: ObjectStore;
  readonly runners: Runners;
  readonly undoing: Pick<UndoService, "settle">;
  readonly closer: Closer;
  readonly retries: Retries;
  readonly onFault: (error: unknown) => void;
}

export async function recover(ports: RecoveryPorts): Promise<number> {
  const rows = await ports.kernel.processes.unfinished();
  // Publish all first: what one process has spent limits the others. Errors come again below and are handled there.
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
  // Archiving may take long: only the process itself waits for it, not clients.
  if (row.phase === "killing" || (await store.head(row.pid)).closing !== null) {
    closer.rollForward(row.pid).catch(onFault);
    return;
  }
  await ports.undoing.settle(row).catch(onFault);
  const { state } = await store.projection(row.pid);
  if (WORKING_STATES.includes(state)) runners.wake(row.pid);
  // An empty write clears the dirty mark.
  else await ledger.write(row, () => ledger.publish(row));
}
