// Target `host`: real bash on this computer. A command leads its own process group and writes its output and status to the spool, so it
// survives the kernel: the next one finds and follows it. Ending a command ends its whole group. Output and run time are limited.

import { chmodSync, closeSync, existsSync, mkdirSync, openSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ENDED_BY, SysError } from "../abi/errno.ts";
import type { Clock } from "../lib/clock.ts";
import { listDirectory } from "../lib/directories.ts";
import type { Environment } from "../lib/host-environment.ts";
import { groupsFor, led } from "./leader.ts";
import { bootId, isAlive, type Leader } from "./pids.ts";
import { type Child, type ChildRequest, spawnDetached } from "./spawn.ts";
import { type Cause, type Meta, Spool, SpooledOutput } from "./spool.ts";

export interface HostJobSpec {
  readonly meta: Omit<Meta, "startedAt" | "bootId" | "sandbox">;
  readonly argv: readonly string[];
  readonly sandbox: string | null;
  readonly env: Environment;
  /** "open": written later. */
  readonly stdin: Uint8Array | "open";
}

export interface HostJob {
  readonly meta: Meta;
  readonly output: SpooledOutput;
  /** null while it runs. */
  readonly exit: number | null;
  readonly ended: Promise<void>;
}

export interface HostOptions {
  readonly spoolDirectory: string;
  readonly clock: Clock;
  readonly outputBytesMax: number;
  readonly runningMax: number;
  /** Time between TERM and KILL. */
  readonly graceMs: number;
  /** How long ended commands are kept. */
  readonly keptMs: number;
  readonly keptBytesMax: number;
  readonly spawn?: (request: ChildRequest) => Child;
}

export type HostSignal = "HUP" | "INT" | "QUIT" | "KILL" | "USR1" | "USR2" | "TERM" | "CONT" | "STOP";

const EXIT: { readonly [C in Cause]: number | null } = {
  timeout: ENDED_BY.time,
  output: ENDED_BY.output,
  stopped: null,
};
const ENDED_MAX = 500;
/** Polling intervals: growing while there is no output. */
const LOOK_MS = [1, 1, 1, 1, 1, 1, 2, 2, 4, 8, 15, 15, 15, 15, 30, 30, 30, 50, 50, 50, 100] as const;

/** Polling restarts here after output. */
const LOOKS_SOON = 8;

type Timer = "deadline" | "kill" | "look" | "forget";

interface Running extends HostJob {
  exit: number | null;
  readonly spool: Spool;
  /** Null if an earlier kernel started it. */
  readonly child: Child | null;
  readonly leader: Leader | null;
  readonly done: () => void;
  readonly timers: Map<Timer, () => void>;
  /** Signals that could not be delivered yet. */
  readonly early: HostSignal[];
  looks: number;
}

export class HostJobs {
  private readonly commands = new Map<string, Running>();
  private readonly boot = bootId();
  private closed = false;

  constructor(private readonly options: HostOptions) {}

  /** Takes over commands of earlier kernels: follows running ones, keeps ended ones, deletes old ones. */
  adopt(): void {
    for (const uid of listDirectory(this.options.spoolDirectory).filter((name) => /^[0-9]+$/.test(name)))
      for (const id of listDirectory(join(this.options.spoolDirectory, uid)))
        this.take(new Spool(this.place(Number(uid), id)));
  }

  start({ meta: given, argv, sandbox, env, stdin }: HostJobSpec): HostJob {
    const { clock, runningMax } = this.options;
    if (this.running >= runningMax)
      throw new SysError("ELIMIT", `${runningMax} commands are running on this computer`, [
        "wait for one to end, or stop one",
      ]);
    const meta: Meta = { ...given, sandbox, startedAt: clock.now(), bootId: this.boot };
    const spool = new Spool(this.place(meta.uid, meta.id));
    makeOwn(spool.directory, meta.id);
    const files: number[] = [];
    const open = (file: "stdin" | "stdout" | "stderr", flags: "ax" | "r") => {
      const descriptor = openSync(spool.path(file), flags, 0o600);
      files.push(descriptor);
      return descriptor;
    };
    try {
      spool.writeMeta(meta);
      if (stdin !== "open") writeFileSync(spool.path("stdin"), stdin, { mode: 0o600 });
      const child = (this.options.spawn ?? spawnDetached)({
        argv: led(spool, argv, tellsInside(meta)),
        directory: meta.directory,
        env,
        stdin: stdin === "open" ? "pipe" : open("stdin", "r"),
        stdout: open("stdout", "ax"),
        stderr: open("stderr", "ax"),
      });
      return this.follow(meta, spool, child);
    } catch (error) {
      rmSync(spool.directory, { recursive: true, force: true });
      throw error;
    } finally {
      for (const descriptor of files) closeSync(descriptor);
    }
  }

