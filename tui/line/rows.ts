// The typed text as rows of the screen, with the cell of the cursor and colours. Pure.

import { reveal } from "../../src/lib/text/sanitize.ts";
import type { Paint } from "../screen/theme.ts";
import { CHIPS, chipText, type Editing } from "./editor.ts";

export interface Row {
  /** Pastes are private-use characters. */
  readonly text: string;
  readonly from: number;
}

export interface Layout {
  readonly rows: readonly Row[];
  readonly cursor: { readonly row: number; readonly column: number };
}

/** A range in one colour; ranges are in order and do not overlap. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly paint: Paint;
}

const TAB = "  ";
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
/** Keeps the last layout: the same line is drawn many times while an answer streams. */
export class LineLayout {
  private made: { readonly editing: Editing; readonly columns: number; readonly layout: Layout } | null = null;

  of(editing: Editing, columns: number): Layout {
    if (this.made?.editing !== editing || this.made.columns !== columns)
      this.made = { editing, columns, layout: layout(editing, columns) };
    return this.made.layout;
  }
}

function layout(editing: Editing, columns: number): Layout {
  const rows: Row[] = [];
  let cursor = { row: 0, column: 0 };
  let [from, width, rowEnd] = [0, 0, 0];
  const endRow = (next: number) => {
    rows.push({ text: editing.text.slice(from, rowEnd), from });
    from = rowEnd = next;
    width = 0;
  };
  for (const { segment, index } of graphemes.segment(editing.text)) {
    const cells = segment === "\n" ? 0 : Bun.stringWidth(shownText(segment, editing));
    if (segment !== "\n" && width > 0 && width + cells > columns) endRow(index);
    if (index === editing.at) cursor = { row: rows.length, column: width };
    if (segment === "\n") endRow(index + 1);
    else {
      width += cells;
      rowEnd = index + segment.length;
    }
  }
  if (editing.at === editing.text.length) {
    if (width >= columns) endRow(rowEnd);
    cursor = { row: rows.length, column: width };
  }
  endRow(rowEnd);
  return { rows, cursor };
}

/** The cursor a row up or down; null at the edge. */
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
  return { ...editing, at, did: null };
}

export function paintedRow({ text, from }: Row, editing: Editing, spans: readonly Span[]): string {
  if (spans.length === 0) return shownText(text, editing);
  const end = from + text.length;
  const piece = (begin: number, to: number) => shownText(editing.text.slice(begin, to), editing);
  let out = "";
  let at = from;
  for (const span of spans) {
    const [begin, to] = [Math.max(span.from, at), Math.min(span.to, end)];
    if (begin >= to) continue;
    out += piece(at, begin) + span.paint(piece(begin, to));
    at = to;
  }
  return out + piece(at, end);
}

function shownText(text: string, { pastes }: Editing): string {
  // Pastes and history may contain control characters.
  const whole = reveal(text.replaceAll("\t", TAB));
  return pastes.size === 0 ? whole : whole.replace(CHIPS, (chip) => chipText(chip, pastes.get(chip) ?? ""));
}
