// Reads the messages and calls of a process. Needs no kernel: the read-only view uses the same code.

import { LIMITS } from "../../abi/config/limits.ts";
import { SysError } from "../../abi/errno.ts";
import type { Message } from "../../abi/process/message.ts";
import type { WaitsFor } from "../../abi/process/process.ts";
import { visibleProcess } from "../../kernel/registry.ts";
import { beginningOf } from "../../kernel/since.ts";
import type { Clock } from "../../lib/clock.ts";
import { cutToFit, fitting, jsonBytes, objectCutToFit } from "../../lib/text/fitting.ts";
import { waitAtMost } from "../../lib/wait.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { ProcessStore } from "../../store/process/verbs.ts";
import type { Histories, HistoryPage } from "../../syscalls/services.ts";
import { shownApproval } from "../approvals/approvals.ts";

/** Limit for the arguments of a call, in a message larger than a page. */
const ARGS_BYTES_MAX = 4096;

/** Wakes readers of a process's call log. A hint only: read the log again after a wait. */
export class CallWaiters {
  private readonly waiting = new Map<string, PromiseWithResolvers<void>>();

  added(pid: string): void {
    this.waiting.get(pid)?.resolve();
    this.waiting.delete(pid);
  }

  /** Must be called before the log is read, so that no call is missed in between. */
  next(pid: string): Promise<void> {
    const known = this.waiting.get(pid);
    if (known !== undefined) return known.promise;
    const waiting = Promise.withResolvers<void>();
    this.waiting.set(pid, waiting);
    return waiting.promise;
  }
}

export interface HistoryPorts {
  readonly kernel: KernelStore;
  readonly store: ProcessStore;
  readonly now: () => number;
  /** Called before the first read of a process in a kernel. */
  readonly open?: (row: ProcessRow) => Promise<void>;
  /** For waiting; absent without a kernel. */
  readonly calls?: { readonly waiters: CallWaiters; readonly clock: Clock };
}

export function historiesService({ kernel, store, now, open, calls }: HistoryPorts): Histories {
  return {
    async page({ caller, client }, pid, { since, ...query }) {
      const row = await visibleProcess(kernel, caller, pid);
      await open?.(row);
      const asker = { uid: caller.ownerUid, client };
      const sinceMs = since === undefined ? undefined : await beginningOf(kernel.config, asker, since, now());
      const bounds = sinceMs === undefined ? {} : { sinceMs };
      const slice = await store.history(pid, { ...query, ...bounds, bytesMax: LIMITS.answerBytesMax });
      const { activeRunId } = await store.projection(pid);
      const asked = await store.openApproval(pid);
      // Cut at the side of the next page: the newest when reading on, else the oldest.
      const onwards = query.afterSeq !== undefined;
      const kept = newestOrOldest(slice.messages, onwards);
      const cut = kept.length < slice.messages.length;
      const messages = kept.length === 1 ? kept.map(shownMessage) : kept;
      return {
        pid,
        messages: messages.map(unsealed),
        inPart: messages.flatMap(({ id }, index) => (messages[index] === kept[index] ? [] : [id])),
        messageCount: slice.count,
        hasMoreBefore: slice.hasMoreBefore || (cut && !onwards),
        hasMoreAfter: slice.hasMoreAfter || (cut && onwards),
        activeRunId,
        pendingHil: asked === null ? null : shownApproval(asked),
        ...(slice.hasMoreAfter || (cut && onwards) || query.offset ? {} : failureOf(row, activeRunId)),
      };
    },
    async text(caller, pid, { seq, offset }) {
      const row = await visibleProcess(kernel, caller, pid);
      await open?.(row);
      const wanted = seq ?? (await newestAnswer(store, pid));
      const piece = { offset, charsMax: LIMITS.textPieceCharsMax };
      const found = wanted === null ? null : await store.messageText(pid, { ...piece, seq: wanted });
      if (found === null || wanted === null)
        throw new SysError(
          "ENOENT",
          wanted === null ? `${pid} has not answered yet` : `no message ${wanted} in ${pid}`,
          [`to list message numbers: gsv proc history --pid ${pid} --json`],
        );
      return { pid, seq: wanted, ...found };
    },
    async trace({ caller, signal }, pid, { waitMs, ...query }) {
      const row = await visibleProcess(kernel, caller, pid);
      await open?.(row);
      if (waitMs > 0 && calls === undefined) throw new SysError("EAGAIN", "cannot wait for calls without a kernel");
      const next = waitMs > 0 ? calls?.waiters.next(pid) : undefined;
      const rows = await store.trace(pid, query);
      if (rows.length > 0 || next === undefined || calls === undefined)
        return [...fitting(rows, LIMITS.answerBytesMax)];
      await waitAtMost(calls.clock, waitMs, next, signal);
      // The process may have ended meanwhile.
      await visibleProcess(kernel, caller, pid);
      return [...fitting(await store.trace(pid, query), LIMITS.answerBytesMax)];
    },
    async segments(caller, pid) {
      const row = await visibleProcess(kernel, caller, pid);
      await open?.(row);
      return (await store.segments(pid)).slice(-LIMITS.listPageMax);
    },
  };
}

const FAILURES: readonly WaitsFor["kind"][] = ["model", "outage", "credential", "restart", "limit", "disk"];

function failureOf(
  { waitsFor, lastActiveAt, createdAt }: ProcessRow,
  runId: string | null,
): Pick<HistoryPage, "failure"> {
  if (waitsFor === null || !FAILURES.includes(waitsFor.kind)) return {};
  const since = "since" in waitsFor ? waitsFor.since : undefined;
  return { failure: { runId, timestamp: since ?? lastActiveAt ?? createdAt, waitsFor } };
}

function newestOrOldest(messages: readonly Message[], onwards: boolean): readonly Message[] {
  if (onwards) return fitting(messages, LIMITS.answerBytesMax);
  return [...fitting([...messages].reverse(), LIMITS.answerBytesMax)].reverse();
}

function unsealed(message: Message): Message {
  if (message.role !== "assistant" || message.content.seal === undefined) return message;
  const { seal: _, ...content } = message.content;
  return { ...message, content };
}

function shownMessage(message: Message): Message {
  if (jsonBytes(message) <= LIMITS.answerBytesMax) return message;
  const cut = cutToFit(message, LIMITS.answerBytesMax);
  if (jsonBytes(cut) <= LIMITS.answerBytesMax || cut.role !== "assistant") return cut;
  const toolCalls = (message as typeof cut).content.toolCalls ?? [];
  const calls = toolCalls.map((call) => ({ ...call, args: objectCutToFit(call.args, ARGS_BYTES_MAX) }));
  return cutToFit({ ...message, content: { ...cut.content, toolCalls: calls } } as Message, LIMITS.answerBytesMax);
}

async function newestAnswer(store: ProcessStore, pid: string): Promise<number | null> {
  for (let before: number | undefined; ; ) {
    const query = { limit: LIMITS.historyPageMax, bytesMax: LIMITS.answerBytesMax };
    const slice = await store.history(pid, before === undefined ? query : { ...query, beforeSeq: before });
    const found = slice.messages.findLast((message) => message.role === "assistant" && message.content.text !== "");
    if (found !== undefined) return found.id;
    before = slice.messages[0]?.id;
    if (before === undefined || !slice.hasMoreBefore) return null;
  }
}
