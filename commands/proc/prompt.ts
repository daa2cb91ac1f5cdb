// `gsv prompt [PID]`: the prompt as the model gets it, and its tokens by source. The text goes to stdout, or with --bill only the table. Omitted
// files are also reported on stderr.

import type { BillLine, PromptPart } from "../../src/abi/process/prompt.ts";
import { field } from "../../src/syscalls/define.ts";
import type { ShownPrompt } from "../../src/syscalls/proc/prompt.ts";
import type { Io } from "../command.ts";
import { command } from "../define.ts";
import { jsonLine } from "../io/status.ts";
import { printPage, printResult, printText } from "../print.ts";

const input = {
  pid: field.optional(field.pid("the process (default: your init)", { positional: true, meta: "PID" })),
  turn: field.optional(field.int("turn of the last run (default: the next turn)", { min: 1, meta: "N" })),
  run: field.optional(field.uuid("run (default: the last one)", { meta: "RUN" })),
  bill: field.flag("only the token counts"),
  text: field.flag("only the text, unchanged"),
  bars: field.flag("a bar chart with the free space"),
};

export const prompt = command(
  {
    name: "prompt",
    summary: "Show the prompt of a process",
    input,
    examples: [
      "gsv prompt",
      "gsv prompt --bars",
      "gsv prompt task:abc123 --bill",
      "gsv prompt init:1000 --turn 1 --json",
    ],
  },
  async ({ args: { bill, text, bars, ...asked }, json }, io) => {
    const shown = await io.sys().call<ShownPrompt>("proc.prompt", asked);
    if (json) await printText(io.stdout, jsonLine(shown));
    else if (bars) await printText(io.stdout, barsText(shown, io.stdout.isTTY ? io.stdout.columns : BARS_COLUMNS));
    else {
      if (!bill) await printPage(io, textOf(shown.parts));
      if (!text) await printBill(io, shown, bill === true);
    }
    for (const { path, why } of shown.leftOut) await printText(io.stderr, `left out (${why}): ${path}`);
    if (shown.inPart) await printText(io.stderr, "long parts are not shown");
    return 0;
  },
);

/** Named after the Unix command for the memory of a process. */
export const pmap = command(
  {
    name: "pmap",
    summary: "Show context usage by source",
    input: { pid: input.pid, long: field.flag("one row per file and tool", { letter: "x" }) },
    examples: ["gsv pmap", "gsv pmap task:abc123", "gsv pmap -x task:abc123"],
  },
  ({ args: { pid, long }, json }, io) =>
    prompt.run([...(pid === undefined ? [] : [pid]), long ? "--bill" : "--bars", ...(json ? ["--json"] : [])], io),
);

const BARS_COLUMNS = 80;
const BAR_COLUMNS_MAX = 40;

function barsText({ bill, tokens, windowTokens, model, told }: ShownPrompt, columns: number): string {
  const sources = [...Map.groupBy(bill, ({ source, what }) => (source === "mcp" ? `mcp ${what}` : source))]
    .map(([source, lines]) => ({ source, tokens: lines.reduce((sum, line) => sum + line.tokens, 0) }))
    .filter((each) => each.tokens > 0)
    .toSorted((left, right) => right.tokens - left.tokens);
  const free = windowTokens === null ? 0 : Math.max(0, windowTokens - tokens);
  const rows = [...sources, ...(free > 0 ? [{ source: "free", tokens: free }] : [])];
  const names = Math.max(...rows.map(({ source }) => source.length));
  const counts = Math.max(...rows.map((row) => count(row.tokens).length));
  const room = Math.max(8, Math.min(BAR_COLUMNS_MAX, columns - names - counts - 14));
  const most = Math.max(1, ...sources.map((each) => each.tokens));
  const lines = rows.map(({ source, tokens: part }) => {
    const bar = source === "free" ? "" : "▮".repeat(Math.max(1, Math.round((room * part) / most)));
    const share = percent(part / Math.max(1, windowTokens ?? tokens)).padStart(6);
    return `${source.padEnd(names)}  ${count(part).padStart(counts)}  ${share}  ${bar}`.trimEnd();
  });
  const of = windowTokens === null ? "" : ` of ${count(windowTokens)}`;
  const when = told === null ? "the next turn" : `turn ${told.turn}`;
  return [`${when} to ${model}: about ${count(tokens)} tokens${of}`, "", ...lines].join("\n");
}

function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}

function textOf(parts: readonly PromptPart[]): string {
  return parts.map((part) => part.text).join("");
}

interface Row extends BillLine {
  readonly share: number;
}

async function printBill(io: Io, { bill, tokens, bytes, model, windowTokens, told }: ShownPrompt, alone: boolean) {
  const rows = bill.map((line): Row => ({ ...line, share: line.tokens / Math.max(1, tokens) }));
  if (!alone) await printText(io.stdout, "");
  await printResult(io, TABLE, { rows }, false);
  const window = windowTokens === null ? "" : `, ${percent(tokens / windowTokens)} of its window`;
  const when = told === null ? "next turn" : `turn ${told.turn} of run ${told.runId}`;
  await printText(
    io.stderr,
    `${when} to ${model}: about ${tokens.toLocaleString("en-US")} tokens, ${bytes.toLocaleString("en-US")} bytes${window}`,
  );
}

const TABLE = {
  kind: "table" as const,
  rows: (result: { readonly rows: readonly Row[] }) => result.rows,
  empty: "(nothing)",
  columns: [
    { head: "SOURCE", cell: (row: Row) => row.source },
    { head: "TOKENS", cell: (row: Row) => String(row.tokens), align: "right" as const },
    { head: "SHARE", cell: (row: Row) => percent(row.share), align: "right" as const },
    { head: "BYTES", cell: (row: Row) => String(row.bytes), align: "right" as const, minor: 1 },
    { head: "WHAT", cell: (row: Row) => row.what, shrink: true as const },
  ],
};

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}
