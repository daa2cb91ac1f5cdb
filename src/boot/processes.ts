// The life of processes, put together: ledger, tool calls, runners, closing, undo.

import { uuidv7 } from "../abi/ids.ts";
import { isAtHand } from "../abi/process/lifecycle.ts";
import type { RunEnd } from "../abi/process/process.ts";
import type { ToolSpec } from "../abi/stream.ts";
import type { Core } from "../boot.ts";
import type { HostFiles } from "../kernel/files/host-files.ts";
import { settingsFor } from "../kernel/settings/config.ts";
import { dayBudget } from "../kernel/spending.ts";
import { disksOf } from "../machine/disks.ts";
import { HeldRuns } from "../process/faults/held-runs.ts";
import { Outages } from "../process/faults/outage.ts";
import { Restarter } from "../process/faults/restart.ts";
import type { Compactor } from "../process/history/compaction/compactor.ts";
import { roomOf } from "../process/history/compaction/room.ts";
import { ContextResets } from "../process/history/context-reset.ts";
import { Closer } from "../process/life/closing.ts";
import { Ledger } from "../process/life/ledger.ts";
import { withOwn } from "../process/life/own-settings.ts";
import { Budgets } from "../process/limits/budgets.ts";
import { Costs } from "../process/limits/costs.ts";
import { niceOf } from "../process/limits/niceness.ts";
import { Timeouts } from "../process/limits/timeouts.ts";
import { KeptMedia } from "../process/media.ts";
import { assemblePrompt } from "../process/prompt/build-prompt.ts";
import { toolsOf } from "../process/prompt/profiles.ts";
import type { Blocks } from "../process/run/code-blocks.ts";
import { imagesIn } from "../process/run/images.ts";
import { Lanes } from "../process/run/lanes.ts";
import { modelCall } from "../process/run/model-calls.ts";
import { modelOfProcess } from "../process/run/model-choice.ts";
import { OfferedTools } from "../process/run/offered-tools.ts";
import type { RunPorts } from "../process/run/run.ts";
import { Runners } from "../process/run/runners.ts";
import { ToolCalls } from "../process/run/tool-calls.ts";
import { ChangePlaces } from "../process/workspace/change-places.ts";
import { Changes } from "../process/workspace/changes.ts";
import { checkpointer } from "../process/workspace/checkpoint.ts";
import { UndoService } from "../process/workspace/undo.ts";
import { OFFLINE } from "../providers/table.ts";
import type { ProcessRow } from "../store/kernel/processes/processes.ts";
import type { Claimed } from "../store/process/verbs.ts";
import { SYSCALLS } from "../syscalls/all.ts";
import type { Web } from "../syscalls/run/net-service.ts";
import type { ShellParts } from "../workers/shell-workers.ts";
import { bootCompaction, lastingKeeper } from "./compaction.ts";
import { bootCrashes } from "./crashes.ts";
import { callLog } from "./doors.ts";
import { bootPolicy, type PolicyParts } from "./policy.ts";
import type { FileParts } from "./services.ts";
import { workplacesOf } from "./workspaces.ts";

export interface ProcessParts {
  readonly ledger: Ledger;
  readonly runners: Runners;
  readonly closer: Closer;
  readonly undoing: UndoService;
  /** Where files have versions. */
  readonly places: ChangePlaces;
  /** As a model is shown them. */
  readonly tools: (row: ProcessRow) => Promise<readonly ToolSpec[]>;
  readonly toolNames: () => readonly string[];
  readonly heldRuns: HeldRuns;
  readonly outages: Outages;
  readonly timeouts: Timeouts;
  readonly contextResets: ContextResets;
  readonly policy: PolicyParts;
  readonly budgets: Budgets;
  /** Until the next of them goes on by itself. */
  readonly dueWithinMs: () => number | null;
  readonly compactor: Compactor;
  readonly media: KeptMedia;
}

/** Where tools run. */
export interface TargetParts {
  readonly shells: ShellParts;
  readonly hostFiles: HostFiles;
  readonly web: Web;
  readonly blocks: Blocks;
}

