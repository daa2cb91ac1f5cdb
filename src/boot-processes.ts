// The life of processes, put together: ledger, tool calls, runners, closing.

import type { Namespace } from "../fs/namespace.ts";
import type { SettingName } from "./abi/config.ts";
import type { Core } from "./boot.ts";
import type { FileParts } from "./boot-services.ts";
import type { ShellParts } from "./boot-shell.ts";
import { settingFor } from "./kernel/config.ts";
import { Closer } from "./process/closing.ts";
import { Ledger } from "./process/ledger.ts";
import { toldText } from "./process/prompt.ts";
import type { RunPorts } from "./process/run.ts";
import { Runners } from "./process/runners.ts";
import { ToolCalls } from "./process/toolcalls.ts";
import { systemPrompt } from "./prompts/system.ts";
import { providersFrom } from "./providers/table.ts";
import type { ProcessRow } from "./store/kernel/processes.ts";
import { SYSCALLS } from "./syscalls/all.ts";

export interface ProcessParts {
  readonly ledger: Ledger;
  readonly runners: Runners;
  readonly closer: Closer;
}

export function bootProcesses(core: Core, files: FileParts, shells: ShellParts): ProcessParts {
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
    ports: runPorts(core, files, { ledger, shells }),
  });
  const retryMs = config["kernel.diskRetryMs"];
  const closer = new Closer({ kernel, store, objects, ledger, runners, clock, retryMs, log });
  return { ledger, runners, closer };
}

function runPorts(
  core: Core,
  { locate, options }: FileParts,
  { ledger, shells }: { readonly ledger: Ledger; readonly shells: ShellParts },
): RunPorts {
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
    sysOf: (row, seen) => door(row.ownerUid, async () => ({ ...(await callers.process(row)), ...seen })),
    hostGround: shells.hostGround,
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
    promptOf: (row) => promptOf(core, options.namespace, row),
    runOver: shells.runOver,
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
  const setting = (name: SettingName) =>
    settingFor(kernel.config, name, { uid: row.ownerUid, client: undefined }).then(({ text }) => text);
  const caller = await callers.process(row).catch(() => null);
  // Locked meanwhile: its calls will be refused, each with the reason.
  if (caller === null) return { system: systemPrompt(facts), pid: row.pid, home, cwd: row.cwd };
  const told = await toldText({
    namespace,
    caller,
    owner: { username: facts.owner, home },
    runAs: { username: facts.username, home: runAs?.home ?? home },
    bytesMaxEach: Number(await setting("ai.maxContextBytes")),
    skills: (await setting("ai.skills.indexMode")) as "summary" | "names" | "off",
  });
  return { system: systemPrompt(facts) + told, pid: row.pid, home, cwd: row.cwd };
}
