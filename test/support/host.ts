// Commands of the host without a kernel around them: started, followed, read and ended as a kernel does it, in a directory of their own.

import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { realClock } from "../../src/lib/clock.ts";
import { hostEnvironment } from "../../src/lib/host-environment.ts";
import { type HostJob, HostJobs } from "../../src/targets/host-jobs.ts";
import { BASH } from "../../src/targets/leader.ts";
import type { Sandbox } from "../../src/targets/sandbox.ts";
import { CONFINED, machineSandbox, startedWith } from "./sandbox.ts";
import { scratchDirectory } from "./scratch.ts";

export interface Given {
  readonly env?: { readonly [name: string]: string };
  readonly stdin?: Uint8Array | "open";
  readonly timeoutMs?: number;
  readonly args?: readonly string[];
}

export class HostBench {
  readonly directory = scratchDirectory("host");
  readonly spoolDirectory = join(this.directory, "spool");
  readonly work = join(this.directory, "work");
  host = this.following();
  sandbox: Sandbox | null = null;
  private number = 0;

  constructor() {
    mkdirSync(this.work);
  }

  following(outputBytesMax = 1024 * 1024): HostJobs {
    const { spoolDirectory } = this;
    const kept = { keptMs: 60_000, keptBytesMax: 64 * 1024 * 1024 };
    return new HostJobs({ spoolDirectory, clock: realClock, outputBytesMax, runningMax: 8, graceMs: 700, ...kept });
  }

  start(script: string, { env = {}, stdin = new Uint8Array(), timeoutMs = 20_000, args = [] }: Given = {}) {
    const { work: directory, sandbox } = this;
    const argv = [BASH, "--noprofile", "--norc", "-c", script, "gsv", ...args];
    return this.host.start({
      meta: { id: `c${++this.number}`, uid: 1000, ownerUid: 1000, pid: null, script, directory, timeoutMs },
      argv: sandbox?.wrap(argv, { ...CONFINED, directory }) ?? argv,
      sandbox: sandbox?.name ?? null,
      env: hostEnvironment({ PATH: process.env.PATH, HOME: directory, ...env }),
      stdin,
    });
  }

  async run(script: string, given: Given = {}) {
    const command = this.start(script, given);
    await command.ended;
    return told(command);
  }

  /** Another kernel takes over from the one before. */
  next(): void {
    this.host.close();
    this.host = this.following();
    this.host.adopt();
  }

  /** Ends all running commands, and forgets them. */
  clear(): void {
    for (const command of this.host.list()) this.host.signal(command, "KILL");
    this.host.close();
    this.host = this.following();
  }

  /** Arguments that only its own commands have. */
  marked(): string {
    return `1000.${process.pid}${++this.number}`;
  }

  dispose(): void {
    this.clear();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

export function told({ exit, output }: HostJob) {
  const { pieces } = output.page(0, output.bytes);
  const of = (stream: string) =>
    Buffer.concat(pieces.filter((each) => each.stream === stream).map(({ bytes }) => bytes));
  return { exit, stdout: of("stdout").toString(), stderr: of("stderr").toString(), bytes: [...of("stdout")] };
}

/** Waits until a command has printed this. */
export async function printed(command: HostJob, text: string): Promise<void> {
  const deadline = realClock.mono() + 10_000;
  while (!told(command).stdout.includes(text)) {
    if (realClock.mono() > deadline) throw new Error(`never printed: ${text}`);
    await command.output.more(command.output.bytes, realClock, 1000, new AbortController().signal);
  }
}

/** Waits until all processes started with this are gone. */
export async function gone(mark: string): Promise<void> {
  const deadline = realClock.mono() + 10_000;
  while (startedWith(mark).length > 0) {
    if (realClock.mono() > deadline) throw new Error(`there still is: ${startedWith(mark).join(" ")}`);
    await realClock.sleep(5);
  }
}

export function isThere(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

const real = await machineSandbox();

export interface Way {
  readonly name: string;
  readonly sandbox: Sandbox | null;
  /** Its directory, for a kernel to find. */
  readonly program: string | undefined;
}

/** Ways to run commands, with the same effects. */
export const WAYS: readonly Way[] = [
  { name: "without a sandbox", sandbox: null, program: undefined },
  ...(real === null
    ? []
    : [{ name: "in the machine's sandbox", sandbox: real, program: Bun.which(real.name) ?? undefined }]),
];
