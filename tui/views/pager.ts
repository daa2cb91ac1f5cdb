// A long text on the whole screen, with the keys of less. The position is a line of the text and not a row of the screen, so a new width keeps
// it. Pure.

import { sanitize } from "../../src/lib/text/sanitize.ts";
import type { Key } from "../line/keys.ts";
import type { Pager, PagerSearch, Place, View } from "../state/views.ts";

export interface PagerSize {
  readonly columns: number;
  /** Without the last row, which shows the position. */
  readonly rows: number;
}

const TAB_COLUMNS = 8;

export function newPager(title: string, text: string, below: View | null): Pager {
  const lines = sanitize(text).replace(/\n$/, "").split("\n").map(expanded);
  return { kind: "pager", title, lines, top: { line: 0, row: 0 }, search: null, typing: null, below };
}

export function onPagerKey(pager: Pager, key: Key, size: PagerSize): Pager | null {
  if (pager.typing !== null) return onTyping(pager, pager.typing, key, size);
  const to = moveOf(key, size);
  if (to !== null) return { ...pager, top: moved(pager, to, size) };
  if (key.name === "escape" || key.text === "q" || key.text === "Q" || (key.ctrl && "cdo".includes(key.text)))
    return null;
  switch (key.text) {
    case "g":
    case "<":
      return { ...pager, top: { line: 0, row: 0 } };
    case "G":
    case ">":
      return { ...pager, top: lastPlace(pager.lines, size) };
    case "/":
    case "?":
      return { ...pager, typing: { words: "", back: key.text === "?" } };
    case "n":
    case "N":
      return pager.search === null ? pager : found(pager, pager.search, key.text === "N", size);
    default:
      return pager;
  }
}

function moveOf(key: Key, { rows }: PagerSize): number | null {
  const half = Math.max(1, Math.floor(rows / 2));
  if (key.name === "home") return Number.NEGATIVE_INFINITY;
  if (key.name === "end") return Number.POSITIVE_INFINITY;
  if (key.name === "pagedown") return rows;
  if (key.name === "pageup") return -rows;
  if (key.name === "down" || key.name === "enter") return 1;
  if (key.name === "up") return -1;
  if (key.name !== "text" || key.alt) return null;
  if (key.ctrl) return { f: rows, b: -rows, d: half, u: -half, n: 1, p: -1 }[key.text] ?? null;
  return { " ": rows, f: rows, b: -rows, d: half, u: -half, j: 1, e: 1, k: -1, y: -1 }[key.text] ?? null;
}

function onTyping(pager: Pager, typing: { words: string; back: boolean }, key: Key, size: PagerSize): Pager {
  const { words, back } = typing;
  if (key.name === "enter") {
    const search = { words: words === "" ? (pager.search?.words ?? "") : words, back, at: pager.top.line };
    const left = { ...pager, typing: null };
    return search.words === "" ? left : found(left, search, false, size, true);
  }
  if (key.name === "escape" || (key.ctrl && "cg".includes(key.text))) return { ...pager, typing: null };
  if (key.name === "backspace")
    return { ...pager, typing: words === "" ? null : { back, words: [...words].slice(0, -1).join("") } };
  if (key.name !== "text" || key.ctrl || key.alt) return pager;
  return { ...pager, typing: { back, words: words + key.text } };
}

/** The next match after the last one; a `fresh` search also takes the present line. */
function found(pager: Pager, search: PagerSearch, reverse: boolean, size: PagerSize, fresh = false): Pager {
  const { lines, top } = pager;
  const step = search.back === reverse ? 1 : -1;
  const matches = matcher(search.words);
  const from = (search.at ?? top.line) + (fresh ? 0 : step);
  for (let away = 0; away < lines.length; away++) {
    // Wraps around at both ends.
    const at = (((from + step * away) % lines.length) + lines.length) % lines.length;
    if (!matches(lines[at] ?? "")) continue;
    const last = lastPlace(pager.lines, size);
    const top = at > last.line ? last : { line: at, row: 0 };
    return { ...pager, search: { ...search, at }, top };
  }
  return { ...pager, search: { ...search, at: null } };
}

/** Case counts if a capital was typed. */
export function matcher(words: string): (line: string) => boolean {
  if (words !== words.toLowerCase()) return (line) => line.includes(words);
  return (line) => line.toLowerCase().includes(words);
}

function moved({ lines, top }: Pager, by: number, size: PagerSize): Place {
  const last = lastPlace(lines, size);
  if (by === Number.NEGATIVE_INFINITY) return { line: 0, row: 0 };
  if (by === Number.POSITIVE_INFINITY) return last;
  let { line, row } = clamped(lines, top, size.columns);
  for (let left = Math.abs(by); left > 0; left--) {
    if (by > 0) {
      if (line > last.line || (line === last.line && row >= last.row)) break;
      if (row + 1 < rowsOfLine(lines[line] ?? "", size.columns).length) row++;
      else [line, row] = [line + 1, 0];
    } else if (row > 0) row--;
    else if (line > 0) {
      line--;
      row = rowsOfLine(lines[line] ?? "", size.columns).length - 1;
    } else break;
  }
  return { line, row };
}

/** The position that shows the end of the text at the bottom. */
function lastPlace(lines: readonly string[], { columns, rows }: PagerSize): Place {
  let room = rows;
  for (let line = lines.length - 1; line >= 0; line--) {
    const takes = rowsOfLine(lines[line] ?? "", columns).length;
    if (takes >= room) return { line, row: takes - room };
    room -= takes;
  }
  return { line: 0, row: 0 };
}

function clamped(lines: readonly string[], { line, row }: Place, columns: number): Place {
  const at = Math.min(line, Math.max(0, lines.length - 1));
  return { line: at, row: Math.min(row, rowsOfLine(lines[at] ?? "", columns).length - 1) };
}

/** The shown rows, and the last line among them. */
export function pagerRows(
  pager: Pager,
  size: PagerSize,
): { readonly rows: readonly string[]; readonly through: number } {
  const { lines } = pager;
  const rows: string[] = [];
  let { line, row } = clamped(lines, pager.top, size.columns);
  for (; line < lines.length && rows.length < size.rows; line++, row = 0)
    rows.push(...rowsOfLine(lines[line] ?? "", size.columns).slice(row, row + size.rows - rows.length));
  return { rows, through: line };
}

function rowsOfLine(line: string, columns: number): readonly string[] {
  if (line.length < columns / 2) return [line];
  return Bun.wrapAnsi(line, Math.max(4, columns), { hard: true, trim: false }).split("\n");
}

/** Tabs become blanks, so that widths are known. */
function expanded(line: string): string {
  if (!line.includes("\t")) return line;
  let out = "";
  for (const piece of line.split(/(\t)/))
    out += piece === "\t" ? " ".repeat(TAB_COLUMNS - (Bun.stringWidth(out) % TAB_COLUMNS)) : piece;
  return out;
}
