// Opens the stores of a home: kernel.db, the process databases, and the objects on disk or in a bucket.

import { storageIn } from "../kernel/storage/drivers.ts";
import { openDatabasesMax } from "../machine/descriptors.ts";
import type { HomePaths } from "../paths.ts";
import type { KernelDb } from "../store/kernel/db.ts";
import { objectRows } from "../store/kernel/objects.ts";
import { sqliteKernelStore } from "../store/kernel/sqlite.ts";
import { sqliteProcessStore } from "../store/process/sqlite.ts";
import type { Machine, Ports } from "./core.ts";

interface Opening {
  readonly database: KernelDb;
  readonly kernelGeneration: number;
  readonly logRows: () => number | undefined;
}

export async function openPorts(machine: Machine, { database, kernelGeneration, logRows }: Opening) {
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
    }),
    objects: storage.objects,
  };
  return { ...(ports?.(raw) ?? raw), storage };
}

/** A home with processes must have a kernel.db. */
export function hasProcesses(paths: HomePaths): boolean {
  return new Bun.Glob("*.db").scanSync({ cwd: paths.procDir })[Symbol.iterator]().next().done === false;
}
