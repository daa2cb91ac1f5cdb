// The live part of the screen, drawn from the state: the open answer, the activity, the dock and the line. The line is drawn here and not with
// boxes, so that a key shows at once.

import { reveal } from "../../src/lib/text/sanitize.ts";
import { cutWidth } from "../../src/lib/text/truncate.ts";
import { cardView } from "../approval-card/approval-card-view.ts";
import type { DockView } from "../draw/dock.tsx";
import { pickerLines } from "../draw/picker.ts";
import { withLast } from "../line/history.ts";
import { ghostOf, shownMenu } from "../line/menu.ts";
import { LineLayout, paintedRow } from "../line/rows.ts";
import { type Programs, spansOf } from "../line/syntax.ts";
import type { Menu } from "../state/line.ts";
import type { Fate } from "../state/process.ts";
import type { State } from "../state/state.ts";
import { activityLines, standInLine } from "../talk/activity.ts";
import { keySheet } from "../views/key-sheet.ts";
import { searchRows } from "../views/search-view.ts";
import type { Cursor, Live } from "./screen.ts";
import { StatusRow } from "./status.ts";
import type { Theme } from "./theme.ts";

export interface FrameOptions {
  readonly state: State;
  readonly theme: Theme;
  readonly now: number;
  readonly columns: number;
  readonly rows: number;
  readonly tail: readonly string[];
  readonly programs: Programs;
  readonly drawDock: (view: DockView) => readonly string[];
}

const INPUT_ROWS_MAX = 8;
/** Longer lines have no colors, to keep keys fast. */
const COLOURED_CHARS_MAX = 4096;
const MARGIN = 2;
/** Around a card: the last row of the screen, the empty row above the card, and the status row. */
const AROUND_ROWS = 3;
const PICKER_ROWS_MAX = 9;

interface Rows {
  readonly lines: readonly string[];
  readonly cursor: Cursor;
}

interface Around {
  readonly above: readonly string[];
  readonly below: readonly string[];
  readonly input: Rows;
  readonly picker: Rows | null;
  readonly isMessage: boolean;
}

export class Frame {
  // Reused while an answer grows.
  private made: { readonly options: FrameOptions; readonly around: Around } | null = null;
  private readonly parts = { status: new StatusRow(), line: new LineLayout() };

  draw(options: FrameOptions): Live {
    const { state, theme, now, columns, rows, tail } = options;
    const { above, below, input, picker, isMessage } = this.around(options);
    const dock = [...above, ...activityLines(state, { theme, now, columns, isMessage }), ...below];
    const room = Math.max(0, rows - dock.length - input.lines.length - 3);
    const over = tail.length - room;
    const count = `${over} more ${over === 1 ? "line" : "lines"} above`;
    const answer = over > 0 ? [theme.dim(`  ${theme.glyphs.dots} ${count}`), ...tail.slice(-room)] : tail;
    const lines = [...answer, "", ...dock, ...input.lines];
    const { cursor } = input;
    if (picker !== null) return { lines, cursor: { ...picker.cursor, row: lines.indexOf(picker.lines[0] ?? "") } };
    return { lines, cursor: { row: lines.length - input.lines.length + cursor.row, column: cursor.column } };
  }

  private around(options: FrameOptions): Around {
    const { line, overlay, asking } = options.state;
    // These depend on the time, and a typed line on the known programs.
    const isMoving = line.search !== null || overlay.notice !== null || asking.asks.length > 0;
    if (isMoving || line.input.text !== "") return around(options, this.parts);
    if (this.made === null || !isSame(this.made.options, options))
      this.made = { options, around: around(options, this.parts) };
    return this.made.around;
  }
}

function isSame(one: FrameOptions, other: FrameOptions): boolean {
  const { theme, columns, rows, drawDock, state } = other;
  if (one.theme !== theme || one.columns !== columns || one.rows !== rows || one.drawDock !== drawDock) return false;
  const before = one.state;
  return (
    before.theme === state.theme &&
    before.process === state.process &&
    before.line === state.line &&
    before.asking === state.asking &&
    before.overlay === state.overlay &&
    before.news === state.news &&
    before.chat.waiting === state.chat.waiting
  );
}

interface KeptParts {
  readonly status: StatusRow;
  readonly line: LineLayout;
}

