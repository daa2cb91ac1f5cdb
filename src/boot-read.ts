// The read-only view of a home: the same handlers over databases that cannot be written, for the home's own human, with no kernel.
// Null when this home needs a kernel even for reading: there is none yet, or an older gsv wrote it.

import { existsSync } from "node:fs";
import type { Config } from "./abi/config.ts";
import { SysError } from "./abi/errno.ts";
import { type RandomBytes, uuidv7 } from "./abi/ids.ts";
import type { ClientInfo, Sys } from "./abi/sys.ts";
import { aboutThis } from "./boot-about.ts";
import type { ReadFiles } from "./boot-read-files.ts";
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
import { sqliteKernelStore } from "./store/kernel/sqlite.ts";
import { isHeld } from "./store/lock.ts";
import { sqliteProcessStore } from "./store/process/sqlite.ts";
import type { Files, KernelStatus, Settings } from "./syscalls/services.ts";
import { SYSCALLS } from "./syscalls/table.ts";

export interface ReadOptions {
  readonly paths: HomePaths;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly onInterrupted: () => void;
  /** Who asks, and with what environment. */
  readonly client?: ClientInfo;
  readonly config?: Partial<Config>;
  readonly secretsStore?: string | undefined;
}

export async function readOnlySys(options: ReadOptions): Promise<Sys | null> {
  const { paths, clock, random, onInterrupted, client } = options;
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
      client,
      newRequestId: () => uuidv7(clock.now(), random),
      uid: human.uid,
    });
  // Few reads look at files, and what files need takes longer to load than most reads take.
  const filesNow = once<ReadFiles>(async () => {
    const { readFiles } = await import("./boot-read-files.ts");
    return readFiles({ paths, clock, random, database, kernel, sys });
  });
  const settingsNow = once<Settings>(async () => {
    const { bootSettings } = await import("./boot-settings.ts");
    return (await bootSettings(kernel, { ...options, config: options.config ?? {} })).settings;
  });
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
      files: filesOf(filesNow),
      settings: settingsOf(settingsNow),
      kernel: controlService({
        about: aboutThis(paths),
        processes: kernel.processes,
        life: () => ({ ...holderOf(paths), generation, clients: 0 }),
        drain: () => {},
      }),
    },
    requests: kernel.requests,
    // What is refused here is asked again at a kernel, which writes it down.
    audit: { add: async () => {}, sweep: async () => {} },
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

function filesOf(now: () => Promise<ReadFiles>): Files {
  return {
    read: async (who, request) => (await now()).files.read(who, request),
    search: async (who, request, signal) => (await now()).files.search(who, request, signal),
    write: needsKernel,
    edit: needsKernel,
    remove: needsKernel,
  };
}

function settingsOf(now: () => Promise<Settings>): Settings {
  return {
    get: async (context, key) => (await now()).get(context, key),
    list: async (context, under) => (await now()).list(context, under),
    change: needsKernel,
  };
}

function once<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | null = null;
  return () => {
    made ??= make();
    return made;
  };
}

// There may be a kernel all the same: suspended, on its way up or on its way out.
function holderOf(paths: HomePaths): Pick<KernelStatus, "running" | "pid" | "startedAt"> {
  const running = isHeld(paths.lockFile);
  const info = running ? readKernelInfo(paths) : null;
  return { running, pid: info?.pid ?? null, startedAt: info?.startedAt ?? null };
}