  get(uid: number, id: string): HostJob | null {
    return this.commands.get(`${uid}:${id}`) ?? null;
  }

  /** Oldest first. */
  list(): readonly HostJob[] {
    return [...this.commands.values()];
  }

  get running(): number {
    return this.list().filter(({ exit }) => exit === null).length;
  }

  /** To the whole group. False if it has ended. */
  signal({ meta }: HostJob, name: HostSignal): boolean {
    const command = this.commands.get(keyOf(meta));
    return command !== undefined && command.exit === null && this.send(command, name);
  }

  /** TERM, then KILL. */
  stop({ meta }: HostJob, cause: Cause = "stopped"): boolean {
    const command = this.commands.get(keyOf(meta));
    if (command === undefined || command.exit !== null) return false;
    if (this.closed) return false;
    command.spool.setCause(cause);
    // A stopped process must continue in order to end.
    this.send(command, "TERM");
    this.send(command, "CONT");
    this.arm(command, "kill", this.options.graceMs, () => this.send(command, "KILL"));
    return true;
  }

  async write({ meta }: HostJob, bytes: Uint8Array | null, isLast: boolean): Promise<void> {
    const command = this.commands.get(keyOf(meta));
    const stdin = command?.child?.stdin;
    if (command === undefined || command.exit !== null) throw new SysError("ENOENT", `command ${meta.id} has ended`);
    if (stdin == null) throw new SysError("EINVAL", `command ${meta.id} takes no input: it was started without stdin`);
    if (bytes !== null) await stdin.write(bytes);
    if (isLast) stdin.end();
  }

  /** Commands keep running; the next kernel follows them. */
  close(): void {
    this.closed = true;
    for (const command of this.commands.values()) disarm(command);
  }

  private place(uid: number, id: string): string {
    return join(this.options.spoolDirectory, String(uid), id);
  }

