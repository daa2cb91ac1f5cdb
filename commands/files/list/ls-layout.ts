// How a listing looks: names in columns on a terminal and one a line elsewhere, coloured by kind, and the long form with mode, owner,
// size and time. Pure. A name can hold anything, so on a terminal what is hidden in it shows.

import { reveal } from "../../../src/lib/text/sanitize.ts";
import { displayWidth } from "../../../src/lib/text/truncate.ts";
import type { FileEntry } from "../../../src/syscalls/fs/file-tree-service.ts";
import { ageText } from "../../io/table-layout.ts";

export interface View {
  /** Columns of the terminal; null where nobody looks. */
  readonly width: number | null;
  readonly colour: boolean;
  readonly nowMs: number;
  /** Sizes as 1.5K rather than in bytes. */
  readonly human: boolean;
}

const GAP = 2;

export function shortForm(entries: readonly FileEntry[], view: View, onePerLine: boolean): string {
  const cells = entries.map((entry) => ({ text: nameOf(entry, view), width: displayWidth(shown(entry.name, view)) }));
  if (view.width === null || onePerLine) return cells.map(({ text }) => `${text}\n`).join("");
  return columns(cells, view.width);
}

interface Cell {
  readonly text: string;
  readonly width: number;
}

/** Down and then across, in as few lines as fit. */
function columns(cells: readonly Cell[], width: number): string {
  for (let lines = 1; lines < cells.length; lines++) {
    const widths: number[] = [];
    for (let at = 0; at < cells.length; at += lines)
      widths.push(Math.max(...cells.slice(at, at + lines).map((cell) => cell.width)));
    if (widths.reduce((sum, each) => sum + each + GAP, -GAP) > width) continue;
    return Array.from({ length: lines }, (_, line) => lineOf(cells, widths, { line, lines })).join("");
  }
  return cells.map(({ text }) => `${text}\n`).join("");
}

function lineOf(
  cells: readonly Cell[],
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

export function longForm(entries: readonly FileEntry[], view: View): string {
  const rows = entries.map((entry) => [
    modeText(entry),
    reveal(entry.owner),
    reveal(entry.group),
    view.human ? sizeText(entry.size) : String(entry.size),
    timeText(entry.mtimeMs, view),
  ]);
  const widths = [0, 1, 2, 3, 4].map((at) => Math.max(0, ...rows.map((row) => displayWidth(row[at] ?? ""))));
  return rows
    .map((row, index) => {
      const cells = row.map((cell, at) => {
        const space = " ".repeat((widths[at] ?? 0) - displayWidth(cell));
        return at >= 3 ? space + cell : cell + space;
      });
      const entry = entries[index] as FileEntry;
      const arrow = entry.target === undefined ? "" : ` -> ${reveal(entry.target)}`;
      return `${cells.join(" ")} ${paint(entry, reveal(entry.name), view)}${arrow}\n`;
    })
    .join("");
}

/** On a terminal how long ago, elsewhere when. */
function timeText(mtimeMs: number, { width, nowMs }: Pick<View, "width" | "nowMs">): string {
  return width === null ? new Date(mtimeMs).toISOString() : ageText(mtimeMs, nowMs);
}

const LETTERS = { file: "-", directory: "d", symlink: "l" } as const;

/** `drwxrws---` */
export function modeText({ kind, mode }: Pick<FileEntry, "kind" | "mode">): string {
  const bits = Number.parseInt(mode, 8);
  const triple = (shift: number, special: number, letter: string) => {
    const run = ((bits >> shift) & 1) === 1;
    const mark = (bits & special) === 0 ? (run ? "x" : "-") : run ? letter : letter.toUpperCase();
    return `${(bits >> shift) & 4 ? "r" : "-"}${(bits >> shift) & 2 ? "w" : "-"}${mark}`;
  };
  return LETTERS[kind] + triple(6, 0o4000, "s") + triple(3, 0o2000, "s") + triple(0, 0o1000, "t");
}

/** 512, 1.5K, 20M */
export function sizeText(bytes: number): string {
  let value = bytes;
  let unit = "";
  for (const next of ["K", "M", "G", "T"]) {
    if (value < 1024) break;
    value /= 1024;
    unit = next;
  }
  if (unit === "") return String(bytes);
  return `${value < 10 ? (Math.ceil(value * 10) / 10).toFixed(1) : Math.ceil(value)}${unit}`;
}

function nameOf(entry: FileEntry, view: View): string {
  return paint(entry, shown(entry.name, view), view);
}

function shown(name: string, { width }: Pick<View, "width">): string {
  return width === null ? name : reveal(name);
}

/** Blue directories, cyan links, green programs. */
export function paint(
  { kind, mode }: Pick<FileEntry, "kind" | "mode">,
  text: string,
  { colour }: Pick<View, "colour">,
): string {
  if (!colour) return text;
  const code = kind === "directory" ? 34 : kind === "symlink" ? 36 : Number.parseInt(mode, 8) & 0o111 ? 32 : 0;
  return code === 0 ? text : `\x1b[${code}m${text}\x1b[0m`;
}
