// The life of processes, put together: ledger, tool calls, runners, closing.

import type { Namespace } from "../../fs/namespace.ts";
import { SysError } from "../abi/errno.ts";
import type { Core } from "../boot.ts";
import { settingsFor } from "../kernel/config.ts";
import type { HostFiles } from "../kernel/host-files.ts";
import type { Blocks } from "../process/blocks.ts";
import { checkpointer } from "../process/checkpoint.ts";
import { Closer } from "../process/closing.ts";
import { HeldRuns } from "../process/held-runs.ts";
import { imagesIn } from "../process/images.ts";
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
import type { FileParts } from "./services.ts";
import type { ShellParts } from "./shell.ts";
import { workplacesOf } from "./workspaces.ts";

export interface ProcessParts {
  readonly ledger: Ledger;
  readonly runners: Runners;
  readonly closer: Closer;
  readonly heldRuns: HeldRuns;
}

/** Where tools run. */
export interface TargetParts {
  readonly shells: ShellParts;
  readonly hostFiles: HostFiles;
  readonly blocks: Blocks;
}

export function bootProcesses(core: Core, files: FileParts, { shells, hostFiles, blocks }: TargetParts): ProcessParts {
  const { kernel, processes: store, objects, machine, config, bus, retries, afterCrash, onFault } = core;
  const { clock, log } = machine;
  const ledger = new Ledger({ kernel, store, bus, clock, log, retries, afterCrash, wake: (pid) => runners.wake(pid) });
  const runners: Runners = new Runners({
    processes: kernel.processes,
    store,
    ledger,
    clock,
    retries,
    onFault,
    ports: runPorts(core, files, { ledger, shells, hostFiles, blocks, held: () => heldRuns }),
  });
  const retryMs = config["kernel.diskRetryMs"];
  const closer = new Closer({
    ...{ kernel, store, objects, ledger, runners, clock, retryMs, log },
    checkpoint: checkpointer(workplacesOf({ ...core, ...machine })),
  });
  const { models, offers } = core;
  const wake = (pid: string) => runners.wake(pid);
  const { processes } = kernel;
  const heldRuns = new HeldRuns({ processes, store, ledger, models, offers, clock, wake, onFault });
  return { ledger, runners, closer, heldRuns };
}

interface RunParts {
  readonly ledger: Ledger;
  readonly shells: ShellParts;
  readonly hostFiles: HostFiles;
  readonly blocks: Blocks;
  /** Made after what it is handed to. */
  readonly held: () => HeldRuns;
}

function runPorts(
  core: Core,
  { locate, options, kept, live }: FileParts,
  { ledger, shells, hostFiles, blocks, held }: RunParts,
): RunPorts {
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
    blocks,
    hostGround: shells.hostGround,
    keep: async (row, id, text) => kept.keep(await callers.process(row), "result", id, [Buffer.from(text)]),
    hostFile: async (row, path) => hostFiles.ground(row, await callers.process(row), path),
    attach: (row, directory) => shells.host.places.attach(row, directory),
    proposal: async (row, key, value) => settings.proposal(await callers.process(row), key, value),
    locate: async (row, path) => locate(await callers.process(row), path),
  });
  return {
    store,
    ledger,
    toolCalls,
    clock,
    random,
    async modelsOf(row, run) {
      if (providers !== undefined) {
        const name = run.model ?? OFFLINE.provider;
        return [{ ...(await providers(run.model)), name, missing: null, keyMark: null }];
      }
      const named = run.model ?? (await modelOfProcess(kernel, row.pid));
      return await models.reach(
        { uid: row.ownerUid, offer: offers.of({ pid: row.pid, runId: run.runId, uid: row.ownerUid }) },
        named,
      );
    },
    held,
    toolSpecs: () => toolCalls.specs(),
    imagesOf: (row, messages) => imagesIn(core.objects, row, messages),
    promptOf: (row) => promptOf(core, options.namespace, row),
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
