// Answers read calls without a kernel: the same handlers over read-only databases, for the person of the home. `readOnlySys` is null if
// reading needs a kernel: the home is not set up yet, or must be migrated.

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
import { once } from "../lib/lazy.ts";
import { type HomePaths, readKernelInfo } from "../paths.ts";
import { archivesService } from "../process/history/archive.ts";
import type { sessionViews } from "../sessions/views.ts";
import { KernelDb } from "../store/kernel/db.ts";
import { type KernelStore, sqliteKernelStore } from "../store/kernel/sqlite.ts";
import { isHeld } from "../store/lock.ts";
import type { ProcessStore } from "../store/process/verbs.ts";
import type { Approvals } from "../syscalls/approval/hil.ts";
import type { OutageReports } from "../syscalls/run/ai.ts";
import type { Histories, KernelStatus, Settings } from "../syscalls/services.ts";
import type { HooksService } from "../syscalls/system/hooks.ts";
import type { BudgetService, UsageReports } from "../syscalls/system/spending.ts";
import { type Services, syscallNamed } from "../syscalls/table.ts";
import { aboutThis } from "./about.ts";
import type { ReadPeople } from "./read-people.ts";

export interface ReadOptions {
  readonly paths: HomePaths;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly onInterrupted: () => void;
  readonly client?: ClientInfo;
  readonly config?: () => Promise<Partial<Config>>;
  readonly secretsStore?: string | undefined;
  /** The PATH to find git on. */
  readonly path?: string | undefined;
}

