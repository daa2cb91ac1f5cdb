// Builds the kernel, in order: stores, first run, processes, services, dispatch, recovery. Everything that touches the machine comes in
// as a parameter, so that tests stand in front of any of it. Nothing here decides anything.

import { join } from "node:path";
import type { RetentionSettings } from "./abi/backup.ts";
import type { Config } from "./abi/config/config.ts";
import { SysError } from "./abi/errno.ts";
import type { Caller, Credentials } from "./abi/identity.ts";
import { type RandomBytes, uuidv7 } from "./abi/ids.ts";
import type { Provider } from "./abi/stream.ts";
import type { ClientInfo, LeaveReason, Sys } from "./abi/sys.ts";
import { finishRestore } from "./backup/swap.ts";
import { offersUntilTheEnd } from "./boot/client-offers.ts";
import { Dispatches } from "./boot/doors.ts";
import { bootHooks, type HookParts } from "./boot/hooks.ts";
import { bootHostFiles } from "./boot/host-tools.ts";
import { bootProcesses, type ProcessParts } from "./boot/processes.ts";
import { bootRepos, bootstrapOf, type RepoParts } from "./boot/repos.ts";
import { standing } from "./boot/rescue.ts";
import { type SearchParts, searchIn } from "./boot/search.ts";
import { bootFiles, bootServices } from "./boot/services.ts";
import { bootSettings, learnSecrets, redactedAudit, type SettingParts } from "./boot/settings.ts";
import type { StorageParts } from "./boot/storage.ts";
import { hasProcesses, openPorts } from "./boot/stores.ts";
import { keepSwept, sweep } from "./boot/sweep.ts";
import { lazyWeb } from "./boot/web.ts";
import { type Callers, callersFrom } from "./kernel/accounts/accounts.ts";
import { Logins, type Session } from "./kernel/accounts/login.ts";
import { type PasswordCost, Passwords } from "./kernel/accounts/passwords.ts";
import { Bus } from "./kernel/bus.ts";
import type { Dispatch } from "./kernel/dispatch.ts";
import { setUp } from "./kernel/lifetime/setup.ts";
import { type Models, modelsService } from "./kernel/models/models.ts";
import { ServedModels } from "./kernel/models/served-models.ts";
import type { Keychain } from "./kernel/settings/secrets.ts";
import { kernelSys } from "./kernel/sys.ts";
import type { Clock } from "./lib/clock.ts";
import { learnEnvironment } from "./machine/redact-environment.ts";
import type { ObjectStore } from "./objects/objects.ts";
import type { HomePaths } from "./paths.ts";
import { Retries } from "./process/faults/disk-retry.ts";
import { recover } from "./process/faults/recovery.ts";
import { CallWaiters } from "./process/history/histories.ts";
import type { Ledger } from "./process/life/ledger.ts";
import type { Offers } from "./process/life/offers.ts";
import { Blocks } from "./process/run/code-blocks.ts";
import type { Runners } from "./process/run/runners.ts";
import { ToolServers } from "./process/run/tool-servers.ts";
import type { KernelDb } from "./store/kernel/db.ts";
import { openKernelDb } from "./store/kernel/open.ts";
import type { KernelStore } from "./store/kernel/sqlite.ts";
import type { ProcessStore } from "./store/process/verbs.ts";
import type { Runner } from "./targets/shell.ts";
import { newCodeRunner } from "./workers/code-workers.ts";
import { bootShells, type ShellParts } from "./workers/shell-workers.ts";

export interface Machine {
  readonly paths: HomePaths;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly osUser: string;
  readonly pid: number;
  /** What the environment said; what it did not say is as it is stored, or by default. */
  readonly config: Partial<Config>;
  /** Where programs are looked for: git. */
  readonly path?: string | undefined;
  /** Where the operating system has one. */
  readonly keychain?: Keychain;
  /** `file` leaves the keychain alone. */
  readonly secretsStore?: string | undefined;
  readonly log: (line: string) => void;
  /** The environment that commands of the host get their part of. */
  readonly hostEnv?: { readonly [name: string]: string | undefined };
  /** Where a program of the machine lies. */
  readonly findProgram?: (name: string) => string | null;
  /** All addresses of a name; the system's own way when left out. */
  readonly lookUp?: (host: string) => Promise<readonly string[]>;
  /** How long things are kept; asked before every sweep. */
  readonly retention?: () => Promise<RetentionSettings>;
  /** A directory that is granted as /mnt/host. */
  readonly hostDirectory?: string;
  /** Hashing a password is slow on purpose; tests need not wait for it. */
  readonly passwordCost?: PasswordCost;
  /** A test may stand in front of a port. */
  readonly ports?: (ports: Ports) => Ports;
  /** And bring the Workers that scripts of gsv run in. */
  readonly newShellRunner?: () => Runner;
  /** And stand in the place of the providers there are. */
  readonly providers?: (named: string | null) => Promise<{ readonly provider: Provider; readonly model: string }>;
}

