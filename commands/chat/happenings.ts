// Everything that happens during a chat, in one queue: signals, results of calls, timers and input. All sources are released at the end.

import type { ProcessInfo } from "../../src/abi/process/process.ts";
import type { Signal } from "../../src/abi/signal.ts";
import type { Sys } from "../../src/abi/sys.ts";
import type { Answered, Sent, WaitResult } from "../../src/syscalls/services.ts";
import type { Interruption, Io } from "../command.ts";
import { Queue } from "../io/queue.ts";
import type { Steering } from "./answers.ts";
import type { Uploaded } from "./attached.ts";

export type Happening =
  | ({ readonly kind: "uploaded" } & Uploaded)
  | { readonly kind: "fresh"; readonly pid: string }
  | { readonly kind: "sent"; readonly sent: Sent | Answered }
  | { readonly kind: "signal"; readonly signal: Signal }
  /** A message sent meanwhile got a run, or an error. */
  | { readonly kind: "steered"; readonly run: string | null; readonly fault: string | null }
  | { readonly kind: "waited"; readonly run: string; readonly result: WaitResult }
  | { readonly kind: "settled"; readonly run: string; readonly result: WaitResult }
  | { readonly kind: "state"; readonly state: Pick<ProcessInfo, "state" | "waitsFor"> }
  | { readonly kind: "held" }
  | { readonly kind: "interruption"; readonly name: Interruption }
  | { readonly kind: "aborted"; readonly aborted: boolean }
  | { readonly kind: "timeout" }
  | { readonly kind: "steering"; readonly steering: Steering }
  /** An ignored line of stdin, or null at its end. */
  | { readonly kind: "input"; readonly fault: string | null }
  | { readonly kind: "failed"; readonly error: unknown };

export class Happenings {
  private readonly queue = new Queue<Happening>();
  private readonly stops: (() => void)[] = [];

  constructor(private readonly io: Pick<Io, "sys" | "clock">) {}

  push(happening: Happening): void {
    this.queue.push(happening);
  }

  next(): Promise<Happening> {
    return this.queue.next();
  }

  /** Called at the end. */
  atEnd(stop: () => void): void {
    this.stops.push(stop);
  }

  end(): void {
    for (const stop of this.stops.splice(0)) stop();
  }

  signals(filter: Parameters<Sys["on"]>[0]): void {
    this.atEnd(this.io.sys().on(filter, (signal) => this.push({ kind: "signal", signal })));
  }

  later(ms: number, happening: Happening): void {
    this.atEnd(this.io.clock.after(ms, () => this.push(happening)));
  }

  /** The answer takes its turn like everything else, and so does a failure. */
  answer<Answer>(answer: Promise<Answer>, happening: (answer: Answer) => Happening): void {
    answer.then((given) => this.push(happening(given))).catch((error: unknown) => this.push({ kind: "failed", error }));
  }
}
