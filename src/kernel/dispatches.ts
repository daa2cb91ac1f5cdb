// The two dispatches of a kernel, created before the services behind them: one logs the calls of processes, the other is for calls that the
// kernel makes on behalf of a caller.

import type { Clock } from "../lib/clock.ts";
import type { Redactor } from "../lib/text/redact.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import type { LoggedCall, ProcessStore } from "../store/process/verbs.ts";
import { SYSCALLS } from "../syscalls/all.ts";
import type { Services } from "../syscalls/table.ts";
import { type CallTimer, type Dispatch, makeDispatch } from "./dispatch.ts";

export interface CallLogPorts {
  readonly processes: Pick<ProcessStore, "logCall">;
  readonly redactor: Redactor;
  /** Wakes readers of a process's call log. */
  readonly calls: { added(pid: string): void };
  readonly onFault: (error: unknown) => void;
}

/** Writes to the log of a process, without the known secrets. */
export function callLog({ processes, redactor, calls, onFault }: CallLogPorts) {
  return async (pid: string, { args, call, ...row }: Omit<LoggedCall, "args"> & { readonly args: unknown }) => {
    const clean = { ...row, call: redactor.known(call), args: redactor.line(args) };
    // A call may have ended its own process, and the log with it.
    await processes.logCall(pid, clean).catch(onFault);
    calls.added(pid);
  };
}

export interface DispatchPorts extends CallLogPorts {
  readonly kernel: Pick<KernelStore, "requests" | "audit">;
  readonly machine: { readonly clock: Clock };
}

export class Dispatches {
  private timer: CallTimer | null = null;
  private made: { readonly logged: Dispatch; readonly unlogged: Dispatch } | null = null;

  readonly logged: Dispatch = (...call) => this.ready().logged(...call);
  readonly unlogged: Dispatch = (...call) => this.ready().unlogged(...call);

  /** Measures calls from now on; the function that it returns ends that. */
  timeCalls(timer: CallTimer): () => void {
    this.timer = timer;
    return () => {
      if (this.timer === timer) this.timer = null;
    };
  }

  make(ports: DispatchPorts, services: Services): void {
    const { kernel, machine, redactor, onFault } = ports;
    const { requests, audit } = kernel;
    const conceal = (text: string) => redactor.known(text);
    const common = {
      table: SYSCALLS,
      services,
      requests,
      audit,
      clock: machine.clock,
      onFault,
      conceal,
      timer: () => this.timer,
    };
    this.made = {
      logged: makeDispatch({ ...common, auditPrivileged: true, logCall: callLog(ports) }),
      unlogged: makeDispatch({ ...common, logCall: async () => {} }),
    };
  }

  private ready() {
    if (this.made === null) throw new Error("a call came before the kernel was built");
    return this.made;
  }
}