export interface Ports {
  readonly kernel: KernelStore;
  readonly processes: ProcessStore;
  readonly objects: ObjectStore;
}

/** What everything above the stores is built from. */
export interface Core extends Ports, SettingParts, RepoParts {
  readonly storage: StorageParts;
  readonly machine: Machine;
  readonly bus: Bus;
  readonly callers: Callers;
  readonly passwords: Passwords;
  readonly logins: Logins;
  readonly models: Models;
  readonly offers: Offers;
  readonly search: SearchParts;
  readonly startedAt: number;
  readonly generation: number;
  readonly afterCrash: boolean;
  readonly retries: Retries;
  readonly calls: CallWaiters;
  readonly servers: ToolServers;
  readonly hooks: HookParts;
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
  /** For those who start sessions of their own: the one handle that writes kernel.db, and what looks after runs. */
  readonly care: Pick<ProcessParts, "timeouts" | "contextResets"> &
    Pick<Core, "servers"> & { readonly database: KernelDb };
  readonly objects: ObjectStore;
  /** Default, then what is stored for the whole home, then what the environment said. */
  readonly config: Config;
  /** Without the secrets this kernel knows. */
  readonly log: (line: string) => void;
  readonly firstRun: boolean;
  readonly isWorking: () => boolean;
  /** Until the next stored instant at which something goes on by itself; null when there is none. */
  readonly dueWithinMs: () => number | null;
  readonly host: Core["host"];
  /** Lets turns in flight come to their end, for so long; nothing new is begun. */
  drain(ms: number): Promise<void>;
  /** False once kernel.db was taken away: it is put back, and this kernel can only go. */
  stands(): boolean;
  /** The end of a kernel that was drained: the next one knows that nothing died with it. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

export async function bootKernel(given: Machine): Promise<Kernel> {
  const startedAt = given.clock.now();
  await finishRestore(given.paths);
  const database = openDatabase(given, startedAt);
  try {
    const { generation, afterCrash } = database.begin(startedAt);
    const late: { setting?: SettingParts } = {};
    const logRows = () => late.setting?.configNow()["retention.syscallLogRows"];
    const { storage, ...opened } = await openPorts(given, { database, kernelGeneration: generation, logRows });
    const setting = await bootSettings(opened.kernel, given);
    late.setting = setting;
    const { redactor } = setting;
    const machine: Machine = { ...given, log: (line) => given.log(redactor.text(line)) };
    const ports: Ports = { ...opened, kernel: redactedAudit(opened.kernel, redactor) };
    const { kernel, processes, objects } = ports;
    for (const fault of await learnSecrets(kernel, setting)) machine.log(fault);
    await objects.recover();
    const dispatches = new Dispatches();
    const core = makeCore({ machine, ports, storage, setting, startedAt, generation, afterCrash }, dispatches);
    await core.hooks.load({ afterCrash });
    const { give } = bootstrapOf(core, machine, core.repos);
    const firstRun = await setUp({
      kernel,
      processes,
      objects,
      osUser: machine.osUser,
      now: startedAt,
      random: machine.random,
      give,
    });
    const files = bootFiles(core);
    const shells = bootShells(core, files);
    const hostFiles = bootHostFiles(core, shells.host);
    const web = lazyWeb(core, shells.host);
    const blocks = new Blocks({ newRunner: newCodeRunner, clock: core.machine.clock });
    const parts = bootProcesses(core, files, { shells, hostFiles, web, blocks });
    dispatches.make(
      core,
      bootServices(core, files, { ...parts, shells: shells.service, hostFiles, web, code: blocks }),
    );
    shells.adopt();
    await takeUp(core, parts);
    await shells.settle();
    return finished(core, parts, { firstRun, database, shells });
  } catch (error) {
    database.close();
    throw error;
  }
}

function openDatabase({ paths }: Machine, now: number): KernelDb {
  return openKernelDb(paths.kernelDb, { now, backupDir: paths.backupDir, expectExisting: hasProcesses(paths) });
}

interface Begun {
  readonly machine: Machine;
  readonly afterCrash: boolean;
  readonly ports: Ports;
  readonly storage: StorageParts;
  readonly setting: SettingParts;
  readonly startedAt: number;
  readonly generation: number;
}

function makeCore({ machine, ports, setting, ...begun }: Begun, dispatches: Dispatches): Core {
  const { clock, random, log } = machine;
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
  const manual = async () => (await import("./prompts/manual.ts")).MANUAL;
  return {
    ...ports,
    ...setting,
    machine,
    bus,
    callers,
    passwords,
    models: modelsService({
      ...{ rows: ports.kernel.config, secrets: setting.secrets, clock, manual },
      served: new ServedModels(join(machine.paths.runDir, "models.json"), log),
    }),
    offers: offersUntilTheEnd(bus),
    search: searchIn({ ...ports, machine, bus, onFault }),
    logins: new Logins({ kernel: ports.kernel, callers, passwords, clock, onFault }),
    ...begun,
    retries: new Retries(clock, setting.config["kernel.diskRetryMs"], onFault),
    calls: new CallWaiters(),
    servers: new ToolServers(),
    hooks: bootHooks({ ...ports, machine, bus, redactor: setting.redactor, onFault }),
    ...bootRepos(machine, onFault),
    onFault,
    newRequestId,
    host: { clients: () => 0, drain: () => {} },
    door: (uid, caller, client) => through(dispatches.logged, uid, caller, client),
    unloggedDoor: (caller) => through(dispatches.unlogged, caller.ownerUid, async () => caller),
  };
}

/** What an earlier kernel left behind. */
async function takeUp(
  { kernel, processes: store, objects, machine, bus, retries, onFault }: Core,
  parts: ProcessParts,
): Promise<void> {
  const { clock } = machine;
  await sweep(kernel, clock.now());
  for (const route of await kernel.routes.all()) bus.startedBy(route.runId, route.connectionId);
  await parts.policy.questions.takeUp();
  await recover({ kernel, store, objects, ...parts, clock, retries, onFault });
  await parts.heldRuns.find();
  await parts.budgets.look(null);
}

function finished(
  core: Core,
  { runners, ledger, closer, heldRuns, timeouts, contextResets, policy, budgets, dueWithinMs }: ProcessParts,
  {
    firstRun,
    database,
    shells,
  }: { readonly firstRun: boolean; readonly database: KernelDb; readonly shells: ShellParts },
): Kernel {
  const { kernel, callers, objects, host, door, config, redactor, machine } = core;
  const stopSweeping = keepSwept(core);
  return {
    runners,
    ledger,
    care: { timeouts, contextResets, database, servers: core.servers },
    objects,
    firstRun,
    config,
    log: machine.log,
    host,
    callers,
    door,
    isWorking: () =>
      runners.active > 0 || ledger.busy || shells.isBusy() || core.hooks.isBusy() || policy.questions.isPending,
    async accept(client, credentials, peer = "local") {
      learnEnvironment(redactor, client.env);
      if (credentials !== undefined) return accepted(core, client, await core.logins.open(credentials, peer));
      const human = await kernel.accounts.firstHuman();
      if (human === null) throw new SysError("EIO", "this home has no account");
      if (core.offers.made(human.uid, client)) heldRuns.look(human.uid).catch(core.onFault);
      return door(human.uid, () => callers.person(human.uid, human.home), client);
    },
    dueWithinMs,
    async drain(ms) {
      heldRuns.stop();
      await runners.drain(ms);
      await closer.settled();
      await core.hooks.settled(ms);
    },
    stands: standing(database, core),
    async leave() {
      database.end();
      await close();
    },
    close,
  };

  async function close(): Promise<void> {
    await stopSweeping();
    heldRuns.stop();
    timeouts.stop();
    shells.close();
    core.hooks.close();
    budgets.stop();
    await core.watching.close();
    core.retries.stop();
    policy.questions.stop();
    await core.search.close();
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
