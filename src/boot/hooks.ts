// Hooks, put together: what they are told comes from the bus and from the calls of agents, and they run where the process works, with an
// environment that holds no secret. While nobody has allowed a hook, a run costs one look at a directory and a tool call costs nothing.

import { statSync } from "node:fs";
import { ROOT_UID } from "../abi/identity.ts";
import type { Signal } from "../abi/signal.ts";
import type { Machine } from "../boot.ts";
import { signalsFor, toldOf } from "../hooks/events.ts";
import { HookFiles } from "../hooks/files.ts";
import { eventOf, Hooks } from "../hooks/hooks.ts";
import { type About, Notices, type Runs } from "../hooks/notices.ts";
import { runHook, type SpawnHook } from "../hooks/run.ts";
import { hooksService } from "../hooks/service.ts";
import { Vetoes } from "../hooks/veto.ts";
import type { Bus } from "../kernel/bus.ts";
import { settingsFor } from "../kernel/config.ts";
import { type Environment, hostEnvironment } from "../lib/host-environment.ts";
import type { Redactor } from "../lib/redact.ts";
import type { RunPlace } from "../process/toolcalls.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import type { CallRow, ProcessStore } from "../store/process/verbs.ts";
import type { HooksService } from "../syscalls/hook-service.ts";
import { endLeftBehind } from "../targets/left-behind.ts";
import { spawnPiped } from "../targets/spawn.ts";

export interface HookParts {
  readonly service: HooksService;
  /** Why a call is not to be made; null where no hook objects. */
  readonly objection: (place: RunPlace, call: CallRow) => Promise<string | null>;
  readonly isBusy: () => boolean;
  /** What people have decided, and what lies there: before anything runs. */
  load(start: { readonly afterCrash: boolean }): Promise<void>;
  /** Once all that was told is done with, or so much time is over. */
  settled(ms: number): Promise<void>;
  close(): void;
}

interface HookPorts {
  readonly kernel: KernelStore;
  readonly processes: ProcessStore;
  readonly machine: Machine;
  readonly bus: Bus;
  readonly redactor: Redactor;
  readonly onFault: (error: unknown) => void;
}

/** A person's own programs, and those alone, may reach the screen they sit at. */
const DESKTOP = ["DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"];

export function bootHooks(ports: HookPorts): HookParts {
  const { kernel, machine, redactor } = ports;
  const { clock, log } = machine;
  const files = new HookFiles(machine.paths.hooksDir, process.getuid?.() ?? 0);
  const hooks = new Hooks({ files, rows: kernel.hooks, clock });
  const run = runsOf(ports);
  const notices = new Notices({ hooks, run, log });
  const vetoes = new Vetoes({
    ...{ hooks, run, log },
    conceal: (text) => redactor.text(text),
    onFault: async (ownerUid) =>
      (await settingOf(kernel, ownerUid, "hooks.onFault")) === "allow" ? "allow" : "refuse",
  });
  const deaf = [listenForNew(ports, hooks), listenForEvents(ports, hooks, notices)];
  return {
    service: hooksService({
      ...{ hooks, run, now: () => clock.now() },
      isPersonOfHome: async (uid) => (await kernel.accounts.firstHuman())?.uid === uid,
    }),
    objection: ({ row, run: { runId }, signal }, { callId, tool, call, args, status }) => {
      const about = { ownerUid: row.ownerUid, pid: row.pid, parent: row.parentPid, run: runId, at: clock.now() };
      return vetoes.objection(about, { callId, tool, call, args, approved: status === "approved" }, signal);
    },
    isBusy: () => notices.busy || vetoes.busy,
    async load({ afterCrash }) {
      await hooks.load();
      // What the dead kernel asked, nobody waits for; and nobody would end it when its time is over.
      if (afterCrash && hooks.events.size > 0) endLeftBehind([`GSV_HOME=${machine.paths.home}\0`, "GSV_HOOK="]);
    },
    async settled(ms) {
      const timeUp = new AbortController();
      await Promise.race([notices.settled(), clock.sleep(ms, timeUp.signal)]);
      timeUp.abort();
    },
    close() {
      for (const stop of deaf) stop();
      notices.close();
    },
  };
}

