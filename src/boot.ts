// Builds the kernel, in order: stores, first run, processes, services, dispatch, recovery. Everything that touches the machine comes in
// as a parameter, so that tests stand in front of any of it. Nothing here decides anything.

import type { Config } from "./abi/config.ts";
import { SysError } from "./abi/errno.ts";
import type { Caller, Credentials } from "./abi/identity.ts";
import { type RandomBytes, uuidv7 } from "./abi/ids.ts";
import type { ClientInfo, LeaveReason, Sys } from "./abi/sys.ts";
import { bootProcesses, type ProcessParts } from "./boot-processes.ts";
import { bootFiles, bootServices } from "./boot-services.ts";
import { type Callers, callersFrom } from "./kernel/accounts.ts";
import { Bus } from "./kernel/bus.ts";
import { type Dispatch, makeDispatch } from "./kernel/dispatch.ts";
import { Logins, type Session } from "./kernel/login.ts";
import { type PasswordCost, Passwords } from "./kernel/passwords.ts";
import { setUp } from "./kernel/setup.ts";
import { kernelSys } from "./kernel/sys.ts";
import type { Clock } from "./lib/clock.ts";
import { redact } from "./lib/redact.ts";
import { diskObjects } from "./objects/disk.ts";
import type { ObjectStore } from "./objects/objects.ts";
import type { HomePaths } from "./paths.ts";
import type { Ledger } from "./process/ledger.ts";
import { recover } from "./process/recovery.ts";
import { Retries } from "./process/retries.ts";
import type { Runners } from "./process/runners.ts";
import type { providersFrom } from "./providers/table.ts";
import { KernelDb } from "./store/kernel/db.ts";
import { objectRows } from "./store/kernel/objects.ts";
import { type KernelStore, sqliteKernelStore } from "./store/kernel/sqlite.ts";
import { sqliteProcessStore } from "./store/process/sqlite.ts";
import type { ProcessStore } from "./store/process/verbs.ts";
import { SYSCALLS } from "./syscalls/table.ts";

export interface Machine {
  readonly paths: HomePaths;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly osUser: string;
  readonly pid: number;
  readonly config: Config;
  readonly log: (line: string) => void;
  /** Hashing a password is slow on purpose; tests need not wait for it. */
  readonly passwordCost?: PasswordCost;
  /** A test may stand in front of a port. */
  readonly ports?: (ports: Ports) => Ports;
  /** And in the place of the providers there are. */
  readonly providers?: ReturnType<typeof providersFrom>;
}

export interface Ports {
  readonly kernel: KernelStore;
  readonly processes: ProcessStore;
  readonly objects: ObjectStore;
}

/** What everything above the stores is built from. */
export interface Core extends Ports {
  readonly machine: Machine;
  readonly bus: Bus;
  readonly callers: Callers;
  readonly passwords: Passwords;
  readonly logins: Logins;
  readonly startedAt: number;
  readonly generation: number;
  readonly afterCrash: boolean;
  readonly retries: Retries;
  readonly onFault: (error: unknown) => void;
  readonly newRequestId: () => string;
  /** Told by whoever serves: how many clients there are, and how to leave. */
  readonly host: { clients: () => number; drain: (why: LeaveReason) => void };
  /** Doors lead to a dispatch that is made last; nobody goes through one before that. */
  readonly door: (uid: number, caller: () => Promise<Caller>, client?: ClientInfo) => Sys;
  readonly unloggedDoor: (caller: Caller) => Sys;
}

export interface Kernel {
  /** The door of the home's own person, or of whoever the credentials prove; `peer` is where they connect from. */
  accept(client: ClientInfo, credentials?: Credentials, peer?: string): Promise<Sys>;
  /** A door for any caller, who hears what concerns `uid`. */
  readonly door: Core["door"];
  readonly callers: Callers;
  readonly runners: Runners;
  readonly ledger: Ledger;
  readonly objects: ObjectStore;
  readonly firstRun: boolean;
  readonly isWorking: () => boolean;
  readonly host: Core["host"];
  /** Lets turns in flight come to their end, for so long; nothing new is begun. */
  drain(ms: number): Promise<void>;
  /** The end of a kernel that was drained: the next one knows that nothing died with it. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

export async function bootKernel(machine: Machine): Promise<Kernel> {
  const startedAt = machine.clock.now();
  const database = openDatabase(machine, startedAt);
  try {
    const { generation, afterCrash } = database.begin(startedAt);
    const ports = openPorts(machine, database, generation);
    const { kernel, processes, objects } = ports;
    await objects.recover();
    const firstRun = await setUp({ kernel, processes, objects, osUser: machine.osUser, now: startedAt });
    const dispatches = new Dispatches();
    const core = makeCore({ machine, ports, startedAt, generation, afterCrash }, dispatches);
    const files = bootFiles(core);
    const parts = bootProcesses(core, files);
    dispatches.make(core, bootServices(core, files, parts));
    await takeUp(core, parts);
    return finished(core, parts, { firstRun, database });
  } catch (error) {
    database.close();
    throw error;
  }
}

function openDatabase({ paths }: Machine, now: number): KernelDb {
  return KernelDb.open(paths.kernelDb, { now, backupDir: paths.backupDir, expectExisting: hasProcesses(paths) });
}

function openPorts({ paths, clock, random, ports }: Machine, database: KernelDb, kernelGeneration: number): Ports {
  const raw: Ports = {
    kernel: sqliteKernelStore(database),
    processes: sqliteProcessStore({
      directory: paths.procDir,
      quarantine: paths.quarantineDir,
      mode: "write",
      now: () => clock.now(),
      kernelGeneration,
    }),
    objects: diskObjects({ directory: paths.objectsDir, rows: objectRows(database), clock, random }),
  };
  return ports?.(raw) ?? raw;
}

interface Begun {
  readonly machine: Machine;
  readonly afterCrash: boolean;
  readonly ports: Ports;
  readonly startedAt: number;
  readonly generation: number;
}

function makeCore({ machine, ports, ...begun }: Begun, dispatches: Dispatches): Core {
  const { clock, random, log, config } = machine;
  const onFault = (error: unknown) => log(error instanceof Error ? (error.stack ?? error.message) : String(error));
  const newRequestId = () => uuidv7(clock.now(), random);
  const bus = new Bus(onFault);
  const through = (dispatch: Dispatch, uid: number, caller: () => Promise<Caller>, client?: ClientInfo) =>
    kernelSys({
      ...{ dispatch, bus, caller, client, newRequestId, uid },
      onRefused: (call, { code, message }) =>
        ports.kernel.audit
          .add({ at: clock.now(), uid, pid: null, call: call.slice(0, 80), outcome: code, detail: message })
          .catch(onFault),
    });
  const callers = callersFrom(ports.kernel.accounts);
  const passwords = new Passwords(machine.passwordCost);
  return {
    ...ports,
    machine,
    bus,
    callers,
    passwords,
    logins: new Logins({ kernel: ports.kernel, callers, passwords, clock, onFault }),
    ...begun,
    retries: new Retries(clock, config["kernel.diskRetryMs"]),
    onFault,
    newRequestId,
    host: { clients: () => 0, drain: () => {} },
    door: (uid, caller, client) => through(dispatches.logged, uid, caller, client),
    unloggedDoor: (caller) => through(dispatches.unlogged, caller.ownerUid, async () => caller),
  };
}

/** Two ways into the same services: one writes the log of the process that calls, one is for what the kernel reads on its behalf. */
class Dispatches {
  private made: { readonly logged: Dispatch; readonly unlogged: Dispatch } | null = null;

