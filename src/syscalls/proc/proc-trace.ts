// proc.trace: the syscalls a process made, and the next one when it comes.

import { LIMITS } from "../../abi/config/limits.ts";
import { field, syscall } from "../define.ts";
import { traceLine } from "../format.ts";
import type { Histories, TraceRow } from "../services.ts";

const onePid = field.pid("the process", { positional: true, meta: "PID" });

export const procTraceCalls = [
  syscall({
    name: "proc.trace",
    summary: "Print the syscalls of a process",
    class: "read",
    capability: "proc.history",
    input: {
      pid: onePid,
      after: field.optional(field.int("only calls with a higher number (default: the newest)", { meta: "ID" })),
      limit: field.withDefault(
        field.int("maximum number of calls", { min: 1, max: LIMITS.historyPageMax, meta: "N" }),
        LIMITS.historyPageMax,
      ),
      waitMs: field.withDefault(
        field.int("milliseconds to wait for the next call", { min: 0, max: 60_000, meta: "MS" }),
        0,
      ),
    },
    cli: {
      examples: ["gsv proc trace task:abc123"],
      print: {
        kind: "list",
        rows: (result: { rows: TraceRow[] }) => result.rows,
        line: (row: TraceRow) => traceLine(row),
        empty: "(no syscalls)",
      },
    },
    run: async ({ histories }: { histories: Histories }, args, context) => ({
      rows: await histories.trace(context, args.pid, args),
    }),
  }),
] as const;