/** Whoever put a hook there is told of it once, in a run that somebody follows: as it begins, or before it is over. */
function listenForNew({ kernel, bus, onFault }: HookPorts, hooks: Hooks): () => void {
  let person: number | null = null;
  const untold = new Map<string, string>();
  const tell = ({ pid, uid, parent, at }: Signal) => {
    if (uid !== person) return;
    for (const { hook, sha256 } of hooks.fresh(uid)) if (sha256 !== null) untold.set(hook, sha256);
    if (untold.size === 0 || !bus.wanted(pid, "process.hook")) return;
    for (const [hook, sha256] of untold) {
      const text = `a new hook waits for your word: gsv hooks allow ${hook}`;
      bus.emit({ name: "process.hook", pid, uid, parent, at, hook, text });
      hooks.decide({ uid, username: "kernel" }, { hook, sha256 }, "seen").catch(onFault);
    }
    untold.clear();
  };
  const hear = async (signal: Signal) => {
    if (person !== null) return tell(signal);
    person = (await kernel.accounts.firstHuman())?.uid ?? null;
    tell(signal);
  };
  return bus.listen({
    ...{ uid: ROOT_UID, clientId: null, filter: { names: ["chat.start", "chat.complete"] } },
    // Before its end is told to those who came later.
    hear: (signal) => void hear(signal).catch(onFault),
  });
}

/** Listens to nothing that no hook is for. */
function listenForEvents(ports: HookPorts, hooks: Hooks, notices: Notices): () => void {
  let deaf = () => {};
  const hear = (signal: Signal) => {
    const { pid, uid: ownerUid, parent, at } = signal;
    const about = { ownerUid, pid, parent, at, ...("run" in signal ? { run: signal.run } : {}) };
    for (const { event, body } of toldOf(signal)) notices.tell(event, about, body);
    if (signal.name !== "chat.start" && signal.name !== "chat.entered") return;
    if (hooks.events.has("prompt")) void tellPrompts(ports, notices, about, signal).catch(ports.onFault);
  };
  hooks.onChange(() => {
    deaf();
    const { events } = hooks;
    const names = [...signalsFor(events), ...(events.has("prompt") ? ["chat.start", "chat.entered"] : [])];
    deaf = names.length === 0 ? () => {} : ports.bus.listen({ uid: ROOT_UID, clientId: null, filter: { names }, hear });
  });
  return () => deaf();
}

/** Signals name messages by their numbers. */
async function tellPrompts(
  { processes }: HookPorts,
  notices: Notices,
  about: About,
  signal: Extract<Signal, { readonly name: "chat.start" | "chat.entered" }>,
): Promise<void> {
  const entered = signal.name === "chat.start" ? [{ run: signal.run, seq: signal.seq }] : signal.messages;
  for (const { run, seq } of entered) {
    const { messages } = await processes.history(about.pid, { afterSeq: seq - 1, limit: 1 });
    for (const { role, content, origin } of messages) {
      if (role !== "user") continue;
      const from = origin?.kind === "process" ? origin.pid : origin?.kind === "client" ? "person" : "kernel";
      notices.tell("prompt", { ...about, run: run ?? about.run ?? "" }, { text: content, from });
    }
  }
}

async function settingOf(
  { config }: Pick<KernelStore, "config">,
  uid: number,
  name: "hooks.timeoutMs" | "hooks.onFault",
): Promise<string> {
  return (await settingsFor(config, { uid, client: undefined }))(name).text;
}

function runsOf({ kernel, machine }: HookPorts): Runs {
  const { clock, paths, hostEnv = {} } = machine;
  const own = hookEnvironment(hostEnv);
  return async ({ hook, path }, { ownerUid, pid, run }, event, signal) => {
    const env = { ...own, GSV_HOME: paths.home, GSV_HOOK: hook, GSV_EVENT: eventOf(hook), GSV_PID: pid };
    const marks = [`GSV_HOME=${paths.home}\0`, `GSV_HOOK=${hook}\0`, `GSV_PID=${pid}\0`];
    const spawn: SpawnHook = (request) => ({ ...spawnPiped(request), killStrays: () => void endLeftBehind(marks) });
    return await runHook(
      { spawn, clock },
      {
        ...{ path, event, signal, env: run === undefined ? env : { ...env, GSV_RUN: run } },
        directory: await directoryOf(kernel, pid),
        timeoutMs: Number(await settingOf(kernel, ownerUid, "hooks.timeoutMs")),
      },
    );
  };
}

function hookEnvironment(given: { readonly [name: string]: string | undefined }): Environment {
  const desktop = DESKTOP.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]] as const]));
  return { ...hostEnvironment(given), ...Object.fromEntries(desktop) };
}

/** Where the process works, where that is a directory of this machine which is still there. */
async function directoryOf({ processes, workspaces }: KernelStore, pid: string): Promise<string> {
  const workspaceId = (await processes.get(pid))?.workspaceId ?? null;
  const directory = workspaceId === null ? null : ((await workspaces.get(workspaceId))?.directory ?? null);
  if (directory === null) return "/";
  return statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true ? directory : "/";
}
