// proc.list and proc.get. In a file of their own, because most commands need these first.

import { LIMITS } from "../../abi/config/limits.ts";
import { microsOf, usdText } from "../../abi/process/money.ts";
import type { ProcessInfo } from "../../abi/process/process.ts";
import type { Tone } from "../../lib/text/tones.ts";
import { type Column, facts, field, type Print, syscall } from "../define.ts";
import { processText, stateText, waitsText } from "../format.ts";
import type { ProcessPage, Registry } from "../services.ts";

const COLUMNS: readonly Column<ProcessInfo>[] = [
  { head: "PID", cell: "pid" },
  { head: "STATE", cell: stateText, by: ["state", "interrupted", "waitsFor"], tone: stateTone },
  { head: "MODE", minor: 2, cell: "mode" },
  { head: "LAST", minor: 1, cell: "lastStatus", tone: (row) => (row.lastStatus === "error" ? "bad" : undefined) },
  { head: "LABEL", cell: "label", shrink: true },
  { head: "OWNER", minor: 3, cell: "owner" },
  { head: "PROFILE", minor: 2, cell: "profile" },
  { head: "QUEUE", minor: 1, cell: "queued", align: "right" },
  // Optional: an older kernel does not report it.
  { head: "COST", minor: 2, cell: (row) => usdText(microsOf(row.costUsd ?? 0)), by: ["costUsd"], align: "right" },
  { head: "AGE", since: "createdAt", align: "right" },
  { head: "CWD", minor: 4, cell: "cwd", shrink: "start" },
  { head: "WORKSPACE", minor: 5, cell: "workspaceId" },
  { head: "WAITS FOR", cell: waitsText, by: ["waitsFor"], shrink: true },
] as const;

const PROCESS_TABLE: Print<ProcessPage> = {
  kind: "table",
  rows: (result) => result.processes,
  empty: "(no processes)",
  pages: { rows: "processes", next: "next", argument: "after" },
  columns: COLUMNS,
};

/** As in `top`: working, needs you, failed. */
function stateTone({ state, interrupted }: ProcessInfo): Tone | undefined {
  if (state === "error" || interrupted) return "bad";
  if (state === "running" || state === "waiting_tool") return "good";
  return state === "waiting_hil" || state === "paused" || state === "stopped" ? "needs" : undefined;
}

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
    cli: { examples: ["gsv proc list", "gsv ps --json", "gsv proc list --uid 1000"], print: PROCESS_TABLE },
    run: ({ registry }: { registry: Registry }, args, { caller }) => registry.list(caller, args),
  }),

  syscall({
    name: "proc.get",
    summary: "Show one process",
    class: "read",
    input: { pid: field.pid("the process", { positional: true, meta: "PID" }) },
    cli: { examples: ["gsv proc get init:1000"], print: facts(processText) },
    run: ({ registry }: { registry: Registry }, args, { caller }) => registry.get(caller, args.pid),
  }),
] as const;
