// Everything that happens during a chat, in one queue: signals, results of calls, timers and input. All sources are released at the end.

import type { ProcessInfo } from "../../src/abi/process/process.ts";
import type { Signal } from "../../src/abi/signal.ts";
import type { Sys } from "../../src/abi/sys.ts";
import type { Answered, Sent, WaitResult } from "../../src/syscalls/services.ts";
import type { Interruption, Io } from "../command.ts";
import { Queue } from "../io/queue.ts";
import type { Steering } from "./answers.ts";
import type { Uploaded } from "./attached.ts";

export type RunEvent =
  | ({ readonly kind: "uploaded" } & Uploaded)
  | { readonly kind: "fresh"; readonly pid: string }
  | { readonly kind: "sent"; readonly sent: Sent | Answered }
  | { readonly kind: "signal"; readonly signal: Signal }
  /** The run of a message sent meanwhile, or an error. */
  | { readonly kind: "steered"; readonly run: string | null; readonly fault: string | null }
  | { readonly kind: "waited"; readonly run: string; readonly result: WaitResult }
  | { readonly kind: "settled"; readonly run: string; readonly result: WaitResult }
  | { readonly kind: "state"; readonly state: Pick<ProcessInfo, "state" | "waitsFor"> }
  | { readonly kind: "paused" }
  | { readonly kind: "interruption"; readonly name: Interruption }
  | { readonly kind: "aborted"; readonly aborted: boolean }
  | { readonly kind: "timeout" }
  | { readonly kind: "steering"; readonly steering: Steering }
  /** An ignored line of stdin, or null at its end. */
  | { readonly kind: "input"; readonly fault: string | null }
  | { readonly kind: "failed"; readonly error: unknown };

export class RunEvents {
  private readonly queue = new Queue<RunEvent>();
  private readonly stops: (() => void)[] = [];

  constructor(private readonly io: Pick<Io, "sys" | "clock">) {}

  push(event: RunEvent): void {
    this.queue.push(event);
  }

  next(): Promise<RunEvent> {
    return this.queue.next();
  }

  atEnd(stop: () => void): void {
    this.stops.push(stop);
  }

  end(): void {
    for (const stop of this.stops.splice(0)) stop();
  }

  signals(filter: Parameters<Sys["on"]>[0]): void {
    this.atEnd(this.io.sys().on(filter, (signal) => this.push({ kind: "signal", signal })));
  }

  later(ms: number, event: RunEvent): void {
    this.atEnd(this.io.clock.after(ms, () => this.push(event)));
  }

  /** Results and failures of calls go through the queue, like everything else. */
  answer<Answer>(answer: Promise<Answer>, event: (answer: Answer) => RunEvent): void {
    answer.then((given) => this.push(event(given))).catch((error: unknown) => this.push({ kind: "failed", error }));
  }
}
