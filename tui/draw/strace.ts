// strace: the process, its calls as a table, the selected call in full, the keys.

import {
  allArguments,
  isFailure,
  type Traced,
  tookText,
  traceCells,
  traceLayout,
} from "../../commands/proc/trace-table.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { cutWidth } from "../../src/lib/text/truncate.ts";
import type { Paint, Theme } from "../screen/theme.ts";
import type { Strace } from "../state/views.ts";
import { selectedAt, shownCalls } from "../views/strace.ts";
import { ends, keysLine, type Size, screenful, selectedRow } from "./screenful.ts";

export interface StraceProps extends Size {
  readonly strace: Strace;
  readonly theme: Theme;
}

const DETAIL_ROWS_MAX = 4;
/** A smaller screen shows only the table until a call is opened. */
const SMALL_ROWS = 16;

export function straceLines(props: StraceProps): readonly string[] {
  const { strace, theme, rows } = props;
  const columns = props.columns - 1;
  const shown = shownCalls(strace);
  const at = selectedAt(strace, shown);
  const { head, line } = traceLayout(columns, { several: false });
  const body = shown.map((row, index) => {
    const text = line(row);
    if (index === at) return selectedRow(text, columns, theme);
    return withOutcome(text, row, isFailure(row) ? theme.bad : theme.dim);
  });
  const selected = shown[at] ?? null;
  const detail = selected === null || (rows < SMALL_ROWS && !strace.open) ? [] : detailLines(selected, props, columns);
  const none = body.length > 0 ? [] : [theme.dim(strace.calls.length > 0 ? "no call matches" : noCallsText(strace))];
  const screen = { title: [titleLine(strace, theme, columns)], head: theme.dim(head), body: [...body, ...none] };
  return screenful({ ...screen, at, detail, foot: footLine(strace, theme, columns) }, props);
}

function noCallsText({ over }: Strace): string {
  return over === null ? "no calls yet" : "";
}

/** The word says whether the call failed; the colour repeats it. */
function withOutcome(text: string, row: Traced, paint: Paint): string {
  const result = reveal(row.outcome);
  const at = text.lastIndexOf(` ${result} `);
  return at === -1 ? text : `${text.slice(0, at + 1)}${paint(result)}${text.slice(at + 1 + result.length)}`;
}

function titleLine(strace: Strace, theme: Theme, columns: number): string {
  const { pid, info, calls, selected, over, filter, filtering, failedOnly, expression } = strace;
  const failed = calls.filter(isFailure).length;
  const label = info?.label ?? null;
  const state =
    over !== null ? theme.needs(reveal(over)) : selected === null ? theme.ok("following") : theme.dim("paused");
  const narrowed = [
    ...(expression === "" ? [] : [`-e ${reveal(expression)}`]),
    ...(failedOnly ? ["errors only"] : []),
    ...(filtering || filter !== "" ? [`/${reveal(filter)}${filtering ? "▏" : ""}`] : []),
  ];
  const ms = calls.reduce((sum, call) => sum + call.ms, 0);
  const sums = [
    `${calls.length} ${calls.length === 1 ? "call" : "calls"}`,
    ...(failed === 0 ? [] : [theme.bad(`${failed} failed`)]),
    tookText(ms),
  ].join(theme.dim(" · "));
  const name = `${theme.bold("strace")} ${theme.you(pid)}`;
  const room = columns - Bun.stringWidth(`strace ${pid}    ${sums}`) - 14;
  const about = label === null || room < 6 ? [] : [theme.dim(cutWidth(reveal(label), room))];
  const right = narrowed.length > 0 ? theme.you(narrowed.join("  ")) : sums;
  return ends([name, ...about, state].join("  "), right, columns);
}

function detailLines(row: Traced, { strace, theme, rows }: StraceProps, columns: number): readonly string[] {
  const { time, call, result, took } = traceCells(row);
  const paint = isFailure(row) ? theme.bad : theme.ok;
  const head = ends(
    `${theme.you(theme.glyphs.say)} ${theme.bold(call)}  ${theme.dim(time)}`,
    `${paint(result)}  ${took}`,
    columns,
  );
  const room = strace.open ? Math.max(2, Math.floor(rows / 2) - 2) : DETAIL_ROWS_MAX;
  const lines = allArguments(row.args).flatMap(([name, value]) => argumentLines(name, value, columns, theme));
  const left = lines.length - room;
  if (left <= 0) return [head, ...lines];
  const more = strace.open ? `  ${left + 1} more lines · w save to file` : `  ${left + 1} more lines · enter open`;
  return [head, ...lines.slice(0, room - 1), theme.dim(more)];
}

function argumentLines(name: string, value: string, columns: number, theme: Theme): readonly string[] {
  const lines = value.split("\n").map(reveal);
  const room = Math.max(10, columns - 14);
  const wrapped = lines.flatMap((line) => Bun.wrapAnsi(line, room, { hard: true, trim: false }).split("\n"));
  return wrapped.map(
    (line, index) => `  ${theme.dim(cutWidth(index === 0 ? reveal(name) : "", 10).padEnd(10))}  ${line}`,
  );
}

function footLine({ filtering, open, selected, failedOnly }: Strace, theme: Theme, columns: number): string {
  if (filtering)
    return keysLine(
      [
        { key: "enter", word: "keep filter", minor: 0 },
        { key: "esc", word: "clear filter", minor: 1 },
      ],
      columns,
      theme,
    );
  const keys = [
    { key: "↑↓", word: "move", minor: 1 },
    { key: "enter", word: open ? "close" : "open", minor: 0 },
    { key: "f", word: selected === null ? "pause" : "follow", minor: 1 },
    { key: "/", word: "filter", minor: 2 },
    { key: "e", word: failedOnly ? "all" : "errors", minor: 2 },
    { key: "l", word: "log", minor: 4 },
    { key: "w", word: "save to file", minor: 3 },
    { key: "q", word: "close", minor: 0 },
  ];
  return keysLine(keys, columns, theme);
}
