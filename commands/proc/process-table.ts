// Processes as rows: tree, state letter, and as many columns as fit. Used by top, the switcher and scripts. Pure.

import type { ProcessInfo, State } from "../../src/abi/process/process.ts";
import { shortPath } from "../../src/lib/short-path.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { cutWidth } from "../../src/lib/text/truncate.ts";

const LETTERS: { readonly [S in State]: string } = {
  running: "R",
  waiting_tool: "D",
  waiting_hil: "W",
  queued: "Q",
  paused: "P",
  stopped: "T",
  idle: "S",
  error: "E",
};

export interface Row {
  readonly process: ProcessInfo;
  readonly branch: string;
  /** Only in a live view. */
  readonly live?: Live;
}

export interface Live {
  readonly tokensPerS: number;
  readonly model: string | null;
  readonly context: number | null;
}

export type Sort = "age" | "state" | "pid";
const URGENCY: readonly State[] = [
  "waiting_hil",
  "error",
  "running",
  "waiting_tool",
  "queued",
  "paused",
  "stopped",
  "idle",
];

export function sorted(processes: readonly ProcessInfo[], by: Sort): readonly ProcessInfo[] {
  const order = (left: ProcessInfo, right: ProcessInfo) =>
    left.createdAt - right.createdAt || compare(left.pid, right.pid);
  return processes.toSorted((left, right) => {
    if (by === "pid") return compare(left.pid, right.pid);
    if (by === "state") return URGENCY.indexOf(left.state) - URGENCY.indexOf(right.state) || order(left, right);
    return order(left, right);
  });
}

/** Children below their parents, in the given order; roots are processes without a listed parent. */
export function treeRows(processes: readonly ProcessInfo[]): readonly Row[] {
  const pids = new Set(processes.map(({ pid }) => pid));
  const children = Map.groupBy(processes, ({ parentPid }) =>
    parentPid !== null && pids.has(parentPid) ? parentPid : "",
  );
  const rows: Row[] = [];
  const seen = new Set<string>();
  const add = (of: string, indent: string, depth: number) => {
    const all = (children.get(of) ?? []).filter(({ pid }) => !seen.has(pid));
    for (const { pid } of all) seen.add(pid);
    all.forEach((process, at) => {
      const isLast = at === all.length - 1;
      rows.push({ process, branch: depth === 0 ? "" : `${indent}${isLast ? "└ " : "├ "}` });
      add(process.pid, depth === 0 ? "" : `${indent}${isLast ? "  " : "│ "}`, depth + 1);
    });
  };
  add("", "", 0);
  // The data is not trusted: two processes that are each other's parent are shown too.
  return [...rows, ...flatRows(processes.filter(({ pid }) => !seen.has(pid)))];
}

export function flatRows(processes: readonly ProcessInfo[]): readonly Row[] {
  return processes.map((process) => ({ process, branch: "" }));
}

interface Column {
  readonly head: string;
  /** The column with the highest number is dropped first. */
  readonly minor: number;
  readonly right?: true;
  readonly longest?: number;
  readonly cell: (row: Row, now: number) => string;
  readonly isWanted?: (rows: readonly Row[]) => boolean;
}

const isLive = (rows: readonly Row[]) => rows.some(({ live }) => live !== undefined);
const isOnce = (rows: readonly Row[]) => !isLive(rows);

const COLUMNS: readonly Column[] = [
  { head: "PID", minor: 0, cell: ({ process, branch }) => branch + process.pid },
  { head: "S", minor: 0, cell: ({ process }) => LETTERS[process.state] },
  {
    head: "OWNER",
    minor: 3,
    longest: 12,
    cell: ({ process }) => process.owner,
    isWanted: (rows) => isOnce(rows) || new Set(rows.map(({ process }) => process.owner)).size > 1,
  },
  {
    head: "CTX",
    minor: 2,
    right: true,
    cell: ({ live }) => (live?.context == null ? "-" : `${Math.round(100 * live.context)}%`),
    isWanted: isLive,
  },
  {
    head: "TOK/S",
    minor: 3,
    right: true,
    cell: ({ live }) => (live === undefined || live.tokensPerS === 0 ? "-" : String(Math.ceil(live.tokensPerS))),
    isWanted: isLive,
  },
  { head: "COST", minor: 2, right: true, cell: ({ process }) => costText(process.costUsd), isWanted: isLive },
  { head: "AGE", minor: 1, right: true, cell: ({ process }, now) => age(now - process.createdAt) },
  {
    head: "ACTIVE",
    minor: 5,
    right: true,
    cell: ({ process }, now) => (process.lastActiveAt === null ? "-" : age(now - process.lastActiveAt)),
    isWanted: isOnce,
  },
  {
    head: "QUEUE",
    minor: 6,
    right: true,
    cell: ({ process }) => (process.queued === 0 ? "-" : String(process.queued)),
    isWanted: isOnce,
  },
  { head: "PROFILE", minor: 7, cell: ({ process }) => process.profile, isWanted: isOnce },
  { head: "MODEL", minor: 4, longest: 18, cell: ({ live }) => modelText(live?.model ?? ""), isWanted: isLive },
  {
    head: "CWD",
    minor: 5,
    longest: 24,
    cell: ({ process, live }) => (live === undefined ? process.cwd : shortPath(process.cwd, `/home/${process.owner}`)),
  },
  { head: "LABEL", minor: 0, cell: ({ process }) => process.label ?? "" },
  {
    head: "WAITS FOR",
    // The selected row shows it in full below.
    minor: 3,
    cell: ({ process: { waitsFor } }) => waitsText(waitsFor),
    isWanted: (rows) => isOnce(rows) || rows.some(({ process }) => process.waitsFor !== null),
  },
];
const GAP = "  ";
const LABEL_COLUMNS = 16;

