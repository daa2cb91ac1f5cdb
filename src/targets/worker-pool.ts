// Target `gsv`: shell scripts over gsv's files, each in a Worker of the kernel. A script that loops or grows blocks no one: its Worker is
// terminated at the time limit. Some Workers are kept warm; their number is limited.

import { ENDED_BY, SysError, shortage } from "../abi/errno.ts";
import type { Sys } from "../abi/sys.ts";
import { type Clock, TimeSlice } from "../lib/clock.ts";
import { type CacheBudget, IDLE_WORKER_BYTES } from "../lib/memory/cache-budget.ts";
import { Delivery, EXIT_DIED } from "./delivery.ts";
import type {
  FileVerb,
  FromRunner,
  JobVerb,
  Runner,
  SentSignal,
  ShellEnd,
  ShellFiles,
  ShellJob,
  ShellJobs,
} from "./shell.ts";

export interface ShellPlace {
  /** Account whose share of the Workers is used. */
  readonly owner: number;
  /** With the permissions of the script's user. */
  readonly files: ShellFiles;
  readonly sys: Sys;
  /** Called with output as it comes. */
  readonly print: (stream: "stdout" | "stderr", bytes: Uint8Array) => void;
  /** Aborted when the caller leaves or cancels. */
  readonly signal: AbortSignal;
  /** Signals for the script, which may have traps. */
  readonly onSignal?: (listener: (signal: SentSignal) => void) => () => void;
  readonly jobs?: ShellJobs;
  /** A background job: does not queue, because its shell may wait for it. */
  readonly isJob?: true;
}

export interface ShellsOptions {
  readonly newRunner: () => Runner;
  readonly clock: Clock;
  readonly runningMax: number;
  /** Limit per account. */
  readonly runningMaxEach: number;
  /** Memory of this process, Workers included. */
  readonly memory: () => number;
  /** Above this the newest scripts are ended: Workers have no memory limit of their own. */
  readonly memoryMax: number;
  /** Time to confirm a signal; without confirmation the script is ended without its traps. */
  readonly hearMs?: number;
  /** Idle Workers to keep, and for how long. */
  readonly warmMax: number;
  readonly warmMs: number;
  /** May end idle Workers early. */
  readonly budget?: CacheBudget;
}

const LONGER = "time limit reached";
const TOO_BIG = "ended: running scripts use too much memory";
const DIED = "its thread died; it may have done part of its work";
const MEMORY_LOOK_MS = 200;
/** Time for an aborted script to flush its output. */
const ABORT_MS = 100;

/** Why a script is stopped. */
interface Stop {
  readonly exit: number;
  /** Message on stderr. */
  readonly word?: string;
}

interface Kept {
  readonly runner: Runner;
  /** Loaded: the time limit starts now. */
  readonly ready: Promise<void>;
  /** Set for each script. */
  hear: (message: FromRunner) => void;
  fault: (why: string) => void;
  stayWarm: () => void;
}

export class WorkerPool {
  private readonly warm: Kept[] = [];
  /** First come, first served. */
  private readonly waiting: { readonly owner: number; readonly go: () => void }[] = [];
  /** Owners of running scripts. */
  private readonly running: number[] = [];
  /** Stops a running script; newest last. */
  private readonly enders: (() => void)[] = [];
  private looking: (() => void) | null = null;
  private closed = false;

  constructor(private readonly options: ShellsOptions) {
    options.budget?.add({
      name: "idle shells",
      bytes: () => this.warm.length * IDLE_WORKER_BYTES,
      shrink: (bytesMax) => this.endIdle(Math.floor(bytesMax / IDLE_WORKER_BYTES)),
    });
  }

  async run(job: ShellJob, place: ShellPlace): Promise<ShellEnd> {
    if (place.isJob !== true) await this.turn(place);
    try {
      return await this.inOneOf(job, place);
    } finally {
      if (place.isJob !== true) this.running.splice(this.running.indexOf(place.owner), 1);
      this.waiting.find(({ owner }) => this.hasRoom(owner))?.go();
    }
  }

