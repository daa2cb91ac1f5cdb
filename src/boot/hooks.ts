// Builds hooks, which get signals of the bus and calls of agents. Without allowed hooks a run costs one stat of a directory, and a tool
// call costs nothing.

import { statSync } from "node:fs";
import { HookFiles } from "../hooks/files.ts";
import { Hooks } from "../hooks/hooks.ts";
import { Notices } from "../hooks/notices.ts";
import { endLeftovers, runsOf } from "../hooks/run.ts";
import { hooksService } from "../hooks/service.ts";
import { listenForHooks } from "../hooks/signals.ts";
import { Vetoes } from "../hooks/veto.ts";
import type { Bus } from "../kernel/bus.ts";
import { settingsFor } from "../kernel/settings/config.ts";
import type { Redactor } from "../lib/text/redact.ts";
import { waitAtMost } from "../lib/wait.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import type { ProcessStore } from "../store/process/verbs.ts";
import { endLeftBehind } from "../targets/left-behind.ts";
import { spawnPiped } from "../targets/spawn.ts";
import type { HookParts, Machine } from "./core.ts";

interface HookPorts {
  readonly kernel: KernelStore;
  readonly processes: ProcessStore;
  readonly machine: Machine;
  readonly bus: Bus;
  readonly redactor: Redactor;
  readonly onFault: (error: unknown) => void;
}

export function bootHooks({ kernel, processes, machine, bus, redactor, onFault }: HookPorts): HookParts {
  const { clock, log, paths, hostEnv = {} } = machine;
  const files = new HookFiles(paths.hooksDir, process.getuid?.() ?? 0);
  const hooks = new Hooks({ files, rows: kernel.hooks, clock });
  const marked = { home: paths.home, endMarked: (words: readonly string[]) => void endLeftBehind(words) };
  const run = runsOf({
    ...marked,
    hostEnv,
    clock,
    spawn: spawnPiped,
    directoryOf: (pid) => directoryOf(kernel, pid),
    timeoutMs: async (ownerUid) => Number(await settingOf(kernel, ownerUid, "hooks.timeoutMs")),
  });
  const notices = new Notices({ hooks, run, log });
  const vetoes = new Vetoes({
    hooks,
    run,
    log,
    conceal: (text) => redactor.text(text),
    onFault: async (ownerUid) =>
      (await settingOf(kernel, ownerUid, "hooks.onFault")) === "allow" ? "allow" : "refuse",
  });
  const person = async () => (await kernel.accounts.firstHuman())?.uid ?? null;
  const unlisten = listenForHooks({
    hooks,
    bus,
    person,
    onFault,
    message: async (pid, seq) => (await processes.history(pid, { afterSeq: seq - 1, limit: 1 })).messages[0] ?? null,
    notify: (event, about, body) => notices.notify(event, about, body),
  });
  return {
    service: hooksService({
      hooks,
      run,
      now: () => clock.now(),
      isPersonOfHome: async (uid) => (await person()) === uid,
    }),
    objection: ({ row, run: { runId }, signal }, { callId, tool, call, args, status }) => {
      const about = { ownerUid: row.ownerUid, pid: row.pid, parent: row.parentPid, run: runId, at: clock.now() };
      return vetoes.objection(about, { callId, tool, call, args, approved: status === "approved" }, signal);
    },
    isBusy: () => notices.busy || vetoes.busy,
    async load({ afterCrash }) {
      await hooks.load();
      if (afterCrash && hooks.events.size > 0) endLeftovers(marked);
    },
    async settled(ms) {
      await waitAtMost(clock, ms, notices.settled());
    },
    close() {
      unlisten();
      notices.close();
    },
  };
}

async function settingOf(
  { config }: Pick<KernelStore, "config">,
  uid: number,
  name: "hooks.timeoutMs" | "hooks.onFault",
): Promise<string> {
  return (await settingsFor(config, { uid, client: undefined }))(name).text;
}

/** The workspace directory of the process on the host; `/` if it has none or it is gone. */
async function directoryOf({ processes, workspaces }: KernelStore, pid: string): Promise<string> {
  const workspaceId = (await processes.get(pid))?.workspaceId ?? null;
  const directory = workspaceId === null ? null : ((await workspaces.get(workspaceId))?.directory ?? null);
  if (directory === null) return "/";
  return statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true ? directory : "/";
}
