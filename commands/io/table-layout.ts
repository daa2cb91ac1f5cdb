// Tables, aligned and without borders. On a terminal, cut to its width and with ages; elsewhere complete and with ISO times.

import { shortId } from "../../src/abi/ids.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { sizeText } from "../../src/lib/text/size.ts";
import { toned } from "../../src/lib/text/tones.ts";
import { cutStart, cutWidth, displayWidth } from "../../src/lib/text/truncate.ts";
import type { Column } from "../../src/syscalls/define.ts";
import { columnText, instantOf } from "../../src/syscalls/format.ts";

const GAP = "  ";
const UNDER = "      ";
const SHRUNK_COLUMNS_MIN = 8;
/** Below this width, labels are hard to tell apart: drop minor columns first. */
const SHRUNK_COLUMNS_GOOD = 20;
export interface TableView {
  readonly width: number | null;
  readonly nowMs: number;
  readonly colour?: boolean;
  /** Columns without room stand below their row; none is dropped. */
  readonly isWhole?: boolean;
}

export function table(columns: readonly Column[], rows: readonly object[], view: TableView): string {
  const isPlain = view.width === null && view.colour !== true;
  return (isPlain ? plainTable(columns, rows, view) : null) ?? anyTable(columns, rows, view);
}

// Fast path for pipes: in plain ASCII a length is a width and nothing is cut; one check of the result tells whether that held, else null. Plain
// loops per column, because compiling a function for 1,000 rows takes longer than the calls.
function plainTable(columns: readonly Column[], rows: readonly object[], view: TableView): string | null {
  const cells = new Array<string>((rows.length + 1) * columns.length);
  for (let at = 0; at < columns.length; at++) {
    const [texts, widest] = plainTexts(columns[at]!, rows, view);
    const width = at === columns.length - 1 ? null : widest;
    const isRight = columns[at]!.align === "right";
    let above: string | null = null;
    let placed = "";
    for (let index = 0, to = at; index < texts.length; index++, to += columns.length) {
      const text = texts[index]!;
      if (text !== above) {
        placed = width === null ? `${text}\n` : (isRight ? text.padStart(width) : text.padEnd(width)) + GAP;
        above = text;
      }
      cells[to] = placed;
    }
  }
  const text = cells.join("");
  return PLAIN.test(text) && text.split("\n").length === rows.length + 2 ? text : null;
}

function plainTexts(column: Column, rows: readonly object[], view: TableView): [texts: string[], width: number] {
  const texts = new Array<string>(rows.length + 1);
  let text = headOf(column, view);
  texts[0] = text;
  let width = text.length;
  const { cell, since } = column;
  const by = (typeof cell === "function" && column.by) || [];
  const above: unknown[] = [];
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index] as { readonly [field: string]: unknown };
    if (typeof cell === "string") text = `${row[cell] ?? "-"}` || "-";
    else if (typeof since === "string") text = new Date(row[since] as number).toISOString();
    else {
      let isSame = index > 0 && by.length > 0;
      for (let at = 0; at < by.length; at++) {
        const value = row[by[at]!];
        if (value === above[at]) continue;
        isSame = false;
        above[at] = value;
      }
      if (!isSame) text = columnText(column, row) || "-";
    }
    texts[index + 1] = text;
    if (text.length > width) width = text.length;
  }
  return [texts, width];
}

function anyTable(declared: readonly Column[], rows: readonly object[], view: TableView): string {
  const { columns, cells, widths, below } = fitted(declared, rows, view);
  const isWhole = view.width === null || lineWidth(widths) <= view.width;
  const paint = (text: string, at: number, index: number) => {
    const tone = at > 0 && isWhole && view.colour ? columns[index]!.tone?.(rows[at - 1] as never) : undefined;
    return tone === undefined ? text : toned(text, tone);
  };
  const lines = cells.flatMap(({ texts, widths: own }, at) => {
    const placed = texts.map((text, index) => {
      const missing = widths[index]! - own[index]!;
      if (missing < 0) return cutTo(text, widths[index]!, columns[index]!.shrink === "start" ? cutStart : cutWidth);
      const blank = " ".repeat(missing);
      return columns[index]!.align === "right" ? blank + paint(text, at, index) : paint(text, at, index) + blank;
    });
    const joined = placed.join(GAP).trimEnd();
    const line = view.width === null || isWhole ? joined : cutWidth(joined, view.width);
    const under = at === 0 ? [] : below.map((column) => underRow(column, rows[at - 1]!, view));
    return [at === 0 && view.colour ? toned(line, "faint") : line, ...under];
  });
  return `${lines.join("\n")}\n`;
}

