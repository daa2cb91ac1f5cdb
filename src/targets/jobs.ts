// Background jobs of a shell: scripts in Workers of their own, limited in number. Output goes to the shell or is kept for `wait`; no job
// outlives its shell.

import { ENDED_BY } from "../abi/errno.ts";
import type { Clock } from "../lib/clock.ts";
import type { Piece, Stream } from "./output.ts";
import type { JobEnd, JobRow, JobStart, SentSignal, ShellEnd, ShellJob, ShellJobs } from "./shell.ts";
import type { ShellPlace, WorkerPool } from "./worker-pool.ts";

/** The shell's environment, without per-job parts. */
export type Ground = Omit<ShellPlace, "print" | "signal" | "onSignal" | "jobs" | "isJob">;

const FIRST_PID = 100_000;
const REMEMBERED_MAX = 1000;
/** Time for almost finished jobs when the shell ends. */
const GRACE_MS = 300;

/** Limits running jobs, nested ones included. */
export class JobRoom {
  private running = 0;
  private readonly queue: (() => void)[] = [];
  private lastPid = FIRST_PID;

  constructor(
    private readonly runningMax: number,
    private readonly queuedMax: number,
  ) {}

  newPid(): number {
    return ++this.lastPid;
  }

  /** True if a job may start or queue. Nested jobs never queue: the jobs ahead may wait for them. */
  hasRoom(nested: boolean): boolean {
    return this.running < this.runningMax || (!nested && this.queue.length < this.queuedMax);
  }

  async enter(): Promise<void> {
    if (this.running++ < this.runningMax) return;
    await new Promise<void>((go) => this.queue.push(go));
  }

  leave(): void {
    this.running--;
    this.queue.shift()?.();
  }
}

interface Job {
  readonly row: Pick<JobRow, "number" | "pid" | "text" | "shell" | "live">;
  readonly stop: AbortController;
  readonly listeners: Set<(signal: SentSignal) => void>;
  readonly ended: Promise<void>;
  /** Output not delivered yet. */
  pieces: Piece[];
  bytes: number;
  exit: number | null;
  /** Order among ended jobs. */
  order: number;
  /** The last signal sent. */
  signal: number | null;
  reported: boolean;
}

export class JobTable {
  private readonly jobs: Job[] = [];
  private out: ShellPlace["print"] | null = null;
  private held: Piece[] = [];
  private endings = 0;
  private readonly listeners = new Set<(signal: SentSignal) => void>();

  constructor(
    private readonly shells: WorkerPool,
    private readonly room: JobRoom,
    private readonly clock: Clock,
    /** Table of the job that runs this shell. */
    private readonly above: JobTable | null = null,
  ) {}

  /** Runs a script and its jobs to the end. */
  async run(job: ShellJob, place: Omit<ShellPlace, "jobs">): Promise<ShellEnd> {
    try {
      const end = await this.line(job, place);
      if (!end.cut) await this.settle(job.name, place.print);
      return end;
    } finally {
      this.close();
    }
  }

  /** Runs one line of a shell; its jobs continue. */
  async line(job: ShellJob, place: Omit<ShellPlace, "jobs">): Promise<ShellEnd> {
    for (const { stream, bytes } of this.held.splice(0)) place.print(stream, bytes);
    this.out = place.print;
    try {
      return await this.shells.run(job, {
        ...{ ...place, jobs: this.portFor(job, place) },
        onSignal: (listener) => {
          const deaf = place.onSignal?.(listener);
          this.listeners.add(listener);
          return () => {
            deaf?.();
            this.listeners.delete(listener);
          };
        },
      });
    } finally {
      this.out = null;
    }
  }

  /** Running jobs, and ended ones not reported yet. */
  get open(): number {
    return this.jobs.filter(({ exit, reported }) => exit === null || !reported).length;
  }

  get running(): number {
    return this.jobs.filter(({ exit }) => exit === null).length;
  }

  close(): void {
    for (const job of this.jobs) job.stop.abort();
  }

  private async settle(name: string, print: ShellPlace["print"]): Promise<void> {
    this.out = print;
    const all = Promise.all(this.jobs.map(({ ended }) => ended));
    await Promise.race([all, this.clock.sleep(GRACE_MS)]);
    for (const { stream, bytes } of this.jobs.flatMap(({ pieces }) => pieces.splice(0))) print(stream, bytes);
    for (const { row, exit } of this.jobs)
      if (exit === null) print("stderr", Buffer.from(`${name}: ended with its shell: ${row.text}\n`));
    this.out = null;
  }

