// Builds the services behind the syscalls.

import { join } from "node:path";
import { SysError } from "../abi/errno.ts";
import type { Caller } from "../abi/identity.ts";
import { uuidv7 } from "../abi/ids.ts";
import type { LeaveReason } from "../abi/sys.ts";
import { aboutThis, namesIn } from "../client/about.ts";
import { personOfHome } from "../kernel/accounts/accounts.ts";
import { type AgentPorts, agentsService } from "../kernel/accounts/agents.ts";
import { bundlesService } from "../kernel/accounts/bundles.ts";
import { creditsService } from "../kernel/accounts/credits.ts";
import { groupsService } from "../kernel/accounts/groups.ts";
import { projectsService } from "../kernel/accounts/projects.ts";
import { rightsService } from "../kernel/accounts/rights.ts";
import { usersService } from "../kernel/accounts/users.ts";
import { auditLog } from "../kernel/audit.ts";
import { filesByTarget } from "../kernel/files/file-targets.ts";
import { treeService } from "../kernel/files/file-tree.ts";
import { saying } from "../kernel/files/files.ts";
import type { HostFiles } from "../kernel/files/host-files.ts";
import { controlService } from "../kernel/lifetime/control.ts";
import { settleAccount } from "../kernel/lifetime/setup.ts";
import { storageService } from "../kernel/lifetime/storage.ts";
import { loginsService } from "../kernel/logins/login-list.ts";
import { tokensService } from "../kernel/logins/tokens.ts";
import { outageReports } from "../kernel/models/outages.ts";
import { registryService } from "../kernel/registry.ts";
import { forgetSettings } from "../kernel/settings/config.ts";
import { taskBudget, usageReports } from "../kernel/spending.ts";
import { disksOf } from "../machine/disks.ts";
import { approvalsService } from "../process/approvals/approvals.ts";
import { policyService } from "../process/approvals/policy/service.ts";
import { trustService } from "../process/approvals/trust.ts";
import { archivesService } from "../process/history/archive.ts";
import { historiesService } from "../process/history/histories.ts";
import { lifecycleService } from "../process/life/control.ts";
import type { Ledger } from "../process/life/ledger.ts";
import { processesService } from "../process/life/processes.ts";
import { contextFilesNamed } from "../process/life/spawn-context.ts";
import { budgetService } from "../process/limits/budgets.ts";
import { nicenessService } from "../process/limits/niceness.ts";
import { mediaRefs, mediaService } from "../process/media.ts";
import { type PromptsPorts, promptsService } from "../process/prompt/prompt-service.ts";
import { type Addressee, modelFor, modelOfProcess, modelService } from "../process/run/model-choice.ts";
import { keyOf } from "../process/run/request.ts";
import { fileUseService } from "../process/workspace/file-use.ts";
import { binaryAt } from "../serve/asset-name.ts";
import { answering, type CallAs } from "../sessions/answering.ts";
import { renewalFor } from "../sessions/renewal.ts";
import { sessionsService } from "../sessions/service.ts";
import type { ProcessRow } from "../store/kernel/processes/processes.ts";
import { SYSCALLS } from "../syscalls/all.ts";
import type { CallContext } from "../syscalls/define.ts";
import type { FileUse } from "../syscalls/fs/fs-use.ts";
import type { Processes } from "../syscalls/services.ts";
import type { Services } from "../syscalls/table.ts";
import { conversationsOf } from "./compaction.ts";
import type { Core, FileParts, ProcessParts, TargetParts } from "./core.ts";
import type { DueParts } from "./due.ts";
import type { IpcParts } from "./ipc.ts";
import { type LinkParts, linkServices } from "./links.ts";
import { bootstrapOf, lazyRepositories, lazyWorkspaces, newWorkspacesOf } from "./repos.ts";

