// The life of processes, put together: ledger, tool calls, runners, closing.

import type { Namespace } from "../../fs/namespace.ts";
import { SysError } from "../abi/errno.ts";
import type { Core } from "../boot.ts";
import { settingsFor } from "../kernel/config.ts";
import { dayBudget } from "../kernel/spending.ts";
import { Budgets } from "../process/budgets.ts";
import { checkpointer } from "../process/checkpoint.ts";
import { Closer } from "../process/closing.ts";
import type { Compactor } from "../process/compaction/compactor.ts";
import { roomOf } from "../process/compaction/room.ts";
import { Costs } from "../process/costs.ts";
import { HeldRuns } from "../process/held-runs.ts";
import { Ledger } from "../process/ledger.ts";
import { modelOfProcess } from "../process/model-choice.ts";
import { toldText } from "../process/prompt.ts";
import type { RunPorts } from "../process/run.ts";
import { Runners } from "../process/runners.ts";
import { ToolCalls } from "../process/toolcalls.ts";
import { systemPrompt } from "../prompts/system.ts";
import { OFFLINE } from "../providers/table.ts";
import type { ProcessRow } from "../store/kernel/processes.ts";
import { SYSCALLS } from "../syscalls/all.ts";
import { bootCompaction } from "./compaction.ts";
import type { FileParts } from "./services.ts";
import type { ShellParts } from "./shell.ts";
import { workplacesOf } from "./workspaces.ts";

export interface ProcessParts {
  readonly ledger: Ledger;
  readonly runners: Runners;
  readonly closer: Closer;
  readonly heldRuns: HeldRuns;
  readonly budgets: Budgets;
  /** Until the next of them goes on by itself. */
  readonly dueWithinMs: () => number | null;
  readonly compactor: Compactor;
}

export function bootProcesses(core: Core, files: FileParts, shells: ShellParts): ProcessParts {
  const { kernel, processes: store, objects, machine, config, bus, retries, afterCrash, onFault } = core;
  const { clock, log } = machine;
  const wake = (pid: string) => runners.wake(pid);
  const charged = (row: ProcessRow) => budgets.charged(row);
  const ledger = new Ledger({ kernel, store, bus, clock, log, retries, afterCrash, charged, wake });
  const budgets: Budgets = new Budgets({
    ...kernel,
    ...{ store, ledger, clock, wake, onFault },
    dayOf: (ownerUid) => dayBudget(kernel, ownerUid),
  });
  const ports = runPorts(core, files, { ledger, budgets, shells, held: () => heldRuns });
  const runners: Runners = new Runners({
    processes: kernel.processes,
    store,
    ledger,
    clock,
    retries,
    onFault,
    ports,
  });
  const retryMs = config["kernel.diskRetryMs"];
  const closer = new Closer({
    ...{ kernel, store, objects, ledger, runners, clock, retryMs, log },
    checkpoint: checkpointer(workplacesOf({ ...core, ...machine })),
  });
  const { models, offers } = core;
  const { processes } = kernel;
  const heldRuns = new HeldRuns({ processes, store, ledger, models, offers, clock, wake, onFault });
  const dueWithinMs = () => {
    const due = [heldRuns.dueWithinMs(), budgets.dueWithinMs()].filter((ms) => ms !== null);
    return due.length === 0 ? null : Math.min(...due);
  };
  return { ledger, runners, closer, heldRuns, budgets, dueWithinMs, compactor: ports.compactor };
}

interface RunParts {
  readonly ledger: Ledger;
  readonly budgets: Budgets;
  readonly shells: ShellParts;
  /** Made after what it is handed to. */
  readonly held: () => HeldRuns;
}

function runPorts(
  core: Core,
  { locate, options, live }: FileParts,
  { ledger, budgets, shells, held }: RunParts,
): RunPorts & { readonly compactor: Compactor } {
  const { kernel, processes: store, machine, bus, callers, door, settings } = core;
  const { clock, random, providers } = machine;
  const { models, offers } = core;
  const toolCalls = new ToolCalls({
    table: SYSCALLS,
    store,
    approvals: kernel.approvals,
    ledger,
    clock,
    random,
    sysOf: (row, seen) => door(row.ownerUid, async () => ({ ...(await callers.process(row)), ...seen })),
    hostGround: shells.hostGround,
    proposal: async (row, key, value) => settings.proposal(await callers.process(row), key, value),
    locate: async (row, path) => locate(await callers.process(row), path),
  });
  const promptOfRow = (row: ProcessRow) => promptOf(core, options.namespace, row);
  const compactor = bootCompaction(core, { ledger, toolCalls, promptOf: promptOfRow });
  return {
    store,
    ledger,
    toolCalls,
    clock,
    random,
    budgets,
    costs: new Costs(),
    async boundsOf({ ownerUid: uid }) {
      const setting = await settingsFor(kernel.config, { uid, client: undefined });
      return {
        turnsMax: Number(setting("run.maxTurns").text),
        outputTokens: Number(setting("ai.maxTokens").text),
      };
    },
    compactor,
    room: roomOf(compactor, ledger),
    async modelsOf(row, run) {
      if (providers !== undefined) {
        const name = run.model ?? OFFLINE.provider;
        const rate = { price: null, isOwn: false };
        return [{ ...(await providers(run.model)), name, missing: null, keyMark: null, window: null, rate }];
      }
      const named = run.model ?? (await modelOfProcess(kernel, row.pid));
      return await models.reach(
        { uid: row.ownerUid, offer: offers.of({ pid: row.pid, runId: run.runId, uid: row.ownerUid }) },
        named,
      );
    },
    held,
    toolSpecs: () => toolCalls.specs(),
    promptOf: promptOfRow,
    runOver: shells.runOver,
    saying: live.saying,
    wantsDeltas: (pid) => bus.wanted(pid, "chat.delta"),
  };
}

async function promptOf({ kernel, callers, machine }: Core, namespace: Namespace, row: ProcessRow) {
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
    now: machine.clock.now(),
  };
  const caller = await callers.process(row).catch((error: unknown) => {
    if (error instanceof SysError && error.code === "EAUTH") return null;
    throw error;
  });
  // Locked meanwhile: its calls will be refused, each with the reason.
  if (caller === null) return { system: systemPrompt(facts), pid: row.pid, home, cwd: row.cwd };
  const setting = await settingsFor(kernel.config, { uid: row.ownerUid, client: undefined });
  const told = await toldText({
    namespace,
    caller,
    owner: { username: facts.owner, home },
    runAs: { username: facts.username, home: runAs?.home ?? home },
    workspace: row.workspaceId?.startsWith("ws_") ? `/workspaces/${row.workspaceId}` : null,
    bytesMaxEach: Number(setting("ai.maxContextBytes").text),
    skills: setting("ai.skills.indexMode").text as "summary" | "names" | "off",
  });
  return { system: systemPrompt(facts) + told, pid: row.pid, home, cwd: row.cwd };
}
