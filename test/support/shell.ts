// gsv as it is typed, against a kernel in this process: the real command line with streams that record. Time passes only as far as a
// command needs to end.

import type { Input, Interruption, Io } from "../../commands/command.ts";
import { runCommandLine } from "../../commands/run.ts";
import { homeKeeping } from "../../src/machine/backups.ts";
import { hostSide } from "../../src/machine/host-files.ts";
import { MANUAL } from "../../src/prompts/manual.ts";
import { jqProgram } from "../../src/shell/jq.ts";
import type { KernelStatus } from "../../src/syscalls/services.ts";
import { FakeIo, FakeOutput, stdinOf } from "./io.ts";
import type { TestKernel } from "./kernel.ts";
import { seeded } from "./random.ts";

export interface Typed {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Typing {
  readonly stdout: FakeOutput;
  readonly stderr: FakeOutput;
  readonly ended: Promise<Typed>;
  interrupt(name: Interruption): void;
}

/** Starts a command and returns while it runs. */
export async function begin(
  home: TestKernel,
  argv: readonly string[],
  stdin: Input = stdinOf("none"),
  more: Partial<Io> = {},
): Promise<Typing> {
  const stdout = new FakeOutput();
  const stderr = new FakeOutput();
  const listeners = new Set<(name: Interruption) => void>();
  const sys = await home.client();
  const io: Io = {
    stdout,
    stderr,
    stdin,
    env: {},
    cwd: "/somewhere",
    onSignal: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onEnding: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    clock: home.clock,
    random: seeded(1).bytes,
    // There is no person at these commands.
    person: {
      answersHere: () => false,
      ask: async () => "",
      askHidden: async () => "",
      edit: async ({ text }) => ({ text, done: () => {}, keep: () => "" }),
    },
    host: () =>
      hostSide({
        cwd: home.directory,
        home: home.paths.home,
        drafts: home.paths.runDir,
        clock: home.clock,
        random: seeded(3).bytes,
      }),
    override: async () => {},
    onWord: () => () => {},
    jq: jqProgram,
    conceal: async (text) => text,
    sys: () => sys,
    sysWith: () => {
      throw new Error("not in this test");
    },
    keep: homeKeeping({
      paths: home.paths,
      uid: process.getuid?.() ?? 0,
      cwd: home.directory,
      clock: home.clock,
      random: seeded(2).bytes,
    }),
    signIn: {
      as: () => {},
      unasked: () => {},
      keep: async () => {},
      kept: async () => null,
      forget: async () => {},
    },
    remotes: new FakeIo().remotes,
    kernel: { ...new FakeIo().kernel, start: () => sys.call<KernelStatus>("system.start", {}) },
    machine: new FakeIo().machine,
    peek: () => home.client(),
    manual: async () => MANUAL,
    hostTerminal: async () => null,
    hostLine: async () => null,
    isOnPath: () => false,
    spawn: async () => 127,
    ...more,
  };
  const interrupt = (name: Interruption) => {
    for (const listener of listeners) listener(name);
  };
  const ended = runCommandLine(argv, io).then(async (status) => {
    await sys.close();
    return { status, stdout: stdout.text, stderr: stderr.text };
  });
  return { stdout, stderr, ended, interrupt };
}

/** Runs a command to its end. */
export async function type(home: TestKernel, ...argv: string[]): Promise<Typed> {
  return await finish(home, await begin(home, argv));
}

/** Lets time pass until the command has ended. */
export async function finish(home: TestKernel, { ended }: Typing): Promise<Typed> {
  let over = false;
  void ended.finally(() => {
    over = true;
  });
  await home.until("the command ends", async () => {
    await home.clock.advance(50);
    return over;
  });
  return await ended;
}
