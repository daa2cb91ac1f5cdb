// Starts host programs; the only place that does. Every child leads its own session and group, so that a signal reaches all its children. It
// gets exactly the given environment.

import { constants } from "node:os";
import { errnoText, SysError } from "../abi/errno.ts";
import type { Clock } from "../lib/clock.ts";

export interface ChildRequest {
  readonly argv: readonly string[];
  readonly directory: string;
  /** The complete environment. */
  readonly env: { readonly [name: string]: string };
  /** A descriptor, nothing, or a pipe fed by `write`. */
  readonly stdin: number | "nothing" | "pipe";
  readonly stdout: number;
  readonly stderr: number;
}

export interface Child {
  readonly pid: number;
  readonly exited: Promise<void>;
  /** Null without a pipe. */
  readonly stdin: { write(bytes: Uint8Array): Promise<void>; end(): void } | null;
}

export function spawnDetached({ argv, directory, env, stdin, stdout, stderr }: ChildRequest): Child {
  try {
    const child = Bun.spawn([...argv], {
      cwd: directory,
      env: { ...env },
      stdin: stdin === "nothing" ? "ignore" : stdin,
      stdout,
      stderr,
      detached: true,
    });
    // Must not keep the kernel alive.
    child.unref();
    const sink = child.stdin;
    const isPipe = typeof sink === "object" && sink !== null;
    return {
      pid: child.pid,
      exited: child.exited.then(() => {}),
      stdin: isPipe ? { write: async (bytes) => feed(sink, bytes), end: () => void sink.end() } : null,
    };
  } catch (error) {
    throw notStarted(argv, error);
  }
}

async function feed(sink: { write(bytes: Uint8Array): unknown; flush(): unknown }, bytes: Uint8Array): Promise<void> {
  try {
    await sink.write(bytes);
    await sink.flush();
  } catch {
    throw new SysError("EIO", "the command has closed its input");
  }
}

export interface PipedChild {
  readonly pid: number;
  readonly stdin: { write(bytes: Uint8Array): Promise<void>; end(): void };
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  /** Exit status as in sh. */
  readonly ended: Promise<number>;
  /** Asks the whole group to end. */
  terminate(): void;
  /** Kills the whole group. */
  kill(): void;
}

/** A program with piped stdin and output. */
export function spawnPiped({ argv, directory, env }: Pick<ChildRequest, "argv" | "directory" | "env">): PipedChild {
  try {
    const child = Bun.spawn([...argv], {
      ...{ cwd: directory, env: { ...env }, detached: true },
      ...{ stdin: "pipe", stdout: "pipe", stderr: "pipe" },
    });
    child.unref();
    const { stdin, stdout, stderr } = child;
    return {
      pid: child.pid,
      stdin: { write: async (bytes) => feed(stdin, bytes), end: () => void stdin.end() },
      ...{ stdout, stderr },
      ended: child.exited.then(() => statusOf(child)),
      terminate: () => signalGroup(child.pid, "SIGTERM"),
      kill: () => signalGroup(child.pid, "SIGKILL"),
    };
  } catch (error) {
    throw notStarted(argv, error);
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // Already gone.
  }
}

function statusOf({ exitCode, signalCode }: Pick<Bun.Subprocess, "exitCode" | "signalCode">): number {
  return signalCode === null ? (exitCode ?? 1) : 128 + (constants.signals[signalCode as NodeJS.Signals] ?? 0);
}

/** A program with piped stdout only. */
export function spawnRead(argv: readonly string[], env: { readonly [name: string]: string }) {
  try {
    const child = Bun.spawn([...argv], { cwd: "/", env: { ...env }, stdio: ["ignore", "pipe", "ignore"] });
    child.unref();
    return { stdout: child.stdout as AsyncIterable<Uint8Array>, kill: () => child.kill("SIGKILL") };
  } catch (error) {
    throw notStarted(argv, error);
  }
}

export interface TerminalRequest {
  readonly argv: readonly string[];
  readonly directory: string;
  readonly env: { readonly [name: string]: string };
  readonly columns: number;
  readonly rows: number;
  readonly clock: Clock;
  readonly print: (bytes: Uint8Array) => void;
}

export interface TerminalChild {
  /** Exit status as in sh, after all output. */
  readonly ended: Promise<number>;
  /** ctrl-c goes to the foreground process. */
  type(keys: Uint8Array): void;
  resize(columns: number, rows: number): void;
  /** Closes the terminal: its processes get HUP. */
  hangUp(): void;
}

/** Output may arrive after the exit; background processes may keep the terminal open. */
const LAST_WORDS_MS = 200;

/** A program on a new terminal. */
export function spawnOnTerminal({ argv, directory, env, columns, rows, clock, print }: TerminalRequest): TerminalChild {
  const silent = Promise.withResolvers<void>();
  const told = (_: unknown, bytes: Uint8Array) => print(bytes);
  try {
    // A terminal created beforehand would not be the controlling one: no job control, no ctrl-c.
    const terminal = { cols: columns, rows, data: told, exit: () => silent.resolve() };
    const child = Bun.spawn([...argv], { cwd: directory, env: { ...env }, terminal });
    const own = child.terminal;
    if (own === undefined) throw new SysError("ENOSYS", "no terminals available");
    const whenOpen = (work: () => void) => {
      if (!own.closed) work();
    };
    const ended = child.exited.then(async () => {
      await Promise.race([silent.promise, clock.sleep(LAST_WORDS_MS)]);
      whenOpen(() => own.close());
      return statusOf(child);
    });
    return {
      ended,
      type: (keys) => whenOpen(() => own.write(keys as Uint8Array<ArrayBuffer>)),
      resize: (width, height) => whenOpen(() => own.resize(width, height)),
      hangUp: () => whenOpen(() => own.close()),
    };
  } catch (error) {
    throw notStarted(argv, error);
  }
}

function notStarted([program = ""]: readonly string[], error: unknown): SysError {
  const isFormat = (error as { code?: unknown }).code === "ENOEXEC";
  return new SysError("EIO", `cannot start ${program}: ${isFormat ? "not a program" : errnoText(error)}`);
}

const PROBE_MS = 5000;

/** True if the program exits with 0 in time. */
export async function succeeds(argv: readonly string[], env: { readonly [name: string]: string }): Promise<boolean> {
  try {
    const child = Bun.spawn([...argv], {
      ...{ cwd: "/", env: { ...env }, stdio: ["ignore", "ignore", "ignore"] },
      ...{ timeout: PROBE_MS, killSignal: "SIGKILL" },
    });
    return (await child.exited) === 0;
  } catch {
    return false;
  }
}
