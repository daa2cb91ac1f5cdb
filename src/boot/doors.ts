// The doors into the kernel, which are there before what lies behind them is built.

import type { Core } from "../boot.ts";
import { type Dispatch, makeDispatch } from "../kernel/dispatch.ts";
import type { LoggedCall } from "../store/process/verbs.ts";
import { SYSCALLS } from "../syscalls/all.ts";
import type { Services } from "../syscalls/table.ts";

/** The log of a process, without the secrets that are known here. */
export function callLog({ processes, redactor, calls, onFault }: Core) {
  return async (pid: string, { args, call, ...row }: Omit<LoggedCall, "args"> & { readonly args: unknown }) => {
    // A call may end its own process; then there is no log left to write to.
    const clean = { ...row, call: redactor.known(call), args: redactor.line(args) };
    await processes.logCall(pid, clean).catch(onFault);
    calls.added(pid);
  };
}

/** Two ways into the same services: one writes the log of the process that calls, one is for what the kernel reads on its behalf. */
export class Dispatches {
  private made: { readonly logged: Dispatch; readonly unlogged: Dispatch } | null = null;

  readonly logged: Dispatch = (...call) => this.ready().logged(...call);
  readonly unlogged: Dispatch = (...call) => this.ready().unlogged(...call);

  make(core: Core, services: Services): void {
    const { kernel, machine, redactor, onFault } = core;
    const log = callLog(core);
    const { requests, audit } = kernel;
    const conceal = (text: string) => redactor.known(text);
    const common = { table: SYSCALLS, services, requests, audit, clock: machine.clock, onFault, conceal };
    this.made = {
      logged: makeDispatch({
        ...common,
        auditPrivileged: true,
        logCall: log,
      }),
      unlogged: makeDispatch({ ...common, logCall: async () => {} }),
    };
  }

  private ready() {
    if (this.made === null) throw new Error("a call came before the kernel was built");
    return this.made;
  }
}
