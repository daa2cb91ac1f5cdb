// Matches of ctrl-r as rows: the newest next to the line, each with its status, directory and time. Pure.

import { reveal } from "../../src/lib/text/sanitize.ts";
import { cutWidth } from "../../src/lib/text/truncate.ts";
import type { Past } from "../line/history.ts";
import { matching, type Only, type Search } from "../line/search.ts";
import type { Cursor } from "../screen/screen.ts";
import type { Theme } from "../screen/theme.ts";
import type { State } from "../state/state.ts";

const SHOWN_MAX = 6;
const WORDS: { readonly [O in Only]: string } = { all: "", here: " in this directory", failed: ", failed" };

export interface SearchLayout {
  readonly theme: Theme;
  readonly columns: number;
  readonly now: number;
}

export function searchRows(
  search: Search,
  state: State,
  layout: SearchLayout,
): { readonly lines: readonly string[]; readonly cursor: Cursor } {
  const { theme, columns } = layout;
  const found = matching(state.line.past, search, state.line.cwd);
  const from = Math.max(0, search.nth - SHOWN_MAX + 1);
  const shown = found
    .slice(from, from + SHOWN_MAX)
    .map((past, index) => row(past, from + index === search.nth, state, layout));
  const count = found.length === 0 ? "no match" : `${search.nth + 1} of ${found.length}`;
  const head = `history${WORDS[search.only]}: ${reveal(search.words)}`;
  const hint = cutWidth(
    `${count} · enter accept · tab ${NEXT[search.only]}`,
    Math.max(0, columns - Bun.stringWidth(head) - 4),
  );
  const lines = [...shown.toReversed(), `${theme.you(head)}  ${theme.dim(hint)}`];
  return { lines, cursor: { row: lines.length - 1, column: Bun.stringWidth(head) } };
}

const NEXT: { readonly [O in Only]: string } = { all: "this directory", here: "failed", failed: "all" };

function row(
  { text, at, cwd, status }: Past,
  isChosen: boolean,
  { who }: State,
  { theme, columns, now }: SearchLayout,
): string {
  const { say, bad } = theme.glyphs;
  const mark = isChosen ? theme.you(say) : " ";
  const failed = status === null || status === 0 ? "" : `${bad} ${status}`;
  const where = cwd === null ? "" : reveal(cwd.startsWith(who.home) ? `~${cwd.slice(who.home.length)}` : cwd);
  const about = [failed, where, at === null ? "" : agoText(now - at)].filter((each) => each !== "").join("  ");
  const room = columns - 5 - Bun.stringWidth(about);
  const whole = reveal(text).replaceAll("\n", "⏎");
  if (room < 20) return `${mark} ${cutWidth(whole, columns - 4)}`;
  const line = cutWidth(whole, room);
  const gap = " ".repeat(Math.max(0, room - Bun.stringWidth(line)));
  return `${mark} ${isChosen ? theme.bold(line) : line}${gap}  ${theme.dim(about)}`;
}

function agoText(ms: number): string {
  const minutes = Math.floor(Math.max(0, ms) / 60_000);
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes} min`;
  return minutes < 60 * 24 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 60 / 24)} d`;
}
