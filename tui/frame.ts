// The live part of the screen, from the state: what is still being written, what is going on, the dock, and the line that is typed, which is
// drawn here so that a key is on screen without waiting for boxes.

import { approvalBody, reasonLines } from "../commands/approval-text.ts";
import { reveal } from "../src/lib/sanitize.ts";
import { cutWidth } from "../src/lib/truncate.ts";
import { layout } from "./editor.ts";
import { found, ghostOf } from "./reduce-keys.ts";
import { subjectOf } from "./reduce-signals.ts";
import type { Route } from "./route.ts";
import type { Live } from "./screen.ts";
import { SLASHES } from "./slash.ts";
import type { Ask, State } from "./state.ts";
import type { Theme } from "./theme.ts";
import type { CardView, DockView } from "./view/dock.tsx";
import { pickerLines } from "./view/picker.ts";

export interface FrameOptions {
  readonly state: State;
  readonly route: Route;
  readonly theme: Theme;
  readonly now: number;
  readonly columns: number;
  readonly rows: number;
  /** Lines of the answer that is open. */
  readonly tail: readonly string[];
  readonly drawDock: (view: DockView) => readonly string[];
}

const INPUT_ROWS_MAX = 8;
const CARD_LINES_MAX = 12;
const SPIN_MS = 250;
const CANDIDATE_ROWS_MAX = 4;
const PICKER_ROWS_MAX = 9;

export function frameOf(options: FrameOptions): Live {
  const { state, theme, now, columns, rows, tail } = options;
  const input = inputRows(options);
  const activity = activityLine(state, theme, now);
  const rowsMax = Math.max(2, Math.min(PICKER_ROWS_MAX, rows - 8));
  const picker = state.picker === null ? null : pickerLines({ picker: state.picker, theme, columns, rowsMax });
  const dock = [
    ...(activity === null ? [] : [activity]),
    ...(state.keysShown ? KEYS.map((line) => theme.dim(line)) : []),
    ...candidateLines(state.candidates, columns).map((line) => theme.dim(line)),
    ...(picker?.lines ?? []),
    ...options.drawDock(dockView(state, { theme, now, columns })),
  ];
  const room = Math.max(0, rows - dock.length - input.lines.length - 3);
  const above =
    tail.length > room
      ? [theme.dim(`  ${theme.glyphs.dots} ${tail.length - room} lines above`), ...tail.slice(-room)]
      : tail;
  const lines = [...above, "", ...dock, ...input.lines];
  const { cursor } = input;
  // Whoever has the keys has the cursor.
  if (picker !== null) return { lines, cursor: { ...picker.cursor, row: lines.indexOf(picker.lines[0] ?? "") } };
  return { lines, cursor: { row: lines.length - input.lines.length + cursor.row, column: cursor.column } };
}

/** In columns, as ls does it, a few rows of them. */
function candidateLines(candidates: readonly string[], columns: number): readonly string[] {
  if (candidates.length === 0) return [];
  const names = candidates.map((each) => each.trimEnd());
  const width = Math.min(columns - 4, Math.max(...names.map((name) => Bun.stringWidth(name))) + 2);
  const across = Math.max(1, Math.floor((columns - 4) / width));
  const rows = Math.min(CANDIDATE_ROWS_MAX, Math.ceil(names.length / across));
  const shown = names.slice(0, rows * across);
  const lines = Array.from({ length: rows }, (_, row) => {
    const cells = shown.slice(row * across, (row + 1) * across);
    return `  ${cells.map((cell) => cutWidth(cell, width).padEnd(width)).join("")}`.trimEnd();
  });
  return shown.length < names.length ? [...lines, `  and ${names.length - shown.length} more`] : lines;
}

function inputRows({ state, route, theme, columns }: FrameOptions) {
  if (state.search !== null) {
    const text = `history: ${reveal(state.search.words)}`;
    const line = `${theme.you(text)}  ${theme.dim(reveal(found(state) ?? ""))}`;
    return { lines: [line], cursor: { row: 0, column: Bun.stringWidth(text) } };
  }
  const { rows, cursor } = layout(state.input, columns - 3);
  const ghost = theme.dim(cutWidth(reveal(ghostOf(state)), Math.max(0, columns - 4 - cursor.column)));
  const from = Math.max(0, Math.min(cursor.row - INPUT_ROWS_MAX + 1, rows.length - INPUT_ROWS_MAX));
  const lines = rows.slice(from, from + INPUT_ROWS_MAX).map(({ shown }, index) => {
    const at = index + from;
    return `${at === 0 ? glyphOf(route, state, theme) : " "} ${shown}${at === rows.length - 1 ? ghost : ""}`;
  });
  return { lines, cursor: { row: cursor.row - from, column: cursor.column + 2 } };
}

/** Which language the line is in, told while it is typed. */
function glyphOf(route: Route, { pinned }: State, theme: Theme): string {
  const { say, run, host } = theme.glyphs;
  const to = route.to === "nothing" ? (pinned ?? "chat") : route.to;
  if (to === "host") return theme.needs(host);
  if (to === "shell" || to === "slash") return theme.ok(run);
  return theme.you(say);
}

