// Builds a kernel, in order: stores, settings, core, files, targets, processes, services, recovery. Nothing here decides anything.
// Access to the computer is a parameter.

import { join } from "node:path";
import type { Config } from "../abi/config/config.ts";
import { SysError } from "../abi/errno.ts";
import type { Arrival, Caller, Credentials } from "../abi/identity.ts";
import { uuidv7 } from "../abi/ids.ts";
import type { ClientInfo, Sys } from "../abi/sys.ts";
import { finishRestore } from "../backup/swap.ts";
import { Claims } from "../due/claims.ts";
import { type Callers, callersFrom, personOfHome } from "../kernel/accounts/accounts.ts";
import { redactedAudit } from "../kernel/audit.ts";
import { Bus } from "../kernel/bus.ts";
import type { Dispatch } from "../kernel/dispatch.ts";
import { Dispatches } from "../kernel/dispatches.ts";
import { rescuer } from "../kernel/lifetime/rescue.ts";
import { setUp } from "../kernel/lifetime/setup.ts";
import { keepSwept, sweep } from "../kernel/lifetime/sweep.ts";
import { Passwords } from "../kernel/logins/passwords.ts";
import { modelsService } from "../kernel/models/models.ts";
import { ServedModels } from "../kernel/models/served-models.ts";
import { systemSettings } from "../kernel/settings/config.ts";
import type { StorageParts } from "../kernel/storage/drivers.ts";
import { kernelSys } from "../kernel/sys.ts";
import { DueQueue } from "../lib/alarm.ts";
import { learnEnvironment } from "../machine/redact-environment.ts";
import type { ObjectStore } from "../objects/objects.ts";
import { Retries } from "../process/faults/disk-retry.ts";
import { recover } from "../process/faults/recovery.ts";
import { CallWaiters } from "../process/history/histories.ts";
import { lazySearch } from "../process/history/search/lazy-search.ts";
import type { Ledger } from "../process/life/ledger.ts";
import { offersUntilTheEnd } from "../process/life/offers.ts";
import { KnownTexts } from "../process/prompt/context-files.ts";
import type { Runners } from "../process/run/runners.ts";
import { ToolServers } from "../process/run/tool-servers.ts";
import { type ServingParts, servingParts } from "../serve/serving.ts";
import type { KernelDb } from "../store/kernel/db.ts";
import { bootCaches, limitCaches } from "./caches.ts";
import type { CacheParts, Core, Machine, Ports, ProcessParts, ShellParts } from "./core.ts";
import { bootDue, type DueParts, setWakeTimer } from "./due.ts";
import { figureSource } from "./figures.ts";
import { bootFiles } from "./files.ts";
import { bootHooks } from "./hooks.ts";
import { bootIpc, claimHandlers, type IpcParts } from "./ipc.ts";
import { bootLinks, type LinkParts } from "./links.ts";
import { accepted, bootLogins } from "./logins.ts";
import { openDatabase, openPorts } from "./ports.ts";
import { bootProcesses, earliest } from "./processes.ts";
import { bootRepos, bootstrapOf } from "./repos.ts";
import { bootServices } from "./services.ts";
import { bootSettings, learnSecrets, type SettingParts } from "./settings.ts";
import { bootTargets } from "./targets.ts";