export async function readOnlySys(options: ReadOptions): Promise<Sys | null> {
  const { paths, clock, random, onInterrupted, client } = options;
  if (!existsSync(paths.kernelDb) || existsSync(paths.restoreInfo)) return null;
  const database = KernelDb.openForReading(paths.kernelDb);
  if (database === null) return null;
  const kernel = sqliteKernelStore(database);
  const human = await kernel.accounts.firstHuman();
  // A first run creates the accounts first and the init process last. Show nothing before.
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
  // Loading any of these takes longer than listing processes.
  const files = once(async () =>
    (await import("./read-files.ts")).readFiles({ paths, clock, random, database, kernel, sys }),
  );
  const store = lazyStore(options, generation);
  const histories = historiesAtRest(kernel, clock, store.get);
  const registry = registryService({
    kernel,
    atRest: true,
    fresh: async (pid) => (await store.get()).projection(pid).catch(() => null),
    onInterrupted,
  });
  const dispatch = makeDispatch({
    readOnly: true,
    table: { get: syscallNamed },
    services: {
      registry,
      histories,
      sessions: sessionsAtRest({ kernel, registry, histories, clock }, store.get),
      archives: archivesService({
        kernel,
        objects: { read: async (key, range) => (await files()).objects.read(key, range) },
      }),
      ...reportsAtRest(kernel, clock),
      ...eachAtRest(files, ["files", "tree", "storage", "media"]),
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
    // A refused call is repeated at a kernel, which audits it.
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

function lazyStore({ paths, clock }: ReadOptions, kernelGeneration: () => number) {
  let isOpen = false;
  const get = once(async () => {
    const { sqliteProcessStore } = await import("../store/process/sqlite.ts");
    isOpen = true;
    const options = { directory: paths.procDir, quarantine: paths.quarantineDir, now: () => clock.now() };
    return sqliteProcessStore({ ...options, mode: "read", kernelGeneration: kernelGeneration() });
  });
  return { get, close: async () => isOpen && (await get()).close() };
}

type OpenStore = () => Promise<ProcessStore>;

function historiesAtRest(kernel: KernelStore, clock: Clock, store: OpenStore): Histories {
  return atRest<Histories>(async () => {
    const { historiesService } = await import("../process/history/histories.ts");
    return historiesService({ kernel, store: await store(), now: () => clock.now() });
  });
}

type ViewPorts = Pick<Parameters<typeof sessionViews>[0], "kernel" | "registry" | "histories" | "clock">;

function sessionsAtRest(ports: ViewPorts, store: OpenStore): Services["sessions"] {
  return atRest(async () => {
    const [{ sessionViews }, own] = await Promise.all([import("../sessions/views.ts"), store()]);
    return sessionViews({
      ...ports,
      contextFiles: (pid) => own.contextFiles(pid),
      contextShape: (pid) => own.contextShape(pid),
      segments: (pid) => own.segments(pid),
    });
  });
}

function reportsAtRest(kernel: KernelStore, clock: Clock) {
  return {
    approvals: atRest<Approvals>(async () => (await import("../process/approvals/approvals.ts")).approvalsList(kernel)),
    outages: atRest<OutageReports>(async () => (await import("../kernel/models/outages.ts")).outageReports(kernel)),
    usage: atRest<UsageReports>(async () => (await spending()).usageReports({ kernel, clock, atRest: true })),
    budgets: atRest<BudgetService>(async () => (await spending()).budgetsShown({ kernel, clock })),
  };
}

/** Only a kernel can answer these. */
function ofKernels(): Pick<Services, "prompts" | "trust" | "undoing" | "fileUse"> {
  const none = async () => ({});
  return { prompts: atRest(none), trust: atRest(none), undoing: atRest(none), fileUse: atRest(none) };
}

const spending = () => import("../kernel/spending.ts");

async function needsKernel(): Promise<never> {
  throw new KernelNeeded();
}

/**
 * A service that is loaded when one of its methods is first called. It has only the methods that read: dispatch, which is read-only here,
 * refuses the others before.
 */
function atRest<S extends object>(load: () => Promise<Partial<NoInfer<S>>>): S {
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

/** The named services, out of one load. */
function eachAtRest<Name extends keyof Services>(
  load: () => Promise<{ readonly [N in Name]: Partial<Services[N]> }>,
  names: readonly Name[],
): Pick<Services, Name> {
  const services = names.map((name) => [name, atRest(async () => (await load())[name])]);
  return Object.fromEntries(services) as Pick<Services, Name>;
}

function settingsShown(kernel: KernelStore, options: ReadOptions): Settings {
  return atRest(async () => {
    const { settingsAtRest } = await import("../boot/settings.ts");
    return settingsAtRest(kernel, { ...options, config: (await options.config?.()) ?? {} });
  });
}

function peopleAtRest(kernel: KernelStore, clock: Clock): Pick<Services, keyof ReadPeople> {
  const load = once(async () => (await import("./read-people.ts")).readPeople(kernel, clock));
  return eachAtRest<keyof ReadPeople>(load, PEOPLE);
}

const PEOPLE = ["accounts", "groups", "tokens", "rights", "audit", "agents", "bundles", "projects", "credits"] as const;

function treesAtRest({ paths, clock, random, path }: ReadOptions, kernel: KernelStore) {
  const repos = lazyRepos({ paths, clock, path });
  return {
    repositories: lazyRepositories(kernel, repos, needsKernel),
    workspaces: lazyWorkspaces({ kernel, repos, paths, clock, random, log: () => {} }, needsKernel),
    hooks: atRest<HooksService>(() => hooksAtRest(kernel, paths, clock)),
  };
}

// A kernel may exist although it does not answer: suspended, starting or exiting.
function holderOf(paths: HomePaths): Pick<KernelStatus, "running" | "pid" | "startedAt"> {
  const running = isHeld(paths.lockFile);
  const info = running ? readKernelInfo(paths) : null;
  return { running, pid: info?.pid ?? null, startedAt: info?.startedAt ?? null };
}

async function hooksAtRest(
  { hooks: rows }: KernelStore,
  { hooksDir }: HomePaths,
  clock: Clock,
): Promise<Pick<HooksService, "list">> {
  const [{ HookFiles }, { Hooks }] = await Promise.all([import("../hooks/files.ts"), import("../hooks/hooks.ts")]);
  const hooks = new Hooks({ files: new HookFiles(hooksDir, process.getuid?.() ?? 0), rows, clock });
  await hooks.load();
  return { list: async ({ caller }) => ({ hooks: hooks.list(caller.ownerUid) }) };
}
