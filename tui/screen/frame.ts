// The live part of the screen, drawn from the state: the open answer, the activity, the dock and the line. The line is drawn here and not with
// boxes, so that a key shows at once.

import { reveal } from "../../src/lib/text/sanitize.ts";
import { cutWidth } from "../../src/lib/text/truncate.ts";
import { cardView } from "../cards/card-view.ts";
import { ghostOf } from "../line/ghost.ts";
import { withLast } from "../line/history.ts";
import { layout, paintedRow } from "../line/rows.ts";
import { slashMenu } from "../line/slash.ts";
import { type Programs, spansOf } from "../line/syntax.ts";
import type { Fate } from "../state/process.ts";
import type { State } from "../state/state.ts";
import { activityLines, standInLine } from "../talk/activity.ts";
import type { DockView } from "../view/dock.tsx";
import { pickerLines } from "../view/picker.ts";
import { keySheet } from "../views/key-sheet.ts";
import { menuLines } from "../views/menu-view.ts";
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
  /** Lines of the open answer. */
  readonly tail: readonly string[];
  readonly programs: Programs;
  readonly drawDock: (view: DockView) => readonly string[];
}

const INPUT_ROWS_MAX = 8;
/** A longer line is drawn without colours, to keep keys fast. */
const COLOURED_CHARS_MAX = 4096;
const MARGIN = 2;
/** Around a card: the last row of the screen, the empty row above the card, and the status row. */
const AROUND_ROWS = 3;
const PICKER_ROWS_MAX = 9;

interface Rows {
  readonly lines: readonly string[];
  readonly cursor: Cursor;
}

/** Everything but the answer and the activity. */
interface Around {
  readonly above: readonly string[];
  readonly below: readonly string[];
  readonly input: Rows;
  readonly picker: Rows | null;
  readonly isMessage: boolean;
}

export class Frame {
  // Does not change while an answer grows.
  private made: { readonly options: FrameOptions; readonly around: Around } | null = null;
  private readonly status = new StatusRow();

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
    // These change with time, and a typed line changes with the programs there are.
    const isMoving = line.search !== null || overlay.notice !== null || asking.asks.length > 0;
    if (isMoving || line.input.text !== "") return around(options, this.status);
    if (this.made === null || !isSame(this.made.options, options))
      this.made = { options, around: around(options, this.status) };
    return this.made.around;
  }
}

/** Whether everything but the run is the same. */
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
    before.chat.waiting === state.chat.waiting
  );
}

function around(options: FrameOptions, status: StatusRow): Around {
  const { state, theme, columns, rows, now } = options;
  const { line, overlay } = state;
  const input = inputRows(options);
  const isMessage = line.route.to === "chat" && line.input.text !== "";
  const rowsMax = Math.max(2, Math.min(PICKER_ROWS_MAX, rows - 8));
  const picker = overlay.picker === null ? null : pickerLines({ picker: overlay.picker, theme, columns, rowsMax });
  const standIn = standInLine(state.process, { theme, now, columns, isMessage });
  const below = [
    ...(overlay.keysShown ? [...keySheet(columns - 1, { key: theme.bold, word: theme.dim }), ""] : []),
    ...menuOf(state, columns, theme),
    ...(picker?.lines ?? []),
    ...options.drawDock(dockView(options, rows - AROUND_ROWS - input.lines.length, status)),
  ];
  return { above: standIn === null ? [] : [standIn], below, input, picker, isMessage };
}

/** Completions, or the slash commands that the line may become. */
function menuOf({ line, asking, overlay }: State, columns: number, theme: Theme): readonly string[] {
  const isFree = asking.asks.length === 0 && overlay.picker === null && line.search === null && !overlay.keysShown;
  const menu = line.menu ?? (isFree ? slashMenu(line.input.text) : null);
  return menu === null ? [] : menuLines(menu, columns, theme);
}

function inputRows(options: FrameOptions): Rows {
  const { state, theme, columns, now } = options;
  const { input, past, search, route } = state.line;
  if (search !== null) return searchRows(search, state, { theme, columns, now });
  const { rows, cursor } = layout(input, columns - MARGIN - 1);
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

/** Shows while you type where the line will go. */
function glyphOf({ line: { pinned, route }, asking }: State, theme: Theme): string {
  const { say, run, host, asks } = theme.glyphs;
  if (asking.replying !== null) return theme.needs(asks);
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
    // A list has the keys that a card would name.
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
