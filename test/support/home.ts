// A gsv home in a temporary directory with real processes around it: kernels with or without a crash plan, clients in this process, and
// gsv itself as a person runs it. Every process that was started for a home is ended with it, and no other. Waiting is for an event,
// with a deadline.

import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ProcessInfo } from "../../src/abi/process/process.ts";
import type { Sys } from "../../src/abi/sys.ts";
import { readOnlySys } from "../../src/client/read.ts";
import { socketPlace } from "../../src/client/socket.ts";
import { realClock } from "../../src/lib/clock.ts";
import { isStopped } from "../../src/lib/stopped.ts";
import { homePaths, readKernelInfo } from "../../src/paths.ts";
import { openSys } from "../../src/rpc/connect.ts";
import type { FindSettings } from "../../src/rpc/find.ts";
import { SYSCALLS } from "../../src/syscalls/all.ts";
import { VERSION } from "../../src/version.ts";
import { CRASH_ENV, type CrashPlan } from "./crash.ts";
import { crashKernelCommand, gsvCommand } from "./program.ts";
import { seeded } from "./random.ts";
import { Session } from "./session.ts";

const DEADLINE_MS = 15_000;

export interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface KernelProcess {
  readonly pid: number;
  /** How it ended: an exit status, or the signal that ended it. */
  readonly ended: Promise<number | string>;
  signal(name: NodeJS.Signals): void;
}

export type Env = { readonly [name: string]: string };

export class TestHome {
  readonly directory: string;
  readonly paths: ReturnType<typeof homePaths>;
  /** Returns the plan of each kernel that is started here. */
  plan: () => CrashPlan = () => ({});
  /** While true, the clients in this process start no kernel. */
  refuseToStart = false;
  /** Number of kernels started here. */
  readonly kernels: KernelProcess[] = [];
  /** Number of them killed. */
  deaths = 0;
  private readonly root: string;
  private readonly open: Sys[] = [];
  readonly env: Env;

  /** `under`: where the length of a path is on the screen. */
  constructor(options: { readonly env?: Env; readonly at?: string; readonly under?: string } = {}) {
    this.root = mkdtempSync(join(options.under ?? tmpdir(), "gsv-crash-"));
    this.directory = join(this.root, options.at ?? "home");
    this.paths = homePaths(this.directory);
    this.env = {
      HOME: this.root,
      USER: "sam",
      PATH: process.env.PATH ?? "",
      GSV_HOME: this.directory,
      // A kernel that is not ended leaves by itself soon after its home is gone.
      GSV_KERNEL_LOCK_CHECK_MS: "200",
      GSV_KERNEL_IDLE_MS: "5000",
      // Tests leave nothing in the keychain of the user who runs them.
      GSV_SECRETS: "file",
      GSV_KERNEL_MODEL_RETRIES: "3",
      // The provider must not depend on other programs of the host.
      OLLAMA_HOST: "none",
      // Terminals begin at the prompt.
      GSV_SETUP: "never",
      ...options.env,
    };
  }

