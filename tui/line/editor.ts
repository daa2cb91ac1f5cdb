// The text being typed, over one or more lines, and edits of it. Pure: every change is a new value. It moves by graphemes, and holds a long
// paste as one private-use character.

import { sanitize } from "../../src/lib/text/sanitize.ts";
import { CHIPS, isLong, nextChip } from "./paste.ts";

export interface Editing {
  readonly text: string;
  /** The cursor, in code units, never inside a grapheme. */
  readonly at: number;
  /** The pasted text behind each private-use character. */
  readonly pastes: ReadonlyMap<string, string>;
  /** Cut texts, the newest last; they outlive the line. */
  readonly ring: readonly string[];
  readonly before: readonly Earlier[];
  /** Undone states. */
  readonly ahead: readonly Earlier[];
  /** The last edit, if the next one may continue it. */
  readonly did: Did | null;
}

type Did =
  | { readonly what: "typed" | "erased" | "cut" }
  /** The text from `from` to the cursor is this one of the ring, counted from the newest. */
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

/** The text with its pastes. */
export function wholeText({ text, pastes }: Editing): string {
  return pastes.size === 0 ? text : text.replace(CHIPS, (chip) => pastes.get(chip) ?? "");
}

/** An empty line with the same cut texts. */
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
  const chip = nextChip(editing.pastes);
  return inserted({ ...editing, pastes: new Map(editing.pastes).set(chip, text) }, chip);
}

export function withText(editing: Editing, text: string): Editing {
  return { ...replaced(editing, 0, editing.text.length, text), at: text.length };
}

/** Replaces the text between `from` and the cursor. */
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

/** Cuts the text between the cursor and there, for `yanked`; cuts in a row are one. */
export function cutTo(editing: Editing, move: Move): Editing {
  const place = placeOf(editing, move);
  const [from, to] = [Math.min(place, editing.at), Math.max(place, editing.at)];
  if (from === to) return editing;
  const cut = editing.text.slice(from, to);
  const last = editing.did?.what === "cut" ? (editing.ring.at(-1) ?? "") : null;
  const ring = last === null ? editing.ring : editing.ring.slice(0, -1);
  const whole = place < editing.at ? cut + (last ?? "") : (last ?? "") + cut;
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

/** `goesOn`: undone together with the edit before. */
function replaced(editing: Editing, from: number, to: number, by: string, goesOn = false): Editing {
  if (from === to && by === "") return editing;
  const text = editing.text.slice(0, from) + by + editing.text.slice(to);
  const { before } = editing;
  const kept = goesOn ? before : [...before, { text: editing.text, at: editing.at }].slice(-UNDO_MAX);
  return { ...editing, text, at: from + by.length, before: kept, ahead: [], did: null };
}

function letterBefore({ text, at }: Editing): number {
  let last = 0;
  // No grapheme is longer; a long text is not searched from its start.
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
