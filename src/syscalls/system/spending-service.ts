// Usage and budgets, as types.

import type { Caller } from "../../abi/identity.ts";
import type { Tokens } from "../../abi/process/money.ts";
import type { CallContext } from "../define.ts";

export const USAGE_BY = ["model", "process", "day", "session", "account"] as const;
export type UsageBy = (typeof USAGE_BY)[number];

export interface UsageInfo extends Tokens {
  readonly by: UsageBy;
  /** The model, pid, day, session or account, or `total`. */
  readonly key: string;
  /** Label of a live process. */
  readonly label: string | null;
  readonly turns: number;
  /** Answers that were cut or failed but used tokens. */
  readonly wasted: number;
  readonly costUsd: number;
  /** Answers with an unknown price, counted as free. */
  readonly unpriced: number;
  readonly runMs: number;
}

export interface UsagePage {
  readonly rows: readonly UsageInfo[];
  /** Of all rows, not only of this page. */
  readonly total: UsageInfo;
  readonly next: string | null;
}

export interface RunInfo {
  readonly pid: string;
  readonly label: string | null;
  readonly run: string;
  readonly model: string;
  readonly turns: number;
  readonly tokens: number;
  readonly costUsd: number;
  readonly ms: number;
  readonly at: number;
}

export interface UsageReports {
  /** Newest first. */
  runs(
    caller: Caller,
    query: { readonly pid?: string; readonly limit: number },
  ): Promise<{ readonly runs: readonly RunInfo[] }>;
  sums(
    context: Pick<CallContext, "caller" | "client">,
    query: { readonly by: UsageBy; readonly since?: string; readonly pid?: string; readonly after?: string },
  ): Promise<UsagePage>;
}

export interface BudgetInfo {
  /** Whose budget it is; null for an account's daily budget. */
  readonly pid: string | null;
  readonly owner: string;
  /** The budget above it, by pid. */
  readonly under: string | null;
  /** As text, such as `$2,30m`. */
  readonly budget: string;
  /** Null if unlimited. */
  readonly maxUsd: number | null;
  readonly maxTokens: number | null;
  readonly maxMs: number | null;
  readonly usedUsd: number;
  readonly usedTokens: number;
  readonly usedMs: number;
  /** Of the limit that is closest. */
  readonly share: number;
  /** When the budget starts again. */
  readonly until: number | null;
}

export interface BudgetChanged {
  readonly pid: string;
  /** As text; null if there is none now. */
  readonly budget: string | null;
  /** The used part of each limit. */
  readonly used: string | null;
}

export interface BudgetService {
  /** Budgets that a process spends from, its own first; without a pid, all of the caller's. */
  list(caller: Caller, pid: string | undefined): Promise<{ readonly budgets: readonly BudgetInfo[] }>;
  change(context: CallContext, request: { readonly pid: string; readonly budget: string }): Promise<BudgetChanged>;
}
