// Builds the life of processes: ledger, runners, budgets, timeouts, closing, undo.

import { release } from "node:os";
import { isAtHand } from "../abi/process/lifecycle.ts";
import type { RunEnd, UsageRow } from "../abi/process/process.ts";
import { CoreFiles } from "../kernel/files/crash-files.ts";
import { crashKeepingOf } from "../kernel/lifetime/sweep.ts";
import { dayBudget } from "../kernel/spending.ts";
import { disksOf } from "../machine/disks.ts";
import { Crashes } from "../process/faults/crashes.ts";
import { Outages } from "../process/faults/outage.ts";
import { PausedRuns } from "../process/faults/paused-runs.ts";
import { Restarter } from "../process/faults/restart.ts";
import { ContextResets } from "../process/history/context-reset.ts";
import { Closer } from "../process/life/closing.ts";
import { Control } from "../process/life/control.ts";
import { Ledger } from "../process/life/ledger.ts";
import { Budgets } from "../process/limits/budgets.ts";
import { contextResetTurns, runTimeoutMs } from "../process/limits/run-limits.ts";
import { SenderCredits } from "../process/limits/sender-credits.ts";
import type { Stopping } from "../process/limits/timeouts.ts";
import { Timeouts } from "../process/limits/timeouts.ts";
import { Runners } from "../process/run/runners.ts";
import { ChangePlaces } from "../process/workspace/change-places.ts";
import { Changes } from "../process/workspace/changes.ts";
import { checkpointer } from "../process/workspace/checkpoint.ts";
import { UndoService } from "../process/workspace/undo.ts";
import type { ProcessRow } from "../store/kernel/processes/processes.ts";
import type { Claimed } from "../store/process/verbs.ts";
import { COMMIT, VERSION } from "../version.ts";
import { memoryExtractor } from "./compaction.ts";
import type { Core, FileParts, ProcessParts, ShellParts, TargetParts } from "./core.ts";
import type { LinkParts } from "./links.ts";
import { bootPolicy } from "./policy.ts";
import { newWorkspacesOf } from "./repos.ts";
import { runPorts } from "./runs.ts";

export function bootProcesses(
  core: Core,
  files: FileParts,
  targets: TargetParts & Pick<LinkParts, "linked">,
): ProcessParts {
  const { shells, hostFiles, blocks, linked } = targets;
  const { kernel, processes: store, machine, bus, retries, afterCrash, onFault } = core;
  const { clock, log } = machine;
  const crashes = bootCrashes(core);
  // The ledger reports to parts that are built from it. They are named here, and nothing reports before the last one is built.
  const wake = (pid: string) => runners.wake(pid);
  const due = (at: number | null) => core.claims.expect(at);
  const charged = (row: ProcessRow) => budgets.charged(row);
  const charge = (row: ProcessRow, usage: readonly UsageRow[]) => credits.charge(row, usage);
  const ended = (row: ProcessRow, end: RunEnd) => crashes.ended(row, end);
  const ledger = new Ledger({ kernel, store, bus, clock, log, retries, afterCrash, charge, charged, wake, due, ended });
  const dayOf = (ownerUid: number) => dayBudget(kernel, ownerUid);
  const budgets: Budgets = new Budgets({ ...kernel, store, ledger, clock, wake, onFault, dayOf });
  const { pausedRuns, outages } = bootPausedRuns(core, { ledger, wake, runOver: shells.runOver });
  // Stopping needs the runners, whose runs may be stopped by their time or for lack of credits.
  const control = () => stopping;
  const credits: SenderCredits = new SenderCredits({ kernel, store, ledger, clock, control });
  const watches = bootWatches(core, { ledger, control });
  const policy = bootPolicy(core, { ...targets, files, ledger, runners: () => runners });
  const { places, changes } = bootChanges(core, files, { shells, hostFiles });
  const run = { ...watches, linked, credits, ledger, budgets, shells, policy, blocks, changes };
  const ports = runPorts(core, files, { ...run, pausedRuns: () => pausedRuns, outages: () => outages });
  const runners: Runners = new Runners({
    processes: kernel.processes,
    store,
    ledger,
    clock,
    retries,
    onFault,
    ports,
    timeouts: watches.timeouts,
    noteError: (pid, error) => crashes.noteError(pid, error),
  });
  const closer = bootCloser(core, { ledger, runners, compactor: ports.compactor });
  const stopping: Control = new Control({ store, ledger, runners, pausedRuns, clock });
  const undoing = new UndoService({ ...core, store, ledger, places, changes, clock, log });
  const { timeouts, contextResets } = watches;
  const parts = { ledger, runners, closer, control: stopping, credits, pausedRuns, outages, timeouts, contextResets };
  return {
    ...parts,
    undoing,
    places,
    policy,
    budgets,
    compactor: ports.compactor,
    media: ports.media,
    tools: (row: ProcessRow) => ports.offered.specs(row),
    toolNames: () => ports.offered.names(),
  };
}