function around(options: FrameOptions, { status, line: laidOut }: KeptParts): Around {
  const { state, theme, columns, rows, now } = options;
  const { line, overlay } = state;
  const input = inputRows(options, laidOut);
  const isMessage = line.route.to === "chat" && line.input.text !== "";
  const rowsMax = Math.max(2, Math.min(PICKER_ROWS_MAX, rows - 8));
  const picker = overlay.picker === null ? null : pickerLines({ picker: overlay.picker, theme, columns, rowsMax });
  const standIn = standInLine(state.process, { theme, now, columns, isMessage });
  const below = [
    ...(overlay.keysShown
      ? [...keySheet({ columns: columns - 1, rows }, { key: theme.bold, word: theme.dim }).lines, ""]
      : []),
    ...menuOf(state, columns, theme),
    ...(picker?.lines ?? []),
    ...options.drawDock(dockView(options, rows - AROUND_ROWS - input.lines.length, status)),
  ];
  return { above: standIn === null ? [] : [standIn], below, input, picker, isMessage };
}

function menuOf(state: State, columns: number, theme: Theme): readonly string[] {
  const menu = shownMenu(state);
  return menu === null ? [] : menuLines(menu, columns, theme);
}

function inputRows(options: FrameOptions, laidOut: LineLayout): Rows {
  const { state, theme, columns, now } = options;
  const { input, past, search, route } = state.line;
  if (search !== null) return searchRows(search, state, { theme, columns, now });
  const { rows, cursor } = laidOut.of(input, columns - MARGIN - 1);
  const meant = withLast(input.text, past);
  const isMeant = meant === input.text;
  const spans = input.text.length > COLOURED_CHARS_MAX || !isMeant ? [] : spansOf(input.text, { ...options, route });
  const ghost = isMeant ? ghostOf(state) : ` ${meant}`;
  const behind = theme.dim(
    cutWidth(reveal(ghost.replaceAll("\n", "⏎")), Math.max(0, columns - MARGIN - 2 - cursor.column)),
  );
  const from = Math.max(0, Math.min(cursor.row - INPUT_ROWS_MAX + 1, rows.length - INPUT_ROWS_MAX));
  const lines = rows.slice(from, from + INPUT_ROWS_MAX).map((row, index) => {
    const at = index + from;
    const shown = paintedRow(row, input, spans);
    return `${at === 0 ? glyphOf(state, theme) : " "} ${shown}${at === rows.length - 1 ? behind : ""}`;
  });
  return { lines, cursor: { row: cursor.row - from, column: cursor.column + MARGIN } };
}

/** Shows where the line will go. */
function glyphOf({ line: { pinned, route }, asking }: State, theme: Theme): string {
  const { say, run, host, asks } = theme.glyphs;
  if (asking.lineAnswers !== null) return theme.needs(asks);
  const to = route.to === "nothing" ? (pinned ?? "chat") : route.to;
  if (to === "host") return theme.needs(host);
  if (to === "shell" || to === "slash" || to === "unknown") return theme.ok(run);
  return theme.you(say);
}

function dockView({ state, theme, now, columns }: FrameOptions, rows: number, status: StatusRow): DockView {
  const { notice, picker } = state.overlay;
  const queued = queuedLines(state, theme, columns);
  const shown = notice !== null && notice.until > now ? cutWidth(reveal(notice.text), Math.floor(columns / 2)) : "";
  const room = columns - 1 - (shown === "" ? 0 : Bun.stringWidth(shown) + 2);
  return {
    queued,
    // A list takes the keys of a card.
    card: picker !== null ? null : cardView(state, { theme, now, columns, rows: rows - queued.length }),
    status: status.draw(state, room, theme),
    notice: shown,
  };
}

const FATES: { readonly [F in Fate]: string } = { next: "queued:", after: "after this answer:", now: "stops the run:" };

function queuedLines({ chat: { waiting }, line }: State, theme: Theme, columns: number): readonly string[] {
  return waiting.map(({ text, fate }, index) => {
    const head = `  ${theme.glyphs.queued} ${theme.dim(FATES[fate])} `;
    const hint = index === waiting.length - 1 && line.input.text === "" ? "   ↑ edit" : "";
    const room = columns - 2 - Bun.stringWidth(head) - hint.length;
    if (room < 16) return `${head}${cutWidth(reveal(text).replaceAll("\n", "⏎"), room + hint.length)}`;
    return `${head}${cutWidth(reveal(text).replaceAll("\n", "⏎"), room)}${theme.dim(hint)}`;
  });
}

const ROWS_MAX = 6;
const INDENT = "  ";

function menuLines({ candidates, at }: Menu, columns: number, theme: Theme): readonly string[] {
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
