// Queries of /proc, always with the reader's own permissions: invisible processes do not exist.

import { LIMITS } from "../../src/abi/config/limits.ts";
import { SysError } from "../../src/abi/errno.ts";
import type { Caller } from "../../src/abi/identity.ts";
import { isPid } from "../../src/abi/ids.ts";
import type { Message, ToolCall } from "../../src/abi/process/message.ts";
import type { Approval, ProcessInfo, RunFailure } from "../../src/abi/process/process.ts";
import type { Segment } from "../../src/abi/process/segment.ts";
import type { Sys } from "../../src/abi/sys.ts";
import { FileError } from "../error.ts";
import { openApprovals } from "../generated/var.ts";
import type { BudgetFacts, UsageFacts } from "./facts.ts";

export interface KernelFacts {
  readonly version: string;
  readonly startedAt: number | null;
  readonly processes: number;
  readonly working: number;
  readonly clients: number;
}

export interface Page {
  readonly messages: readonly Message[];
  readonly messageCount: number;
  readonly hasMoreAfter: boolean;
  readonly activeRunId: string | null;
  readonly failure?: RunFailure;
}

const NOTIFICATIONS_MAX = 500;

export class ProcQueries {
  constructor(
    readonly sysFor: (caller: Caller) => Sys,
    private readonly segmentName: (segment: Segment) => string,
  ) {}

  kernel(caller: Caller): Promise<KernelFacts> {
    return this.sysFor(caller).call("system.status", {});
  }

  async pids(caller: Caller): Promise<string[]> {
    const pids: string[] = [];
    for (let after: string | null | undefined; after !== null; ) {
      const page: { processes: ProcessInfo[]; next?: string | null } = await this.sysFor(caller).call(
        "proc.list",
        after ? { after } : {},
      );
      pids.push(...page.processes.map(({ pid }) => pid));
      after = page.next ?? null;
    }
    return pids;
  }

  async has(caller: Caller, pid: string): Promise<boolean> {
    if (!isPid(pid)) return false;
    try {
      await this.sysFor(caller).call("proc.get", { pid });
      return true;
    } catch (error) {
      if (error instanceof SysError && error.code === "ESRCH") return false;
      throw error;
    }
  }

  info(caller: Caller, pid: string): Promise<ProcessInfo> {
    return alive(pid, this.sysFor(caller).call("proc.get", { pid }));
  }

  async *history(caller: Caller, pid: string): AsyncGenerator<Page> {
    for (let afterSeq = 0; ; ) {
      const page = await this.page(caller, { pid, afterSeq, limit: LIMITS.historyPageMax });
      yield page;
      const last = page.messages.at(-1);
      if (last === undefined || !page.hasMoreAfter) return;
      afterSeq = last.id;
    }
  }

  /** Messages after a number. */
  since(caller: Caller, pid: string, afterSeq: number): Promise<Page> {
    return this.page(caller, { pid, afterSeq, limit: LIMITS.historyPageMax });
  }

  async segments(caller: Caller, pid: string): Promise<readonly Segment[]> {
    return (await alive(pid, this.sysFor(caller).call<{ segments: Segment[] }>("proc.segments", { pid }))).segments;
  }

  async segment(caller: Caller, pid: string, name: string): Promise<Segment | null> {
    return (await this.segments(caller, pid)).find((segment) => this.segmentName(segment) === name) ?? null;
  }

  async *between(caller: Caller, pid: string, { fromSeq, toSeq }: Segment): AsyncGenerator<readonly Message[]> {
    for (let afterSeq = fromSeq - 1; afterSeq < toSeq; ) {
      const query = { pid, afterSeq, beforeSeq: toSeq + 1, limit: LIMITS.historyPageMax };
      const { messages } = await this.page(caller, query);
      yield messages;
      const last = messages.at(-1);
      if (last === undefined) return;
      afterSeq = last.id;
    }
  }

  newest(caller: Caller, pid: string, limit: number): Promise<Page> {
    return this.page(caller, { pid, limit });
  }

  /** Calls of the active run without a result. */
  async pending(caller: Caller, pid: string): Promise<readonly ToolCall[]> {
    const { messages, activeRunId } = await this.newest(caller, pid, LIMITS.historyPageMax);
    if (activeRunId === null) return [];
    const ofRun = messages.filter(({ runId }) => runId === activeRunId);
    const called = ofRun.flatMap((each) => (each.role === "assistant" ? (each.content.toolCalls ?? []) : []));
    const ended = new Set(ofRun.map((each) => (each.role === "toolResult" ? each.content.toolCallId : "")));
    return called.filter(({ id }) => !ended.has(id));
  }

  async approvals(caller: Caller, pid: string): Promise<readonly Approval[]> {
    return (await openApprovals(this.sysFor(caller))).filter((approval) => approval.pid === pid);
  }

  usage(caller: Caller, pid: string): Promise<{ readonly total: UsageFacts; readonly rows: readonly UsageFacts[] }> {
    return alive(pid, this.sysFor(caller).call("proc.usage", { pid }));
  }

  async budgets(caller: Caller, pid: string): Promise<readonly BudgetFacts[]> {
    const found = this.sysFor(caller).call<{ budgets: readonly BudgetFacts[] }>("proc.budgets", { pid });
    return (await alive(pid, found)).budgets;
  }

  /** Of the reader. */
  async notifications(caller: Caller): Promise<readonly object[]> {
    const query = { limit: NOTIFICATIONS_MAX };
    return (await this.sysFor(caller).call<{ notifications: readonly object[] }>("notify.list", query)).notifications;
  }

  caps(
    caller: Caller,
    pid: string,
  ): Promise<{ readonly capabilities: readonly string[]; readonly dropped: readonly string[] }> {
    return alive(pid, this.sysFor(caller).call("proc.caps", { pid }));
  }

  /** The reader's setting; a run may use another model. */
  async setting(caller: Caller, key: string): Promise<string> {
    return (await this.sysFor(caller).call<{ shown: string }>("config.get", { key })).shown;
  }

  private page(
    caller: Caller,
    query: { pid: string; afterSeq?: number; beforeSeq?: number; limit: number },
  ): Promise<Page> {
    return alive(query.pid, this.sysFor(caller).call("proc.history", query));
  }
}

/** A process that ended meanwhile is a missing file. */
async function alive<T>(pid: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof SysError && error.code === "ESRCH" ? new FileError("ENOENT", `/${pid}`) : error;
  }
}
