// Builds what a run works with: tool calls, models, prompt, compaction.

import { uuidv7 } from "../abi/ids.ts";
import { callLog } from "../kernel/dispatches.ts";
import { inRealPaths } from "../kernel/workspaces/real-paths.ts";
import { disksOf } from "../machine/disks.ts";
import type { Outages } from "../process/faults/outage.ts";
import type { PausedRuns } from "../process/faults/paused-runs.ts";
import type { Restarter } from "../process/faults/restart.ts";
import type { Compactor } from "../process/history/compaction/compactor.ts";
import { roomOf } from "../process/history/compaction/room.ts";
import type { Ledger } from "../process/life/ledger.ts";
import type { Budgets } from "../process/limits/budgets.ts";
import { Costs } from "../process/limits/costs.ts";
import { niceOf } from "../process/limits/niceness.ts";
import { runBounds } from "../process/limits/run-limits.ts";
import type { SenderCredits } from "../process/limits/sender-credits.ts";
import type { Timeouts } from "../process/limits/timeouts.ts";
import { imagesIn, KeptMedia } from "../process/media.ts";
import { assemblePrompt } from "../process/prompt/build-prompt.ts";
import { toolsOf } from "../process/prompt/profiles.ts";
import type { Blocks } from "../process/run/code-blocks.ts";
import { Lanes } from "../process/run/lanes.ts";
import { modelCall } from "../process/run/model-calls.ts";
import { modelsOfRun } from "../process/run/model-choice.ts";
import { type LinkedTools, OfferedTools, type OfferedToolsPorts } from "../process/run/offered-tools.ts";
import type { RunPorts } from "../process/run/run.ts";
import { ToolCalls } from "../process/run/tool-calls.ts";
import type { Changes } from "../process/workspace/changes.ts";
import type { ProcessRow } from "../store/kernel/processes/processes.ts";
import { SYSCALLS } from "../syscalls/all.ts";
import { bootCompaction } from "./compaction.ts";
import type { Core, FileParts, PolicyParts, ShellParts } from "./core.ts";

interface RunParts {
  readonly changes: Changes;
  readonly ledger: Ledger;
  readonly budgets: Budgets;
  readonly shells: ShellParts;
  readonly policy: PolicyParts;
  readonly blocks: Blocks;
  readonly timeouts: Timeouts;
  readonly restarter: Restarter;
  readonly credits: SenderCredits;
  readonly linked: LinkedTools;
  readonly resetContext: RunPorts["resetContext"];
  /** Built after the runs. */
  readonly pausedRuns: () => PausedRuns;
  readonly outages: () => Outages;
}

export function runPorts(
  core: Core,
  { options, kept, live }: FileParts,
  { ledger, budgets, shells, policy, blocks, pausedRuns, outages, changes, timeouts, linked, ...care }: RunParts,
): RunPorts & { readonly compactor: Compactor; readonly media: KeptMedia } {
  const { kernel, processes: store, machine, bus, callers, sysFor } = core;
  const { judge, questions } = policy;
  const { clock, random } = machine;
  const { servers } = core;
  const active = (pid: string, untilMs?: number) => timeouts.active(pid, untilMs);
  const media = new KeptMedia({ kernel, objects: core.objects, store, open: (row) => ledger.open(row), clock });
  const usualTools: OfferedToolsPorts["toolsOf"] = (row, usual) => toolsOf(kernel, row, usual);
  const offered = new OfferedTools({ table: SYSCALLS, servers, linked, toolsOf: usualTools });
  const toolCalls = new ToolCalls({
    changes,
    active,
    offered,
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
    sysOf: (row, seen) => sysFor(row.ownerUid, async () => ({ ...(await callers.process(row)), ...seen })),
    blocks,
    keep: async (row, id, text) => kept.keep(await callers.process(row), "result", id, [Buffer.from(text)]),
    keepImage: (row, bytes) => media.shown(row, bytes, uuidv7(clock.now(), random)),
    attach: (row, directory) => shells.host.places.attach(row, directory),
    inRealPaths: (row, text) => inRealPaths(kernel, row.ownerUid, text),
  });
  const logged = callLog(core);
  const diskAt = disksOf(core);
  const promptOfRow = (row: ProcessRow) =>
    assemblePrompt({ ...core, store, namespace: options.namespace, diskAt, clock }, row);
  const compactor = bootCompaction(core, { ledger, offered, promptOf: promptOfRow });
  return {
    store,
    ledger,
    toolCalls,
    offered,
    clock,
    random,
    budgets,
    costs: new Costs(),
    boundsOf: (row, runId) => runBounds(core, row, runId),
    retries: core.config["kernel.modelRetries"],
    compactor,
    media,
    room: roomOf(compactor, ledger),
    modelsOf: (row, run) => modelsOfRun(core, row, run),
    ...care,
    pausedRuns,
    outages,
    active,
    async toolSpecs(row) {
      return await offered.specs(row);
    },
    imagesOf: (row, messages) => imagesIn(core.objects, row, messages),
    promptOf: promptOfRow,
    runOver(pid) {
      shells.runOver(pid);
      linked.runOver(pid);
    },
    answering: live.saying,
    log: (pid, asked) => logged(pid, modelCall(asked)),
    wantsDeltas: (pid) => bus.wanted(pid, "chat.delta"),
    lanes: new Lanes(clock),
    niceOf: (pid) => niceOf(kernel, pid),
    watched: (pid) => bus.wanted(pid, "chat.text"),
  };
}
