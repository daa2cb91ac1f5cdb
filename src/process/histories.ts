// Reading what a process said and did. Needs no kernel: the same code answers from a read-only view.

import { LIMITS } from "../abi/limits.ts";
import type { Message } from "../abi/message.ts";
import { visibleProcess } from "../kernel/registry.ts";
import { clipped, fitting } from "../lib/fitting.ts";
import type { ProcessRow } from "../store/kernel/processes.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import type { ProcessStore } from "../store/process/verbs.ts";
import type { Histories } from "../syscalls/services.ts";
import { shownApproval } from "./approvals.ts";

/** Of one message that fills a page alone. */
const ONE_TEXT_BYTES_MAX = 256 * 1024;

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
      const asked = await store.openApproval(pid);
      // What does not fit is left out where the next page begins: after the newest when reading on, before the oldest otherwise.
      const onwards = query.afterSeq !== undefined;
      const kept = newestOrOldest(slice.messages, onwards);
      const cut = kept.length < slice.messages.length;
      return {
        pid,
        messages: kept.map((message) => (kept.length === 1 ? clipped(message, ONE_TEXT_BYTES_MAX) : message)),
        messageCount: slice.count,
        hasMoreBefore: slice.hasMoreBefore || (cut && !onwards),
        hasMoreAfter: slice.hasMoreAfter || (cut && onwards),
        activeRunId,
        pendingHil: asked === null ? null : shownApproval(asked),
      };
    },
    async trace(caller, pid, query) {
      const row = await visibleProcess(kernel, caller, pid);
      await open?.(row);
      return [...fitting(await store.trace(pid, query), LIMITS.answerBytesMax)];
    },
  };
}

function newestOrOldest(messages: readonly Message[], onwards: boolean): readonly Message[] {
  if (onwards) return fitting(messages, LIMITS.answerBytesMax);
  return [...fitting([...messages].reverse(), LIMITS.answerBytesMax)].reverse();
}
