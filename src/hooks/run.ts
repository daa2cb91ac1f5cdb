// Runs one hook: the event as one JSON object on stdin, an own environment, limited output and a time limit. At the limit, or when aborted, the
// hook and everything it started is ended. Never throws: errors are part of the result. Never waits for background children of the hook, even
// if they hold its output open.

import { LIMITS } from "../abi/config/limits.ts";
import { messageOf } from "../abi/errno.ts";
import type { Clock } from "../lib/clock.ts";
import { type Environment, hostEnvironment } from "../lib/host-environment.ts";
import { waitAtMost } from "../lib/wait.ts";
import type { ChildRequest, PipedChild } from "../targets/spawn.ts";
import { eventOf } from "./hooks.ts";

/** Starts a program as the leader of a process group. */
export type SpawnHook = (request: Pick<ChildRequest, "argv" | "directory" | "env">) => PipedChild & {
  /** Also ends children that have left the group. */
  killStrays(): void;
};

/** Time to read the last output after the hook has ended. */
const LAST_OUTPUT_MS = 500;

interface HookRun {
  readonly path: string;
  readonly directory: string;
  readonly env: { readonly [name: string]: string };
  readonly event: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface HookEnd {
  /** The exit status, or why the hook did not end by itself. */
  readonly how: "exited" | "timeout" | "cut" | "not started";
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The duration, or the time limit if it was exceeded. */
  readonly ms: number;
}

async function runHook(ports: { spawn: SpawnHook; clock: Clock }, run: HookRun): Promise<HookEnd> {
  const from = ports.clock.mono();
  const end = (rest: Omit<HookEnd, "ms">): HookEnd => {
    const ms = rest.how === "timeout" ? run.timeoutMs : Math.round(ports.clock.mono() - from);
    return { ...rest, ms };
  };
  const silent = { status: 0, stdout: "", stderr: "" };
  if (run.signal.aborted) return end({ how: "cut", ...silent });
  try {
    return end(await carriedOut(ports, run));
  } catch (error) {
    const why = messageOf(error).replace(/^cannot start .*: /, "");
    return end({ how: "not started", ...silent, stderr: `${why}; a script begins with #!/bin/sh or the like` });
  }
}

async function carriedOut(
  { spawn, clock }: { spawn: SpawnHook; clock: Clock },
  { path, directory, env, event, timeoutMs, signal }: HookRun,
): Promise<Omit<HookEnd, "ms">> {
  const child = spawn({ argv: [path], directory, env });
  let how: HookEnd["how"] = "exited";
  const stop = (why: HookEnd["how"]) => {
    if (how === "exited") how = why;
    child.kill();
  };
  const onAbort = () => stop("cut");
  const cancel = clock.after(timeoutMs, () => stop("timeout"));
  signal.addEventListener("abort", onAbort);
  const outputs = [new Head(child.stdout), new Head(child.stderr)] as const;
  // A hook need not read its stdin.
  child.stdin
    .write(Buffer.from(`${event}\n`))
    .catch(() => {})
    .finally(() => child.stdin.end());
  try {
    const status = await child.ended;
    // End its background children, which closes its output.
    child.kill();
    const isAll = Promise.all(outputs.map((each) => each.all));
    if ((await waitAtMost(clock, LAST_OUTPUT_MS, isAll)) === null) {
      child.killStrays();
      await waitAtMost(clock, LAST_OUTPUT_MS, isAll);
    }
    const [stdout, stderr] = outputs;
    return { how, status, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    cancel();
    signal.removeEventListener("abort", onAbort);
  }
}

/** Reads everything, so that the hook never blocks, and keeps the beginning. */
class Head {
  readonly all: Promise<void>;
  private readonly kept: Uint8Array[] = [];
  private room: number = LIMITS.hookOutputBytesMax;

  constructor(pieces: AsyncIterable<Uint8Array>) {
    // The rest is unreadable.
    this.all = this.read(pieces).catch(() => {});
  }

  text(): string {
    return new TextDecoder().decode(Buffer.concat(this.kept)).trimEnd();
  }

  private async read(pieces: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const piece of pieces) {
      if (this.room <= 0) continue;
      this.kept.push(piece.slice(0, this.room));
      this.room -= piece.length;
    }
  }
}

export interface About {
  readonly ownerUid: number;
  readonly pid: string;
  readonly run?: string;
  readonly parent: string | null;
  readonly at: number;
}

export type Runs = (
  hook: { readonly hook: string; readonly path: string },
  about: About,
  event: string,
  signal: AbortSignal,
) => Promise<HookEnd>;

export interface RunsPorts {
  readonly home: string;
  readonly hostEnv: { readonly [name: string]: string | undefined };
  readonly clock: Clock;
  readonly spawn: (request: Parameters<SpawnHook>[0]) => Omit<ReturnType<SpawnHook>, "killStrays">;
  /** Ends all programs that have all of these words in their environment. */
  readonly endMarked: (words: readonly string[]) => void;
  readonly directoryOf: (pid: string) => Promise<string>;
  readonly timeoutMs: (ownerUid: number) => Promise<number>;
}

/** Programs of the person may use their display. */
const DESKTOP = ["DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"];

/** Runs hooks in the directory of the process, without secrets. Marks in the environment find everything that a hook started. */
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
export function endLeftovers({ home, endMarked }: Pick<RunsPorts, "home" | "endMarked">): void {
  endMarked([`GSV_HOME=${home}\0`, "GSV_HOOK="]);
}

function environmentOf(given: RunsPorts["hostEnv"]): Environment {
  const desktop = DESKTOP.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]] as const]));
  return { ...hostEnvironment(given), ...Object.fromEntries(desktop) };
}
