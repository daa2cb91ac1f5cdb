// Finds terminal controls in written bytes, except those that gsv itself may write: any that is left came from elsewhere.

import type { Theme } from "../../tui/screen/theme.ts";
import { themeOf } from "../../tui/screen/theme.ts";

/** Controls of the screen and the themes: moves, rows written over, restored modes. */
const OURS =
  /\x1b\[(?:\?(?:2026|25|7|1049|2004|1004)[hl]|\d*[ABC]|\d+;1H|H|[JK]|(?:[12379]|2[2379]|3[1-69])m|\?u|>1u|<u|2[23];0t)|\x1b\]133;[ABCD](?:;\d+)?\x1b\\|\x1b\]2;[^\x00-\x1f\x7f-\x9f]*\x1b\\|\r\n|\r|\n/g;
/** Controls, and characters without a glyph. Selectors and joiners are left out: emoji are made of them. */
const ACTS =
  /[\x00-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{13430}-\u{1343f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|\u034f|\u17b4|\u17b5|\u180b|\u180c|\u180d|\p{M}{9}/u;

/** The first foreign control, with the text around it; null if there is none. */
export function actsIn(written: string): string | null {
  const rest = written.replace(OURS, "");
  const found = ACTS.exec(rest);
  return found === null ? null : JSON.stringify(rest.slice(Math.max(0, found.index - 30), found.index + 30));
}

/** A theme without escapes: a control in a line did not come from the theme. */
export const BARE: Theme = bare();

function bare(): Theme {
  const plain = (text: string) => text;
  const [you, ok, needs, bad, dim, bold, selected] = Array.from({ length: 7 }, () => plain);
  const paints = { you, ok, needs, bad, dim, bold, selected, keyword: plain, string: plain, number: plain };
  return { ...themeOf({ colour: false, unicode: true }), ...paints } as Theme;
}

/** The same for lines of that theme, which may only style words: no color, no move, no other control. */
export function actsInLines(lines: readonly string[]): string | null {
  for (const line of lines) {
    const rest = line.replace(/\x1b\[2?[39]m/g, "");
    const found = ACTS.exec(rest);
    if (found !== null) return JSON.stringify(rest.slice(Math.max(0, found.index - 30), found.index + 30));
  }
  return null;
}
