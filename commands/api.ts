// `gsv api NAME '{…}'`: any syscall, JSON in and JSON out, with the rights and exit statuses of every command. Unknown keys are refused
// before anything is sent.

import { SysError } from "../src/abi/errno.ts";
import { nearest } from "../src/lib/text/nearest.ts";
import { clip } from "../src/lib/text/truncate.ts";
import { SYSCALLS } from "../src/syscalls/all.ts";
import { field, type Print } from "../src/syscalls/define.ts";
import { parseArgs } from "../src/syscalls/parse.ts";
import type { AnySyscall } from "../src/syscalls/table.ts";
import { usageError } from "./args.ts";
import type { Io } from "./command.ts";
import { command } from "./define.ts";
import { jsonLine } from "./io/status.ts";
import { printResult } from "./print.ts";

const spec = {
  name: "api",
  summary: "Call any syscall with JSON",
  input: {
    call: field.optional(field.text("the syscall", { positional: true, meta: "SYSCALL", of: "syscall" })),
    args: field.optional(field.text("arguments as one JSON object", { positional: true, stdin: true, meta: "JSON" })),
    requestId: field.optional(field.text("id that makes a changing call safe to repeat", { longest: 128, meta: "ID" })),
  },
  examples: [
    "gsv api",
    "gsv api proc.list",
    `gsv api proc.history '{"pid":"init:1000","limit":5}'`,
    `gsv api proc.send --request-id nightly-1 '{"message":"Check the notes."}'`,
  ],
  notes: [
    "Without a syscall, api lists all of them. gsv man SYSCALL shows the arguments of one. Long lists come in pages; pass `next` as `after`.",
  ],
};

const LISTING: Print<{ readonly calls: readonly AnySyscall[] }> = {
  kind: "table",
  rows: ({ calls }) =>
    calls.map(({ name, class: kind, capability, by, summary }) => ({ name, class: kind, capability, by, summary })),
  columns: [
    { head: "SYSCALL", cell: (row: AnySyscall) => row.name },
    { head: "CLASS", minor: 2, cell: (row: AnySyscall) => row.class },
    { head: "CAPABILITY", minor: 3, cell: (row: AnySyscall) => row.capability },
    { head: "BY", minor: 1, cell: (row: AnySyscall) => row.by },
    { head: "SUMMARY", cell: (row: AnySyscall) => row.summary, shrink: true },
  ],
  empty: "(no syscalls)",
};

export const api = command(spec, async ({ args, json }, io) => {
  if (args.call === undefined) {
    await printResult(io, LISTING, { calls: [...SYSCALLS.values()] }, json);
    return 0;
  }
  const call = SYSCALLS.get(args.call);
  if (call === undefined) throw unknown(args.call);
  const given = parseArgs(call.input, await argumentsOf(io, args.args), { unknownKeys: "refuse" });
  const options = args.requestId === undefined ? {} : { requestId: args.requestId };
  await io.stdout.write(jsonLine((await io.sys().call(call.name, given, options)) ?? null));
  return 0;
});

async function argumentsOf(io: Io, text: string | undefined): Promise<unknown> {
  if (text === undefined) return {};
  const json = text === "-" ? await (await import("./io/stdin.ts")).stdinText(io) : text;
  try {
    return JSON.parse(json);
  } catch {
    throw usageError(spec, `the arguments must be one JSON object, not ${clip(json)}`);
  }
}

function unknown(name: string): SysError {
  const close = nearest(name, SYSCALLS.keys());
  return new SysError("ENOSYS", `no such syscall: ${clip(name)}`, [
    ...(close.length > 0 ? [`did you mean ${close.join(" or ")}`] : []),
    "gsv api lists the syscalls",
  ]);
}
