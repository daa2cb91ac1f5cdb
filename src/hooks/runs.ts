// Runs hooks in the directory of the process, with an environment without secrets. Marks in the environment find everything a hook started.

import { type Environment, hostEnvironment } from "../lib/host-environment.ts";
import { eventOf } from "./hooks.ts";
import type { Runs } from "./notices.ts";
import { runHook, type SpawnHook } from "./run.ts";

export interface RunsPorts {
  readonly home: string;
  readonly hostEnv: { readonly [name: string]: string | undefined };
  readonly clock: Parameters<typeof runHook>[0]["clock"];
  readonly spawn: (request: Parameters<SpawnHook>[0]) => Omit<ReturnType<SpawnHook>, "killStrays">;
  /** Ends all programs that have all of these words in their environment. */
  readonly endMarked: (words: readonly string[]) => void;
  readonly directoryOf: (pid: string) => Promise<string>;
  readonly timeoutMs: (ownerUid: number) => Promise<number>;
}

/** Programs of the person may use their display. */
const DESKTOP = ["DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"];

export function runsOf(ports: RunsPorts): Runs {
  const { home, clock, endMarked } = ports;
  const own = environmentOf(ports.hostEnv);
  return async ({ hook, path }, { ownerUid, pid, run }, event, signal) => {
    const env = { ...own, GSV_HOME: home, GSV_HOOK: hook, GSV_EVENT: eventOf(hook), GSV_PID: pid };
    const marks = [`GSV_HOME=${home}\0`, `GSV_HOOK=${hook}\0`, `GSV_PID=${pid}\0`];
    const spawn: SpawnHook = (request) => ({ ...ports.spawn(request), killStrays: () => endMarked(marks) });
    return await runHook(
      { spawn, clock },
      {
        path,
        event,
        signal,
        env: run === undefined ? env : { ...env, GSV_RUN: run },
        directory: await ports.directoryOf(pid),
        timeoutMs: await ports.timeoutMs(ownerUid),
      },
    );
  };
}

/** Ends hooks that a dead kernel left running, because nothing else enforces their time limit. */
export function endLeft({ home, endMarked }: Pick<RunsPorts, "home" | "endMarked">): void {
  endMarked([`GSV_HOME=${home}\0`, "GSV_HOOK="]);
}

function environmentOf(given: RunsPorts["hostEnv"]): Environment {
  const desktop = DESKTOP.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]] as const]));
  return { ...hostEnvironment(given), ...Object.fromEntries(desktop) };
}
