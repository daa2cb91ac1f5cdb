// The services behind the syscalls, and the files everyone sees.

import type { LivePorts } from "../../fs/proc/stream.ts";
import type { Caller } from "../abi/identity.ts";
import type { Core } from "../boot.ts";
import { aboutThis, homeNamed, namesIn } from "../client/about.ts";
import { CoreFiles } from "../kernel/files/crash-files.ts";
import { notedWrites } from "../kernel/files/file-history.ts";
import { pathLocator } from "../kernel/files/file-paths.ts";
import { filesByTarget } from "../kernel/files/file-targets.ts";
import { treeService } from "../kernel/files/file-tree.ts";
import { type FilesOptions, filesService } from "../kernel/files/files.ts";
import type { HostFiles } from "../kernel/files/host-files.ts";
import { KeptResults } from "../kernel/files/kept-results.ts";
import { KnownFiles } from "../kernel/files/known-files.ts";
import { controlService } from "../kernel/lifetime/control.ts";
import { storageService } from "../kernel/lifetime/storage.ts";
import { outageReports } from "../kernel/models/outages.ts";
import { registryService } from "../kernel/registry.ts";
import { taskBudget, usageReports } from "../kernel/spending.ts";
import { disksOf } from "../machine/disks.ts";
import { machineOf } from "../machine/machine.ts";
import { approvalsService } from "../process/approvals/approvals.ts";
import { policyService } from "../process/approvals/policy/service.ts";
import { trustService } from "../process/approvals/trust.ts";
import { archivesService } from "../process/history/archive.ts";
import { historiesService } from "../process/history/histories.ts";
import type { Ledger } from "../process/life/ledger.ts";
import { lifecycleService } from "../process/life/lifecycle.ts";
import { processesService } from "../process/life/processes.ts";
import { contextFilesNamed } from "../process/life/spawn-context.ts";
import { budgetService } from "../process/limits/budget-service.ts";
import { nicenessService } from "../process/limits/niceness.ts";
import { mediaRefs, mediaService } from "../process/media.ts";
import { type PromptsPorts, promptsService } from "../process/prompt/prompt-service.ts";
import { type Addressee, modelFor, modelOfProcess, modelService } from "../process/run/model-choice.ts";
import { renewalFor } from "../sessions/renewal.ts";
import type { ProcessRow } from "../store/kernel/processes/processes.ts";
import { SYSCALLS } from "../syscalls/all.ts";
import type { CallContext } from "../syscalls/define.ts";
import type { Files } from "../syscalls/fs/files-service.ts";
import type { CodeMode } from "../syscalls/run/codemode.ts";
import type { Web } from "../syscalls/run/net-service.ts";
import type { Shells } from "../syscalls/run/shell-service.ts";
import type { Services } from "../syscalls/table.ts";
import { conversationsOf } from "./compaction.ts";
import { bootFileUse } from "./file-use.ts";
import { mountedFiles } from "./mounts.ts";
import { bootAgents, bootPeople } from "./people.ts";
import type { ProcessParts } from "./processes.ts";
import { bootstrapOf, homesOf, lazyRepositories } from "./repos.ts";
import { attended, bootSessions } from "./sessions.ts";
import { mountedWorkspaces } from "./workspace-files.ts";
import { lazyWorkspaces, workplacesOf } from "./workspaces.ts";

export function bootServices(
  core: Core,
  files: FileParts,
  { shells, hostFiles, web, code, ...parts }: ServiceParts,
): Services {
  const { ledger, runners, closer, heldRuns, budgets, undoing, policy } = parts;
  const { kernel, processes: store, objects, machine, config, host, startedAt, generation } = core;
  const { clock, paths, pid } = machine;
  const { models, offers } = core;
  const choosing = { kernel, models, offers, clock, held: heldRuns };
  const spawning = spawningOf(core, files, parts);
  const people = bootPeople(core, parts);
  const modelNamed = (context: CallContext, model: string) => {
    const { uid, ownerUid } = context.caller;
    return modelFor(choosing, context, { pid: null, uid, ownerUid }, model);
  };
  const processes = processesService({
    ...spawning,
    ...{ closer, termMs: config["kernel.termMs"], held: heldRuns },
    renewsBefore: (row, now) => renewalFor(kernel, row, now),
  });
  const used = {
    processes,
    registry: registryService({ kernel, atRest: false, heldBy: (pid) => ledger.heldBy(pid) }),
    prompts: promptsService(promptPorts(core, files, parts)),
    histories: bootHistories(core, ledger),
    archives: archivesService({ kernel, objects }),
    models: modelService(choosing),
    conversations: conversationsOf(core, parts, spawning),
  };
  const life = () => ({ running: true, pid, startedAt, generation, clients: host.clients() });
  return {
    ...people,
    ...bootAgents(core, { accounts: people.accounts, toolNames: parts.toolNames, modelNamed }),
    ...used,
    ...bootSessions(core, used),
    processes: attended(core, processes),
    kernel: controlService({
      about: aboutThis(paths),
      processes: kernel.processes,
      life,
      drain: (why) => host.drain(why),
    }),
    approvals: approvalsService({ kernel, store, ledger, runners, clock, table: SYSCALLS, ...policy }),
    policy: policyService({ kernel, ...policy }),
    hooks: core.hooks.service,
    files: filesByTarget(files.service, hostFiles.files),
    tree: treeService({ ...files.options, names: namesIn(kernel), clock }),
    usage: usageReports({ kernel, clock }),
    budgets: budgetService({ kernel, budgets, clock }),
    settings: settingsWatched(core, parts),
    ...{ shells, web, code },
    serverTools: core.servers,
    repositories: lazyRepositories(kernel, core.repos),
    workspaces: lazyWorkspaces({ ...core, ...machine }),
    bootstrapping: bootstrapOf(core, machine, core.repos),
    media: mediaService({ kernel, objects, clock }, parts.media),
    storage: storageService({ ...core.storage, kernel, clock }),
    outages: outageReports(kernel),
    undoing,
    fileUse: bootFileUse(core, files, { ...parts, hostFiles }),
    niceness: nicenessService({ kernel, clock }),
    trust: trustService({ kernel, namespace: files.options.namespace, diskAt: disksOf(core), clock, home: paths.home }),
    lifecycle: lifecycleService(kernel, parts.timeouts),
    search: core.search,
  };
}

