// The read-only view of a home: the same handlers over databases that cannot be written, for the home's own human, with no kernel.
// Null when this home needs a kernel even for reading: there is none yet, or an older gsv wrote it.

import { existsSync } from "node:fs";
import { SysError } from "./abi/errno.ts";
import type { Caller } from "./abi/identity.ts";
import { type RandomBytes, uuidv7 } from "./abi/ids.ts";
import type { Sys } from "./abi/sys.ts";
import { aboutThis } from "./boot-about.ts";
import type { ReadFiles } from "./boot-read-files.ts";
import type { ReadPeople } from "./boot-read-people.ts";
import { callersFrom } from "./kernel/accounts.ts";
import { Bus } from "./kernel/bus.ts";
import { controlService } from "./kernel/control.ts";
import { makeDispatch } from "./kernel/dispatch.ts";
import { registryService } from "./kernel/registry.ts";
import { kernelSys } from "./kernel/sys.ts";
import type { Clock } from "./lib/clock.ts";
import { type HomePaths, readKernelInfo } from "./paths.ts";
import { approvalsList } from "./process/approvals.ts";
import { archivesService } from "./process/archive.ts";
import { historiesService } from "./process/histories.ts";
import { KernelDb } from "./store/kernel/db.ts";
import { type KernelStore, sqliteKernelStore } from "./store/kernel/sqlite.ts";
import { isHeld } from "./store/lock.ts";
import { sqliteProcessStore } from "./store/process/sqlite.ts";
import type { AuditLog } from "./syscalls/access.ts";
import type { KernelStatus } from "./syscalls/services.ts";
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
  const caller = () => callersFrom(kernel.accounts).person(human.uid, human.home);
  const sys = (): Sys =>
    kernelSys({
      dispatch,
      bus: new Bus(() => {}),
      caller,
      newRequestId: () => uuidv7(clock.now(), random),
      uid: human.uid,
    });
  // Few reads look at files, and what files need takes longer to load than most reads take.
  let files: Promise<ReadFiles> | null = null;
  const filesNow = () => {
    files ??= import("./boot-read-files.ts").then(({ readFiles }) =>
      readFiles({ paths, clock, random, database, kernel, sys }),
    );
    return files;
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
      archives: archivesService({
        kernel,
        objects: { read: async (key, range) => (await filesNow()).objects.read(key, range) },
      }),
      approvals: { ...approvalsList(kernel), answer: needsKernel },
      files: {
        read: async (who, request) => (await filesNow()).files.read(who, request),
        search: async (who, request, signal) => (await filesNow()).files.search(who, request, signal),
        write: needsKernel,
        edit: needsKernel,
        remove: needsKernel,
      },
      ...peopleAtRest(kernel, clock),
      kernel: controlService({
        about: aboutThis(paths),
        processes: kernel.processes,
        life: () => ({ ...holderOf(paths), generation, clients: 0 }),
        drain: () => {},
      }),
    },
    requests: kernel.requests,
    // What is refused here is asked again at a kernel, which writes it down.
    audit: { ...kernel.audit, add: async () => {} },
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

async function needsKernel(): Promise<never> {
  throw new SysError("EAGAIN", "this needs a kernel");
}

/** Loaded when the first of them is asked for. */
function peopleAtRest(kernel: KernelStore, clock: Clock) {
  let loaded: Promise<ReadPeople> | null = null;
  const people = () => {
    loaded ??= import("./boot-read-people.ts").then(({ readPeople }) => readPeople(kernel, clock));
    return loaded;
  };
  return {
    accounts: {
      list: async (who: Caller) => (await people()).accounts.list(who),
      create: needsKernel,
      update: needsKernel,
      remove: needsKernel,
      passwd: needsKernel,
    },
    groups: {
      list: async (who: Caller) => (await people()).groups.list(who),
      add: needsKernel,
      change: needsKernel,
      remove: needsKernel,
    },
    tokens: {
      list: async (who: Caller) => (await people()).tokens.list(who),
      create: needsKernel,
      revoke: needsKernel,
    },
    rights: { of: async (who: Caller, pid: string) => (await people()).rights.of(who, pid) },
    audit: { list: async (...asked: Parameters<AuditLog["list"]>) => (await people()).audit.list(...asked) },
  };
}

// There may be a kernel all the same: suspended, on its way up or on its way out.
function holderOf(paths: HomePaths): Pick<KernelStatus, "running" | "pid" | "startedAt"> {
  const running = isHeld(paths.lockFile);
  const info = running ? readKernelInfo(paths) : null;
  return { running, pid: info?.pid ?? null, startedAt: info?.startedAt ?? null };
}
