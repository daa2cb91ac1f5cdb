// Builds the kernel, in order: stores, accounts, files, processes, dispatch, recovery. Everything that touches the machine comes in as a
// parameter, so that tests stand in front of any of it. Nothing here decides anything.

import { separateStores } from "../fs/memory.ts";
import { Namespace } from "../fs/namespace.ts";
import { objectsFs } from "../fs/objects.ts";
import { procFs } from "../fs/proc.ts";
import type { Config } from "./abi/config.ts";
import { SysError } from "./abi/errno.ts";
import type { Caller } from "./abi/identity.ts";
import { type RandomBytes, uuidv7 } from "./abi/ids.ts";
import type { ClientInfo, Sys } from "./abi/sys.ts";
import { aboutThis, homeNamed } from "./boot-about.ts";
import { type Callers, callersFrom } from "./kernel/accounts.ts";
import { Bus } from "./kernel/bus.ts";
import { controlService } from "./kernel/control.ts";
import { type Dispatch, makeDispatch } from "./kernel/dispatch.ts";
import { filesService, pathLocator } from "./kernel/files.ts";
import { registryService } from "./kernel/registry.ts";
import { setUp } from "./kernel/setup.ts";
import { kernelSys } from "./kernel/sys.ts";
import type { Clock } from "./lib/clock.ts";
import { redact } from "./lib/redact.ts";
import { diskObjects } from "./objects/disk.ts";
import type { ObjectStore } from "./objects/objects.ts";
import type { HomePaths } from "./paths.ts";
import { approvalsService } from "./process/approvals.ts";
import { archivesService } from "./process/archive.ts";
import { Closer } from "./process/closing.ts";
import { historiesService } from "./process/histories.ts";
import { Ledger } from "./process/ledger.ts";
import { processesService } from "./process/processes.ts";
import { recover } from "./process/recovery.ts";
import { Runners } from "./process/runners.ts";
import { ToolCalls } from "./process/toolcalls.ts";
import { systemPrompt } from "./prompts/system.ts";
import { chooseProvider, providersFrom } from "./providers/table.ts";
import { KernelDb } from "./store/kernel/db.ts";
import { objectRows } from "./store/kernel/objects.ts";
import type { ProcessRow } from "./store/kernel/processes.ts";
import { type KernelStore, sqliteKernelStore } from "./store/kernel/sqlite.ts";
import { sqliteProcessStore } from "./store/process/sqlite.ts";
import type { ProcessStore } from "./store/process/verbs.ts";
import { messageLine, waitsForText } from "./syscalls/format.ts";
import type { DrainWhy } from "./syscalls/services.ts";
import { SYSCALLS } from "./syscalls/table.ts";

const TMP_BYTES_MAX = 64 * 1024 * 1024;

export interface Machine {
  readonly paths: HomePaths;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly osUser: string;
  readonly pid: number;
  readonly config: Config;
  readonly log: (line: string) => void;
  /** A test may stand in front of a port. */
  readonly ports?: (ports: Ports) => Ports;
  /** And in the place of the providers there are. */
  readonly providers?: Providers;
}

type Providers = ReturnType<typeof providersFrom>;

export interface Ports {
  readonly kernel: KernelStore;
  readonly processes: ProcessStore;
  readonly objects: ObjectStore;
}

export interface Kernel {
  /** The door of the home's own person. */
  accept(client: ClientInfo): Promise<Sys>;
  /** A door for any caller, who hears what concerns `uid`. */
  door(uid: number, caller: () => Promise<Caller>, client?: ClientInfo): Sys;
  readonly callers: Callers;
  readonly runners: Runners;
  readonly ledger: Ledger;
  readonly objects: ObjectStore;
  readonly firstRun: boolean;
  readonly isWorking: () => boolean;
  /** Told by whoever serves: how many clients there are, and how to leave. */
  readonly host: { clients: () => number; drain: (why: DrainWhy) => void };
  close(): Promise<void>;
}

