// The service behind system.status and sys.drain.

import { WORKING_STATES } from "../../abi/process/process.ts";
import type { LeaveReason } from "../../abi/sys.ts";
import type { ProcessRows } from "../../store/kernel/processes/processes.ts";
import type { KernelControl, KernelStatus } from "../../syscalls/services.ts";

export interface ControlOptions {
  readonly about: Pick<KernelStatus, "version" | "commit" | "bun" | "home">;
  readonly processes: ProcessRows;
  readonly life: () => Pick<KernelStatus, "running" | "pid" | "startedAt" | "generation" | "clients">;
  readonly drain: (why: LeaveReason) => void;
}

export function controlService({ about, processes, life, drain }: ControlOptions): KernelControl {
  return {
    async status() {
      const tally = await processes.tally();
      const all = [...tally.values()].reduce((sum, count) => sum + count, 0);
      const working = WORKING_STATES.reduce((sum, state) => sum + (tally.get(state) ?? 0), 0);
      return { ...about, ...life(), processes: all, working };
    },
    async drain(why) {
      const { pid } = life();
      drain(why);
      return { pid: pid ?? 0 };
    },
  };
}
