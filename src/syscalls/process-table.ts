// A list of processes as people read it.

import { microsOf, usdText } from "../abi/money.ts";
import type { ProcessInfo } from "../abi/process.ts";
import type { Print } from "./define.ts";
import { stateText, waitsText } from "./format.ts";
import type { ProcessPage } from "./services.ts";

export const PROCESS_TABLE: Print<ProcessPage> = {
  kind: "table",
  rows: (result) => result.processes,
  empty: "(no processes)",
  pages: { rows: "processes", next: "next", argument: "after" },
  columns: [
    { head: "PID", cell: (row: ProcessInfo) => row.pid },
    { head: "STATE", cell: stateText },
    { head: "MODE", minor: 2, cell: (row: ProcessInfo) => row.mode },
    { head: "LAST", minor: 1, cell: (row: ProcessInfo) => row.lastStatus ?? "-" },
    { head: "LABEL", cell: (row: ProcessInfo) => row.label ?? "-", shrink: true },
    { head: "OWNER", minor: 3, cell: (row: ProcessInfo) => row.owner },
    { head: "PROFILE", minor: 2, cell: (row: ProcessInfo) => row.profile },
    { head: "QUEUE", minor: 1, cell: (row: ProcessInfo) => String(row.queued), align: "right" },
    // What an older kernel lists has none.
    { head: "COST", minor: 2, cell: (row: ProcessInfo) => usdText(microsOf(row.costUsd ?? 0)), align: "right" },
    { head: "AGE", since: (row: ProcessInfo) => row.createdAt, align: "right" },
    { head: "CWD", minor: 4, cell: (row: ProcessInfo) => row.cwd, shrink: true },
    { head: "WORKSPACE", minor: 5, cell: (row: ProcessInfo) => row.workspaceId ?? "-" },
    { head: "WAITS FOR", cell: waitsText, shrink: true },
  ],
};
