// The kernel about itself: version, since when, how much it has to do; and the way to ask it to leave.

import { WORKING_STATES } from "../abi/process.ts";
import type { ProcessRows } from "../store/kernel/processes.ts";
import type { DrainWhy, KernelControl, KernelStatus } from "../syscalls/services.ts";

export interface ControlOptions {
  readonly about: Pick<KernelStatus, "version" | "commit" | "bun" | "home">;
  readonly processes: ProcessRows;
  readonly life: () => Pick<KernelStatus, "running" | "pid" | "startedAt" | "generation" | "clients">;
  readonly drain: (why: DrainWhy) => void;
}

export function controlService({ about, processes, life, drain }: ControlOptions): KernelControl {
  return {
    async status() {
      const rows = await processes.list({});
      return {
        ...about,
        ...life(),
        processes: rows.length,
        working: rows.filter((row) => WORKING_STATES.includes(row.state)).length,
      };
    },
    async drain(why) {
      const { pid } = life();
      drain(why);
      return { pid: pid ?? 0 };
    },
  };
}
