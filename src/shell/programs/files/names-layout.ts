// Lays out names in columns, coloured by kind. On a terminal, control characters in names are made visible. Pure.

import { reveal } from "../../../lib/text/sanitize.ts";
import { displayWidth } from "../../../lib/text/truncate.ts";
import type { Look, Stat } from "../program.ts";

const GAP = 2;

export function visibleName(name: string, { columns }: Look): string {
  return columns === null ? name : reveal(name);
}

/** Directories blue, links cyan, programs green. */
export function painted({ kind, mode }: Pick<Stat, "kind" | "mode">, text: string, { colour }: Look): string {
  const code = kind === "directory" ? 34 : kind === "symlink" ? 36 : mode & 0o111 ? 32 : 0;
  return !colour || code === 0 ? text : `\x1b[${code}m${text}\x1b[0m`;
}

/** Column by column, in as few lines as fit; one name per line without a width. */
export function inColumns(names: readonly string[], width: number | null): string {
  const cells = names.map((text) => ({ text, width: displayWidth(Bun.stripANSI(text)) }));
  for (let lines = 1; width !== null && lines < cells.length; lines++) {
    const widths: number[] = [];
    for (let at = 0; at < cells.length; at += lines)
      widths.push(Math.max(...cells.slice(at, at + lines).map((cell) => cell.width)));
    if (widths.reduce((sum, each) => sum + each + GAP, -GAP) > width) continue;
    return Array.from({ length: lines }, (_, line) => lineOf(cells, widths, { line, lines })).join("");
  }
  return cells.map(({ text }) => `${text}\n`).join("");
}

function lineOf(
  cells: readonly { readonly text: string; readonly width: number }[],
  widths: readonly number[],
  { line, lines }: { readonly line: number; readonly lines: number },
): string {
  let text = "";
  for (const [column, width] of widths.entries()) {
    const cell = cells[column * lines + line];
    if (cell === undefined) break;
    const isLast = cells[(column + 1) * lines + line] === undefined;
    text += cell.text + (isLast ? "" : " ".repeat(width - cell.width + GAP));
  }
  return `${text}\n`;
}
