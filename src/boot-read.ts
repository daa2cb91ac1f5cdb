// The read-only view of a home: the same handlers over databases that cannot be written, for the home's own human, with no kernel.
// Null when this home needs a kernel even for reading: there is none yet, or an older gsv wrote it.

import { existsSync } from "node:fs";
import { Namespace } from "../fs/namespace.ts";
import { objectsFs } from "../fs/objects.ts";
import { procFs } from "../fs/proc.ts";
import { SysError } from "./abi/errno.ts";
import { type RandomBytes, uuidv7 } from "./abi/ids.ts";
import type { Sys } from "./abi/sys.ts";
import { aboutThis, homeNamed } from "./boot-about.ts";
import { callersFrom } from "./kernel/accounts.ts";
import { Bus } from "./kernel/bus.ts";
import { controlService } from "./kernel/control.ts";
import { makeDispatch } from "./kernel/dispatch.ts";
import { filesService } from "./kernel/files.ts";
import { registryService } from "./kernel/registry.ts";
import { kernelSys } from "./kernel/sys.ts";
import type { Clock } from "./lib/clock.ts";
import { diskObjects } from "./objects/disk.ts";
import type { HomePaths } from "./paths.ts";
import { approvalsList } from "./process/approvals.ts";
import { archivesService } from "./process/archive.ts";
import { historiesService } from "./process/histories.ts";
import { KernelDb } from "./store/kernel/db.ts";
import { objectRows } from "./store/kernel/objects.ts";
import { sqliteKernelStore } from "./store/kernel/sqlite.ts";
import { sqliteProcessStore } from "./store/process/sqlite.ts";
import { messageLine, waitsForText } from "./syscalls/format.ts";
import { SYSCALLS } from "./syscalls/table.ts";

export interface ReadOptions {
  readonly paths: HomePaths;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly onInterrupted: () => void;
}

export async function readOnlySys({ paths, clock, random, onInterrupted }: ReadOptions): Promise<Sys | null> {
  if (!existsSync(paths.kernelDb)) return null;
  const database = KernelDb.openForReading(paths.kernelDb);
  if (database === null) return null;
  const kernel = sqliteKernelStore(database);
  const human = await kernel.accounts.firstHuman();
  if (human === null) {
    database.close();
    return null;
  }
  const { generation } = database.current();
  const store = sqliteProcessStore({
    directory: paths.procDir,
    quarantine: paths.quarantineDir,
    mode: "read",
    now: () => clock.now(),
    kernelGeneration: generation,
  });
  const objects = diskObjects({ directory: paths.objectsDir, rows: objectRows(database), clock, random });
  const caller = () => callersFrom(kernel.accounts).person(human.uid, human.home);
  const sys = (): Sys =>
    kernelSys({
      dispatch,
      bus: new Bus(() => {}),
      caller,
      newRequestId: () => uuidv7(clock.now(), random),
      uid: human.uid,
    });
  const namespace = new Namespace([
    { at: "/", fs: objectsFs({ storeOf: () => objects, clock, root: { uid: 0, gid: 0, mode: 0o755 } }) },
    { at: "/proc", fs: procFs({ sysFor: sys, clock, messageLine, waitsForText }) },
  ]);
  const needsKernel = async (): Promise<never> => {
    throw new SysError("EAGAIN", "this needs a kernel");
  };
  const dispatch = makeDispatch({
    readOnly: true,
    table: SYSCALLS,
    services: {
      registry: registryService({
        kernel,
        atRest: true,
        fresh: (pid) => store.projection(pid).catch(() => null),
        onInterrupted,
      }),
      histories: historiesService({ kernel, store }),
      archives: archivesService({ kernel, objects }),
      approvals: { ...approvalsList(kernel), answer: needsKernel },
      files: filesService({ namespace, homeOf: (who, username) => homeNamed(kernel, who, username) }),
      kernel: controlService({
        about: aboutThis(paths),
        processes: kernel.processes,
        life: () => ({ running: false, pid: null, startedAt: null, generation, clients: 0 }),
        drain: () => {},
      }),
    },
    requests: kernel.requests,
    // What is refused here is asked again at a kernel, which writes it down.
    audit: { add: async () => {} },
    clock,
    logCall: async () => {},
    onFault: () => {},
  });
  const door = sys();
  return {
    ...door,
    async close() {
      await door.close();
      await store.close();
      database.close();
    },
  };
}
