// Completions as rows: in columns like ls, or one a row with its note. Pure.

import { reveal } from "../../src/lib/text/sanitize.ts";
import { cutWidth } from "../../src/lib/text/truncate.ts";
import type { Theme } from "../screen/theme.ts";
import type { Menu } from "../state/line.ts";

const ROWS_MAX = 6;
const INDENT = "  ";

export function menuLines({ candidates, at }: Menu, columns: number, theme: Theme): readonly string[] {
  const names = candidates.map(({ text }) => text.trimEnd());
  const widest = Math.max(...names.map((name) => Bun.stringWidth(name)));
  const hasNotes = candidates.some(({ note }) => note !== "");
  const width = Math.min(columns - 4, widest + 2);
  const across = hasNotes ? 1 : Math.max(1, Math.floor((columns - 4) / width));
  const rows = Math.min(ROWS_MAX, Math.ceil(names.length / across));
  // The selected candidate is always shown.
  const page = rows * across;
  const from = at === null ? 0 : Math.floor(at / page) * page;
  const cell = (index: number) => {
    const name = cutWidth(names[index] ?? "", width);
    const padded = name + " ".repeat(Math.max(0, width - Bun.stringWidth(name)));
    return index === at ? theme.selected(name) + padded.slice(name.length) : padded;
  };
  const lines = Array.from({ length: rows }, (_, row) => {
    const first = from + row * across;
    if (hasNotes) return noted(cell(first), candidates[first]?.note ?? "", columns - 4 - width, theme);
    const cells = Array.from({ length: across }, (_, column) => first + column).filter((index) => index < names.length);
    return `${INDENT}${cells.map(cell).join("")}`.trimEnd();
  }).filter((line) => line.trim() !== "");
  const left = names.length - from - page;
  return left > 0 ? [...lines, theme.dim(`${INDENT}and ${left} more`)] : lines;
}

function noted(cell: string, note: string, room: number, theme: Theme): string {
  const shown = room < 10 || note === "" ? "" : `  ${theme.dim(cutWidth(reveal(note), room - 2))}`;
  return `${INDENT}${cell}${shown}`.trimEnd();
}
