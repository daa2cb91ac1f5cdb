// `gsv prompt [PID]`: what a process is told, as the model gets it, and the bill: how much of it comes from where. On stdout the text, or
// with --bill the table alone; what was left out is said on stderr too, because nobody would look for it.

import type { BillLine, PromptPart } from "../src/abi/prompt.ts";
import { field } from "../src/syscalls/define.ts";
import type { ShownPrompt } from "../src/syscalls/prompt-service.ts";
import type { Io } from "./command.ts";
import { command } from "./define.ts";
import { jsonLine, printResult, printText } from "./print.ts";

const input = {
  pid: field.optional(field.pid("the process; your init when left out", { positional: true, meta: "PID" })),
  turn: field.optional(
    field.int("what that turn of the last run was told; the next turn when left out", { min: 1, meta: "N" }),
  ),
  run: field.optional(field.uuid("a turn of this run", { meta: "RUN" })),
  bill: field.flag("the bill alone"),
  text: field.flag("the text alone, byte for byte"),
};

export const prompt = command(
  {
    name: "prompt",
    summary: "Show what a process is told, and where each token comes from",
    input,
    examples: ["gsv prompt", "gsv prompt task:abc123 --bill", "gsv prompt init:1000 --turn 1 --json"],
  },
  async ({ args: { bill, text, ...asked }, json }, io) => {
    const shown = await io.sys().call<ShownPrompt>("proc.prompt", asked);
    if (json) await printText(io.stdout, jsonLine(shown));
    else {
      if (!bill) await printText(io.stdout, textOf(shown.parts));
      if (!text) await printBill(io, shown, bill === true);
    }
    for (const { path, why } of shown.leftOut) await printText(io.stderr, `left out (${why}): ${path}`);
    if (shown.inPart) await printText(io.stderr, "parts that are too long for one answer are not shown");
    return 0;
  },
);

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
