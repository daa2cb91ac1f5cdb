// The target `gsv`: shell scripts over gsv's own files, each in a Worker that the kernel owns. A script that spins or grows stops nobody: at
// its wall limit its Worker is ended, and the next script gets another. A few Workers are kept warm; how many run at once is bounded.

import { ENDED_BY } from "../abi/ended-by.ts";
import { SysError, shortage } from "../abi/errno.ts";
import type { Sys } from "../abi/sys.ts";
import type { Clock } from "../lib/clock.ts";
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
  /** The account whose share of the Workers it takes. */
  readonly owner: number;
  /** The files and the kernel as the one who runs the script may use them. */
  readonly files: ShellFiles;
  readonly sys: Sys;
  /** Told what it prints, as it prints it. */
  readonly print: (stream: "stdout" | "stderr", bytes: Uint8Array) => void;
  /** The one who asked has gone, or wants it to stop. */
  readonly signal: AbortSignal;
  /** Told of the signals it is sent; it may have a trap for them. */
  readonly onSignal?: (listener: (signal: SentSignal) => void) => () => void;
  /** What it runs in the background. */
  readonly jobs?: ShellJobs;
  /** It is such a job itself: it waits in no line, because its shell may wait for it. */
  readonly isJob?: true;
}

export interface ShellsOptions {
  readonly newRunner: () => Runner;
  readonly clock: Clock;
  readonly runningMax: number;
  /** Of one account: nobody takes the shell from everybody else. */
  readonly runningMaxEach: number;
  /** Of this process in bytes, its Workers included. */
  readonly memory: () => number;
  /** Beyond this the newest script is ended, and so on until it is enough: Workers have no limits of their own. */
  readonly memoryMax: number;
  /** So long a script may take to say that it heard a signal; it is ended without its traps after that. */
  readonly hearMs?: number;
  /** Kept warm when nothing runs, for so long. */
  readonly warmMax: number;
  readonly warmMs: number;
}

const LONGER = "it may not take longer";
const TOO_BIG = "ended: the scripts that run take too much memory";
const DIED = "its thread has died under it, and nobody knows how far it came";
const MEMORY_LOOK_MS = 200;
/** How long a script that is told to stop may take to say what it had printed. */
const ABORT_MS = 100;

/** Why a script does not come to an end of its own. */
interface Stop {
  readonly exit: number;
  /** What it says of it. */
  readonly word?: string;
}

interface Kept {
  readonly runner: Runner;
  /** It has loaded what it needs: time counts from then on. */
  readonly ready: Promise<void>;
  /** Rebound for every script. */
  hear: (message: FromRunner) => void;
  fault: (why: string) => void;
  stayWarm: () => void;
}

export class GsvShells {
  private readonly warm: Kept[] = [];
  /** In the order in which they came. */
  private readonly waiting: { readonly owner: number; readonly go: () => void }[] = [];
  /** The owner of each that runs. */
  private readonly running: number[] = [];
  /** How to end each that runs, the newest last. */
  private readonly enders: (() => void)[] = [];
  private looking: (() => void) | null = null;
  private closed = false;

  constructor(private readonly options: ShellsOptions) {}

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
    for (const kept of this.warm.splice(0)) {
      kept.stayWarm();
      kept.runner.end();
    }
  }

  // First come, first served; who gives up while waiting leaves the line.
  private async turn({ owner, signal }: ShellPlace): Promise<void> {
    while (!this.hasRoom(owner)) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const place = { owner, go: resolve };
      this.waiting.push(place);
      signal.addEventListener("abort", resolve as () => void, { once: true });
      await promise;
      signal.removeEventListener("abort", resolve as () => void);
      this.waiting.splice(this.waiting.indexOf(place), 1);
      if (signal.aborted) throw new SysError("ECANCELED", "stopped before it began");
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

  // The statement it is in may still say what it printed; a script that spins does not answer, and is ended without.
  private async stop(kept: Kept, ended: Promise<ShellEnd | null>, exit: number): Promise<ShellEnd> {
    kept.runner.post({ kind: "abort" });
    await Promise.race([ended, this.options.clock.sleep(ABORT_MS)]);
    return { exit, state: null, cut: true };
  }
}

/** What a script asks while it runs; ends with the script. */
class Conversation {
  private readonly listening = new Map<number, () => void>();
  private readonly gone = new AbortController();

  constructor(
    private readonly runner: Runner,
    private readonly asked: {
      readonly files: ShellFiles;
      readonly sys: Sys;
      readonly jobs: ShellJobs | undefined;
    },
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
    return work(...args);
  }

  private async job(verb: JobVerb, args: readonly unknown[]): Promise<unknown> {
    const work = this.asked.jobs?.[verb] as ((...given: readonly unknown[]) => Promise<unknown>) | undefined;
    if (work === undefined) throw new SysError("EINVAL", "nothing runs in the background here");
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
          : (shortage(error) ?? new SysError("EIO", "a fault inside gsv; log/kernel.log has the details"));
      this.runner.post({ kind: "refused", id, refusal: { code, message, hints } });
    }
  }
}