function cutTo(text: string, width: number, cutting: typeof cutStart): string {
  const cut = cutting(text, width);
  return cut + " ".repeat(width - displayWidth(cut));
}

// Wrapped, not cut.
function underRow(column: Column, row: object, view: TableView): string {
  const text = reveal(cellOf(column, row, view)) || "-";
  const room = Math.max(SHRUNK_COLUMNS_MIN, (view.width ?? 0) - UNDER.length);
  return Bun.wrapAnsi(text, room, { hard: true, trim: false })
    .split("\n")
    .map((line) => UNDER + line)
    .join("\n");
}

interface Line {
  readonly texts: readonly string[];
  readonly widths: readonly number[];
}

interface Fitted {
  readonly columns: readonly Column[];
  readonly cells: readonly Line[];
  readonly widths: number[];
  readonly below: readonly Column[];
}

const PLAIN = /^[\x20-\x7e\n]*$/;

function lineOf(texts: readonly string[]): Line {
  const shown = texts.map((text) => reveal(text) || "-");
  return { texts: shown, widths: shown.map(displayWidth) };
}

// On a narrow terminal: drop empty columns, move columns below the row if they can, shrink cells while they stay readable, drop minor
// columns, shrink further.
function fitted(
  columns: readonly Column[],
  rows: readonly object[],
  view: TableView,
  below: readonly Column[] = [],
): Fitted {
  const cells = [
    lineOf(columns.map((column) => headOf(column, view))),
    ...rows.map((row) => lineOf(columns.map((column) => cellOf(column, row, view)))),
  ];
  const widths = columns.map(() => 0);
  for (const { widths: own } of cells) {
    for (let index = 0; index < own.length; index++) if (own[index]! > widths[index]!) widths[index] = own[index]!;
  }
  const { width } = view;
  if (width === null || lineWidth(widths) <= width) return { columns, cells, widths, below };
  const full = columns.filter((_, index) => cells.some((row, at) => at > 0 && row.texts[index] !== "-"));
  if (full.length < columns.length && full.length > 0) return fitted(full, rows, view, below);
  const beside = columns.filter((column) => !column.below);
  if (beside.length < columns.length)
    return fitted(
      beside,
      rows,
      view,
      columns.filter((column) => column.below),
    );
  const least = columns.reduce((best, column) => Math.max(best, column.minor ?? 0), 0);
  shrink(columns, widths, {
    total: width,
    least: least === 0 || view.isWhole ? SHRUNK_COLUMNS_MIN : SHRUNK_COLUMNS_GOOD,
  });
  if (lineWidth(widths) <= width || least === 0) return { columns, cells, widths, below };
  return fitted(
    columns.filter((column) => column.minor !== least),
    rows,
    view,
    view.isWhole ? [...columns.filter((column) => column.minor === least), ...below] : below,
  );
}

function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
}

/** 42s, 7m, 3h, 12d: one unit, as `ps` would. */
export function ageText(sinceMs: number, nowMs: number): string {
  const seconds = Math.max(0, Math.floor((nowMs - sinceMs) / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

function headOf(column: Column, view: TableView): string {
  if (view.width === null) return column.head === "AGE" ? "SINCE" : column.head;
  return column.isSize ? "SIZE" : column.head;
}

function cellOf(column: Column, row: object, view: TableView): string {
  const isAge = column.since !== undefined && view.width !== null;
  if (isAge) return whenText(instantOf(column, row), view.nowMs);
  const text = columnText(column, row);
  if (view.width === null) return text;
  if (column.isId) return shortId(text);
  return column.isSize ? sizeText(Number(text)) : text;
}

/** `7m` for the past, `in 7m` for the future. */
function whenText(at: number, nowMs: number): string {
  if (Number.isNaN(at)) return "-";
  return at > nowMs + 1000 ? `in ${ageText(2 * nowMs - at, nowMs)}` : ageText(at, nowMs);
}

// The widest column shrinks first, one cell at a time. The line is cut if that is not enough.
function shrink(
  columns: readonly Column[],
  widths: number[],
  { total, least }: { readonly total: number; readonly least: number },
): void {
  const elastic = columns.flatMap((column, index) => (column.shrink ? [index] : []));
  let over = lineWidth(widths) - total;
  while (over-- > 0) {
    const widest = elastic.reduce((best, index) => (widths[index]! > (widths[best] ?? 0) ? index : best), -1);
    if (widest === -1 || widths[widest]! <= least) return;
    widths[widest] = widths[widest]! - 1;
  }
}
