// Answers calls that only read, with no kernel: the same syscall handlers over databases opened read-only, for the home's own human.
// `readOnlySys` is null when even reading needs a kernel: the home was never set up, or an older gsv wrote it and it must be migrated.

import { existsSync } from "node:fs";
import type { Config } from "../abi/config/config.ts";
import { initPid, type RandomBytes, uuidv7 } from "../abi/ids.ts";
import { type ClientInfo, KernelNeeded, type Sys } from "../abi/sys.ts";
import { lazyRepos, lazyRepositories, lazyWorkspaces } from "../boot/repos.ts";
import { callersFrom } from "../kernel/accounts/accounts.ts";
import { Bus } from "../kernel/bus.ts";
import { makeDispatch } from "../kernel/dispatch.ts";
import { controlService } from "../kernel/lifetime/control.ts";
import { registryService } from "../kernel/registry.ts";
import { kernelSys } from "../kernel/sys.ts";
import type { Clock } from "../lib/clock.ts";
import { type HomePaths, readKernelInfo } from "../paths.ts";
import { archivesService } from "../process/history/archive.ts";
import { KernelDb } from "../store/kernel/db.ts";
import { type KernelStore, sqliteKernelStore } from "../store/kernel/sqlite.ts";
import { isHeld } from "../store/lock.ts";
import type { Approvals } from "../syscalls/approval/approval-service.ts";
import type { OutageReports } from "../syscalls/run/ai-service.ts";
import type { KernelStatus, Settings } from "../syscalls/services.ts";
import type { HooksService } from "../syscalls/system/hook-service.ts";
import type { BudgetService, UsageReports } from "../syscalls/system/spending-service.ts";
import { type Services, syscallNamed } from "../syscalls/table.ts";
import { aboutThis } from "./about.ts";
import type { ReadPeople } from "./read-people.ts";

export interface ReadOptions {
  readonly paths: HomePaths;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly onInterrupted: () => void;
  /** Who asks, and with what environment. */
  readonly client?: ClientInfo;
  readonly config?: () => Promise<Partial<Config>>;
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
  const generation = () => database.current().generation;
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
    (await import("./read-files.ts")).readFiles({ paths, clock, random, database, kernel, sys }),
  );
  const histories = lazily(async () =>
    (await import("./read-histories.ts")).readHistories({ paths, clock, kernel, kernelGeneration: generation() }),
  );
  const registry = registryService({
    kernel,
    atRest: true,
    fresh: async (pid) => (await histories.get()).store.projection(pid).catch(() => null),
    onInterrupted,
  });
  const dispatch = makeDispatch({
    readOnly: true,
    table: { get: syscallNamed },
    services: {
      registry,
      histories: loadedWhenAsked(async () => (await histories.get()).histories),
      sessions: loadedWhenAsked(async () => {
        const { sessionViews } = await import("../sessions/views.ts");
        return sessionViews({ kernel, registry, clock, ...(await histories.get()) });
      }),
      archives: archivesService({
        kernel,
        objects: { read: async (key, range) => (await files.get()).objects.read(key, range) },
      }),
      ...reportsAtRest(kernel, clock),
      files: loadedWhenAsked(async () => (await files.get()).files),
      tree: loadedWhenAsked(async () => (await files.get()).tree),
      storage: loadedWhenAsked(async () => (await files.get()).storage),
      media: loadedWhenAsked(async () => (await files.get()).media),
      ...ofKernels(),
      settings: settingsShown(kernel, options),
      ...treesAtRest(options, kernel),
      ...peopleAtRest(kernel, clock),
      kernel: controlService({
        about: aboutThis(paths),
        processes: kernel.processes,
        life: () => ({ ...holderOf(paths), generation: generation(), clients: 0 }),
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

function reportsAtRest(kernel: KernelStore, clock: Clock) {
  return {
    approvals: loadedWhenAsked<Approvals>(async () =>
      (await import("../process/approvals/approvals.ts")).approvalsList(kernel),
    ),
    outages: loadedWhenAsked<OutageReports>(async () =>
      (await import("../kernel/models/outages.ts")).outageReports(kernel),
    ),
    usage: loadedWhenAsked<UsageReports>(async () => (await spending()).usageReports({ kernel, clock, atRest: true })),
    budgets: loadedWhenAsked<BudgetService>(async () => (await spending()).budgetsShown({ kernel, clock })),
  };
}

/** What the next turn is told, a kernel puts together. */
function ofKernels(): Pick<Services, "prompts" | "trust" | "undoing" | "fileUse"> {
  const none = async () => ({});
  return {
    prompts: loadedWhenAsked(none),
    trust: loadedWhenAsked(none),
    undoing: loadedWhenAsked(none),
    fileUse: loadedWhenAsked(none),
  };
}

const spending = () => import("../kernel/spending.ts");

async function needsKernel(): Promise<never> {
  throw new KernelNeeded();
}

/**
 * A service that is loaded when one of its methods is first called. What changes something is not among the methods: dispatch, which is
 * read-only here, has refused such a call before.
 */
function loadedWhenAsked<S extends object>(load: () => Promise<Partial<NoInfer<S>>>): S {
  return new Proxy<S>({} as S, {
    get:
      (_empty, name) =>
      async (...args: unknown[]) => {
        const service = await load();
        const method: unknown = service[name as keyof S];
        return typeof method === "function" ? method.apply(service, args) : needsKernel();
      },
  });
}

function settingsShown(kernel: KernelStore, options: ReadOptions): Settings {
  return loadedWhenAsked(async () => {
    const { settingsAtRest } = await import("../boot/settings.ts");
    return settingsAtRest(kernel, { ...options, config: (await options.config?.()) ?? {} });
  });
}

function peopleAtRest(kernel: KernelStore, clock: Clock): Pick<Services, keyof ReadPeople> {
  const people = lazily(async () => (await import("./read-people.ts")).readPeople(kernel, clock));
  return {
    accounts: loadedWhenAsked(async () => (await people.get()).accounts),
    groups: loadedWhenAsked(async () => (await people.get()).groups),
    tokens: loadedWhenAsked(async () => (await people.get()).tokens),
    rights: loadedWhenAsked(async () => (await people.get()).rights),
    audit: loadedWhenAsked(async () => (await people.get()).audit),
    agents: loadedWhenAsked(async () => (await people.get()).agents),
    bundles: loadedWhenAsked(async () => (await people.get()).bundles),
    projects: loadedWhenAsked(async () => (await people.get()).projects),
    credits: loadedWhenAsked(async () => (await people.get()).credits),
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

/** What lies in directories of its own. */
function treesAtRest({ paths, clock, random, path }: ReadOptions, kernel: KernelStore) {
  const repos = lazyRepos({ paths, clock, path });
  return {
    repositories: lazyRepositories(kernel, repos, needsKernel),
    workspaces: lazyWorkspaces({ kernel, repos, paths, clock, random, log: () => {} }, needsKernel),
    hooks: loadedWhenAsked<HooksService>(async () => (await import("./read-hooks.ts")).readHooks(kernel, paths, clock)),
  };
}

// There may be a kernel all the same: suspended, on its way up or on its way out.
function holderOf(paths: HomePaths): Pick<KernelStatus, "running" | "pid" | "startedAt"> {
  const running = isHeld(paths.lockFile);
  const info = running ? readKernelInfo(paths) : null;
  return { running, pid: info?.pid ?? null, startedAt: info?.startedAt ?? null };
}