  private portFor(parent: ShellJob, ground: Ground): ShellJobs {
    return {
      start: async (start) => this.start(start, parent, ground),
      list: async () => this.jobs.map(rowOf),
      wait: async (pids) => this.wait(pids),
      signal: async (pid, signal) => this.signal(pid, signal),
      signalShell: async (signal) => this.outermost().hear(signal),
      forget: async (pids) => this.forget(pids),
    };
  }

  private outermost(): JobTable {
    return this.above === null ? this : this.above.outermost();
  }

  private hear(signal: SentSignal): void {
    for (const listener of this.listeners) listener(signal);
  }

  private start(start: JobStart, parent: ShellJob, ground: Ground): JobRow | null {
    if (!this.room.hasRoom(this.above !== null)) return null;
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const number = 1 + Math.max(0, ...this.jobs.map(({ row, reported }) => (reported ? 0 : row.number)));
    const job: Job = {
      row: { number, pid: this.room.newPid(), text: start.text, shell: start.shell, live: start.live },
      ...{ stop: new AbortController(), listeners: new Set(), ended },
      ...{ pieces: [], bytes: 0, exit: null, order: 0, signal: null, reported: false },
    };
    this.jobs.push(job);
    const old = this.jobs.length > REMEMBERED_MAX ? this.jobs.findIndex(({ exit }) => exit !== null) : -1;
    if (old !== -1) this.jobs.splice(old, 1);
    void this.carryOut(job, start, parent, ground).finally(resolve);
    return rowOf(job);
  }

  private async carryOut(job: Job, { script, args, state }: JobStart, parent: ShellJob, ground: Ground): Promise<void> {
    await this.room.enter();
    try {
      if (job.stop.signal.aborted) return;
      const own = new JobTable(this.shells, this.room, this.clock, this);
      const { exit } = await own.run(
        { ...parent, script, args, state, stdin: new Uint8Array(), keepsState: false, isJob: true },
        {
          ...{ owner: ground.owner, files: ground.files, sys: ground.sys, isJob: true },
          print: (stream, bytes) => this.print(job, parent.outputBytesMax, stream, bytes),
          signal: job.stop.signal,
          onSignal: (listener) => {
            job.listeners.add(listener);
            return () => job.listeners.delete(listener);
          },
        },
      );
      job.exit ??= exit;
    } catch {
      job.exit ??= 1;
    } finally {
      job.exit ??= 128 + 15;
      job.order = ++this.endings;
      this.room.leave();
    }
  }

  private print(job: Job, bytesMax: number, stream: Stream, bytes: Uint8Array): void {
    job.bytes += bytes.byteLength;
    if (job.bytes > bytesMax) {
      job.exit ??= ENDED_BY.output;
      job.stop.abort();
      return;
    }
    if (!job.row.live) job.pieces.push({ stream, bytes });
    else if (this.out === null) this.held.push({ stream, bytes });
    else this.out(stream, bytes);
  }

  /** The first job to end, with its output; null if none is known. */
  private async wait(pids: readonly number[]): Promise<JobEnd | null> {
    const jobs = this.jobs.filter(({ row }) => pids.includes(row.pid));
    if (jobs.length === 0) return null;
    const [done] = jobs.filter(({ exit }) => exit !== null).sort((a, b) => a.order - b.order);
    const job = done ?? (await first(jobs));
    const pieces = job.pieces.splice(0);
    return { ...rowOf(job), pieces };
  }

  private signal(pid: number, signal: SentSignal): boolean {
    const job = this.jobs.find(({ row, exit }) => row.pid === pid && exit === null);
    if (job === undefined) return false;
    job.signal = signal.number;
    if (job.listeners.size > 0) for (const listener of job.listeners) listener(signal);
    else {
      // Not started yet.
      job.exit = 128 + signal.number;
      job.stop.abort();
    }
    return true;
  }

  private forget(pids: readonly number[]): void {
    for (const job of this.jobs) if (pids.includes(job.row.pid)) job.reported = true;
  }
}

function rowOf({ row, exit, signal, reported }: Job): JobRow {
  return { ...row, exit, signal: signal !== null && exit === 128 + signal ? signal : null, reported };
}

async function first(jobs: readonly Job[]): Promise<Job> {
  return Promise.race(jobs.map((job) => job.ended.then(() => job)));
}