  private take(spool: Spool): void {
    const { clock, keptMs } = this.options;
    const meta = spool.meta();
    const touched = statSync(spool.directory, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const runs = meta !== null && spool.status() === null && this.mayRun(meta, spool);
    if (meta === null || (!runs && touched < clock.now() - keptMs)) {
      cleared(spool.directory);
      return;
    }
    chmodSync(spool.directory, 0o700);
    this.follow(meta, spool, null);
  }

  /** True if a command of an earlier kernel may still run. Without a leader line it never started. */
  private mayRun(meta: Meta, spool: Spool): boolean {
    const leader = spool.leader();
    return meta.bootId === this.boot && leader !== null && isAlive(leader) !== false;
  }

  private follow(meta: Meta, spool: Spool, child: Child | null): HostJob {
    const { clock, outputBytesMax } = this.options;
    const { promise: ended, resolve: done } = Promise.withResolvers<void>();
    const output = new SpooledOutput(spool, outputBytesMax);
    const leader = child === null ? spool.leader() : { pid: child.pid, start: null };
    const command: Running = {
      meta,
      spool,
      child,
      output,
      leader,
      ended,
      done,
      exit: null,
      timers: new Map(),
      early: [],
      looks: 0,
    };
    this.commands.set(keyOf(meta), command);
    const left = meta.startedAt + meta.timeoutMs - clock.now();
    this.arm(command, "deadline", Math.max(0, left), () => this.stop(command, "timeout"));
    void child?.exited.then(() => this.look(command, true));
    this.look(command, child === null && !this.mayRun(meta, spool));
    return command;
  }

  private look(command: Running, isOver: boolean): void {
    if (command.exit !== null || this.closed) return;
    const { output, spool, leader, child } = command;
    const grown = output.grow();
    if (grown === "too much") {
      // KILL at once: it could fill the disk within the grace period.
      spool.setCause("output");
      this.send(command, "KILL");
    }
    const status = spool.status();
    const isGone = isOver || (child === null && leader !== null && isAlive(leader) === false);
    if (status !== null || isGone) {
      this.finish(command, status);
      return;
    }
    for (const name of command.early.splice(0)) this.send(command, name);
    command.looks = grown === "nothing" ? command.looks + 1 : Math.min(command.looks, LOOKS_SOON);
    const ms = LOOK_MS[Math.min(command.looks, LOOK_MS.length - 1)] ?? 0;
    this.arm(command, "look", ms, () => this.look(command, false));
  }

  private finish(command: Running, status: number | null): void {
    const { spool, output, meta, child } = command;
    // A leader ends its group after writing the status; a killed one could not.
    if (status === null && child !== null) this.send(command, "KILL");
    output.grow();
    const cause = spool.cause();
    output.end(wordFor(cause, meta.timeoutMs, this.options.outputBytesMax));
    command.exit = (cause === null ? null : EXIT[cause]) ?? status ?? spool.lastStatus() ?? ENDED_BY.KILL;
    disarm(command);
    this.arm(command, "forget", this.options.keptMs, () => this.forget(command));
    command.done();
    this.makeRoom();
  }

  /** Deletes the oldest ended commands if there are too many. */
  private makeRoom(): void {
    const ended = [...this.commands.values()].filter(({ exit }) => exit !== null);
    let bytes = ended.reduce((sum, { output }) => sum + output.bytes, 0);
    for (const [index, command] of ended.slice(0, -1).entries()) {
      if (bytes <= this.options.keptBytesMax && ended.length - index <= ENDED_MAX) return;
      bytes -= command.output.bytes;
      this.forget(command);
    }
  }

  private forget(command: Running): void {
    disarm(command);
    this.commands.delete(keyOf(command.meta));
    cleared(command.spool.directory);
  }

  private arm(command: Running, timer: Timer, ms: number, work: () => void): void {
    command.timers.get(timer)?.();
    command.timers.set(timer, this.options.clock.after(ms, work));
  }

  // Sends only to processes known to be the same: pids are reused.
  private send(command: Running, name: HostSignal): boolean {
    const { leader, child, exit, spool, meta, early } = command;
    if (exit !== null || leader === null || (child === null && isAlive(leader) !== true)) return false;
    const groups = groupsFor(name, leader, spool, tellsInside(meta));
    if (groups === null) {
      early.push(name);
      return true;
    }
    return groups.map((group) => reached(group, name)).includes(true);
  }
}

function tellsInside({ sandbox }: Meta): boolean {
  return sandbox === "bwrap";
}

function reached(group: number, name: HostSignal): boolean {
  try {
    process.kill(-group, `SIG${name}`);
    return true;
  } catch {
    return false;
  }
}

function disarm({ timers }: Running): void {
  for (const stop of timers.values()) stop();
  timers.clear();
}

/** Command ids are unique. */
function makeOwn(directory: string, id: string): void {
  mkdirSync(dirname(directory), { recursive: true, mode: 0o700 });
  if (existsSync(directory)) throw new SysError("ECONFLICT", `command ${id} was run already`);
  mkdirSync(directory, { mode: 0o700 });
}

/** Best effort. */
function cleared(directory: string): void {
  try {
    rmSync(directory, { recursive: true, force: true });
  } catch {}
}

function keyOf({ uid, id }: Pick<Meta, "uid" | "id">): string {
  return `${uid}:${id}`;
}

function wordFor(cause: Cause | null, timeoutMs: number, bytesMax: number): string | null {
  if (cause === "timeout") return `ended: longer than ${timeoutMs / 1000} s`;
  if (cause === "output") return `ended: more than ${bytesMax / 1024 / 1024} MiB of output; the rest is lost`;
  return null;
}