/** What it takes to start a process. */
function spawningOf(core: Core, files: FileParts, { ledger, runners, heldRuns, policy }: ProcessParts) {
  const { kernel, processes: store, objects, machine, bus, retries, models, offers } = core;
  const { clock, random } = machine;
  const choosing = { kernel, models, offers, clock, held: heldRuns };
  return {
    ...{ kernel, store, objects, ledger, runners, bus, clock, random, retries, offers },
    log: machine.log,
    locate: files.locate,
    mayBe: policy.mayBe,
    mediaRefs: (row: ProcessRow, ids: readonly string[]) => mediaRefs(objects, row, ids),
    contextFiles: (caller: Caller, listed: string) => contextFilesNamed(files.options, caller, listed),
    taskBudget: (ownerUid: number) => taskBudget(kernel, ownerUid),
    workplaces: workplacesOf({ ...core, ...machine }),
    modelFor: (context: CallContext, addressee: Addressee, model: string | undefined) =>
      modelFor(choosing, context, addressee, model),
  };
}

/** Whoever waits for a setting is looked at when one changes. */
function settingsWatched({ settings }: Core, { heldRuns, budgets }: ProcessParts): Services["settings"] {
  return {
    ...settings,
    async change(context, request) {
      const changed = await settings.change(context, request);
      await heldRuns.look(context.caller.ownerUid);
      await budgets.look(request.system ? null : context.caller.ownerUid);
      return changed;
    },
  };
}

function promptPorts(core: Core, { options }: FileParts, { ledger, tools }: ProcessParts): PromptsPorts {
  const { kernel, processes: store, machine, callers, models, offers } = core;
  const windowOf = async (name: string, { ownerUid: uid }: Pick<ProcessRow, "ownerUid">) =>
    (await models.windowOf({ uid, offer: undefined }, name))?.windowTokens ?? null;
  return {
    ...{
      kernel,
      store,
      callers,
      clock: machine.clock,
      namespace: options.namespace,
      diskAt: disksOf(core),
      tools,
      windowOf,
    },
    open: (row) => ledger.open(row),
    async modelOf(context, row) {
      const asker = { uid: row.ownerUid, offer: offers.from(context) };
      const [{ name, window }] = await models.reach(asker, await modelOfProcess(kernel, row));
      return { name, windowTokens: window?.windowTokens ?? (await windowOf(name, row)) };
    },
  };
}

export type ServiceParts = ProcessParts & {
  readonly shells: Shells;
  readonly hostFiles: HostFiles;
  readonly web: Web;
  readonly code: CodeMode;
};

/** A log is read from where its last part begins; the older one is for doctor. */
const LOG_BYTES_MAX = 4 * 1024 * 1024;

async function endOfFile(path: string, bytesMax: number): Promise<string> {
  const file = Bun.file(path);
  if (!(await file.exists())) return "";
  const { size } = file;
  const text = await file.slice(Math.max(0, size - bytesMax), size).text();
  return size > bytesMax ? text.slice(text.indexOf("\n") + 1) : text;
}

export interface FileParts {
  readonly options: FilesOptions;
  readonly service: Files;
  readonly locate: ReturnType<typeof pathLocator>;
  readonly kept: KeptResults;
  readonly live: Live;
}

/** What /proc shows of what is not stored yet, filled in by those who make it. */
export interface Live {
  readonly saying: Map<string, () => string>;
  commands: LivePorts["commands"];
}

/** One namespace for all: what a rule looks at is what a call touches. */
export function bootFiles(core: Core): FileParts {
  const { kernel, objects, machine, unloggedDoor: sysFor, door, redactor, logins } = core;
  const { clock, random, paths } = machine;
  const homes = homesOf(kernel, paths, core.repos);
  const workspaces = mountedWorkspaces({ ...core, ...machine });
  const live: Live = { saying: new Map(), commands: () => [] };
  const namespace = mountedFiles({
    live: { saying: (pid) => live.saying.get(pid)?.() ?? null, commands: (pid) => live.commands(pid) },
    ...{ objects, homes, workspaces, kernel, clock, random, sysFor },
    actFor: (caller) => door(caller.ownerUid, async () => caller),
    log: async () => redactor.text(await endOfFile(paths.kernelLog, LOG_BYTES_MAX)),
    onLocked: (uid, locked) => logins.accountLocked(uid, locked),
    machine: machineOf(paths.home),
    crashes: new CoreFiles(paths.crashDir),
    noted: notedWrites({ kernel, clock, onFault: core.onFault }, "gsv"),
    ...(machine.hostDirectory && { host: { directory: machine.hostDirectory, hidden: [paths.home] } }),
  });
  const known = new KnownFiles({ store: core.processes, kernel, clock }, "gsv");
  const options: FilesOptions = { namespace, homeOf: (caller, username) => homeNamed(kernel, caller, username), known };
  return {
    options,
    service: filesService(options),
    locate: pathLocator(options),
    kept: new KeptResults(namespace),
    live,
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
