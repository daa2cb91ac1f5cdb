// The read-only view of a home: the same handlers over databases that cannot be written, for the home's own human, with no kernel.
// Null when this home needs a kernel even for reading: there is none yet, or an older gsv wrote it.

import { existsSync } from "node:fs";
import type { Config } from "./abi/config.ts";
import { SysError } from "./abi/errno.ts";
import type { Caller } from "./abi/identity.ts";
import { initPid, type RandomBytes, uuidv7 } from "./abi/ids.ts";
import type { ClientInfo, Sys } from "./abi/sys.ts";
import { aboutThis } from "./boot-about.ts";
import type { ReadFiles } from "./boot-read-files.ts";
import type { ReadPeople } from "./boot-read-people.ts";
import { lazyRepos, lazyRepositories } from "./boot-repos.ts";
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
import { KernelDb } from "./store/kernel/db.ts";
import { type KernelStore, sqliteKernelStore } from "./store/kernel/sqlite.ts";
import { isHeld } from "./store/lock.ts";
import type { AuditLog } from "./syscalls/access.ts";
import type { FileTree } from "./syscalls/file-tree.ts";
import type { Files, KernelStatus, Settings } from "./syscalls/services.ts";
import { type Services, syscallNamed } from "./syscalls/table.ts";

export interface ReadOptions {
  readonly paths: HomePaths;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly onInterrupted: () => void;
  /** Who asks, and with what environment. */
  readonly client?: ClientInfo;
  readonly config?: Partial<Config>;
  readonly secretsStore?: string | undefined;
  /** Where programs are looked for. */
  readonly path?: string | undefined;
}

export async function readOnlySys(options: ReadOptions): Promise<Sys | null> {
  const { paths, clock, random, onInterrupted, client } = options;
  if (!existsSync(paths.kernelDb) || existsSync(paths.restoreInfo)) return null;
  const database = KernelDb.openForReading(paths.kernelDb);
  if (database === null) return null;
  const kernel = sqliteKernelStore(database);
  const human = await kernel.accounts.firstHuman();
  // A first run makes accounts first and the init last; what is half made is nobody's to see.
  if (human === null || (await kernel.processes.get(initPid(human.uid)))?.phase !== "live") {
    database.close();
    return null;
  }
  const { generation } = database.current();
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
  // A list of processes needs none of them, and what they need takes longer to load than the list.
  const files = lazily(async () =>
    (await import("./boot-read-files.ts")).readFiles({ paths, clock, random, database, kernel, sys }),
  );
  const histories = lazily(async () =>
    (await import("./boot-read-histories.ts")).readHistories({ paths, clock, kernel, kernelGeneration: generation }),
  );
  const settings = lazily<Settings>(async () => {
    const { bootSettings } = await import("./boot-settings.ts");
    return (await bootSettings(kernel, { ...options, config: options.config ?? {} })).settings;
  });
  const dispatch = makeDispatch({
    readOnly: true,
    table: { get: syscallNamed },
    services: {
      registry: registryService({
        kernel,
        atRest: true,
        fresh: async (pid) => (await histories.get()).store.projection(pid).catch(() => null),
        onInterrupted,
      }),
      histories: {
        page: async (...asked) => (await histories.get()).histories.page(...asked),
        text: async (...asked) => (await histories.get()).histories.text(...asked),
        trace: async (...asked) => (await histories.get()).histories.trace(...asked),
      },
      archives: archivesService({
        kernel,
        objects: { read: async (key, range) => (await files.get()).objects.read(key, range) },
      }),
      ...storedAtRest(files.get),
      approvals: { ...approvalsList(kernel), answer: needsKernel },
      files: filesToRead(async () => (await files.get()).files),
      settings: settingsToRead(settings.get),
      repositories: lazyRepositories(kernel, lazyRepos(options), needsKernel),
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
      await (await histories.made)?.store.close();
      database.close();
    },
  };
}

async function needsKernel(): Promise<never> {
  throw new SysError("EAGAIN", "this needs a kernel");
}

function filesToRead(now: () => Promise<Pick<Files, "read" | "search">>): Files {
  return {
    read: async (...asked) => (await now()).read(...asked),
    search: async (...asked) => (await now()).search(...asked),
    write: needsKernel,
    edit: needsKernel,
    remove: needsKernel,
  };
}

function treeToRead(now: () => Promise<Pick<FileTree, "stat" | "list" | "get">>): FileTree {
  return {
    stat: async (...asked) => (await now()).stat(...asked),
    list: async (...asked) => (await now()).list(...asked),
    get: async (...asked) => (await now()).get(...asked),
    stage: needsKernel,
    put: needsKernel,
    mkdir: needsKernel,
    rename: needsKernel,
    link: needsKernel,
    setattr: needsKernel,
    remove: needsKernel,
  };
}

function storedAtRest(files: () => Promise<ReadFiles>): Pick<Services, "tree" | "storage" | "media"> {
  return {
    tree: treeToRead(async () => (await files()).tree),
    storage: {
      status: async (...asked) => (await files()).storage.status(...asked),
      verify: async (...asked) => (await files()).storage.verify(...asked),
      gc: needsKernel,
      migrate: needsKernel,
    },
    media: {
      get: async (...asked) => (await files()).media.get(...asked),
      list: async (...asked) => (await files()).media.list(...asked),
      put: needsKernel,
      remove: needsKernel,
    },
  };
}

function settingsToRead(now: () => Promise<Settings>): Settings {
  return {
    get: async (...asked) => (await now()).get(...asked),
    list: async (...asked) => (await now()).list(...asked),
    change: needsKernel,
  };
}

function lazily<T>(make: () => Promise<T>): { readonly get: () => Promise<T>; readonly made: Promise<T> | null } {
  let made: Promise<T> | null = null;
  return {
    get: () => {
      made ??= make();
      return made;
    },
    get made() {
      return made;
    },
  };
}

/** Loaded when the first of them is asked for. */
function peopleAtRest(kernel: KernelStore, clock: Clock) {
  const { get: people } = lazily<ReadPeople>(async () =>
    (await import("./boot-read-people.ts")).readPeople(kernel, clock),
  );
  return {
    bootstrapping: { run: needsKernel },
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
