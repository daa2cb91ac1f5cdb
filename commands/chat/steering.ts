// Messages and aborts sent during a run. Messages enter the run at the next tool boundary or start one of their own. Early ones wait for the run;
// refused ones are reported.

import { messageOf } from "../../src/abi/errno.ts";
import type { Sys } from "../../src/abi/sys.ts";
import type { Answered, Sent } from "../../src/syscalls/services.ts";
import type { Hearing, Steering } from "./answers.ts";
import type { Happening } from "./happenings.ts";
import type { FollowedRuns } from "./runs.ts";

export interface SteeringPorts {
  readonly sys: Sys;
  readonly runs: FollowedRuns;
  readonly push: (happening: Happening) => void;
}

export class Steered {
  private pid: string | null = null;
  private early: Steering[] = [];

  constructor(private readonly ports: SteeringPorts) {}

  hearing(): Hearing {
    const { push } = this.ports;
    return {
      told: (fault) => push({ kind: "input", fault }),
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
