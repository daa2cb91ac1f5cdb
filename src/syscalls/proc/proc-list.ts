// proc.list and proc.get. In a file of their own, because most commands need these first.

import { LIMITS } from "../../abi/config/limits.ts";
import type { ProcessInfo } from "../../abi/process/process.ts";
import { field, syscall } from "../define.ts";
import { processText } from "../format.ts";
import type { Registry } from "../services.ts";
import { PROCESS_TABLE } from "./process-table.ts";

export const procListCalls = [
  syscall({
    name: "proc.list",
    summary: "List processes",
    class: "read",
    input: {
      uid: field.optional(field.uid("only processes of this account (others: root only)", { meta: "UID" })),
      limit: field.withDefault(
        field.int("maximum number of processes", { min: 1, max: LIMITS.listPageMax, hide: "both" }),
        LIMITS.listPageMax,
      ),
      after: field.optional(field.text("cursor of the next page", { longest: 100, hide: "both" })),
    },
    cli: {
      examples: ["gsv proc list", "gsv ps --json", "gsv proc list --uid 1000"],
      print: PROCESS_TABLE,
    },
    run: ({ registry }: { registry: Registry }, args, { caller }) => registry.list(caller, args),
  }),

  syscall({
    name: "proc.get",
    summary: "Show one process",
    class: "read",
    input: { pid: field.pid("the process", { positional: true, meta: "PID" }) },
    cli: {
      examples: ["gsv proc get init:1000"],
      print: { kind: "value", text: (row: ProcessInfo) => processText(row) },
    },
    run: ({ registry }: { registry: Registry }, args, { caller }) => registry.get(caller, args.pid),
  }),
];