  private async inOneOf(job: ShellJob, place: ShellPlace): Promise<ShellEnd> {
    const kept = this.warm.pop() ?? this.fresh();
    kept.stayWarm();
    let survives = false;
    try {
      const outcome = await this.carryOut(kept, job, place);
      survives = outcome.survives;
      return outcome.end;
    } finally {
      const isWanted = this.waiting.length > 0 || this.warm.length < this.options.warmMax;
      if (survives && !this.closed && isWanted) this.keep(kept);
      else kept.runner.end();
    }
  }

  get isBusy(): boolean {
    return this.enders.length > 0 || this.running.length > 0;
  }

  close(): void {
    this.closed = true;
    this.endIdle(0);
  }

  private endIdle(left: number): void {
    for (const kept of this.warm.splice(0, this.warm.length - left)) {
      kept.stayWarm();
      kept.runner.end();
    }
  }

  // First come, first served; an aborted waiter leaves the queue.
  private async turn({ owner, signal }: ShellPlace): Promise<void> {
    while (!this.hasRoom(owner)) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const place = { owner, go: resolve };
      this.waiting.push(place);
      signal.addEventListener("abort", resolve as () => void, { once: true });
      await promise;
      signal.removeEventListener("abort", resolve as () => void);
      this.waiting.splice(this.waiting.indexOf(place), 1);
      if (signal.aborted) throw new SysError("ECANCELED", "stopped before it started");
    }
    this.running.push(owner);
  }

  private hasRoom(owner: number): boolean {
    const { runningMax, runningMaxEach } = this.options;
    return this.running.length < runningMax && this.running.filter((each) => each === owner).length < runningMaxEach;
  }

  private fresh(): Kept {
    const runner = this.options.newRunner();
    const ready = Promise.withResolvers<void>();
    const kept: Kept = { runner, ready: ready.promise, hear: () => {}, fault: () => {}, stayWarm: () => {} };
    runner.listen(
      (message) => (message.kind === "ready" ? ready.resolve() : kept.hear(message)),
      (why) => {
        ready.resolve();
        kept.fault(why);
      },
    );
    return kept;
  }

  private keep(kept: Kept): void {
    const leave = () => {
      const at = this.warm.indexOf(kept);
      if (at !== -1) this.warm.splice(at, 1);
      kept.runner.end();
    };
    kept.stayWarm = this.options.clock.after(this.options.warmMs, leave);
    kept.fault = leave;
    this.warm.push(kept);
    this.options.budget?.fit();
  }

  private async carryOut(
    kept: Kept,
    job: ShellJob,
    { files, sys, jobs, print, signal, onSignal }: ShellPlace,
  ): Promise<{ readonly end: ShellEnd; readonly survives: boolean }> {
    const { runner } = kept;
    const ended = Promise.withResolvers<ShellEnd | null>();
    const stopped = Promise.withResolvers<Stop>();
    const talk = new Conversation(runner, { files, sys, jobs });
    const sent = new Delivery(runner, this.options, (exit) => stopped.resolve({ exit }));
    kept.hear = (message) => {
      if (message.kind === "end") ended.resolve(message.end);
      else if (message.kind === "heard") sent.heard(message.goesOn);
      else if (message.kind === "print") print(message.stream, message.bytes);
      else talk.hear(message);
    };
    kept.fault = () => ended.resolve(null);
    const interrupt = () => stopped.resolve({ exit: ENDED_BY.INT });
    const outgrown = () => stopped.resolve({ exit: EXIT_DIED, word: TOO_BIG });
    const late = () => stopped.resolve({ exit: ENDED_BY.time, word: `ended after ${job.wallMs / 1000} s: ${LONGER}` });
    this.enders.push(outgrown);
    this.look();
    if (signal.aborted) interrupt();
    signal.addEventListener("abort", interrupt, { once: true });
    let [inTime, deaf] = [() => {}, () => {}];
    try {
      await Promise.race([kept.ready, stopped.promise]);
      inTime = this.options.clock.after(job.wallMs, late);
      runner.post({ kind: "run", job });
      deaf = onSignal?.((name) => sent.send(name)) ?? deaf;
      const first = await Promise.race([ended.promise, stopped.promise]);
      if (first !== null && "exit" in first && !("state" in first)) {
        const end = await this.stop(kept, ended.promise, first.exit);
        if (first.word !== undefined) print("stderr", Buffer.from(`${job.name}: ${first.word}\n`));
        return { end, survives: false };
      }
      if (first === null) print("stderr", Buffer.from(`${job.name}: ${DIED}\n`));
      return { end: first ?? { exit: EXIT_DIED, state: null, cut: true }, survives: first !== null };
    } finally {
      inTime();
      deaf();
      sent.end();
      this.enders.splice(this.enders.indexOf(outgrown), 1);
      signal.removeEventListener("abort", interrupt);
      talk.end();
      kept.hear = () => {};
    }
  }

  private look(): void {
    const { clock, memory, memoryMax } = this.options;
    this.looking ??= clock.after(MEMORY_LOOK_MS, () => {
      this.looking = null;
      if (memory() > memoryMax) this.enders.at(-1)?.();
      if (this.enders.length > 0) this.look();
    });
  }

  // Gives the script a moment to flush its output; a busy loop does not react.
  private async stop(kept: Kept, ended: Promise<ShellEnd | null>, exit: number): Promise<ShellEnd> {
    kept.runner.post({ kind: "abort" });
    await Promise.race([ended, this.options.clock.sleep(ABORT_MS)]);
    return { exit, state: null, cut: true };
  }
}