export function bootServices(
  core: Core,
  files: FileParts,
  { shells, hostFiles, web, blocks }: TargetParts,
  parts: ProcessParts & DueParts & IpcParts & LinkParts,
): Services {
  const { ledger, runners, closer, pausedRuns, budgets, undoing, policy } = parts;
  const { kernel, processes: store, objects, machine, config, host, startedAt, generation } = core;
  const { clock, random, paths, pid } = machine;
  const { models, offers } = core;
  const choosing = { kernel, models, offers, clock, pausedRuns };
  const spawning = spawningOf(core, files, parts);
  const people = bootPeople(core, parts);
  const modelNamed = (context: CallContext, model: string) => {
    const { uid, ownerUid } = context.caller;
    return modelFor(choosing, context, { pid: null, uid, ownerUid }, model);
  };
  const processes = processesService({
    ...spawning,
    closer,
    termMs: config["kernel.termMs"],
    pausedRuns,
    control: parts.control,
    renewsBefore: (row, now) => renewalFor(kernel, row, now),
  });
  const used = {
    processes,
    registry: registryService({ kernel, atRest: false, inMemoryPause: (pid) => ledger.inMemoryPause(pid) }),
    prompts: promptsService(promptPorts(core, files, parts)),
    histories: bootHistories(core, ledger),
    archives: archivesService({ kernel, objects }),
    models: modelService(choosing),
    conversations: conversationsOf(core, parts, spawning),
  };
  const drain = (why: LeaveReason) => host.drain(why);
  const life = () => ({ running: true, pid, startedAt, generation, clients: host.clients() });
  return {
    ...people,
    ...bootAgents(core, { ...parts, accounts: people.accounts, modelNamed }),
    ...used,
    sessions: sessionsService({ ...used, kernel, clock, random, ...lifeOf(core, parts) }),
    processes: answeredFirst(core, processes),
    kernel: controlService({ about: aboutThis(paths), processes: kernel.processes, life, drain }),
    approvals: approvalsService({ kernel, store, ledger, runners, clock, table: SYSCALLS, ...policy }),
    policy: policyService({ kernel, ledger, ...policy }),
    hooks: core.hooks.service,
    files: filesByTarget(files.service, hostFiles.files),
    tree: treeService({ ...files.options, names: namesIn(kernel), clock, temporary: core.temporary }),
    usage: usageReports({ kernel, clock }),
    budgets: budgetService({ kernel, budgets, clock }),
    settings: settingsWatched(core, parts),
    shells: shells.service,
    web,
    code: blocks,
    ...linkServices(core, parts),
    repositories: lazyRepositories(kernel, core.repos),
    workspaces: lazyWorkspaces({ ...core, ...machine }),
    bootstrapping: bootstrappingOf(core),
    media: mediaService({ kernel, objects, clock, temporary: core.temporary }, parts.media),
    storage: storageService({ ...core.storage, kernel, clock, emit: (signal) => core.bus.emit(signal) }),
    outages: outageReports(kernel),
    undoing,
    fileUse: bootFileUse(core, files, { hostFiles, parts }),
    niceness: nicenessService({ kernel, clock }),
    trust: trustService({ kernel, namespace: files.options.namespace, diskAt: disksOf(core), clock, home: paths.home }),
    lifecycle: lifecycleService(kernel, parts.timeouts),
    search: core.search,
    schedules: parts.schedules(directoriesOf(files)),
    notifications: parts.notifications,
    ipc: parts.ipc,
    watches: parts.watched,
    serving: core.serving.service,
  };
}

function bootstrappingOf(core: Core): Services["bootstrapping"] {
  const { kernel, objects, machine } = core;
  const isPersonOfHome = personOfHome(kernel.accounts);
  const temporary = () => join(machine.paths.temporaryDir, uuidv7(machine.clock.now(), machine.random));
  const ports = { objects, clock: machine.clock, isPersonOfHome, temporary };
  return {
    skills: bootstrapOf(core, machine, core.repos).skills,
    async mirror({ caller }, request) {
      const { mirror } = await import("../serve/bootstrap.ts");
      // Only now: the name takes a report of the whole runtime, 2 ms.
      return mirror({ ...ports, binary: binaryAt(machine.exe ?? "") }, caller, request);
    },
  };
}

function lifeOf({ processes: store }: Core, { ledger, control, contextResets, runners }: ProcessParts) {
  const { contextFiles, contextShape, segments } = store;
  const wake = (pid: string) => runners.wake(pid);
  return { store, ledger, control, contextResets, wake, contextFiles, contextShape, segments };
}

function directoriesOf({ locate, options: { namespace } }: FileParts) {
  return async (caller: Caller, path: string): Promise<string> => {
    const at = await locate(caller, path);
    const { kind } = await saying("start in", () => namespace.stat(caller, at), path);
    if (kind !== "directory") throw new SysError("ENOTDIR", `cannot start in ${path}: not a directory`);
    return at;
  };
}

function spawningOf(core: Core, files: FileParts, { ledger, runners, pausedRuns, policy }: ProcessParts) {
  const { kernel, processes: store, objects, machine, bus, retries, models, offers } = core;
  const { clock, random } = machine;
  const choosing = { kernel, models, offers, clock, pausedRuns };
  return {
    kernel,
    store,
    objects,
    ledger,
    runners,
    bus,
    clock,
    random,
    retries,
    offers,
    log: machine.log,
    directoryAt: directoriesOf(files),
    mayBe: policy.mayBe,
    mediaRefs: (row: ProcessRow, ids: readonly string[]) => mediaRefs(objects, row, ids),
    contextFiles: (caller: Caller, listed: string) => contextFilesNamed(files.options, caller, listed),
    taskBudget: (ownerUid: number) => taskBudget(kernel, ownerUid),
    workplaces: newWorkspacesOf({ ...core, ...machine }),
    modelFor: (context: CallContext, addressee: Addressee, model: string | undefined) =>
      modelFor(choosing, context, addressee, model),
  };
}

