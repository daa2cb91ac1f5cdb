// The text being typed, over as many lines as it takes, and what a key makes of it. Pure: every change is a new value. It moves by what a
// reader calls a letter, and holds a long paste as one letter that stands for all of it.

import { reveal, sanitize } from "../src/lib/sanitize.ts";

export interface Editing {
  readonly text: string;
  /** Where the cursor stands, in code units, never inside a letter. */
  readonly at: number;
  /** What the letters that stand for pastes stand for. */
  readonly pastes: ReadonlyMap<string, string>;
  /** What was cut last. */
  readonly cut: string;
  readonly before: readonly Earlier[];
}

interface Earlier {
  readonly text: string;
  readonly at: number;
}

export const EMPTY: Editing = { text: "", at: 0, pastes: new Map(), cut: "", before: [] };

const PASTE_LINES_MAX = 10;
const PASTE_CHARS_MAX = 1200;
/** Letters for private use: none of them is let in from outside. */
const CHIP_FIRST = 0xf0000;
const CHIPS = /[\u{F0000}-\u{FFFFD}]/gu;
const UNDO_MAX = 100;
const TAB = "  ";

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const WORD = /[\p{L}\p{N}_]/u;

/** The text as it is meant: pastes in their places. */
export function wholeText({ text, pastes }: Editing): string {
  return pastes.size === 0 ? text : text.replace(CHIPS, (chip) => pastes.get(chip) ?? "");
}

export function typed(editing: Editing, text: string): Editing {
  return inserted(editing, sanitize(text).replace(CHIPS, ""));
}

export function pasted(editing: Editing, text: string): Editing {
  const lines = text.split("\n").length;
  if (lines <= PASTE_LINES_MAX && text.length <= PASTE_CHARS_MAX) return typed(editing, text);
  const chip = String.fromCodePoint(CHIP_FIRST + editing.pastes.size);
  return inserted({ ...editing, pastes: new Map(editing.pastes).set(chip, text) }, chip);
}

export function withText(editing: Editing, text: string): Editing {
  return { ...replaced(editing, 0, editing.text.length, text), at: text.length };
}

/** Something else in place of what stands between there and the cursor. */
export function replacedBefore(editing: Editing, from: number, text: string): Editing {
  return replaced(editing, from, editing.at, text);
}

export function erasedBack(editing: Editing): Editing {
  return replaced(editing, letterBefore(editing), editing.at, "");
}

export function erasedAhead(editing: Editing): Editing {
  return replaced(editing, editing.at, letterAfter(editing), "");
}

export type Move = "left" | "right" | "word-left" | "word-right" | "line-start" | "line-end" | "start" | "end";

export function moved(editing: Editing, move: Move): Editing {
  return { ...editing, at: placeOf(editing, move) };
}

/** Takes out what lies between the cursor and there, to be put back with `yanked`. */
export function cutTo(editing: Editing, move: Move): Editing {
  const place = placeOf(editing, move);
  const [from, to] = [Math.min(place, editing.at), Math.max(place, editing.at)];
  if (from === to) return editing;
  return { ...replaced(editing, from, to, ""), cut: editing.text.slice(from, to) };
}

export function yanked(editing: Editing): Editing {
  return inserted(editing, editing.cut);
}

export function undone(editing: Editing): Editing {
  const last = editing.before.at(-1);
  return last === undefined ? editing : { ...editing, ...last, before: editing.before.slice(0, -1) };
}

/** A row up or down as it is laid out; null at the edge. */
export function movedRow(editing: Editing, by: -1 | 1, columns: number): Editing | null {
  const { rows, cursor } = layout(editing, columns);
  const target = rows[cursor.row + by];
  if (target === undefined) return null;
  let at = target.from;
  for (const { segment } of graphemes.segment(target.text)) {
    if (Bun.stringWidth(shownText(editing.text.slice(target.from, at + segment.length), editing)) > cursor.column)
      break;
    at += segment.length;
  }
  return { ...editing, at };
}

export interface Row {
  /** As it is in the text, which may hold letters that stand for pastes. */
  readonly text: string;
  readonly shown: string;
  readonly from: number;
}