export async function bootKernel(machine: Machine): Promise<Kernel> {
  const { paths, clock, random, config } = machine;
  const startedAt = clock.now();
  const onFault = (error: unknown) =>
    machine.log(error instanceof Error ? (error.stack ?? error.message) : String(error));
  const host: Kernel["host"] = { clients: () => 0, drain: () => {} };
  const newRequestId = () => uuidv7(clock.now(), random);

  // Stores.
  const database = KernelDb.open(paths.kernelDb, {
    now: startedAt,
    backupDir: paths.backupDir,
    expectExisting: hasProcesses(paths),
  });
  const generation = database.begin(startedAt);
  const raw: Ports = {
    kernel: sqliteKernelStore(database),
    processes: sqliteProcessStore({
      directory: paths.procDir,
      quarantine: paths.quarantineDir,
      mode: "write",
      now: () => clock.now(),
      kernelGeneration: generation,
    }),
    objects: diskObjects({ directory: paths.objectsDir, rows: objectRows(database), clock, random }),
  };
  const { kernel, processes: store, objects } = machine.ports?.(raw) ?? raw;
  await objects.recover();
  const firstRun = await setUp({ kernel, processes: store, objects, osUser: machine.osUser, now: startedAt });
  const callers = callersFrom(kernel.accounts);

  // Processes.
  const bus = new Bus(onFault);
  const ledger = new Ledger({ kernel, store, bus, clock, log: machine.log, wake: (pid) => runners.wake(pid) });
  const door: Kernel["door"] = (uid, caller, client) => kernelSys({ dispatch, bus, caller, client, newRequestId, uid });
  const toolCalls = new ToolCalls({
    table: SYSCALLS,
    store,
    approvals: kernel.approvals,
    ledger,
    clock,
    random,
    sysOf: (row) => door(row.ownerUid, () => callers.process(row)),
    locate: async (row, path) => locate(await callers.process(row), path),
  });
  const manual = async () => (await import("./prompts/manual.ts")).MANUAL;
  const providers = machine.providers ?? providersFrom({ clock, manual });
  const runners: Runners = new Runners({
    processes: kernel.processes,
    store,
    ledger,
    clock,
    diskRetryMs: config["kernel.diskRetryMs"],
    onFault,
    ports: {
      store,
      ledger,
      toolCalls,
      clock,
      random,
      modelOf: (_row, run) => providers(run.model),
      promptOf: (row) => promptOf(kernel, row, clock.now()),
      wantsDeltas: (pid) => bus.wanted(pid, "chat.delta"),
    },
  });
  const closer = new Closer({ kernel, store, objects, ledger, runners, clock });

  // What the outside sees.
  const registry = registryService({ kernel, atRest: false, heldBy: (pid) => ledger.heldBy(pid) });
  const histories = historiesService({ kernel, store, open: (row) => ledger.open(row) });
  const life = () => ({ running: true, pid: machine.pid, startedAt, generation, clients: host.clients() });
  const control = controlService({
    about: aboutThis(paths),
    processes: kernel.processes,
    life,
    drain: (why) => host.drain(why),
  });
  const namespace = new Namespace([
    { at: "/", fs: objectsFs({ storeOf: () => objects, clock, root: { uid: 0, gid: 0, mode: 0o755 } }) },
    {
      at: "/tmp",
      fs: objectsFs({
        storeOf: separateStores((caller: Caller) => caller.ownerUid, TMP_BYTES_MAX),
        clock,
        root: { uid: 0, gid: 0, mode: 0o1777 },
      }),
    },
    {
      at: "/proc",
      fs: procFs({
        sysFor: (caller) =>
          kernelSys({ dispatch: unlogged, bus, caller: async () => caller, newRequestId, uid: caller.ownerUid }),
        clock,
        messageLine,
        waitsForText,
      }),
    },
  ]);
  const filePorts = {
    namespace,
    homeOf: (caller: Caller, username: string | null) => homeNamed(kernel, caller, username),
  };
  const locate = pathLocator(filePorts);
  const services = {
    registry,
    histories,
    kernel: control,
    archives: archivesService({ kernel, objects }),
    approvals: approvalsService({ kernel, store, ledger, runners, clock }),
    files: filesService(filePorts),
    processes: processesService({
      kernel,
      store,
      ledger,
      runners,
      closer,
      bus,
      clock,
      random,
      termMs: config["kernel.termMs"],
      modelFor: ({ client }) => modelFor(client),
    }),
  };
  const doors = { table: SYSCALLS, services, requests: kernel.requests, audit: kernel.audit, clock, onFault };
  const dispatch: Dispatch = makeDispatch({
    ...doors,
    logCall: async (pid, { args, ...row }) => {
      // A call may end its own process; then there is no log left to write to.
      await store.logCall(pid, { ...row, args: redact(args) }).catch(onFault);
    },
  });
  const unlogged: Dispatch = makeDispatch({ ...doors, logCall: async () => {} });

  await kernel.routes.sweep(clock.now());
  for (const route of await kernel.routes.all()) bus.startedBy(route.runId, route.connectionId);
  await recover({ kernel, store, ledger, runners, closer, clock, onFault });
  await kernel.requests.sweep(clock.now());

  return {
    runners,
    ledger,
    objects,
    firstRun,
    host,
    callers,
    door,
    isWorking: () => runners.active > 0 || ledger.busy,
    async accept(client) {
      const human = await kernel.accounts.firstHuman();
      if (human === null) throw new SysError("EIO", "this home has no account");
      return door(human.uid, () => callers.person(human.uid, human.home), client);
    },
    async close() {
      await store.close();
      database.close();
    },
  };
}

async function promptOf(kernel: KernelStore, row: ProcessRow, now: number) {
  const owner = await kernel.accounts.byUid(row.ownerUid);
  const runAs = await kernel.accounts.byUid(row.uid);
  const home = owner?.home ?? "/";
  const facts = {
    username: runAs?.username ?? "agent",
    owner: owner?.username ?? "nobody",
    home,
    cwd: row.cwd,
    pid: row.pid,
    profile: row.profile,
    now,
  };
  return { system: systemPrompt(facts), pid: row.pid, home, cwd: row.cwd };
}

// Checked when the message comes, so that a wrong name fails at its sender and not in the run.
function modelFor(client: ClientInfo | undefined): string | null {
  if (client?.env.GSV_MODEL === undefined) return null;
  const { provider, model } = chooseProvider({ env: client.env });
  return provider === model ? provider : `${provider}:${model}`;
}

function hasProcesses(paths: HomePaths): boolean {
  return new Bun.Glob("*.db").scanSync({ cwd: paths.procDir })[Symbol.iterator]().next().done === false;
}
