// `gsv usage` and `gsv budget`: token usage and cost, and their limits. People get a table with a total; programs get JSON lines or CSV without
// the total, so that sums are right.

import { field, type Print } from "../../src/syscalls/define.ts";
import { spendingCalls, type UsageInfo, type UsagePage } from "../../src/syscalls/system/spending.ts";
import { usageError } from "../args.ts";
import type { Io } from "../command.ts";
import { command } from "../define.ts";
import { note } from "../io/status.ts";
import { printResult, printText } from "../print.ts";

const [sums, list, change] = spendingCalls;
const { by, since, pid } = sums.input;

const spec = {
  name: "usage",
  summary: "Show token usage and cost",
  input: { by, since, pid, csv: field.flag("CSV with a header line") },
  examples: [
    "gsv usage",
    "gsv usage --by day --since 7d",
    "gsv usage --by process --since today",
    "gsv usage --pid task:abc123",
    "gsv usage --by model --csv > usage.csv",
  ],
  notes: [
    [
      "Cost is tokens times the price of the model; ? means that the price is unknown (set ai.prices). WASTED counts answers",
      "that failed and were retried. Usage stays after a reset or kill. Root sees all accounts.",
    ].join("\n"),
  ],
} as const;

export const usage = command(spec, async ({ args: { csv, ...asked }, json }, io) => {
  if (csv && json) throw usageError(spec, "--csv and --json cannot be combined");
  const page = await whole(io, asked);
  const print = printOf(asked.by);
  if (csv) await printText(io.stdout, csvOf(page.rows));
  else
    await printResult(
      io,
      print,
      json || page.rows.length < 2 ? page : { ...page, rows: [...page.rows, page.total] },
      json,
    );
  const { unpriced } = page.total;
  if (unpriced > 0)
    await note(io, `unknown price for ${unpriced} answers, counted as 0. To set prices: gsv config set ai.prices`);
  return 0;
});

function printOf(by: string): Print<UsagePage> {
  const { print } = sums.cli;
  if (print.kind !== "table") return print;
  const columns = print.columns.filter(({ head }) => head !== "LABEL" || by === "process");
  return {
    ...print,
    columns: columns.map((column) => (column.head === "OF" ? { ...column, head: by.toUpperCase() } : column)),
  };
}

async function whole(io: Io, asked: object): Promise<UsagePage> {
  const rows: UsageInfo[] = [];
  for (let after: string | null = null; ; ) {
    const page: UsagePage = await io.sys().call<UsagePage>("proc.usage", after === null ? asked : { ...asked, after });
    rows.push(...page.rows);
    after = page.next;
    if (after === null) return { ...page, rows };
  }
}

const FIELDS = [
  "key",
  "label",
  "turns",
  "wasted",
  "input",
  "output",
  "cacheRead",
  "cacheWrite",
  "costUsd",
  "unpriced",
  "runMs",
] as const satisfies readonly (keyof UsageInfo)[];

function csvOf(rows: readonly UsageInfo[]): string {
  const lines = rows.map((row) => FIELDS.map((name) => cell(row[name])).join(","));
  const names = [rows[0]?.by ?? "key", ...FIELDS.slice(1)].join(",");
  return [names, ...lines].join("\n");
}

/** Spreadsheets run text that begins like this. */
function cell(value: string | number | null): string {
  if (typeof value === "number") return plain(value);
  const text = /^[=+\-@\t\r]/.test(value ?? "") ? `'${value}` : (value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** CSV has no exponents. */
function plain(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(6).replace(/0+$/, "");
}

export const budget = command(
  {
    name: "budget",
    summary: "Show or set budgets",
    input: { pid: field.optional(change.input.pid), budget: field.optional(change.input.budget) },
    examples: [
      "gsv budget",
      "gsv budget task:abc123",
      "gsv budget task:abc123 '$2,30m,200k'",
      "gsv budget task:abc123 '+$1'",
      "gsv budget task:abc123 none",
      "gsv config set budget.day '$10'",
    ],
    notes: [
      [
        "A budget limits a process and its children: money ($2, $0.50), run time (90s, 30m, 2h) and tokens (200k, 1M). Use quotes",
        "because of the $. Counting starts when the budget is set. A new budget replaces the old one and keeps the usage; + adds to it.",
      ].join("\n"),
      [
        "Run time excludes waiting for you. Tokens include input, output and cached",
        "tokens. At 80 % gsv warns you. At 100 % the processes pause until you raise the budget.",
      ].join("\n"),
      "budget.day limits an account per day (in userTimezone); budget.task is the default for new tasks.",
    ],
  },
  async ({ args, json }, io) => {
    const { pid: of, budget: written } = args;
    const call = written === undefined ? list : change;
    const given = written === undefined ? { pid: of } : { pid: of, budget: written };
    await printResult(io, call.cli.print, await io.sys().call(call.name, given), json);
    return 0;
  },
);