export interface Layout {
  readonly rows: readonly Row[];
  /** The cell of the cursor. */
  readonly cursor: { readonly row: number; readonly column: number };
}

// The same line is drawn many times while an answer grows below it.
const made = new WeakMap<Editing, { readonly columns: number; readonly layout: Layout }>();

/** The rows of the text in so many columns. */
export function layout(editing: Editing, columns: number): Layout {
  const before = made.get(editing);
  if (before?.columns === columns) return before.layout;
  const now = laidOut(editing, columns);
  made.set(editing, { columns, layout: now });
  return now;
}

function laidOut(editing: Editing, columns: number): Layout {
  const rows: Row[] = [];
  let cursor = { row: 0, column: 0 };
  let [from, width, place] = [0, 0, 0];
  const end = (next: number) => {
    const text = editing.text.slice(from, place);
    rows.push({ text, shown: shownText(text, editing), from });
    from = place = next;
    width = 0;
  };
  for (const { segment, index } of graphemes.segment(editing.text)) {
    const cells = segment === "\n" ? 0 : Bun.stringWidth(shownText(segment, editing));
    if (segment !== "\n" && width > 0 && width + cells > columns) end(index);
    if (index === editing.at) cursor = { row: rows.length, column: width };
    if (segment === "\n") end(index + 1);
    else {
      width += cells;
      place = index + segment.length;
    }
  }
  if (editing.at === editing.text.length) {
    if (width >= columns) end(place);
    cursor = { row: rows.length, column: width };
  }
  end(place);
  return { rows, cursor };
}

function shownText(text: string, { pastes }: Editing): string {
  // What was pasted or kept in history may hold anything.
  const whole = reveal(text.replaceAll("\t", TAB));
  if (pastes.size === 0) return whole;
  return whole.replace(CHIPS, (chip) => chipText(pastes.get(chip) ?? "", chip));
}

function chipText(text: string, chip: string): string {
  const number = (chip.codePointAt(0) ?? CHIP_FIRST) - CHIP_FIRST + 1;
  const bytes = Buffer.byteLength(text);
  const size = bytes < 1024 ? `${bytes} B` : `${Math.round(bytes / 1024)} KB`;
  return `[paste ${number}: ${text.split("\n").length} lines, ${size}]`;
}

function inserted(editing: Editing, text: string): Editing {
  return replaced(editing, editing.at, editing.at, text);
}

function replaced(editing: Editing, from: number, to: number, by: string): Editing {
  if (from === to && by === "") return editing;
  const text = editing.text.slice(0, from) + by + editing.text.slice(to);
  const before = [...editing.before, { text: editing.text, at: editing.at }].slice(-UNDO_MAX);
  return { ...editing, text, at: from + by.length, before };
}

function letterBefore({ text, at }: Editing): number {
  let last = 0;
  // A letter is never longer than this, and a long text is not walked through for one.
  const from = Math.max(0, at - 64);
  for (const { index } of graphemes.segment(text.slice(from, at))) last = from + index;
  return at === 0 ? 0 : last;
}

function letterAfter({ text, at }: Editing): number {
  for (const { segment } of graphemes.segment(text.slice(at, at + 64))) return at + segment.length;
  return at;
}

function placeOf(editing: Editing, move: Move): number {
  const { text, at } = editing;
  switch (move) {
    case "left":
      return letterBefore(editing);
    case "right":
      return letterAfter(editing);
    case "word-left":
      return wordEdge(text.slice(0, at), -1);
    case "word-right":
      return at + wordEdge(text.slice(at), 1);
    case "line-start":
      return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
    case "line-end":
      return text.indexOf("\n", at) === -1 ? text.length : text.indexOf("\n", at);
    case "start":
      return 0;
    case "end":
      return text.length;
  }
}

/** Over what is no word, then over the word. */
function wordEdge(text: string, direction: -1 | 1): number {
  const letters = [...text];
  if (direction === -1) letters.reverse();
  let [count, length] = [0, 0];
  while (count < letters.length && !WORD.test(letters[count]!)) length += letters[count++]!.length;
  while (count < letters.length && WORD.test(letters[count]!)) length += letters[count++]!.length;
  return direction === -1 ? text.length - length : length;
}