export interface Kernel extends Pick<Core, "figures"> {
  /** A Sys for the person of the home, or for the account of the credentials. `arrival` is of a client over the network. */
  accept(client: ClientInfo, credentials?: Credentials, arrival?: Arrival): Promise<Sys>;
  /** New logins over the network. */
  readonly entries: Core["entries"];
  /** A Sys for any caller, with the signals of `uid`. */
  readonly sysFor: Core["sysFor"];
  readonly callers: Callers;
  readonly runners: Runners;
  readonly ledger: Ledger;
  /** For starting sessions from code: the handle that writes kernel.db, and what looks after runs. */
  readonly care: Pick<ProcessParts, "timeouts" | "contextResets"> &
    Pick<Core, "servers"> & { readonly database: KernelDb };
  readonly objects: ObjectStore;
  /** Defaults, overridden by the stored settings of the home, overridden by the environment. */
  readonly config: Config;
  /** Redacts known secrets. */
  readonly log: (line: string) => void;
  readonly firstRun: boolean;
  readonly isWorking: () => boolean;
  /** Time until something starts or continues by itself; null if nothing does. */
  readonly dueWithinMs: () => number | null;
  readonly host: Core["host"];
  /** The network listener; it opens once the server has set `host.listen`. */
  readonly serving: ServingParts;
  /** Waits up to `ms` for turns in flight. Starts nothing new. */
  drain(ms: number): Promise<void>;
  /** False once kernel.db was deleted or replaced. The file is then restored and this kernel must exit. */
  stands(): boolean;
  /** Marks a clean shutdown, so the next kernel skips recovery. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

export async function bootKernel(given: Machine): Promise<Kernel> {
  const startedAt = given.clock.now();
  await finishRestore(given.paths);
  const database = await openDatabase(given, startedAt);
  try {
    const { generation, afterCrash } = database.begin(startedAt);
    const late: { setting?: SettingParts } = {};
    const logRows = () => late.setting?.configNow()["retention.syscallLogRows"];
    const caches = bootCaches(given.paths);
    const { budget } = caches;
    const { storage, ...opened } = await openPorts(given, { database, kernelGeneration: generation, logRows, budget });
    const setting = await bootSettings(opened.kernel, given);
    late.setting = setting;
    limitCaches(caches, setting);
    const { redactor } = setting;
    const machine: Machine = { ...given, log: (line) => given.log(redactor.text(line)) };
    const ports: Ports = { ...opened, kernel: redactedAudit(opened.kernel, redactor) };
    const { kernel, processes, objects } = ports;
    for (const fault of await learnSecrets(kernel, setting)) machine.log(fault);
    await objects.recover();
    const dispatches = new Dispatches();
    const begun = { machine, ports, storage, setting, caches, startedAt, generation, afterCrash };
    const core = makeCore(begun, dispatches);
    await core.hooks.load({ afterCrash });
    const { give } = bootstrapOf(core, machine, core.repos);
    const home = { osUser: machine.osUser, now: startedAt, random: machine.random, afterCrash };
    const firstRun = await database.syncOnce(() => setUp({ kernel, processes, objects, give, ...home }));
    const due = bootDue(core, () => processParts);
    const files = bootFiles(core, due.cronFiles);
    const targets = bootTargets(core, files);
    const links = bootLinks(core, targets.shells, () => processParts);
    const processParts: ProcessParts = bootProcesses(core, files, { ...targets, linked: links.linked });
    const parts = { ...processParts, ...due, ...bootIpc(core, { ...processParts, ...due }), ...links };
    dispatches.make(core, bootServices(core, files, targets, parts));
    const { shells } = targets;
    shells.adopt();
    await parts.watches.begin();
    await takeUp(core, parts);
    await shells.settle();
    await parts.scheduler.begin();
    await parts.calls.begin();
    await core.claims.begin(claimHandlers(core, parts));
    await parts.watches.catchUp({ afterCrash });
    return finished(core, parts, { firstRun, database, shells });
  } catch (error) {
    database.close();
    throw error;
  }
}

interface Begun {
  readonly machine: Machine;
  readonly afterCrash: boolean;
  readonly ports: Ports;
  readonly storage: StorageParts;
  readonly setting: SettingParts;
  readonly caches: CacheParts;
  readonly startedAt: number;
  readonly generation: number;
}

function makeCore({ machine, ports, setting, caches, ...begun }: Begun, dispatches: Dispatches): Core {
  const { clock, random, log } = machine;
  const onFault = (error: unknown) => log(error instanceof Error ? (error.stack ?? error.message) : String(error));
  const newRequestId = () => uuidv7(clock.now(), random);
  const bus = new Bus(clock, onFault);
  const queue = new DueQueue({ ...machine, onFault });
  const through = (dispatch: Dispatch, uid: number, caller: () => Promise<Caller>, client?: ClientInfo) =>
    kernelSys({
      dispatch,
      bus,
      caller,
      client,
      newRequestId,
      uid,
      onRefused: (call, { code, message }) =>
        ports.kernel.audit
          .add({ at: clock.now(), uid, pid: null, call: call.slice(0, 80), outcome: code, detail: message })
          .catch(onFault),
    });
  const callers = callersFrom(ports.kernel.accounts);
  const passwords = new Passwords(machine.passwordCost);
  const manual = async () => (await import("../prompts/manual.ts")).MANUAL;
  const host: Core["host"] = { clients: () => 0, drain: () => {}, listen: null };
  const served = new ServedModels(join(machine.paths.runDir, "models.json"), log);
  const models = modelsService({
    ...{ rows: ports.kernel.config, usage: ports.kernel.usage, secrets: setting.secrets },
    ...{ clock, manual, served, processes: ports.kernel.processes },
  });
  return {
    ...ports,
    ...setting,
    ...caches,
    machine,
    bus,
    callers,
    passwords,
    models: machine.models?.(models) ?? models,
    offers: offersUntilTheEnd(bus),
    search: lazySearch({ ...ports, indexDb: machine.paths.indexDb, clock, log, bus, onFault }),
    ...bootLogins({ kernel: ports.kernel, callers, passwords, clock, random, onFault }),
    ...begun,
    queue,
    claims: new Claims({ queue, kernel: ports.kernel, clock, newId: newRequestId, onFault }),
    texts: new KnownTexts(caches.budget),
    retries: new Retries(clock, setting.config["kernel.diskRetryMs"], queue),
    calls: new CallWaiters(),
    servers: new ToolServers({ kernel: ports.kernel, bus, clock, random }),
    hooks: bootHooks({ ...ports, machine, bus, redactor: setting.redactor, onFault }),
    ...bootRepos(machine, onFault),
    onFault,
    newRequestId,
    host,
    figures: figureSource({ ports, dispatches, clock, startedAt: begun.startedAt, clients: () => host.clients() }),
    serving: servingParts({
      ...{ rows: ports.kernel.config, clock, onFault, listen: () => host.listen },
      isPersonOfHome: personOfHome(ports.kernel.accounts),
      settings: () => systemSettings(ports.kernel.config),
    }),
    sysFor: (uid, caller, client) => through(dispatches.logged, uid, caller, client),
    unloggedSysFor: (caller, client) => through(dispatches.unlogged, caller.ownerUid, async () => caller, client),
  };
}

/** Resumes what an earlier kernel left behind. */
async function takeUp(
  { kernel, processes: store, objects, machine, bus, retries, onFault }: Core,
  parts: ProcessParts,
): Promise<void> {
  const { clock } = machine;
  await sweep(kernel, clock.now());
  for (const route of await kernel.routes.all()) bus.startedBy(route.runId, route.connectionId);
  await parts.policy.questions.restore();
  await recover({ kernel, store, objects, ...parts, clock, retries, onFault });
  await parts.pausedRuns.restore();
  await parts.budgets.resumeAllowed(null);
}

function finished(
  core: Core,
  {
    scheduler,
    notifier,
    calls,
    watches,
    runners,
    ledger,
    closer,
    pausedRuns,
    outages,
    timeouts,
    contextResets,
    policy,
    mcp,
    linked,
  }: ProcessParts & DueParts & IpcParts & LinkParts,
  {
    firstRun,
    database,
    shells,
  }: { readonly firstRun: boolean; readonly database: KernelDb; readonly shells: ShellParts },
): Kernel {
  const { kernel, callers, objects, host, sysFor, config, redactor, machine, onFault } = core;
  const { clock, retention, paths } = machine;
  const stopSweeping = keepSwept({ ...core, clock, retention, crashDir: paths.crashDir });
  const { kernelDb, quarantineDir } = paths;
  return {
    runners,
    ledger,
    care: { timeouts, contextResets, database, servers: core.servers },
    objects,
    firstRun,
    config,
    log: machine.log,
    host,
    serving: core.serving,
    figures: core.figures,
    callers,
    entries: core.entries,
    sysFor,
    isWorking: () =>
      runners.active > 0 ||
      ledger.busy ||
      core.claims.isBusy ||
      scheduler.isBusy ||
      notifier.isBusy ||
      watches.isBusy ||
      shells.isBusy() ||
      core.hooks.isBusy() ||
      linked.isBusy ||
      policy.questions.isPending,
    async accept(client, credentials, arrival) {
      learnEnvironment(redactor, client.env);
      if (credentials !== undefined) return await accepted(core, client, { credentials, arrival: arrival ?? null });
      const human = await kernel.accounts.firstHuman();
      if (human === null) throw new SysError("EIO", "this home has no account");
      if (core.offers.made(human.uid, client)) pausedRuns.resumeWithKey(human.uid).catch(core.onFault);
      return sysFor(human.uid, () => callers.person(human.uid, human.home), client);
    },
    dueWithinMs: () => earliest(core.claims.dueWithinMs(), outages.dueWithinMs()),
    async drain(ms) {
      core.claims.stop();
      await core.claims.settled();
      pausedRuns.stop();
      scheduler.stop();
      calls.stop();
      await runners.drain(ms, (pid) => calls.isWaiting(pid));
      await scheduler.settled();
      await calls.settled();
      watches.stop();
      await watches.settled();
      await closer.settled();
      notifier.stop();
      await notifier.settled();
      await core.hooks.settled(ms);
    },
    stands: rescuer(database, { kernelDb, quarantineDir, clock, log: machine.log, onFault }),
    async leave() {
      await setWakeTimer(core);
      database.end();
      await close();
    },
    close,
  };

  async function close(): Promise<void> {
    await stopSweeping();
    core.claims.stop();
    await core.claims.settled();
    scheduler.stop();
    calls.stop();
    watches.stop();
    await scheduler.settled();
    await calls.settled();
    await watches.settled();
    notifier.stop();
    await notifier.settled();
    pausedRuns.stop();
    timeouts.stop();
    shells.close();
    core.hooks.close();
    await core.watching.close();
    core.retries.stop();
    policy.questions.stop();
    await mcp.close();
    await core.search.close();
    await core.processes.close();
    core.temporary.clear();
    database.close();
  }
}
