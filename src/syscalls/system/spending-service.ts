// What was used and what may be, as callers see it.

import type { Caller } from "../../abi/identity.ts";
import type { Tokens } from "../../abi/process/money.ts";
import type { CallContext } from "../define.ts";

export const USAGE_BY = ["model", "process", "day", "session", "account"] as const;
export type UsageBy = (typeof USAGE_BY)[number];

export interface UsageInfo extends Tokens {
  readonly by: UsageBy;
  /** The model, pid, day, session or account; `total` for all together. */
  readonly key: string;
  /** Of a process that is there. */
  readonly label: string | null;
  readonly turns: number;
  /** Answers that were cut or failed, and used something all the same. */
  readonly wasted: number;
  readonly costUsd: number;
  /** Answers whose price nobody knows: they count as nothing. */
  readonly unpriced: number;
  readonly runMs: number;
}

export interface UsagePage {
  readonly rows: readonly UsageInfo[];
  /** Of all rows, also those of other pages. */
  readonly total: UsageInfo;
  readonly next: string | null;
}

/** One run, as its turns were counted. */
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
  /** The newest first. */
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
  /** Whose it is; null for all of an account in a day. */
  readonly pid: string | null;
  readonly owner: string;
  /** The one it stands under, by whose it is. */
  readonly under: string | null;
  /** As it would be written. */
  readonly budget: string;
  /** Null where there is no bound. */
  readonly maxUsd: number | null;
  readonly maxTokens: number | null;
  readonly maxMs: number | null;
  readonly usedUsd: number;
  readonly usedTokens: number;
  readonly usedMs: number;
  /** Of the bound that is nearest. */
  readonly share: number;
  /** When it begins anew. */
  readonly until: number | null;
}

export interface BudgetChanged {
  readonly pid: string;
  /** As it would be written; null where there is none any more. */
  readonly budget: string | null;
  /** Of each bound, how much. */
  readonly used: string | null;
}

export interface BudgetService {
  /** Those a process spends from, its own first; without one all of the caller's. */
  list(caller: Caller, pid: string | undefined): Promise<{ readonly budgets: readonly BudgetInfo[] }>;
  /** Sets, raises or takes away what a process may use. */
  change(context: CallContext, request: { readonly pid: string; readonly budget: string }): Promise<BudgetChanged>;
}
