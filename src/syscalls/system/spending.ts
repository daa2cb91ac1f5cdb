// proc.usage, proc.budgets and proc.budget. Everyone sees their own usage; only a person changes a budget.

import type { Caller } from "../../abi/identity.ts";
import { microsOf, type Tokens, usdText } from "../../abi/process/money.ts";
import { type CallContext, field, syscall, value } from "../define.ts";

const USAGE_BY = ["model", "process", "day", "session", "account"] as const;
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

interface RunInfo {
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

const PID = { meta: "PID" } as const;

export const spendingCalls = [
  syscall({
    name: "proc.usage",
    summary: "Show tokens and cost",
    class: "read",
    capability: "proc.list",
    input: {
      by: field.withDefault(field.choice("grouping of the rows", USAGE_BY, { meta: "WHAT" }), "model"),
      since: field.optional(field.text("only since: today, 7d, 2026-11-01 or a time", { longest: 40, meta: "WHEN" })),
      pid: field.optional(field.pid("only of this process, even if it has ended", PID)),
      after: field.optional(field.text("cursor of the next page", { longest: 20, hide: "both" })),
    },
    cli: {
      hidden: true,
      print: {
        kind: "table",
        rows: (page: UsagePage) => page.rows,
        empty: "(no usage)",
        pages: { rows: "rows", next: "next", argument: "after" },
        columns: [
          { head: "OF", cell: (row: UsageInfo) => row.key, shrink: true },
          { head: "LABEL", minor: 5, cell: (row: UsageInfo) => row.label ?? "-", shrink: true },
          { head: "TURNS", cell: (row: UsageInfo) => String(row.turns), align: "right" },
          { head: "WASTED", minor: 4, cell: (row: UsageInfo) => String(row.wasted), align: "right" },
          { head: "INPUT", minor: 1, cell: (row: UsageInfo) => String(row.input), align: "right" },
          { head: "OUTPUT", minor: 1, cell: (row: UsageInfo) => String(row.output), align: "right" },
          { head: "CACHE READ", minor: 2, cell: (row: UsageInfo) => String(row.cacheRead), align: "right" },
          { head: "CACHE WRITE", minor: 3, cell: (row: UsageInfo) => String(row.cacheWrite), align: "right" },
          { head: "COST", cell: costText, align: "right" },
        ],
      },
    },
    run: ({ usage }: { usage: UsageReports }, args, context) => usage.sums(context, args),
  }),

  syscall({
    name: "proc.budgets",
    summary: "Show budgets and how much is used",
    class: "read",
    capability: "proc.list",
    input: {
      pid: field.optional(field.pid("only budgets that this process spends from", { positional: true, ...PID })),
    },
    cli: {
      hidden: true,
      print: {
        kind: "table",
        rows: (result: { budgets: readonly BudgetInfo[] }) => result.budgets,
        empty: "(no budgets)",
        columns: [
          { head: "WHOSE", cell: (row: BudgetInfo) => row.pid ?? `${row.owner}, today` },
          { head: "USED", cell: (row: BudgetInfo) => `${Math.floor(row.share * 100)} %`, align: "right" },
          { head: "MONEY", cell: (row: BudgetInfo) => ofText(moneyText(row.usedUsd), row.maxUsd, moneyText) },
          {
            head: "TOKENS",
            minor: 1,
            cell: (row: BudgetInfo) => ofText(String(row.usedTokens), row.maxTokens, String),
          },
          { head: "RUN TIME", minor: 1, cell: (row: BudgetInfo) => ofText(timeText(row.usedMs), row.maxMs, timeText) },
          { head: "UNDER", minor: 2, cell: (row: BudgetInfo) => row.under ?? "-" },
        ],
      },
    },
    run: ({ budgets }: { budgets: BudgetService }, args, { caller }) => budgets.list(caller, args.pid),
  }),

  syscall({
    name: "proc.budget",
    summary: "Set, raise or remove a budget",
    class: "keyed",
    by: "person",
    input: {
      pid: field.pid("the process", { positional: true, ...PID }),
      budget: field.text("money, run time, tokens: '$2,30m,200k'; '+$1' raises it, none removes it", {
        positional: true,
        shortest: 1,
        longest: 100,
        meta: "BUDGET",
      }),
    },
    cli: {
      hidden: true,
      print: value(({ pid, budget, used }: BudgetChanged) =>
        budget === null ? `${pid} has no budget of its own` : `${pid} may use ${budget} (${used} so far)`,
      ),
    },
    run: ({ budgets }: { budgets: BudgetService }, args, context) => budgets.change(context, args),
  }),

  syscall({
    name: "proc.runs",
    summary: "List recent runs with model and cost",
    class: "read",
    capability: "proc.list",
    input: {
      pid: field.optional(field.pid("only of this process, even if it has ended", { positional: true, ...PID })),
      limit: field.withDefault(field.int("maximum number of runs", { min: 1, max: 1000, letter: "n", meta: "N" }), 20),
    },
    cli: {
      examples: ["gsv last", "gsv last task:abc123 -n 5"],
      print: {
        kind: "table",
        rows: (result: { runs: readonly RunInfo[] }) => result.runs,
        empty: "(no runs)",
        columns: [
          { head: "PID", cell: (row: RunInfo) => row.pid },
          { head: "LABEL", minor: 2, cell: (row: RunInfo) => row.label ?? "-", shrink: true },
          { head: "MODEL", minor: 1, cell: (row: RunInfo) => row.model, shrink: true },
          { head: "ENDED", since: (row: RunInfo) => row.at, align: "right" },
          { head: "TOOK", cell: (row: RunInfo) => `${(row.ms / 1000).toFixed(1)}s`, align: "right" },
          { head: "TURNS", minor: 3, cell: (row: RunInfo) => String(row.turns), align: "right" },
          { head: "TOKENS", minor: 4, cell: (row: RunInfo) => String(row.tokens), align: "right" },
          { head: "COST", cell: (row: RunInfo) => usdText(microsOf(row.costUsd)), align: "right" },
        ],
      },
    },
    run: ({ usage }: { usage: UsageReports }, args, { caller }) => usage.runs(caller, args),
  }),
] as const;

function costText({ costUsd, unpriced, turns, wasted }: UsageInfo): string {
  if (unpriced > 0 && unpriced === turns + wasted) return "?";
  return `${unpriced > 0 ? "≥ " : ""}${moneyText(costUsd)}`;
}

function moneyText(usd: number): string {
  return usdText(microsOf(usd));
}

function timeText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return seconds < 120 ? `${seconds}s` : `${Math.floor(seconds / 60)}m`;
}

function ofText(used: string, max: number | null, text: (max: number) => string): string {
  return max === null ? "-" : `${used} of ${text(max)}`;
}
