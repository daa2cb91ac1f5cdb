// Messages and aborts sent during a run. Messages enter the run at the next tool boundary or start one of their own. Early ones wait for the run;
// refused ones are reported.

import { messageOf } from "../../src/abi/errno.ts";
import type { Sys } from "../../src/abi/sys.ts";
import type { Answered, Sent } from "../../src/syscalls/services.ts";
import type { InputListener, Steering } from "./answers.ts";
import type { Ending } from "./ending.ts";
import type { RunEvent } from "./run-events.ts";

export class FollowedRuns {
  private readonly open = new Set<string>();
  private expected = 0;
  private decided: Ending | null = null;
  private last: string | null = null;

  follow(run: string): void {
    this.open.add(run);
    this.last ??= run;
  }

  /** A message was sent; its run is not known yet. */
  expect(): void {
    this.expected++;
  }

  /** `run` is null if the message failed. Returns the result if no run is open. */
  came(run: string | null): Ending | null {
    this.expected--;
    if (run !== null) this.follow(run);
    return this.end;
  }

  has(run: string): boolean {
    return this.open.has(run);
  }

  get isExpecting(): boolean {
    return this.expected > 0;
  }

  get all(): readonly string[] {
    return [...this.open];
  }

  get current(): string | null {
    return this.all[0] ?? null;
  }

  get deciding(): string | null {
    return this.last;
  }

  /** Returns the result if this was the last open run. */
  ended(run: string, ending: Ending): Ending | null {
    const into = ending.mergedInto ?? null;
    const isLeft = into !== null && (this.has(into) || this.last === into);
    this.open.delete(run);
    if (this.decided === null || !isLeft) {
      this.decided = ending;
      this.last = run;
    }
    return this.end;
  }

  private get end(): Ending | null {
    return this.open.size === 0 && this.expected === 0 ? this.decided : null;
  }
}

export interface SteeringPorts {
  readonly sys: Sys;
  readonly runs: FollowedRuns;
  readonly push: (event: RunEvent) => void;
}

export class Steered {
  private pid: string | null = null;
  private early: Steering[] = [];

  constructor(private readonly ports: SteeringPorts) {}

  listener(): InputListener {
    const { push } = this.ports;
    return {
      ignored: (fault) => push({ kind: "input", fault }),
      steer: (steering) => push({ kind: "steering", steering }),
    };
  }

  /** The run has started. */
  begin(pid: string): void {
    this.pid = pid;
    for (const steering of this.early.splice(0)) this.steer(steering);
  }

  steer(steering: Steering): void {
    const { pid } = this;
    const { sys, runs, push } = this.ports;
    if (pid === null) {
      this.early.push(steering);
      return;
    }
    if (steering.type === "abort") {
      sys
        .call("proc.abort", { pid, runId: runs.current ?? undefined })
        .catch((error) => push({ kind: "input", fault: `not aborted: ${messageOf(error)}` }));
      return;
    }
    const { text: message, interrupt } = steering;
    runs.expect();
    sys
      .call<Sent | Answered>("proc.send", { pid, message, ...(interrupt ? { interrupt } : {}) })
      .then((sent) => push({ kind: "steered", run: sent.runId, fault: null }))
      .catch((error) => push({ kind: "steered", run: null, fault: `not sent: ${messageOf(error)}` }));
  }
}
