// A kernel with scripted answers, which records its calls and sends the signals of the test.

import { SysError } from "../../src/abi/errno.ts";
import { matches, type Signal, type SignalFilter } from "../../src/abi/signal.ts";
import type { CallOptions, Sys } from "../../src/abi/sys.ts";

type Answer = (args: never, options: CallOptions) => unknown;

export interface Call {
  readonly name: string;
  readonly args: { readonly [key: string]: unknown };
}

export class FakeSys implements Sys {
  readonly calls: Call[] = [];
  private readonly answers = new Map<string, Answer>();
  private readonly listeners = new Set<{ filter: SignalFilter; listener: (signal: Signal) => void }>();

  /** Sets the answer to this call from now on; a thrown SysError refuses it. */
  answer(name: string, answer: Answer): this {
    this.answers.set(name, answer);
    return this;
  }

  /** Only current listeners get a signal. */
  emit(...signals: Signal[]): void {
    for (const signal of signals) {
      for (const { filter, listener } of [...this.listeners]) if (matches(filter, signal)) listener(signal);
    }
  }

  asked(name: string): Call["args"][] {
    return this.calls.filter((call) => call.name === name).map((call) => call.args);
  }

  get filters(): SignalFilter[] {
    return [...this.listeners].map(({ filter }) => filter);
  }

  async call<Result>(name: string, args: object, options: CallOptions = {}): Promise<Result> {
    // As on the wire: undefined is left out.
    this.calls.push({ name, args: JSON.parse(JSON.stringify(args)) });
    const answer = this.answers.get(name);
    if (answer === undefined) throw new SysError("ENOSYS", `no answer was prepared for ${name}`);
    return (await answer(args as never, options)) as Result;
  }

  on(filter: SignalFilter, listener: (signal: Signal) => void): () => void {
    const entry = { filter, listener };
    this.listeners.add(entry);
    return () => this.listeners.delete(entry);
  }

  async close(): Promise<void> {}
}