/** Requests of a running script. */
class Conversation {
  private readonly listening = new Map<number, () => void>();
  private readonly gone = new AbortController();
  private readonly slice = new TimeSlice();

  constructor(
    private readonly runner: Runner,
    private readonly asked: { readonly files: ShellFiles; readonly sys: Sys; readonly jobs: ShellJobs | undefined },
  ) {}

  hear(message: FromRunner): void {
    const { sys } = this.asked;
    switch (message.kind) {
      case "file":
        return void this.answer(message.id, () => this.file(message.verb, message.args));
      case "job":
        return void this.answer(message.id, () => this.job(message.verb, message.args));
      case "call": {
        const { name, args, requestId } = message;
        const key = requestId === undefined ? {} : { requestId };
        return void this.answer(message.id, () => sys.call(name, args, { ...key, signal: this.gone.signal }));
      }
      case "listen": {
        const { id, filter } = message;
        this.listening.set(
          id,
          sys.on(filter, (signal) => this.runner.post({ kind: "signal", id, signal })),
        );
        return;
      }
      case "unlisten":
        this.listening.get(message.id)?.();
        this.listening.delete(message.id);
    }
  }

  end(): void {
    this.gone.abort();
    for (const stop of this.listening.values()) stop();
    this.listening.clear();
  }

  private async file(verb: FileVerb, args: readonly unknown[]): Promise<unknown> {
    const work = this.asked.files[verb] as (...given: readonly unknown[]) => Promise<unknown>;
    // find asks for a hundred directories at once.
    await this.slice.step();
    return work(...args);
  }

  private async job(verb: JobVerb, args: readonly unknown[]): Promise<unknown> {
    const work = this.asked.jobs?.[verb] as ((...given: readonly unknown[]) => Promise<unknown>) | undefined;
    if (work === undefined) throw new SysError("EINVAL", "background jobs are not available here");
    return work(...args);
  }

  private async answer(id: number, ask: () => Promise<unknown>): Promise<void> {
    try {
      const value = await ask();
      this.runner.post({ kind: "answer", id, value });
    } catch (error) {
      const { code, message, hints } =
        error instanceof SysError
          ? error
          : (shortage(error) ?? new SysError("EIO", "internal error; see log/kernel.log"));
      this.runner.post({ kind: "refused", id, refusal: { code, message, hints } });
    }
  }
}
