// The doors into the kernel, which are there before what lies behind them is built.

import type { Core } from "../boot.ts";
import { type Dispatch, makeDispatch } from "../kernel/dispatch.ts";
import { SYSCALLS } from "../syscalls/all.ts";
import type { Services } from "../syscalls/table.ts";

/** Two ways into the same services: one writes the log of the process that calls, one is for what the kernel reads on its behalf. */
export class Dispatches {
  private made: { readonly logged: Dispatch; readonly unlogged: Dispatch } | null = null;

  readonly logged: Dispatch = (...call) => this.ready().logged(...call);
  readonly unlogged: Dispatch = (...call) => this.ready().unlogged(...call);

  make({ kernel, processes, machine, redactor, calls, onFault }: Core, services: Services): void {
    const { requests, audit } = kernel;
    const conceal = (text: string) => redactor.known(text);
    const common = { table: SYSCALLS, services, requests, audit, clock: machine.clock, onFault, conceal };
    this.made = {
      logged: makeDispatch({
        ...common,
        auditPrivileged: true,
        logCall: async (pid, { args, call, ...row }) => {
          // A call may end its own process; then there is no log left to write to.
          const clean = { ...row, call: redactor.known(call), args: redactor.line(args) };
          await processes.logCall(pid, clean).catch(onFault);
          calls.heard(pid);
        },
      }),
      unlogged: makeDispatch({ ...common, logCall: async () => {} }),
    };
  }

  private ready() {
    if (this.made === null) throw new Error("a call came before the kernel was built");
    return this.made;
  }
}
