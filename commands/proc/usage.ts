// `gsv usage`: what answers of models used and cost, summed up. A table with the total below for people; one JSON object or one line of CSV
// a row for programs, without the total, so that nothing is counted twice.

import { field, type Print } from "../../src/syscalls/define.ts";
import { spendingCalls } from "../../src/syscalls/system/spending.ts";
import type { UsageInfo, UsagePage } from "../../src/syscalls/system/spending-service.ts";
import { usageError } from "../args.ts";
import type { Io } from "../command.ts";
import { command } from "../define.ts";
import { note } from "../io/status.ts";
import { printResult, printText } from "../print.ts";

const [sums] = spendingCalls;
const { by, since, pid } = sums.input;

const spec = {
  name: "usage",
  summary: "Show tokens and cost",
  input: { by, since, pid, csv: field.flag("as CSV, with a line of names first") },
  examples: [
    "gsv usage",
    "gsv usage --by day --since 7d",
    "gsv usage --by process --since today",
    "gsv usage --pid task:abc123",
    "gsv usage --by model --csv > usage.csv",
  ],
  notes: [
    [
      "Cost is counted tokens by the price of each model; ? is a model whose price is not known: ai.prices sets one. WASTED are answers",
      "that were cut or failed and asked for again. What was used stays when its process is reset or killed. Root sees all accounts.",
    ].join("\n"),
  ],
} as const;

export const usage = command(spec, async ({ args: { csv, ...asked }, json }, io) => {
  if (csv && json) throw usageError(spec, "--csv and --json exclude each other");
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
    await note(
      io,
      `the price of ${unpriced} answers is not known and counts as nothing: gsv config set ai.prices sets it`,
    );
  return 0;
});

/** Only processes have labels. */
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

/** A text that a spreadsheet would run is one that begins so. */
function cell(value: string | number | null): string {
  if (typeof value === "number") return plain(value);
  const text = /^[=+\-@\t\r]/.test(value ?? "") ? `'${value}` : (value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Never as 1e-7. */
function plain(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(6).replace(/0+$/, "");
}
