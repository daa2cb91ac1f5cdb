// Reading what a process said and did. Needs no kernel: the same code answers from a read-only view.

import { visibleProcess } from "../kernel/registry.ts";
import type { ProcessRow } from "../store/kernel/processes.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import type { ProcessStore } from "../store/process/verbs.ts";
import type { Histories } from "../syscalls/services.ts";

export interface HistoryPorts {
  readonly kernel: KernelStore;
  readonly store: ProcessStore;
  /** Before the first look at a process by a kernel. */
  readonly open?: (row: ProcessRow) => Promise<void>;
}

export function historiesService({ kernel, store, open }: HistoryPorts): Histories {
  return {
    async page(caller, pid, query) {
      const row = await visibleProcess(kernel, caller, pid);
      await open?.(row);
      const slice = await store.history(pid, query);
      const { activeRunId } = await store.projection(pid);
      const { messages, count, hasMoreBefore, hasMoreAfter } = slice;
      return {
        pid,
        messages,
        messageCount: count,
        hasMoreBefore,
        hasMoreAfter,
        activeRunId,
        pendingHil: await store.openApproval(pid),
      };
    },
    async trace(caller, pid, query) {
      const row = await visibleProcess(kernel, caller, pid);
      await open?.(row);
      return [...(await store.trace(pid, query))];
    },
  };
}