  readonly logged: Dispatch = (...call) => this.ready().logged(...call);
  readonly unlogged: Dispatch = (...call) => this.ready().unlogged(...call);

  make({ kernel, processes, machine, onFault }: Core, services: ReturnType<typeof bootServices>): void {
    const { requests, audit } = kernel;
    const common = { table: SYSCALLS, services, requests, audit, clock: machine.clock, onFault };
    this.made = {
      logged: makeDispatch({
        ...common,
        auditPrivileged: true,
        logCall: async (pid, { args, ...row }) => {
          // A call may end its own process; then there is no log left to write to.
          await processes.logCall(pid, { ...row, args: redact(args) }).catch(onFault);
        },
      }),
      unlogged: makeDispatch({ ...common, logCall: async () => {} }),
    };
  }

  private ready() {
    if (this.made === null) throw new Error("a call came before the kernel was built");
    return this.made;
  }
}

/** What an earlier kernel left behind. */
async function takeUp(
  { kernel, processes: store, machine, bus, retries, onFault }: Core,
  parts: ProcessParts,
): Promise<void> {
  const { clock } = machine;
  await sweep(kernel, clock.now());
  for (const route of await kernel.routes.all()) bus.startedBy(route.runId, route.connectionId);
  await recover({ kernel, store, ...parts, clock, retries, onFault });
}

/** Rows that nobody will ask for again. */
async function sweep(kernel: KernelStore, now: number): Promise<void> {
  await kernel.routes.sweep(now);
  await kernel.requests.sweep(now);
  await kernel.approvals.sweep(now);
  await kernel.audit.sweep();
}

const SWEEP_MS = 60 * 60 * 1000;

/** A kernel may live for weeks. Returns the way to stop. */
function keepSwept({ kernel, machine, onFault }: Core): () => void {
  const { clock } = machine;
  let cancel = () => {};
  const arm = () => {
    cancel = clock.after(SWEEP_MS, () => void sweep(kernel, clock.now()).catch(onFault).finally(arm));
  };
  arm();
  return () => cancel();
}

function finished(
  core: Core,
  { runners, ledger, closer }: ProcessParts,
  { firstRun, database }: { readonly firstRun: boolean; readonly database: KernelDb },
): Kernel {
  const { kernel, callers, objects, host, door } = core;
  const stopSweeping = keepSwept(core);
  return {
    runners,
    ledger,
    objects,
    firstRun,
    host,
    callers,
    door,
    isWorking: () => runners.active > 0 || ledger.busy,
    async accept(client, credentials, peer = "local") {
      if (credentials !== undefined) return accepted(core, client, await core.logins.open(credentials, peer));
      const human = await kernel.accounts.firstHuman();
      if (human === null) throw new SysError("EIO", "this home has no account");
      return door(human.uid, () => callers.person(human.uid, human.home), client);
    },
    async drain(ms) {
      await runners.drain(ms);
      await closer.settled();
    },
    async leave() {
      database.end();
      await close();
    },
    close,
  };

  async function close(): Promise<void> {
    stopSweeping();
    core.retries.stop();
    await core.processes.close();
    database.close();
  }
}

/** Who lost the account or the token hears nothing more; the next call says so. */
function accepted({ door }: Core, client: ClientInfo, session: Session): Sys {
  const sys = door(session.uid, () => session.caller(), client);
  return {
    call: sys.call,
    close: sys.close,
    on: (filter, listener) =>
      session.hears ? sys.on(filter, (signal) => session.alive() && listener(signal)) : () => {},
  };
}

function hasProcesses(paths: HomePaths): boolean {
  return new Bun.Glob("*.db").scanSync({ cwd: paths.procDir })[Symbol.iterator]().next().done === false;
}
