// The text being typed, over one or more lines, and edits of it. Pure: every change is a new value. It moves by graphemes, and holds a long
// paste as one private-use character.

import { sanitize } from "../../src/lib/text/sanitize.ts";

export interface Editing {
  readonly text: string;
  /** In code units, never inside a grapheme. */
  readonly at: number;
  readonly pastes: ReadonlyMap<string, string>;
  /** Cut texts, the newest last; they outlive the line. */
  readonly ring: readonly string[];
  readonly before: readonly Earlier[];
  readonly ahead: readonly Earlier[];
  readonly did: LastEdit | null;
}

type LastEdit =
  | { readonly what: "typed" | "erased" | "cut" }
  /** The text from `from` to the cursor is the nth newest of the ring. */
  | { readonly what: "yanked"; readonly from: number; readonly nth: number };

interface Earlier {
  readonly text: string;
  readonly at: number;
}

export const EMPTY: Editing = { text: "", at: 0, pastes: new Map(), ring: [], before: [], ahead: [], did: null };

const UNDO_MAX = 100;
const RING_MAX = 30;

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const WORD = /[\p{L}\p{N}_]/u;

export function wholeText({ text, pastes }: Editing): string {
  return pastes.size === 0 ? text : text.replace(CHIPS, (chip) => pastes.get(chip) ?? "");
}

export function emptied({ ring }: Editing): Editing {
  return { ...EMPTY, ring };
}

/** Undo takes back whole words. */
export function typed(editing: Editing, text: string): Editing {
  const clean = sanitize(text).replace(CHIPS, "");
  if (clean === "") return editing;
  const goesOn = editing.did?.what === "typed" && !(/\s$/.test(editing.text.slice(0, editing.at)) && /^\S/.test(clean));
  return { ...inserted(editing, clean, goesOn), did: { what: "typed" } };
}

export function pasted(editing: Editing, text: string): Editing {
  if (!isLong(text)) return { ...inserted(editing, sanitize(text).replace(CHIPS, "")), did: null };
  const chip = String.fromCodePoint(FIRST + editing.pastes.size);
  return inserted({ ...editing, pastes: new Map(editing.pastes).set(chip, text) }, chip);
}

export function withText(editing: Editing, text: string): Editing {
  return { ...replaced(editing, 0, editing.text.length, text), at: text.length };
}

export function replacedBefore(editing: Editing, from: number, text: string): Editing {
  return replaced(editing, from, editing.at, text);
}

export function erasedBack(editing: Editing): Editing {
  if (editing.at === 0) return editing;
  const goesOn = editing.did?.what === "erased";
  return { ...replaced(editing, letterBefore(editing), editing.at, "", goesOn), did: { what: "erased" } };
}

export function erasedAhead(editing: Editing): Editing {
  return replaced(editing, editing.at, letterAfter(editing), "");
}

export type Move = "left" | "right" | "word-left" | "word-right" | "line-start" | "line-end" | "start" | "end";

export function moved(editing: Editing, move: Move): Editing {
  return { ...editing, at: placeOf(editing, move), did: null };
}

/** Consecutive cuts are one. */
export function cutTo(editing: Editing, move: Move): Editing {
  const target = placeOf(editing, move);
  const [from, to] = [Math.min(target, editing.at), Math.max(target, editing.at)];
  if (from === to) return editing;
  const cut = editing.text.slice(from, to);
  const last = editing.did?.what === "cut" ? (editing.ring.at(-1) ?? "") : null;
  const ring = last === null ? editing.ring : editing.ring.slice(0, -1);
  const whole = target < editing.at ? cut + (last ?? "") : (last ?? "") + cut;
  return { ...replaced(editing, from, to, ""), ring: [...ring, whole].slice(-RING_MAX), did: { what: "cut" } };
}

export function yanked(editing: Editing): Editing {
  const cut = editing.ring.at(-1);
  if (cut === undefined) return editing;
  return { ...inserted(editing, cut), did: { what: "yanked", from: editing.at, nth: 0 } };
}

/** Replaces the text just yanked by the one cut before. */
export function yankedBefore(editing: Editing): Editing {
  const { did, ring } = editing;
  if (did?.what !== "yanked") return editing;
  const nth = (did.nth + 1) % ring.length;
  const cut = ring.at(-1 - nth) ?? "";
  return { ...replaced(editing, did.from, editing.at, cut, true), did: { ...did, nth } };
}

export function undone(editing: Editing): Editing {
  const last = editing.before.at(-1);
  if (last === undefined) return editing;
  const { text, at } = editing;
  return {
    ...editing,
    ...last,
    before: editing.before.slice(0, -1),
    ahead: [...editing.ahead, { text, at }],
    did: null,
  };
}

export function redone(editing: Editing): Editing {
  const next = editing.ahead.at(-1);
  if (next === undefined) return editing;
  const { text, at } = editing;
  return {
    ...editing,
    ...next,
    before: [...editing.before, { text, at }],
    ahead: editing.ahead.slice(0, -1),
    did: null,
  };
}

function inserted(editing: Editing, text: string, goesOn = false): Editing {
  return replaced(editing, editing.at, editing.at, text, goesOn);
}

/** `goesOn`: one undo reverts this edit and the edit before. */
function replaced(editing: Editing, from: number, to: number, by: string, goesOn = false): Editing {
  if (from === to && by === "") return editing;
  const text = editing.text.slice(0, from) + by + editing.text.slice(to);
  const { before } = editing;
  const kept = goesOn ? before : [...before, { text: editing.text, at: editing.at }].slice(-UNDO_MAX);
  return { ...editing, text, at: from + by.length, before: kept, ahead: [], did: null };
}

function letterBefore({ text, at }: Editing): number {
  let last = 0;
  // No grapheme is longer, and a long text must not be searched from its start.
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

/** Skips non-word characters, then the word. */
function wordEdge(text: string, direction: -1 | 1): number {
  const letters = [...text];
  if (direction === -1) letters.reverse();
  let [count, length] = [0, 0];
  while (count < letters.length && !WORD.test(letters[count]!)) length += letters[count++]!.length;
  while (count < letters.length && WORD.test(letters[count]!)) length += letters[count++]!.length;
  return direction === -1 ? text.length - length : length;
}

const LINES_MAX = 10;
const CHARS_MAX = 1200;
/** Private-use characters; input from outside never contains them. */
const FIRST = 0xf0000;

export const CHIPS = /[\u{F0000}-\u{FFFFD}]/gu;

function isLong(text: string): boolean {
  return text.length > CHARS_MAX || text.split("\n", LINES_MAX + 1).length > LINES_MAX;
}

export function chipText(chip: string, text: string): string {
  const number = (chip.codePointAt(0) ?? FIRST) - FIRST + 1;
  const bytes = Buffer.byteLength(text);
  const size = bytes < 1024 ? `${bytes} B` : `${Math.round(bytes / 1024)} KB`;
  // A line end at the end begins no line.
  const lines = text.replace(/\n$/, "").split("\n").length;
  return `[paste ${number}: ${lines} ${lines === 1 ? "line" : "lines"}, ${size}]`;
}
