// Runs a code block in its own thread, with a watchdog, so that one that loops or grows blocks no one. Its calls run one at a time, in order.

import { LIMITS } from "../abi/config/limits.ts";
import { SysError } from "../abi/errno.ts";
import type { Clock } from "../lib/clock.ts";
import { Serial } from "../lib/serial.ts";
import type { BlockServer, CodeEnd, CodeJob, FromCode, ToCode } from "./code-words.ts";

export interface CodeRunner {
  post(message: ToCode): void;
  /** `fault` is called if it dies. */
  listen(hear: (message: FromCode) => void, fault: (why: string) => void): void;
  end(): void;
}

export type CallAnswer = { readonly value: unknown } | { readonly fault: string };

export interface BlockPlace {
  /** A call of the block; a rejection ends the block. */
  readonly call: (name: string, args: string) => Promise<CallAnswer>;
  readonly signal: AbortSignal;
}

export interface BlockRequest {
  readonly code: string;
  readonly args: unknown;
  readonly now: number;
  readonly seed: number;
  readonly servers: readonly BlockServer[];
}

const START_MS = 15_000;
const GRACE_MS = 1000;

export async function runBlock(
  { newRunner, clock }: { readonly newRunner: () => CodeRunner; readonly clock: Clock },
  { code, args, now, seed, servers }: BlockRequest,
  { call, signal }: BlockPlace,
): Promise<CodeEnd> {
  const limits = {
    memoryBytesMax: LIMITS.codeMemoryBytesMax,
    stackBytesMax: LIMITS.codeStackBytesMax,
    runMsMax: LIMITS.codeRunMsMax,
    outputBytesMax: LIMITS.codeOutputBytesMax,
    callsMax: LIMITS.codeCallsMax,
  };
  const job: CodeJob = { code, args: JSON.stringify(args ?? null), now, seed, servers, limits };
  const runner = newRunner();
  const ended = Promise.withResolvers<CodeEnd>();
  const fail = (fault: string) => ended.resolve({ result: null, logs: [], fault });
  const cancel = () => ended.reject(new SysError("ECANCELED", "the block was cancelled"));
  const watch = new Watch(clock, () => fail(`it took longer than ${limits.runMsMax / 1000} s of its own`));
  const inOrder = new Serial();

  async function carryOut(id: number, name: string, given: string): Promise<void> {
    if (signal.aborted) return;
    const answer = await call(name, given);
    watch.within(limits.runMsMax + GRACE_MS);
    runner.post({ kind: "answer", id, value: JSON.stringify(answer) });
  }

  runner.listen((message) => {
    if (message.kind === "ready") {
      watch.within(limits.runMsMax + GRACE_MS);
      runner.post({ kind: "run", job });
    } else if (message.kind === "waits") watch.rest();
    else if (message.kind === "end") ended.resolve(message.end);
    else void inOrder.run(() => carryOut(message.id, message.name, message.args)).catch(ended.reject);
  }, fail);
  watch.within(START_MS);
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    return await ended.promise;
  } finally {
    signal.removeEventListener("abort", cancel);
    watch.rest();
    runner.end();
  }
}

class Watch {
  private stop: (() => void) | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly late: () => void,
  ) {}

  within(ms: number): void {
    this.rest();
    this.stop = this.clock.after(ms, this.late);
  }

  rest(): void {
    this.stop?.();
    this.stop = null;
  }
}
