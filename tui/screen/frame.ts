// The live part of the screen, from the state: what is still being written, what is going on, the dock, and the line that is typed, which is
// drawn here so that a key is on screen without waiting for boxes.

import { reveal } from "../../src/lib/text/sanitize.ts";
import { cutWidth } from "../../src/lib/text/truncate.ts";
import { cardView } from "../cards/card-view.ts";
import { withLast } from "../line/history.ts";
import { layout, paintedRow } from "../line/rows.ts";
import { slashMenu } from "../line/slash.ts";
import { type Programs, spansOf } from "../line/syntax.ts";
import type { Fate } from "../state/process.ts";
import { ghostOf } from "../state/reduce-keys.ts";
import type { State } from "../state/state.ts";
import { activityLines, standInLine } from "../talk/activity.ts";
import type { Route } from "../verdict/route.ts";
import type { DockView } from "../view/dock.tsx";
import { pickerLines } from "../view/picker.ts";
import { keySheet } from "../views/key-sheet.ts";
import { menuLines } from "../views/menu-view.ts";
import { searchRows } from "../views/search-view.ts";
import type { Cursor, Live } from "./screen.ts";
import { statusRow } from "./status.ts";
import type { Theme } from "./theme.ts";

export interface FrameOptions {
  readonly state: State;
  /** Where the line that is typed would go. */
  readonly route: () => Route;
  readonly theme: Theme;
  readonly now: number;
  readonly columns: number;
  readonly rows: number;
  /** Lines of the answer that is open. */
  readonly tail: readonly string[];
  readonly programs: Programs;
  readonly drawDock: (view: DockView) => readonly string[];
}

const INPUT_ROWS_MAX = 8;
/** A longer line is drawn in one colour: whoever types it does not wait for it. */
const COLOURED_CHARS_MAX = 4096;
const MARGIN = 2;
/** Around a card: the row that stays free, the empty one above it and the one that says where one is. */
const AROUND_ROWS = 3;
const PICKER_ROWS_MAX = 9;

export function frameOf(options: FrameOptions): Live {
  const { state, theme, now, columns, rows, tail } = options;
  const { above, below, input, picker, isMessage } = aroundIn(options);
  const dock = [...above, ...activityLines(state, { theme, now, columns, isMessage }), ...below];
  const room = Math.max(0, rows - dock.length - input.lines.length - 3);
  const over = tail.length - room;
  const count = `${over} ${over === 1 ? "line" : "lines"} above`;
  const answer = over > 0 ? [theme.dim(`  ${theme.glyphs.dots} ${count}`), ...tail.slice(-room)] : tail;
  const lines = [...answer, "", ...dock, ...input.lines];
  const { cursor } = input;
  // Whoever has the keys has the cursor.
  if (picker !== null) return { lines, cursor: { ...picker.cursor, row: lines.indexOf(picker.lines[0] ?? "") } };
  return { lines, cursor: { row: lines.length - input.lines.length + cursor.row, column: cursor.column } };
}

interface Rows {
  readonly lines: readonly string[];
  readonly cursor: Cursor;
}

/** All but the answer and the row that says what goes on. */
interface Around {
  readonly above: readonly string[];
  readonly below: readonly string[];
  readonly input: Rows;
  readonly picker: Rows | null;
  /** What is typed is a message. */
  readonly isMessage: boolean;
}

// While an answer grows it stays as it is, paint after paint.
let made: { readonly options: FrameOptions; readonly around: Around } | null = null;

function aroundIn(options: FrameOptions): Around {
  const { input, search, notice, asks } = options.state;
  // These change with time; and where a line would go, with what there is.
  if (input.text !== "" || search !== null || notice !== null || asks.length > 0) return around(options);
  if (made === null || !isSameAround(made.options, options)) made = { options, around: around(options) };
  return made.around;
}

