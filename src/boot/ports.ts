// Opens kernel.db and the stores of a home.

import { storageIn } from "../kernel/storage/drivers.ts";
import type { CacheBudget } from "../lib/memory/cache-budget.ts";
import { openDatabasesMax } from "../machine/descriptors.ts";
import type { KernelDb } from "../store/kernel/db.ts";
import { objectRows } from "../store/kernel/objects.ts";
import { copyKernelDb, openKernelDb } from "../store/kernel/open.ts";
import { sqliteKernelStore } from "../store/kernel/sqlite.ts";
import { sqliteProcessStore } from "../store/process/sqlite.ts";
import type { Machine, Ports } from "./core.ts";

export async function openDatabase(
  { paths: { kernelDb, backupDir, procDir } }: Machine,
  now: number,
): Promise<KernelDb> {
  // A home with processes must have a kernel.db.
  const expectExisting = new Bun.Glob("*.db").scanSync({ cwd: procDir })[Symbol.iterator]().next().done === false;
  if (!expectExisting) await copyKernelDb(kernelDb, now);
  return openKernelDb(kernelDb, { now, backupDir, expectExisting });
}

interface Opening {
  readonly database: KernelDb;
  readonly kernelGeneration: number;
  readonly logRows: () => number | undefined;
  readonly budget: CacheBudget;
}

export async function openPorts(machine: Machine, { database, kernelGeneration, logRows, budget }: Opening) {
  const { paths, clock, keychain = null, ports } = machine;
  const [kernel, rows] = [sqliteKernelStore(database), objectRows(database)];
  const storage = await storageIn({ ...machine, config: kernel.config, keychain }, rows);
  const raw: Ports = {
    kernel,
    processes: sqliteProcessStore({
      directory: paths.procDir,
      quarantine: paths.quarantineDir,
      mode: "write",
      now: () => clock.now(),
      kernelGeneration,
      logRows,
      openMax: openDatabasesMax(),
      clock,
      budget,
    }),
    objects: storage.objects,
  };
  return { ...(ports?.(raw) ?? raw), storage };
}
