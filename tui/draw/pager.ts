// The pager: the text with matches marked, and a row with position and keys.

import { reveal } from "../../src/lib/text/sanitize.ts";
import { cutWidth } from "../../src/lib/text/truncate.ts";
import type { Theme } from "../screen/theme.ts";
import type { Pager } from "../state/views.ts";
import { matcher, pagerRows } from "../views/pager.ts";
import { ends, fit, keysLine, type Size } from "./screenful.ts";

export interface PagerProps extends Size {
  readonly pager: Pager;
  readonly theme: Theme;
}

export function pagerLines({ pager, theme, columns, rows }: PagerProps): readonly string[] {
  const size = { columns: columns - 1, rows: rows - 1 };
  const { rows: shown, through } = pagerRows(pager, size);
  const words = pager.search?.words ?? "";
  const paint = looksLikeDiff(pager.lines)
    ? ofDiff(theme)
    : OF_GSV.test(pager.title)
      ? ofPage(pager.lines, theme)
      : asIs;
  const body = shown.map((row) => marked(row, words, paint, theme));
  const blank = Array.from({ length: Math.max(0, size.rows - body.length) }, () => "");
  return [...body, ...blank, fit(footLine(pager, through, size.columns, theme), size.columns)];
}

/** Matches are inverse; the rest keeps its colour. */
function marked(row: string, words: string, paint: (text: string) => string, theme: Theme): string {
  if (words === "" || !matcher(words)(row)) return paint(row);
  const folded = words === words.toLowerCase() ? row.toLowerCase() : row;
  // Lower case can have another length: then positions differ.
  if (folded.length !== row.length) return paint(row);
  let out = "";
  let from = 0;
  for (let at = folded.indexOf(words); at !== -1; at = folded.indexOf(words, from)) {
    out += (at > from ? paint(row.slice(from, at)) : "") + theme.selected(row.slice(at, at + words.length));
    from = at + words.length;
  }
  return out + (from < row.length ? paint(row.slice(from)) : "");
}

function looksLikeDiff(lines: readonly string[]): boolean {
  return lines.slice(0, 40).some((line) => /^(?:@@ |diff | *\d+ [+-] )/.test(line));
}

const OF_GSV = /^(?:gsv )?(?:help|man)(?: |$)| --help(?: |$)/;

function asIs(row: string): string {
  return row;
}

/** Headings are bold, text between backticks coloured. */
function ofPage(lines: readonly string[], theme: Theme): (row: string) => string {
  const titles = new Set(lines.filter((line, at) => isTitle(line, lines[at - 1], lines[at + 1])));
  return (row) => (titles.has(row) ? theme.bold(row) : row.replace(/`[^`]+`/g, theme.you));
}

function isTitle(line: string, above: string | undefined, below: string | undefined): boolean {
  return /^\S/.test(line) && (above ?? "") === "" && /^ {2}\S/.test(below ?? "");
}

function ofDiff(theme: Theme): (row: string) => string {
  return (row) => {
    if (/^(?:diff |index |--- |\+\+\+ )/.test(row)) return theme.bold(row);
    if (row.startsWith("@@")) return theme.you(row);
    const sign = /^(?: *\d+ )?([+-])/.exec(row)?.[1];
    if (sign === undefined) return row;
    return sign === "+" ? theme.ok(row) : theme.bad(row);
  };
}

function footLine(
  { title, lines, typing, search, top }: Pager,
  through: number,
  columns: number,
  theme: Theme,
): string {
  if (typing !== null) return `${theme.you(typing.back ? "?" : "/")}${reveal(typing.words)}▏`;
  const share = Math.round((100 * through) / Math.max(1, lines.length));
  const progress = through >= lines.length ? "end" : `${share}%`;
  const where = `${theme.bold(cutWidth(reveal(title), Math.max(8, columns - 30)))}  ${theme.dim(`${top.line + 1}-${through} of ${lines.length}  ${progress}`)}`;
  if (search !== null && search.at === null) return `${where}  ${theme.needs(`no match for ${reveal(search.words)}`)}`;
  const keys = [
    { key: "space", word: "down", minor: 1 },
    { key: "b", word: "up", minor: 2 },
    { key: "/", word: "search", minor: 1 },
    ...(search === null ? [] : [{ key: "n N", word: "next", minor: 1 }]),
    { key: "g G", word: "start, end", minor: 3 },
    { key: "q", word: "close", minor: 0 },
  ];
  const room = columns - Bun.stringWidth(where) - 2;
  return room < 8 ? where : ends(where, keysLine(keys, room, theme), columns);
}
