// `gsv strace PID`: the syscall log of a process, first past calls, then new ones, until the process ends or ctrl-c. Only reads the log.

import { LIMITS } from "../../src/abi/config/limits.ts";
import { SysError } from "../../src/abi/errno.ts";
import { MODEL_CALL } from "../../src/abi/stream.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { field, type Print } from "../../src/syscalls/define.ts";
import { traceLine } from "../../src/syscalls/format.ts";
import { usageError } from "../args.ts";
import type { Io } from "../command.ts";
import { command } from "../define.ts";
import { inOnePiece } from "../io/host-files.ts";
import { jsonLine, note } from "../io/status.ts";
import { printResult } from "../print.ts";
import { TraceFollower } from "./trace-follow.ts";
import {
  type CallChoice,
  type CallSum,
  callChoice,
  isChosen,
  isFailure,
  summed,
  type Traced,
  tookText,
  traceLayout,
} from "./trace-table.ts";

const spec = {
  name: "strace",
  summary: "Trace syscalls of a process",
  input: {
    pids: field.optional(field.pids("the processes", { positional: true, meta: "PID..." })),
    of: field.optional(field.pids("process to trace", { letter: "p", flag: "pid", meta: "PID" })),
    children: field.flag("child processes too", { letter: "f", flag: "follow" }),
    expression: field.optional(
      field.words("filter, such as trace=fs,shell.exec or trace=!proc", {
        letter: "e",
        flag: "expr",
        longest: 400,
        meta: "CALLS",
      }),
    ),
    failed: field.flag("only failed calls", { letter: "Z" }),
    sums: field.flag("only counts and times at the end", { letter: "c", flag: "summary" }),
    output: field.optional(
      field.text("output file on this computer", { letter: "o", longest: 4096, meta: "FILE", of: "host-or-file" }),
    ),
    limit: field.withDefault(
      field.int("number of past calls to show first", { min: 0, max: LIMITS.historyPageMax, letter: "n", meta: "N" }),
      LIMITS.historyPageDefault,
    ),
    once: field.flag("only past calls"),
  },
  examples: [
    "gsv strace init:1000",
    "gsv strace -f -e trace=fs,shell task:abc123",
    "gsv strace --once -c task:abc123",
    "gsv strace -p task:abc123 -o calls.txt",
  ],
  notes: [
    "Runs until the process ends or you press ctrl-c. Each line shows time, call, arguments, result and duration.",
    "retention.syscallLogRows limits how many calls are kept per process.",
  ],
} as const;

interface PrintOptions {
  readonly choice: CallChoice;
  readonly failedOnly: boolean;
  readonly json: boolean;
  readonly several: boolean;
}

export const strace = command(spec, async ({ args, json }, io) => {
  const pids = [...new Set([...(args.pids ?? []), ...(args.of ?? [])])];
  const [first] = pids;
  if (first === undefined) throw usageError(spec, "no process given");
  if (!args.once && io.isScript === true)
    throw new SysError("EUSAGE", "strace never ends, so a script cannot wait for it", [
      `for past calls only: gsv strace --once ${first}; in a pipe it ends with the reader: strace ${first} | head -3`,
    ]);
  const choice = callChoice(args.expression ?? []);
  await checkNames(choice);
  const wanted = { choice, failedOnly: args.failed === true, json, several: args.children === true || pids.length > 1 };
  const follower = new TraceFollower(io, {
    ...{ pids, withChildren: args.children === true, once: args.once === true },
    before: args.sums ? Number.POSITIVE_INFINITY : args.limit,
  });
  const counted: Traced[] = [];
  const out = args.output === undefined ? printer(io, wanted) : await fileOf(io, args.output, wanted);
  const status = await follower.run(async (rows) => {
    const shown = rows.filter((row) => isChosen(row.call, choice) && !(wanted.failedOnly && !isFailure(row)));
    if (args.sums) counted.push(...shown);
    else await out.rows(shown);
    return !io.stdout.closed;
  });
  if (args.sums) await out.sums(summed(counted));
  await out.end();
  if (follower.ended.length > 0) await note(io, `gsv: ${follower.ended.join(", ")} ended`);
  return status;
});

/** A mistyped name would match nothing, like a quiet process. */
async function checkNames({ names }: CallChoice): Promise<void> {
  if (names.length === 0) return;
  const { callsOf, DOMAIN_NAMES } = await import("../../src/syscalls/table.ts");
  for (const name of names) {
    if (MODEL_CALL === name || MODEL_CALL.startsWith(`${name}.`)) continue;
    const [domain = ""] = name.split(".");
    const calls = DOMAIN_NAMES.includes(domain) ? await callsOf(domain) : [];
    if (!calls.some((call) => call.name === name || call.name.startsWith(`${name}.`)))
      throw new SysError("EUSAGE", `no such syscall: ${reveal(name)}`, ["ls /sys/syscalls lists them"]);
  }
}

interface Out {
  rows(rows: readonly Traced[]): Promise<void>;
  sums(sums: readonly CallSum[]): Promise<void>;
  end(): Promise<void>;
}

/** Columns on a terminal, complete lines elsewhere. */
function printer(io: Io, { json, several }: PrintOptions): Out {
  const layout = io.stdout.isTTY && !json ? traceLayout(io.stdout.columns, { several }) : null;
  let headed = false;
  return {
    async rows(rows) {
      if (rows.length === 0) return;
      const head = layout === null || headed ? [] : [layout.head];
      headed = true;
      const lines = rows.map((row) => layout?.line(row).trimEnd() ?? plainLine(row, { json, several }));
      await io.stdout.write(`${[...head, ...lines].join("\n")}\n`);
    },
    sums: (sums) => printResult(io, SUMS, { sums }, json),
    end: async () => {},
  };
}

function plainLine(row: Traced, { json, several }: Pick<PrintOptions, "json" | "several">): string {
  if (json) return jsonLine(row).trimEnd();
  return reveal(`${several ? `[${row.pid}] ` : ""}${traceLine(row)}`);
}

async function fileOf(io: Io, path: string, wanted: PrintOptions): Promise<Out> {
  const host = await io.host();
  const lines: string[] = [];
  return {
    rows: async (rows) => void lines.push(...rows.map((row) => `${plainLine(row, wanted)}\n`)),
    sums: (sums) => printResult(io, SUMS, { sums }, wanted.json),
    end: () => host.write(path, inOnePiece(Buffer.from(lines.join(""))), {}),
  };
}

const SUMS: Print<never> = {
  kind: "table",
  rows: ({ sums }: { readonly sums: readonly CallSum[] }) => sums,
  empty: "(no syscalls)",
  columns: [
    { head: "CALL", cell: ({ call }: CallSum) => call },
    { head: "CALLS", cell: ({ calls }: CallSum) => String(calls), align: "right" },
    { head: "ERRORS", cell: ({ errors }: CallSum) => (errors === 0 ? "-" : String(errors)), align: "right" },
    { head: "TIME", cell: ({ ms }: CallSum) => tookText(ms), align: "right" },
    { head: "EACH", cell: ({ ms, calls }: CallSum) => tookText(ms / calls), align: "right" },
  ],
} as Print<never>;