/** A changed setting may release paused runs. */
function settingsWatched({ settings }: Core, { pausedRuns, budgets }: ProcessParts): Services["settings"] {
  return {
    ...settings,
    async change(context, request) {
      const changed = await settings.change(context, request);
      await pausedRuns.resumeWithKey(context.caller.ownerUid);
      await budgets.resumeAllowed(request.system ? null : context.caller.ownerUid);
      return changed;
    },
  };
}

function promptPorts(core: Core, { options }: FileParts, { ledger, tools }: ProcessParts): PromptsPorts {
  const { kernel, processes: store, machine, callers, models, offers, texts } = core;
  const windowOf = async (name: string, { ownerUid: uid }: Pick<ProcessRow, "ownerUid">) =>
    (await models.windowOf({ uid, offer: undefined }, name))?.windowTokens ?? null;
  return {
    kernel,
    store,
    callers,
    clock: machine.clock,
    namespace: options.namespace,
    diskAt: disksOf(core),
    texts,
    tools,
    windowOf,
    open: (row) => ledger.open(row),
    async modelOf(context, row) {
      const asker = { uid: row.ownerUid, offer: offers.from(context) };
      const [{ name, window }] = await models.reach(asker, await modelOfProcess(kernel, row));
      return { name, windowTokens: window?.windowTokens ?? (await windowOf(name, row)) };
    },
  };
}

function bootHistories({ kernel, processes: store, calls, machine: { clock } }: Core, ledger: Ledger) {
  return historiesService({
    kernel,
    store,
    now: () => clock.now(),
    calls: { waiters: calls, clock },
    open: (row) => ledger.open(row),
  });
}

function bootFileUse(
  { kernel, processes: store, machine: { clock } }: Core,
  { locate, options: { namespace } }: FileParts,
  { hostFiles, parts: { ledger, places } }: { readonly hostFiles: HostFiles; readonly parts: ProcessParts },
): FileUse {
  return fileUseService({
    kernel,
    store,
    places,
    clock,
    open: (row) => ledger.open(row),
    locate: (caller, target, path) => (target === "host" ? hostFiles.locate(caller, path) : locate(caller, path)),
    async versionOf(caller, target, path) {
      if (target === "host")
        return (await hostFiles.namespace.stat(caller, await hostFiles.locate(caller, path))).version;
      // Generated files have a version only when they are read.
      return (await namespace.read(caller, path, { offset: 0, bytesMax: 1 })).version;
    },
  });
}

/** Answers the messages of people that are about their session, before they are sent. */
function answeredFirst(core: Core, processes: Processes): Processes {
  const callAs: CallAs = ({ caller, client, requestId }, name, args) =>
    core.sysFor(caller.ownerUid, async () => caller, client).call(name, args, { requestId: `${requestId}:${name}` });
  return { ...processes, send: answering(processes.send, callAs) };
}

type People = Pick<Services, "accounts" | "groups" | "tokens" | "logins" | "rights" | "audit">;

function bootPeople(core: Core, { closer, forget }: ProcessParts & LinkParts): People {
  const { kernel, processes, objects, machine, passwords, logins, secrets } = core;
  const { clock, random } = machine;
  const onRevoked = (id: string) => logins.tokenRevoked(id);
  return {
    accounts: usersService({
      kernel,
      passwords,
      lockout: logins.lockout,
      clock,
      settle: (uid) => {
        const { give } = bootstrapOf(core, machine, core.repos);
        return settleAccount({ kernel, processes, objects, now: clock.now(), random, give }, uid);
      },
      async forget(uid, by) {
        await forgetSettings({ rows: kernel.config, secrets }, uid, { uid: by, now: clock.now() });
        await forget(uid);
      },
      onLocked: (uid, locked) => logins.accountLocked(uid, locked),
      endLogins: (uid, except) => logins.endLogins(uid, except),
      async end(row, context) {
        await closer.kill(row, {
          reason: "kill",
          archive: true,
          archiveId: uuidv7(clock.now(), random),
          requestKey: `${keyOf(context)}:${row.pid}`,
          uid: context.caller.uid,
        });
      },
    }),
    groups: groupsService(kernel),
    tokens: tokensService({ kernel, clock, random, onRevoked }),
    logins: loginsService({
      ...{ kernel, clock, onRevoked, newCode: (uid) => core.entries.newCode(uid) },
      url: () => core.serving.pageUrl,
    }),
    rights: rightsService(kernel),
    audit: auditLog(kernel, clock),
  };
}

/** Services about agents and their projects. */
function bootAgents(
  { kernel, machine: { clock, random } }: Core,
  ports: Pick<AgentPorts, "accounts" | "toolNames" | "modelNamed"> & Pick<ProcessParts, "credits">,
): Pick<Services, "agents" | "bundles" | "projects" | "credits"> {
  return {
    agents: agentsService({ kernel, clock, keyOf, ...ports }),
    bundles: bundlesService({ kernel, clock, toolNames: ports.toolNames }),
    projects: projectsService({ kernel, clock, random }),
    credits: creditsService({
      credits: kernel.credits,
      clock,
      toppedUp: (uid, wallet) => ports.credits.toppedUp(uid, wallet),
    }),
  };
}
