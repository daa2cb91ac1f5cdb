// The life of processes, put together: ledger, tool calls, runners, closing.

import type { Core } from "./boot.ts";
import type { FileParts } from "./boot-services.ts";
import { Closer } from "./process/closing.ts";
import { Ledger } from "./process/ledger.ts";
import type { RunPorts } from "./process/run.ts";
import { Runners } from "./process/runners.ts";
import { ToolCalls } from "./process/toolcalls.ts";
import { systemPrompt } from "./prompts/system.ts";
import { providersFrom } from "./providers/table.ts";
import type { ProcessRow } from "./store/kernel/processes.ts";
import type { KernelStore } from "./store/kernel/sqlite.ts";
import { SYSCALLS } from "./syscalls/all.ts";

export interface ProcessParts {
  readonly ledger: Ledger;
  readonly runners: Runners;
  readonly closer: Closer;
}

export function bootProcesses(core: Core, files: FileParts): ProcessParts {
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
    ports: runPorts(core, files, ledger),
  });
  const retryMs = config["kernel.diskRetryMs"];
  const closer = new Closer({ kernel, store, objects, ledger, runners, clock, retryMs, log });
  return { ledger, runners, closer };
}

function runPorts(core: Core, { locate }: FileParts, ledger: Ledger): RunPorts {
  const { kernel, processes: store, machine, bus, callers, door, settings } = core;
  const { clock, random } = machine;
  const manual = async () => (await import("./prompts/manual.ts")).MANUAL;
  const providers = machine.providers ?? providersFrom({ clock, manual });
  const toolCalls = new ToolCalls({
    table: SYSCALLS,
    store,
    approvals: kernel.approvals,
    ledger,
    clock,
    random,
    sysOf: (row, approved) =>
      door(row.ownerUid, async () => ({ ...(await callers.process(row)), ...(approved && { approved }) })),
    proposal: async (row, key, value) => settings.proposal(await callers.process(row), key, value),
    locate: async (row, path) => locate(await callers.process(row), path),
  });
  return {
    store,
    ledger,
    toolCalls,
    clock,
    random,
    modelOf: (_row, run) => providers(run.model),
    promptOf: (row) => promptOf(kernel, row, clock.now()),
    wantsDeltas: (pid) => bus.wanted(pid, "chat.delta"),
  };
}

async function promptOf(kernel: KernelStore, row: ProcessRow, now: number) {
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
    now,
  };
  return { system: systemPrompt(facts), pid: row.pid, home, cwd: row.cwd };
}
