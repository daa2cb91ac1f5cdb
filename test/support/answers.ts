// A model that plays the answers a test planned for a process, in order, and "done" when none is planned. A held answer waits until
// the test releases it, so that a test decides what happens during a model call. It records every request.

import { NO_USAGE, type Usage } from "../../src/abi/process/process.ts";
import type { Failure, ModelRequest, Provider, StopReason, StreamEvent } from "../../src/abi/stream.ts";

export interface PlannedCall {
  readonly name: string;
  readonly args?: object;
  /** Sent verbatim in place of args. */
  readonly json?: string;
  readonly id?: string;
}

export interface PlannedAnswer {
  readonly text?: string;
  /** The text in these pieces instead. */
  readonly pieces?: readonly string[];
  readonly thinking?: string;
  readonly calls?: readonly PlannedCall[];
  readonly stop?: StopReason;
  readonly usage?: Partial<Usage>;
  readonly error?: Failure;
  /** The stream stops with no last event. */
  readonly cut?: true;
  /** The provider throws, which none may: a fault of gsv. */
  readonly fault?: string;
  /** Sent only after `release`. */
  readonly hold?: true;
  /** After its first piece it waits for `release`. */
  readonly pause?: true;
}

export class PlannedModel implements Provider {
  readonly name = "planned";
  readonly requests: ModelRequest[] = [];
  private readonly plans = new Map<string, PlannedAnswer[]>();
  private readonly held = new Set<() => void>();
  private calls = 0;

  /** The next answers of a process. */
  will(pid: string, ...answers: readonly PlannedAnswer[]): void {
    this.plans.set(pid, [...(this.plans.get(pid) ?? []), ...answers]);
  }

  /** The next answer of a process without planned ones, such as a task to come. */
  willNext(answer: PlannedAnswer): void {
    this.will("", answer);
  }

  /** Answers that wait for `release` now. */
  get holding(): number {
    return this.held.size;
  }

  release(): void {
    for (const go of [...this.held]) go();
  }

  /** Held answers are never sent, as when the kernel that waits for them is dead. */
  forget(): void {
    this.held.clear();
  }

  asked(pid: string): ModelRequest[] {
    return this.requests.filter((request) => request.about.pid === pid);
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<StreamEvent> {
    this.requests.push(request);
    const answer = this.plans.get(request.about.pid)?.shift() ?? this.plans.get("")?.shift() ?? { text: "done" };
    if (answer.hold) await this.hold(signal);
    if (answer.fault !== undefined) throw new TypeError(answer.fault);
    let isPaused = answer.pause === true;
    for (const event of this.events(answer)) {
      if (signal.aborted) return yield { type: "aborted" };
      yield event;
      if (event.type === "text" && isPaused) await this.hold(signal);
      if (event.type === "text") isPaused = false;
    }
  }

  private *events(answer: PlannedAnswer): Generator<StreamEvent> {
    const { text = "", pieces = [text], thinking = "", calls = [] } = answer;
    if (thinking !== "") yield { type: "thinking", text: thinking };
    for (const piece of pieces) if (piece !== "") yield { type: "text", text: piece };
    for (const [index, call] of calls.entries()) {
      yield { type: "call.start", index, id: call.id ?? `call-${++this.calls}`, name: call.name };
      yield { type: "call.delta", index, json: call.json ?? JSON.stringify(call.args ?? {}) };
    }
    if (answer.error !== undefined) yield { type: "error", failure: answer.error };
    else if (!answer.cut) {
      const stop = answer.stop ?? (calls.length > 0 ? "tools" : "end");
      yield { type: "done", stop, usage: { ...NO_USAGE, ...answer.usage } };
    }
  }

  private hold(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const go = () => {
        this.held.delete(go);
        resolve();
      };
      this.held.add(go);
      signal.addEventListener("abort", go);
    });
  }
}