  /** Writes a file next to the home and returns its path. */
  async file(name: string, lines: readonly (string | object)[]): Promise<string> {
    const path = join(this.root, name);
    await Bun.write(path, lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""));
    return path;
  }

  /** An unused path next to the home. */
  beside(name: string): string {
    return join(this.root, name);
  }

  /** gsv on a terminal, as a person has it. */
  terminal(
    env: Env = {},
    size: {
      readonly columns?: number;
      readonly rows?: number;
      readonly argv?: readonly string[];
      readonly cwd?: string;
      readonly controlling?: boolean;
    } = {},
  ): Session {
    return new Session({ argv: gsvCommand(), env: { ...this.env, ...env }, ...size });
  }

  /** Starts a kernel with the current plan; it may find that another is faster. */
  start(env: Env = {}): KernelProcess {
    const log = this.beside("kernel.log");
    appendFileSync(log, "");
    const child = Bun.spawn([...crashKernelCommand()], {
      cwd: "/",
      env: { ...this.env, ...env, [CRASH_ENV]: JSON.stringify(this.plan()) },
      stdio: ["ignore", Bun.file(log), Bun.file(log)],
    });
    const kernel = {
      pid: child.pid,
      ended: child.exited.then((status) => {
        if (child.signalCode === "SIGKILL") this.deaths++;
        return child.signalCode ?? status;
      }),
      signal: (name: NodeJS.Signals) => child.kill(name),
    };
    this.kernels.push(kernel);
    return kernel;
  }

  /** A client in this process. It starts kernels as `start` does. */
  sys(
    options: { readonly seed?: number; readonly model?: string; readonly settings?: Partial<FindSettings> } = {},
  ): Sys {
    const seed = options.seed ?? this.open.length + 1;
    const { bytes } = seeded(seed);
    const sys = openSys({
      socketPath: this.socketPath,
      info: {
        clientId: `client-${seed}`,
        version: VERSION,
        cwd: "/",
        env: options.model === undefined ? {} : { GSV_MODEL: options.model },
      },
      exe: "gsv",
      clock: realClock,
      random: bytes,
      classOf: (name) => SYSCALLS.get(name)?.class,
      readSys: () => readOnlySys({ paths: this.paths, clock: realClock, random: bytes, onInterrupted: () => {} }),
      startKernel: async () => {
        if (this.refuseToStart) return { status: 1, says: "the test starts none" };
        const ended = await this.start().ended;
        return { status: typeof ended === "number" ? ended : 1, says: null };
      },
      showedInterrupted: () => false,
      holderPid: () => this.holder,
      isSuspended: async (pid) => isStopped(pid),
      settings: { startMs: DEADLINE_MS, ...options.settings },
    });
    this.open.push(sys);
    return sys;
  }

  get socketPath(): string {
    return socketPlace(this.paths, { uid: process.getuid?.() ?? 0 }).path;
  }

  /** The process that claims to hold the home. */
  get holder(): number | null {
    return readKernelInfo(this.paths)?.pid ?? null;
  }

  /** gsv as a person runs it: the binary when it is fresh, else from source. */
  async gsv(
    args: readonly string[],
    options: { readonly env?: Env; readonly stdin?: string; readonly cwd?: string } = {},
  ): Promise<Ran> {
    const child = Bun.spawn([...gsvCommand(), ...args], {
      cwd: options.cwd ?? this.root,
      env: { ...this.env, ...options.env },
      stdin: options.stdin === undefined ? "ignore" : Buffer.from(options.stdin),
      stdout: "pipe",
      stderr: "pipe",
    });
    const late = setTimeout(() => child.kill("SIGKILL"), 2 * DEADLINE_MS);
    const [stdout, stderr, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    clearTimeout(late);
    return { status, stdout, stderr };
  }

  /** Every current process that belongs to this home. */
  get processes(): number[] {
    return processesOf(this.directory);
  }

  async ps(): Promise<ProcessInfo[]> {
    const { stdout, stderr, status } = await this.gsv(["ps", "--json"]);
    if (status !== 0) throw new Error(`gsv ps: ${status} ${stderr}`);
    return jsonLines<ProcessInfo>(stdout);
  }

  /** kill -9 of the holder of the home; resolves when it is gone. */
  async kill(): Promise<void> {
    const pid = this.holder;
    if (pid === null || !isOf(pid, this.directory)) return;
    process.kill(pid, "SIGKILL");
    await until(`kernel ${pid} is gone`, () => !isAlive(pid));
  }

  /** Asks the holder of the home to leave, and waits until it has. */
  async stop(): Promise<void> {
    const pid = this.holder;
    if (pid === null || !isOf(pid, this.directory)) return;
    process.kill(pid, "SIGTERM");
    await until(`kernel ${pid} has left`, () => !isAlive(pid));
  }

  async dispose(): Promise<void> {
    for (const sys of this.open.splice(0)) await sys.close();
    for (const kernel of this.kernels) kernel.signal("SIGKILL");
    for (const pid of this.processes) end(pid);
    await Promise.all(this.kernels.map((kernel) => kernel.ended));
    // The socket of a home with a long path has a directory of its own, which a killed kernel leaves behind.
    if (this.socketPath !== this.paths.socket) rmSync(dirname(this.socketPath), { recursive: true, force: true });
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** Makes a home for a piece of work and removes it again; prints the kernels' logs if the work fails. */
export async function withHome(
  work: (home: TestHome) => Promise<void>,
  options: ConstructorParameters<typeof TestHome>[0] = {},
): Promise<void> {
  const home = new TestHome(options);
  try {
    await work(home);
  } catch (error) {
    const log = Bun.file(home.beside("kernel.log"));
    if (await log.exists()) process.stderr.write(await log.text());
    throw error;
  } finally {
    await home.dispose();
  }
}

/** Waits for a condition, with a deadline; a test never sleeps for a guessed time. */
export async function until(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  deadlineMs = DEADLINE_MS,
): Promise<void> {
  const end = performance.now() + deadlineMs;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error(`never happened: ${what}`);
    await Bun.sleep(2);
  }
}

export function jsonLines<Row>(text: string): Row[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Row);
}

export function isAlive(pid: number): boolean {
  try {
    // A zombie still has its pid.
    return !/^\d+ \(.*\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return existsSync("/proc/self") ? false : signals(pid);
  }
}

/** Processes of this home; its path is random, so they can only be ours. */
function processesOf(directory: string): number[] {
  const numbers = existsSync("/proc/self") ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
  return numbers.map(Number).filter((pid) => isOf(pid, directory));
}

function isOf(pid: number, directory: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(`GSV_HOME=${directory}`);
  } catch {
    return false;
  }
}

function signals(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {} // it had already ended
}
