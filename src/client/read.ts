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
import { lazy, once } from "../lib/lazy.ts";
import { type HomePaths, isOwnHome, readKernelInfo } from "../paths.ts";
import { archivesService } from "../process/history/archive.ts";
import type { sessionViews } from "../sessions/views.ts";
import { KernelDb } from "../store/kernel/db.ts";
import { type KernelStore, sqliteKernelStore } from "../store/kernel/sqlite.ts";
import { isHeld } from "../store/lock.ts";
import type { ProcessStore } from "../store/process/verbs.ts";
import type { Histories, KernelStatus } from "../syscalls/services.ts";
import { syscallNamed } from "../syscalls/table.ts";
import { aboutThis } from "./about.ts";
import { READS, type ReadServices } from "./reads.ts";

export interface ReadOptions {
  readonly paths: HomePaths;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly onInterrupted: () => void;
  readonly client?: ClientInfo;
  readonly config?: () => Promise<Partial<Config>>;
  readonly secretsStore?: string | undefined;
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
      bus: new Bus(clock, () => {}),
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
      ...OF_KERNELS,
      settings: settingsShown(kernel, options),
      ...treesAtRest(options, kernel),
      ...peopleAtRest(kernel, clock),
      kernel: controlService({
        about: aboutThis(paths),
        processes: kernel.processes,
        life: () => ({ ...holderOf(paths), generation: generation(), clients: 0 }),
        drain: () => {},
      }),
      serving: atRest("serving", async () => {
        const { systemSettings } = await import("../kernel/settings/config.ts");
        return (await import("../serve/serving.ts")).servingAtRest(() => systemSettings(kernel.config));
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
  return atRest("histories", async () => {
    const { historiesService } = await import("../process/history/histories.ts");
    return historiesService({ kernel, store: await store(), now: () => clock.now() });
  });
}

type ViewPorts = Pick<Parameters<typeof sessionViews>[0], "kernel" | "registry" | "histories" | "clock">;

function sessionsAtRest(ports: ViewPorts, store: OpenStore): ReadServices["sessions"] {
  return atRest("sessions", async () => {
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
    approvals: atRest("approvals", async () =>
      (await import("../process/approvals/approvals.ts")).approvalsList(kernel),
    ),
    outages: atRest("outages", async () => (await import("../kernel/models/outages.ts")).outageReports(kernel)),
    usage: atRest("usage", async () => (await spending()).usageReports({ kernel, clock, atRest: true })),
    budgets: atRest("budgets", async () => (await spending()).budgetsShown({ kernel, clock })),
    schedules: atRest("schedules", async () => {
      const [{ scheduleViews }, { timezoneOf }] = await Promise.all([
        import("../due/views.ts"),
        import("../due/default-zone.ts"),
      ]);
      return scheduleViews({ kernel, clock, zone: timezoneOf(kernel.config) });
    }),
    notifications: atRest("notifications", async () => ({
      list: (await import("../due/notification-list.ts")).notificationList({ kernel, clock }),
    })),
    mcp: atRest("mcp", async () => (await import("../links/mcp/list.ts")).mcpLists(kernel.mcpServers)),
    oauth: atRest("oauth", async () => (await import("../links/oauth/list.ts")).oauthList(kernel.oauth)),
    watches: atRest("watches", async () => ({
      list: (await import("../due/watches/list.ts")).watchList({ kernel, clock }),
    })),
  };
}

/** Only a kernel can answer these. */
const OF_KERNELS: Pick<ReadServices, "prompts" | "trust" | "undoing" | "fileUse"> = {
  prompts: { files: needsKernel, homeFiles: needsKernel, show: needsKernel },
  trust: { speaks: needsKernel },
  undoing: { diff: needsKernel },
  fileUse: { uses: needsKernel, writers: needsKernel },
};

const spending = () => import("../kernel/spending.ts");

async function needsKernel(): Promise<never> {
  throw new KernelNeeded();
}

/** A service that is loaded when one of its methods is first called. */
function atRest<S extends keyof ReadServices>(service: S, load: () => Promise<ReadServices[S]>): ReadServices[S] {
  return lazy<ReadServices[S], never>(load, READS[service] as readonly string[] as readonly never[]) as ReadServices[S];
}

/** The named services, out of one load. */
function eachAtRest<S extends keyof ReadServices>(
  load: () => Promise<Pick<ReadServices, S>>,
  names: readonly S[],
): Pick<ReadServices, S> {
  const services = names.map((name) => [name, atRest(name, async () => (await load())[name])]);
  return Object.fromEntries(services) as Pick<ReadServices, S>;
}

function settingsShown(kernel: KernelStore, options: ReadOptions): ReadServices["settings"] {
  return atRest("settings", async () => {
    const { settingsAtRest } = await import("../boot/settings.ts");
    return settingsAtRest(kernel, { ...options, config: (await options.config?.()) ?? {} });
  });
}

const PEOPLE = [
  ...(["accounts", "groups", "tokens", "logins", "rights", "audit"] as const),
  ...(["agents", "bundles", "projects", "credits"] as const),
] as const;

function peopleAtRest(kernel: KernelStore, clock: Clock) {
  const load = once(async () => (await import("./read-people.ts")).readPeople(kernel, clock));
  return eachAtRest(load, PEOPLE);
}

function treesAtRest({ paths, clock, random, path }: ReadOptions, kernel: KernelStore) {
  const repos = lazyRepos({ paths, clock, path });
  return {
    repositories: lazyRepositories(kernel, repos, needsKernel),
    workspaces: lazyWorkspaces({ kernel, repos, paths, clock, random, log: () => {} }, needsKernel),
    hooks: atRest("hooks", () => hooksAtRest(kernel, paths, clock)),
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
): Promise<ReadServices["hooks"]> {
  const [{ HookFiles }, { Hooks }] = await Promise.all([import("../hooks/files.ts"), import("../hooks/hooks.ts")]);
  const hooks = new Hooks({ files: new HookFiles(hooksDir, process.getuid?.() ?? 0), rows, clock });
  await hooks.load();
  return { list: async ({ caller }) => ({ hooks: hooks.list(caller.ownerUid) }) };
}

/** For completion while a person types: starts no kernel, creates and prints nothing. null if only a kernel could answer. */
export async function peek(
  place: () => Promise<Pick<ReadOptions, "paths" | "clock" | "random"> & { readonly uid: number }>,
): Promise<Sys | null> {
  try {
    const { paths, uid, clock, random } = await place();
    if (!isOwnHome(paths, uid)) return null;
    return await readOnlySys({ paths, clock, random, onInterrupted: () => {} });
  } catch {
    return null;
  }
}