function isSameAround(one: FrameOptions, other: FrameOptions): boolean {
  const { theme, columns, rows, drawDock } = other;
  if (one.theme !== theme || one.columns !== columns || one.rows !== rows || one.drawDock !== drawDock) return false;
  if (one.state === other.state) return true;
  for (const name in other.state) {
    const key = name as keyof State;
    if (one.state[key] !== other.state[key] && key !== "run" && key !== "thinking") return false;
  }
  return true;
}

/** Says nothing of the run, nor of what is thought. */
function around(options: FrameOptions): Around {
  const { state, theme, columns, rows, now } = options;
  const route = options.route();
  const input = inputRows(options, route);
  const isMessage = route.to === "chat" && state.input.text !== "";
  const rowsMax = Math.max(2, Math.min(PICKER_ROWS_MAX, rows - 8));
  const picker = state.picker === null ? null : pickerLines({ picker: state.picker, theme, columns, rowsMax });
  const standIn = standInLine(state, { theme, now, columns, isMessage });
  const below = [
    ...(state.keysShown ? keySheet(columns - 1, { key: theme.bold, word: theme.dim }) : []),
    ...menuOf(state, columns, theme),
    ...(picker?.lines ?? []),
    ...options.drawDock(dockView(state, options, rows - AROUND_ROWS - input.lines.length)),
  ];
  return { above: standIn === null ? [] : [standIn], below, input, picker, isMessage };
}

/** What TAB has offered; while a command of the terminal's own is being typed, which those are. */
function menuOf(state: State, columns: number, theme: Theme): readonly string[] {
  const isFree = state.asks.length === 0 && state.picker === null && state.search === null && !state.keysShown;
  const menu = state.menu ?? (isFree ? slashMenu(state.input.text) : null);
  return menu === null ? [] : menuLines(menu, columns, theme);
}

function inputRows(options: FrameOptions, route: Route): Rows {
  const { state, theme, columns, now } = options;
  if (state.search !== null) return searchRows(state.search, state, { theme, columns, now });
  const { input, past } = state;
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
    return `${at === 0 ? glyphOf(options, route) : " "} ${shown}${at === rows.length - 1 ? behind : ""}`;
  });
  return { lines, cursor: { row: cursor.row - from, column: cursor.column + MARGIN } };
}

/** Which language the line is in, told while it is typed. */
function glyphOf({ state: { pinned, replying }, theme }: FrameOptions, route: Route): string {
  const { say, run, host, asks } = theme.glyphs;
  if (replying !== null) return theme.needs(asks);
  const to = route.to === "nothing" ? (pinned ?? "chat") : route.to;
  if (to === "host") return theme.needs(host);
  if (to === "shell" || to === "slash" || to === "unknown") return theme.ok(run);
  return theme.you(say);
}

function dockView(state: State, { theme, now, columns }: FrameOptions, rows: number): DockView {
  const { notice, picker } = state;
  const queued = queuedLines(state, { theme, columns });
  const said = notice !== null && notice.until > now ? cutWidth(reveal(notice.text), Math.floor(columns / 2)) : "";
  const room = columns - 1 - (said === "" ? 0 : Bun.stringWidth(said) + 2);
  return {
    queued,
    // Whoever picks has the keys that the card names.
    card: picker !== null ? null : cardView(state, { theme, now, columns, rows: rows - queued.length }),
    status: statusRow(state, room, theme),
    notice: said,
  };
}

const FATES: { readonly [F in Fate]: string } = { next: "queued:", after: "after this answer:", now: "at once:" };

function queuedLines(
  { waiting, input }: State,
  { theme, columns }: Pick<FrameOptions, "theme" | "columns">,
): readonly string[] {
  return waiting.map(({ text, fate }, index) => {
    const head = `  ${theme.glyphs.queued} ${theme.dim(FATES[fate])} `;
    const back = index === waiting.length - 1 && input.text === "" ? "   ↑ takes it back" : "";
    const room = columns - 2 - Bun.stringWidth(head) - back.length;
    if (room < 16) return `${head}${cutWidth(reveal(text).replaceAll("\n", "⏎"), room + back.length)}`;
    return `${head}${cutWidth(reveal(text).replaceAll("\n", "⏎"), room)}${theme.dim(back)}`;
  });
}