export function earliest(...dueMs: readonly (number | null)[]): number | null {
  const due = dueMs.filter((ms) => ms !== null);
  return due.length === 0 ? null : Math.min(...due);
}

/** Runs that wait, and the providers that they wait for: each resumes the other's. */
function bootPausedRuns(
  { kernel, processes: store, machine: { clock }, models, offers, queue, onFault }: Core,
  {
    ledger,
    wake,
    runOver,
  }: Pick<ShellParts, "runOver"> & { readonly ledger: Ledger; readonly wake: (pid: string) => void },
): Pick<ProcessParts, "pausedRuns" | "outages"> {
  const runsOf = { processes: kernel.processes, store, ledger, clock, queue, wake, onFault };
  const resume = (row: ProcessRow) => pausedRuns.resume(row);
  const outages: Outages = new Outages({ ...runsOf, resume, runOver });
  const pausedRuns: PausedRuns = new PausedRuns({ ...runsOf, models, offers, outages });
  return { pausedRuns, outages };
}

interface Watched {
  readonly ledger: Ledger;
  readonly control: () => Stopping;
}

/** Timeouts, restarts and context resets. */
function bootWatches(core: Core, { ledger, control }: Watched) {
  const { kernel, processes: store, machine, onFault } = core;
  const { clock } = machine;
  const isExternal = async (pid: string) => !isAtHand((await kernel.sessions.ofProcess(pid))?.source ?? null);
  const limitMs = (row: ProcessRow, runId: string) => runTimeoutMs(core, row, runId);
  const turnsOf = (row: ProcessRow) => contextResetTurns(core, row, isExternal);
  const contextResets = new ContextResets({ store, ledger, clock, turnsOf });
  return {
    timeouts: new Timeouts({ store, ledger, clock, queue: core.queue, limitMs, control, onFault }),
    restarter: new Restarter({ store, ledger, clock, isExternal }),
    contextResets,
    resetContext: (row: ProcessRow, run: Claimed) => contextResets.begin(row, run),
  };
}

function bootCloser(core: Core, parts: Pick<ProcessParts, "ledger" | "runners" | "compactor">): Closer {
  const { kernel, processes: store, objects, machine, config } = core;
  const { clock, random, log } = machine;
  return new Closer({
    kernel,
    store,
    objects,
    ledger: parts.ledger,
    runners: parts.runners,
    clock,
    random,
    retryMs: config["kernel.diskRetryMs"],
    log,
    checkpoint: checkpointer(newWorkspacesOf({ ...core, ...machine })),
    extractMemories: memoryExtractor(core, parts.compactor),
  });
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
    store,
    places,
    clock,
    log,
    locate: async (row, path) => locate(await callers.process(row), path),
    locateOnHost: async (row, path) => (await hostFiles.ground(row, await callers.process(row), path)).path,
    hostGround: shells.hostGround,
  });
  return { places, changes };
}

function bootCrashes({ kernel, processes: store, machine, redactor, configNow }: Core): Crashes {
  const { clock, log, paths } = machine;
  const files = new CoreFiles(paths.crashDir);
  const system = `${process.platform} ${release()} ${process.arch}`;
  return new Crashes({
    kernel,
    store,
    clock,
    log,
    versions: { gsv: VERSION, commit: COMMIT, bun: Bun.version, system },
    redact: (text) => redactor.text(text),
    keep: (ownerUid, name, text) => files.write(ownerUid, name, text, crashKeepingOf(configNow())),
  });
}