export function bootProcesses(core: Core, files: FileParts, targets: TargetParts): ProcessParts {
  const { shells, hostFiles, blocks } = targets;
  const { kernel, processes: store, objects, machine, config, bus, retries, afterCrash, onFault } = core;
  const { clock, log } = machine;
  const wake = (pid: string) => runners.wake(pid);
  const charged = (row: ProcessRow) => budgets.charged(row);
  const crashes = bootCrashes(core);
  const ended = (row: ProcessRow, end: RunEnd) => crashes.ended(row, end);
  const ledger = new Ledger({ kernel, store, bus, clock, log, retries, afterCrash, charged, wake, ended });
  const budgets: Budgets = new Budgets({
    ...kernel,
    ...{ store, ledger, clock, wake, onFault },
    dayOf: (ownerUid) => dayBudget(kernel, ownerUid),
  });
  const policy = bootPolicy(core, { ...targets, files, ledger, runners: () => runners });
  const { places, changes } = bootChanges(core, files, { shells, hostFiles });
  const interrupt = (pid: string) => runners.interrupt(pid);
  const limitMs = (row: ProcessRow, runId: string) => timeoutOf(core, row, runId);
  const timeouts = new Timeouts({ store, ledger, clock, limitMs, interrupt, onFault });
  const isExternal = async (pid: string) => !isAtHand((await kernel.sessions.ofProcess(pid))?.source ?? null);
  const restarter = new Restarter({ store, ledger, clock, isExternal, held: () => heldRuns });
  const turnsOf = (row: ProcessRow) => turnsOfSession(core, row, isExternal);
  const contextResets = new ContextResets({ store, ledger, clock, turnsOf });
  const resetContext = (row: ProcessRow, run: Claimed) => contextResets.begin(row, run);
  const ports = runPorts(core, files, {
    ...{ timeouts, restarter, resetContext },
    ledger,
    budgets,
    shells,
    policy,
    blocks,
    changes,
    held: () => heldRuns,
    outages: () => outages,
  });
  const runners: Runners = new Runners({
    processes: kernel.processes,
    store,
    ledger,
    clock,
    ...{ retries, timeouts, onFault, ports, met: (pid, error) => crashes.met(pid, error) },
  });
  const retryMs = config["kernel.diskRetryMs"];
  const closer = new Closer({
    ...{ kernel, store, objects, ledger, runners, clock, random: machine.random, retryMs, log },
    checkpoint: checkpointer(workplacesOf({ ...core, ...machine })),
    keepLasting: lastingKeeper(core, ports.compactor),
  });
  const { models, offers } = core;
  const { processes } = kernel;
  const { runOver } = shells;
  const letGo = (row: ProcessRow) => heldRuns.letGo(row);
  const outages: Outages = new Outages({ processes, store, ledger, clock, letGo, wake, runOver, onFault });
  const heldRuns = new HeldRuns({ processes, store, ledger, models, offers, outages, clock, wake, onFault });
  const dueWithinMs = () => {
    const due = [heldRuns.dueWithinMs(), outages.dueWithinMs(), budgets.dueWithinMs()].filter((ms) => ms !== null);
    return due.length === 0 ? null : Math.min(...due);
  };
  const { callers } = core;
  const undoing = new UndoService({ kernel, store, ledger, places, changes, callers, clock, log });
  return {
    ledger,
    runners,
    closer,
    ...{ heldRuns, outages, timeouts, contextResets, undoing, places },
    policy,
    budgets,
    dueWithinMs,
    compactor: ports.compactor,
    media: ports.media,
    tools: (row: ProcessRow) => ports.offered.specs(row),
    toolNames: () => ports.offered.names(),
  };
}

/** As who started the run said, or the account, or the whole home. */
async function timeoutOf({ kernel, offers }: Core, { pid, ownerUid: uid }: ProcessRow, runId: string): Promise<number> {
  const setting = await settingsFor(kernel.config, { uid, client: offers.of({ pid, runId, uid }) });
  return Number(setting("run.timeoutMs").text);
}

/** After how many messages of a person the model goes on with less; where nobody has said so, only a session of another channel does. */
async function turnsOfSession(
  { kernel }: Core,
  { pid, ownerUid: uid }: ProcessRow,
  isExternal: (pid: string) => Promise<boolean>,
): Promise<number | null> {
  const { layer, text } = (await settingsFor(kernel.config, { uid, client: undefined }))("session.contextResetTurns");
  const turns = Number(text);
  return turns === 0 || (layer === "default" && !(await isExternal(pid))) ? null : turns;
}

function bootChanges(
  core: Core,
  { locate, options }: FileParts,
  { shells, hostFiles }: Pick<TargetParts, "shells" | "hostFiles">,
) {
  const { kernel, processes: store, machine, callers, repos } = core;
  const { clock, log } = machine;
  const places = new ChangePlaces({ kernel, repos, namespace: options.namespace, diskAt: disksOf(core) });
  const changes = new Changes({
    ...{ store, places, clock, log },
    locate: async (row, path) => locate(await callers.process(row), path),
    locateOnHost: async (row, path) => (await hostFiles.ground(row, await callers.process(row), path)).path,
    hostGround: shells.hostGround,
  });
  return { places, changes };
}

