// The histories that a stream of events reads, as the account of its token.

import { SysError } from "../../abi/errno.ts";
import type { Message } from "../../abi/process/message.ts";
import type { ProcessInfo } from "../../abi/process/process.ts";
import type { Sys } from "../../abi/sys.ts";
import type { HistoryPage } from "../../syscalls/services.ts";

export type Found =
  | { readonly kind: "message"; readonly message: Message }
  /** The messages between are no longer in the history: a reset archived them, or a rewind removed them. */
  | { readonly kind: "gap"; readonly afterSeq: number; readonly seq: number };

const PAGE = 100;

export class Histories {
  constructor(private readonly sys: Sys) {}

  /** 0 without messages. */
  async lastOf(pid: string): Promise<number> {
    return (await this.page(pid, { limit: 1 }))?.messages.at(-1)?.id ?? 0;
  }

  /** Null if it has ended. */
  async process(pid: string): Promise<ProcessInfo | null> {
    return await orNull(this.sys.call<ProcessInfo>("proc.get", { pid }));
  }

  async activeSince(since: number): Promise<readonly string[]> {
    const pids: string[] = [];
    let after: string | null = null;
    do {
      const page: { processes: readonly ProcessInfo[]; next: string | null } = await this.sys.call("proc.list", {
        ...(after !== null && { after }),
      });
      for (const { pid, lastActiveAt, createdAt } of page.processes)
        if ((lastActiveAt ?? createdAt) >= since) pids.push(pid);
      after = page.next;
    } while (after !== null);
    return pids;
  }

  /** The number of the last message that is older than this time and below `seq`. */
  async before(pid: string, since: number, seq: number | null): Promise<number> {
    let first = seq ?? Number.POSITIVE_INFINITY;
    for (;;) {
      const page = await this.page(pid, { limit: PAGE, ...(Number.isFinite(first) && { beforeSeq: first }) });
      const messages = page?.messages ?? [];
      const newer = messages.filter(({ timestamp }) => timestamp >= since);
      const last = messages.at(-1)?.id;
      if (newer.length < messages.length || page?.hasMoreBefore !== true)
        return (newer[0]?.id ?? (Number.isFinite(first) ? first : (last ?? 0) + 1)) - 1;
      first = newer[0]?.id ?? 1;
    }
  }

  /** Oldest first. */
  async *after(pid: string, afterSeq: number, until: number | null): AsyncGenerator<Found> {
    let last = afterSeq;
    for (let more = true; more; ) {
      const page = await this.page(pid, { limit: PAGE, afterSeq: last });
      if (page === null) return;
      for (const message of page.messages) {
        if (until !== null && message.id > until) return;
        if (message.id > last + 1) yield { kind: "gap", afterSeq: last, seq: message.id };
        last = message.id;
        yield { kind: "message", message };
      }
      more = page.hasMoreAfter;
    }
  }

  private async page(pid: string, query: object): Promise<HistoryPage | null> {
    return await orNull(this.sys.call<HistoryPage>("proc.history", { pid, ...query }));
  }
}

async function orNull<Value>(answer: Promise<Value>): Promise<Value | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof SysError && error.code === "ESRCH") return null;
    throw error;
  }
}