function activityLine({ run, state, waitsFor, asks }: State, theme: Theme, now: number): string | null {
  if (asks.length > 0) return null;
  if (state === "paused" || state === "stopped") {
    const why = waitsFor === null ? "" : `: ${reveal("reason" in waitsFor ? waitsFor.reason : waitsFor.summary)}`;
    return `${theme.needs(theme.glyphs.held)} ${theme.bold(state)}${againText(waitsFor, now)}${why}`;
  }
  if (run === null) return null;
  const { spinner } = theme.glyphs;
  const glyph = theme.ok(spinner[Math.floor(now / SPIN_MS) % spinner.length] ?? "");
  const tokens = run.doing === "writing" ? ` · ${Math.ceil(run.chars / 4)} tok` : "";
  const again = againText(waitsFor, now);
  const what =
    run.doing === "tool" ? `running ${cutWidth(reveal(run.what), 60)}` : again === "" ? run.doing : `waiting${again}`;
  return `${glyph} ${what}  ${theme.dim(`${elapsed(now - run.since)}${tokens} · esc stops`)}`;
}

/** Where a model failed and is asked once more. */
function againText(waitsFor: State["waitsFor"], now: number): string {
  if (waitsFor?.kind === "restart") return `, taken up again in ${elapsed(waitsFor.until - now)}`;
  const isAgain = waitsFor?.kind === "model" || waitsFor?.kind === "outage";
  return isAgain ? `, asked again in ${elapsed(waitsFor.until - now)}` : "";
}

/** In whole seconds: a row that changes more often than once in a while cannot be read. */
function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

function dockView(state: State, { theme, now, columns }: { theme: Theme; now: number; columns: number }): DockView {
  const [ask] = state.asks;
  const { pid, model, costUsd, asks, notice } = state;
  const place = placeText(state);
  const status = [
    theme.you(place),
    theme.dim(pid),
    ...(model === null ? [] : [theme.dim(reveal(model))]),
    ...(costUsd > 0 ? [theme.dim(`$${costUsd.toFixed(2)}`)] : []),
    ...(asks.length > 0 ? [theme.needs(`${asks.length} waiting`)] : []),
    ...(state.readOnly ? [theme.needs("only looking")] : []),
  ];
  return {
    queued: state.waiting.map(({ text }) => reveal(text)),
    // Whoever picks has the keys that the card names.
    card: ask === undefined || state.picker !== null ? null : cardOf(ask, state, { theme, now, columns }),
    status,
    notice: notice !== null && notice.until > now ? reveal(notice.text) : "",
  };
}

function placeText({ cwd, who: { home } }: State): string {
  return reveal(cwd === home || cwd.startsWith(`${home}/`) ? `~${cwd.slice(home.length)}` : cwd);
}

function cardOf(ask: Ask, state: State, { theme, columns }: { theme: Theme; now: number; columns: number }): CardView {
  const { id, kind, pid, tool, args, why } = ask;
  const isQuestion = kind === "question";
  const title = isQuestion ? "asks you" : `wants ${reveal(tool)} ${cutWidth(reveal(subjectOf(tool, args)), columns)}`;
  const lines = cardLines(ask, columns - 8).map((line) => inColour(line, theme));
  const left = lines.length - CARD_LINES_MAX;
  const more = left > 0 ? [theme.needs(`${left} lines more: approvals ${id}`)] : [];
  return {
    title: `${reveal(pid)} ${title}`,
    place: state.asks.length > 1 ? `1 of ${state.asks.length}` : "",
    why: isQuestion ? "" : reveal(why),
    lines: [...lines.slice(0, CARD_LINES_MAX), ...more],
    keys: cardKeys(ask, theme, state.input.text !== "" && !state.answering),
  };
}

function cardKeys({ id, kind, args }: Ask, theme: Theme, isHalfTyped: boolean): string {
  const key = (letter: string, word: string) => `${theme.bold(letter)} ${word}`;
  const { choices = [] } = args as { readonly choices?: readonly string[] };
  const byText = `answer ${id} …`;
  if (kind === "question")
    return choices.length === 0 ? byText : `${key(`1-${Math.min(9, choices.length)}`, "chooses")}`;
  if (isHalfTyped) return key("tab", "answers, then y or n");
  return [key("y", "once"), key("a", "always"), key("n", "no")].join("   ");
}

/** All that would run and why it asks, with everything hidden in it shown. */
function cardLines(ask: Ask, columns: number): readonly string[] {
  return [...approvalBody(ask), ...reasonLines(ask)].flatMap((line) =>
    Bun.wrapAnsi(line, Math.max(20, columns), { hard: true, trim: false }).split("\n"),
  );
}

/** Lines of a diff say by their sign what they are, and by their colour too. */
function inColour(line: string, theme: Theme): string {
  const sign = /^\s*\| ([+-])/.exec(line)?.[1];
  if (sign === undefined) return line;
  return (sign === "+" ? theme.ok : theme.bad)(line);
}

function slashRows(): readonly string[] {
  return [...SLASHES].map(([name, { summary }]) => `  /${name.padEnd(10)}${summary}`);
}

const KEYS = [
  "  enter sends or runs      alt-enter new line       shift-tab always say, always run, by itself",
  "  ↑ ↓ history              ctrl-r search            ctrl-g in your editor",
  "  esc stops the run        ctrl-c clears the line   ctrl-o the last output of a tool",
  "  tab completes            ctrl-t processes         ctrl-z puts gsv aside",
  "  ctrl-l clears the screen ctrl-d leaves; agents go on",
  "",
  ...slashRows(),
];
