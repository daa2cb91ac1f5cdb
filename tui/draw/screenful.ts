// The layout of full-screen views: a title, a table with a selected row, details of that row, the keys. Lines of text and no boxes, because a
// table is drawn every second. Props in, lines out.

import { displayWidth } from "../../src/lib/text/truncate.ts";
import type { Theme } from "../screen/theme.ts";

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface Screenful {
  readonly title: readonly string[];
  readonly head: string;
  readonly body: readonly string[];
  /** The selected row of the body; -1 if there is none. */
  readonly at: number;
  /** Of the selected row, below the body. */
  readonly detail: readonly string[];
  readonly foot: string;
}

export interface ViewKey {
  readonly key: string;
  readonly word: string;
  /** The highest is dropped first. */
  readonly minor: number;
}

export function screenful(
  { title, head, body, at, detail, foot }: Screenful,
  { columns, rows }: Size,
): readonly string[] {
  const above = [...title, ...(head === "" ? [] : ["", head])];
  const about = detail.length === 0 ? [] : ["", ...detail];
  const room = Math.max(1, rows - above.length - 2);
  // On a small screen the table has priority.
  const kept = about.slice(0, Math.max(0, room - Math.min(3, Math.max(1, body.length))));
  const bodyRows = room - kept.length;
  const from = Math.max(0, Math.min(at - Math.floor(bodyRows / 2), body.length - bodyRows));
  const shown = body.slice(from, from + bodyRows);
  const blank = Array.from({ length: Math.max(0, bodyRows - shown.length) }, () => "");
  return [...above, ...shown, ...blank, ...kept, "", foot].slice(0, rows).map((line) => fit(line, columns - 1));
}

export function fit(line: string, columns: number): string {
  return Bun.stringWidth(line) <= columns ? line : Bun.sliceAnsi(line, 0, columns);
}

export function selectedRow(line: string, columns: number, theme: Theme): string {
  const plain = Bun.stripANSI(line);
  return theme.selected(plain + " ".repeat(Math.max(0, columns - displayWidth(plain))));
}

export function keysLine(keys: readonly ViewKey[], columns: number, theme: Theme): string {
  let shown = keys;
  const width = () => shown.reduce((sum, { key, word }) => sum + displayWidth(key) + word.length + 3, -2);
  while (width() > columns && shown.length > 1) {
    const most = Math.max(...shown.map(({ minor }) => minor));
    if (most === 0) break;
    shown = shown.filter(({ minor }, index) => minor < most || index !== lastOf(shown, most));
  }
  return shown.map(({ key, word }) => `${theme.bold(key)} ${theme.dim(word)}`).join("  ");
}

function lastOf(keys: readonly ViewKey[], minor: number): number {
  return keys.findLastIndex((each) => each.minor === minor);
}

/** Two texts at the ends of a row; the second goes if they do not fit. */
export function ends(left: string, right: string, columns: number): string {
  const gap = columns - Bun.stringWidth(left) - Bun.stringWidth(right);
  return gap < 2 ? left : left + " ".repeat(gap) + right;
}