interface RunParts {
  readonly changes: Changes;
  readonly ledger: Ledger;
  readonly budgets: Budgets;
  readonly shells: ShellParts;
  readonly policy: PolicyParts;
  readonly blocks: Blocks;
  readonly timeouts: Timeouts;
  readonly restarter: Restarter;
  readonly resetContext: RunPorts["resetContext"];
  /** Made after what it is handed to. */
  readonly held: () => HeldRuns;
  readonly outages: () => Outages;
}

function runPorts(
  core: Core,
  { options, kept, live }: FileParts,
  { ledger, budgets, shells, policy, blocks, held, outages, changes, timeouts, ...care }: RunParts,
): RunPorts & { readonly compactor: Compactor; readonly media: KeptMedia } {
  const { kernel, processes: store, machine, bus, callers, door } = core;
  const { judge, questions } = policy;
  const { clock, random, providers } = machine;
  const { models, offers, servers } = core;
  const active = (pid: string, untilMs?: number) => timeouts.active(pid, untilMs);
  const media = new KeptMedia({ kernel, objects: core.objects, store, open: (row) => ledger.open(row), clock });
  const offered = new OfferedTools({
    ...{ table: SYSCALLS, servers },
    toolsOf: (row, usual) => toolsOf(kernel, row, usual),
  });
  const toolCalls = new ToolCalls({
    ...{ changes, active, servers, offered },
    table: SYSCALLS,
    store,
    approvals: kernel.approvals,
    ledger,
    clock,
    random,
    judge,
    objection: (place, call) => core.hooks.objection(place, call),
    questions,
    rowNow: async (row) => (await kernel.processes.get(row.pid)) ?? row,
    sysOf: (row, seen) => door(row.ownerUid, async () => ({ ...(await callers.process(row)), ...seen })),
    blocks,
    keep: async (row, id, text) => kept.keep(await callers.process(row), "result", id, [Buffer.from(text)]),
    keepImage: (row, bytes) => media.shown(row, bytes, uuidv7(clock.now(), random)),
    attach: (row, directory) => shells.host.places.attach(row, directory),
  });
  const logged = callLog(core);
  const diskAt = disksOf(core);
  const promptOfRow = (row: ProcessRow) =>
    assemblePrompt({ ...core, store, namespace: options.namespace, diskAt, clock }, row);
  const compactor = bootCompaction(core, { ledger, offered, promptOf: promptOfRow });
  return {
    store,
    ledger,
    ...{ toolCalls, offered },
    clock,
    random,
    budgets,
    costs: new Costs(),
    async boundsOf({ pid, ownerUid: uid }, runId) {
      const offer = await withOwn(kernel, pid, offers.of({ pid, runId, uid }));
      const setting = await settingsFor(kernel.config, { uid, client: offer });
      return {
        turnsMax: Number(setting("run.maxTurns").text),
        outputTokens: Number(setting("ai.maxTokens").text),
        parallel: Number(setting("ai.parallel").text),
      };
    },
    compactor,
    media,
    room: roomOf(compactor, ledger),
    async modelsOf(row, run) {
      if (providers !== undefined) {
        const name = run.model ?? OFFLINE.provider;
        const rate = { price: null, isOwn: false };
        return [{ ...(await providers(run.model)), name, missing: null, keyMark: null, window: null, rate }];
      }
      const named = run.model ?? (await modelOfProcess(kernel, row));
      const offer = offers.of({ pid: row.pid, runId: run.runId, uid: row.ownerUid });
      return await models.reach({ uid: row.ownerUid, offer: await withOwn(kernel, row.pid, offer) }, named);
    },
    ...{ held, outages, active, ...care },
    async toolSpecs(row) {
      await servers.opened(row.pid);
      return await offered.specs(row);
    },
    imagesOf: (row, messages) => imagesIn(core.objects, row, messages),
    promptOf: promptOfRow,
    runOver: shells.runOver,
    saying: live.saying,
    log: (pid, asked) => logged(pid, modelCall(asked)),
    wantsDeltas: (pid) => bus.wanted(pid, "chat.delta"),
    lanes: new Lanes(clock),
    niceOf: (pid) => niceOf(kernel, pid),
    watched: (pid) => bus.wanted(pid, "chat.text"),
  };
}