export interface TableView {
  readonly head: string;
  readonly lines: readonly string[];
}

/** `paint` colors a cell after the layout. */
export function processTable(
  rows: readonly Row[],
  {
    columns,
    now,
    paint = (_head, text) => text,
  }: {
    readonly columns: number;
    readonly now: number;
    readonly paint?: (head: string, text: string, row: Row) => string;
  },
): TableView {
  const shown = fitting(rows, columns, now);
  const widths = shown.map(({ head, cell, longest }) =>
    Math.min(
      longest ?? Number.POSITIVE_INFINITY,
      Math.max(head.length, ...rows.map((row) => Bun.stringWidth(reveal(cell(row, now))))),
    ),
  );
  // A long label is shortened to leave room for the last column.
  const over = widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length) - columns;
  const label = shown.findIndex(({ head }) => head === "LABEL");
  if (over > 0 && label < shown.length - 1)
    widths[label] = Math.max(Math.min(LABEL_COLUMNS, widths[label] ?? 0), (widths[label] ?? 0) - over);
  const line = (cells: readonly string[], painted: (head: string, text: string) => string) => {
    let left = columns;
    const placed = cells.map((cell, at) => {
      const { right, head = "" } = shown[at] ?? {};
      const text = cutWidth(cell, Math.min(widths[at] ?? 0, Math.max(0, left)));
      const pad = " ".repeat(Math.max(0, Math.min(widths[at] ?? 0, left) - Bun.stringWidth(text)));
      left -= (widths[at] ?? 0) + GAP.length;
      return painted(head, right ? pad + text : text + pad);
    });
    return placed.join(GAP).trimEnd();
  };
  return {
    head: line(
      shown.map(({ head }) => head),
      (_head, text) => text,
    ),
    lines: rows.map((row) =>
      line(
        shown.map(({ cell }) => reveal(cell(row, now))),
        (head, text) => paint(head, text, row),
      ),
    ),
  };
}

/** The columns of these rows, for a view with a layout of its own. */
export function columnsOf(rows: readonly Row[]): readonly Column[] {
  return COLUMNS.filter(({ isWanted }) => isWanted?.(rows) ?? true);
}

function fitting(rows: readonly Row[], columns: number, now: number): readonly Column[] {
  let shown = columnsOf(rows);
  const width = ({ head, cell, longest }: Column) => {
    const most = Math.max(head.length, ...rows.map((row) => Bun.stringWidth(reveal(cell(row, now)))));
    // The last column is cut.
    return head === "LABEL" || head === "WAITS FOR" ? Math.min(most, LABEL_COLUMNS) : Math.min(most, longest ?? most);
  };
  for (;;) {
    const total = shown.reduce((sum, each) => sum + width(each) + GAP.length, 0);
    const least = Math.max(...shown.map(({ minor }) => minor));
    if (total <= columns || least === 0) return shown;
    shown = shown.filter(({ minor }) => minor < least);
  }
}

function modelText(model: string): string {
  return model.slice(model.lastIndexOf("/") + 1);
}

function costText(usd: number): string {
  if (usd === 0) return "-";
  return usd < 0.01 ? "<$0.01" : `$${usd.toFixed(2)}`;
}

export function waitsText(waitsFor: ProcessInfo["waitsFor"]): string {
  if (waitsFor === null) return "";
  if ("reason" in waitsFor) return waitsFor.reason;
  const { tool, summary } = waitsFor;
  // Most summaries begin with what the tool does.
  return summary.toLowerCase().startsWith(tool.toLowerCase()) ? summary : `${tool} ${summary}`;
}

export function age(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${String(seconds % 60).padStart(2, "0")}`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h${String(minutes % 60).padStart(2, "0")}` : `${Math.floor(hours / 24)}d${hours % 24}h`;
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
