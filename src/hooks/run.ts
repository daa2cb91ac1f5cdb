// One run of one hook: the event on its stdin as one JSON object, an environment of its own, a bounded part of what it says, and an end.
// When its time is over, or nobody wants its answer any more, it ends with all it started. Never throws: what goes wrong is how it ended;
// and never waits for what a hook left behind, even where that still holds what the hook printed on.

import { LIMITS } from "../abi/config/limits.ts";
import { messageOf } from "../abi/errno.ts";
import type { Clock } from "../lib/clock.ts";
import { waitAtMost } from "../lib/wait.ts";
import type { ChildRequest, PipedChild } from "../targets/spawn.ts";

/** Starts a program that leads a group of its own; handed in. */
export type SpawnHook = (request: Pick<ChildRequest, "argv" | "directory" | "env">) => PipedChild & {
  /** Ends also what it started and what then left its group. */
  killStrays(): void;
};

/** For what was printed last to be heard, once the hook has ended. */
const HEARD_MS = 500;

export interface HookRun {
  readonly path: string;
  readonly directory: string;
  readonly env: { readonly [name: string]: string };
  /** One JSON object. */
  readonly event: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface HookEnd {
  /** How it ended: by itself, with this status; or why it did not. */
  readonly how: "exited" | "timeout" | "cut" | "not started";
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  /** How long it took; where that was too long, how long it might. */
  readonly ms: number;
}

export async function runHook(ports: { spawn: SpawnHook; clock: Clock }, run: HookRun): Promise<HookEnd> {
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
    const [why = ""] = /\([A-Z0-9]+\)$/.exec(messageOf(error)) ?? [];
    return end({ how: "not started", ...silent, stderr: `${why}: a script begins with #!/bin/sh or the like` });
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
  const heard = [new Head(child.stdout), new Head(child.stderr)] as const;
  // A hook need not read what it is told.
  child.stdin
    .write(Buffer.from(`${event}\n`))
    .catch(() => {})
    .finally(() => child.stdin.end());
  try {
    const status = await child.ended;
    // What it left in the background ends with it, and what it printed on is closed then.
    child.kill();
    const isAll = Promise.all(heard.map((each) => each.all));
    if ((await waitAtMost(clock, HEARD_MS, isAll)) === null) {
      child.killStrays();
      await waitAtMost(clock, HEARD_MS, isAll);
    }
    const [stdout, stderr] = heard;
    return { how, status, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    cancel();
    signal.removeEventListener("abort", onAbort);
  }
}

/** Read to its end, so that it never waits for us; the beginning is kept. */
class Head {
  readonly all: Promise<void>;
  private readonly kept: Uint8Array[] = [];
  private room: number = LIMITS.hookOutputBytesMax;

  constructor(pieces: AsyncIterable<Uint8Array>) {
    // What cannot be read any more has been heard.
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
