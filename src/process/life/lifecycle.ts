// The service behind proc.extend and proc.restart.

import { SysError } from "../../abi/errno.ts";
import { visibleProcess } from "../../kernel/registry.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { Lifecycle } from "../../syscalls/proc/proc-control.ts";
import type { Timeouts } from "../limits/timeouts.ts";

export function lifecycleService(kernel: KernelStore, timeouts: Timeouts): Lifecycle {
  return {
    async extend({ caller }, { pid, seconds }) {
      const row = await visibleProcess(kernel, caller, pid);
      const endsAt = await timeouts.extend(row.pid, seconds * 1000);
      if (endsAt !== null) return { pid, endsAt };
      throw new SysError("EINVAL", `${pid} has no active run to extend`, ["to see the state of processes: gsv ps"]);
    },

    async restart({ caller }, { pid, rule }) {
      const row = await visibleProcess(kernel, caller, pid);
      if (rule === undefined) return { pid, restart: row.restart };
      await kernel.processes.restart(row.pid, rule);
      return { pid, restart: rule };
    },
  };
}
