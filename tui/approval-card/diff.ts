// A diff for people: each line with its number, sign and colour. Files and models write its text, so everything hidden in it is made visible.
// Pure.

import { reveal } from "../../src/lib/text/sanitize.ts";
import type { Theme } from "../screen/theme.ts";

const HUNK = /^@@ (?:line (?<line>\d+)|-(?<old>\d+)(?:,\d+)? \+(?<now>\d+)(?:,\d+)?) @@/;
const LEFT_OUT = /^… (?<count>\d+) lines more …$/;

interface Place {
  old: number;
  now: number;
}

/** Wrapped rows keep the margin of their line. */
export function diffRows(diff: string, columns: number, theme: Theme): readonly string[] {
  const lines = diff.replace(/\n ?$/, "").split("\n");
  const digits = String(lastNumber(lines)).length;
  // Without a line number in the hunk, numbers would be wrong.
  const hasNumbers = HUNK.test(lines[0] ?? "");
  const at: Place = { old: 1, now: 1 };
  let sign = " ";
  return lines.flatMap((line, index) => {
    const hunk = HUNK.exec(line)?.groups;
    if (hunk !== undefined) {
      [at.old, at.now] = [Number(hunk.line ?? hunk.old), Number(hunk.line ?? hunk.now)];
      return index === 0 ? [] : [theme.dim(theme.glyphs.dots)];
    }
    const leftOut = Number(LEFT_OUT.exec(line)?.groups?.count ?? 0);
    if (leftOut > 0) {
      skip(at, sign, leftOut);
      return [theme.dim(line)];
    }
    sign = /^[+-]/.exec(line)?.[0] ?? " ";
    const number = hasNumbers ? String(sign === "-" ? at.old : at.now).padStart(digits) : "";
    skip(at, sign, 1);
    return rowsOf({ number, sign, text: line.slice(1) }, columns, theme);
  });
}

function skip(at: Place, sign: string, lines: number): void {
  if (sign !== "+") at.old += lines;
  if (sign !== "-") at.now += lines;
}

function lastNumber(lines: readonly string[]): number {
  const starts = lines.map((line) => HUNK.exec(line)?.groups).map((hunk) => Number(hunk?.line ?? hunk?.now ?? 0));
  return Math.max(...starts) + lines.length;
}

interface Line {
  readonly number: string;
  readonly sign: string;
  readonly text: string;
}

function rowsOf({ number, sign, text }: Line, columns: number, theme: Theme): readonly string[] {
  const margin = number === "" ? 2 : number.length + 3;
  const rows = Bun.wrapAnsi(reveal(text), Math.max(8, columns - margin), { hard: true, trim: false }).split("\n");
  const paint = sign === "+" ? theme.ok : sign === "-" ? theme.bad : (whole: string) => whole;
  return rows.map((row, index) => {
    const head = index === 0 ? (number === "" ? "" : `${theme.dim(number)} `) : " ".repeat(Math.max(0, margin - 2));
    const body = `${index === 0 ? sign : " "} ${row}`.trimEnd();
    return `${head}${body === "" ? "" : paint(body)}`.trimEnd();
  });
}
