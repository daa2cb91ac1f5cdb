// One block of markdown as lines for a terminal. Only this file uses Bun.markdown. The text must be sanitised; the only escapes in the result
// are the theme's.

import { sanitize } from "../../src/lib/text/sanitize.ts";
import type { Theme } from "./theme.ts";

/** Deeper quotes are shown at this depth: nesting costs more than length. */
const QUOTES_MAX = 16;
const BLOCK_CHARS_MAX = 64 * 1024;
const CELL_END = "\x1f";
/** Before the text of a right-aligned cell. */
const RIGHT = "\x1d";
const ROW_END = "\x1e";
/** Separates the prefix of a line, the prefix of its wrapped rows, and its text: lines are wrapped last, when their width is known. */
const PARTED = "\x1c";
/** Before a block, which begins a line even inside a list item. */
const BEGIN = "\x19";
/** Before a line that must not wrap. */
const WHOLE = "\x1a";
/** Before the rows of a table that is only parsed. */
const TABLE = "\x18";
const PARSED_COLUMNS = 80;
const PLAIN_HTML = { noHtmlBlocks: true, noHtmlSpans: true } as const;
const CELL_COLUMNS_MIN = 6;
const QUOTES_OVER = new RegExp(`^(?:[ \\t]*>){${QUOTES_MAX + 1},}`, "gm");
/** Prose without any markup: skips the parser. */
const PLAIN = /^\p{L}[^\\`*_~<[\]&\p{Cc}]*$/u;

/** A row of a table: each cell as text with the escapes of the theme. */
export type Cells = readonly string[];

/** Keeps its callbacks, because each paint draws the open block. */
export class Markdown {
  private made: { readonly width: number; readonly of: Bun.markdown.RenderCallbacks } | null = null;

  constructor(private readonly theme: Theme) {}

  lines(source: string, columns: number): readonly string[] {
    const width = Math.max(10, columns);
    if (source.length > BLOCK_CHARS_MAX) return source.split("\n");
    if (PLAIN.test(source)) return wrapped(source.replace(/ +$/, ""), width).split("\n");
    const text = source.replace(QUOTES_OVER, ">".repeat(QUOTES_MAX));
    const rendered = Bun.markdown.render(text, this.callbacks(width), PLAIN_HTML);
    return linesOf(rendered.replace(/\n+$/, "")).flatMap((line) => broken(line, width));
  }

  /** The cells of a table, or null if the source is anything else. */
  cells(source: string): readonly Cells[] | null {
    const { table: _, ...others } = this.callbacks(PARSED_COLUMNS);
    const rendered = Bun.markdown.render(source, { ...others, table: (text) => TABLE + text }, PLAIN_HTML);
    return rendered.lastIndexOf(TABLE) === 0 ? cellsOf(rendered.slice(TABLE.length)) : null;
  }

  private callbacks(width: number): Bun.markdown.RenderCallbacks {
    if (this.made?.width !== width) this.made = { width, of: callbacks(width, this.theme) };
    return this.made.of;
  }
}

function callbacks(width: number, theme: Theme): Bun.markdown.RenderCallbacks {
  return {
    // Entities such as &#27; are decoded by now.
    text: sanitize,
    heading: (text) => `${BEGIN}${theme.bold(text)}\n`,
    paragraph: (text) => `${text}\n`,
    blockquote: (text) => `${BEGIN}${prefixed(text.trim(), theme.dim("│ "), theme.dim("│ "))}\n`,
    code: (text) => `${BEGIN}${whole(text.replace(/\n$/, ""), "    ")}\n`,
    list: (text, { depth }) => (depth > 0 ? `\n${text.replace(/\n$/, "")}` : text),
    listItem: (text, { index, ordered, start = 1, checked }) => {
      const mark = ordered ? `${start + index}.` : theme.glyphs.bullet;
      const box = checked === undefined ? "" : checked ? "[x] " : "[ ] ";
      const indent = " ".repeat(mark.length + 1);
      return `${prefixed(box + text.replace(/\n+$/, ""), `${mark} `, indent)}\n`;
    },
    hr: () => `${BEGIN}${theme.dim(theme.glyphs.line.repeat(Math.min(3, width)))}\n`,
    th: (text, meta) => (meta?.align === "right" ? RIGHT : "") + theme.bold(text) + CELL_END,
    td: (text, meta) => (meta?.align === "right" ? RIGHT : "") + text + CELL_END,
    tr: (text) => text + ROW_END,
    table: (text) => `${BEGIN}${whole(table(text, width, theme), "")}\n`,
    strong: (text) => theme.bold(text),
    emphasis: (text) => `\x1b[3m${text}\x1b[23m`,
    codespan: (text) => theme.you(text),
    strikethrough: (text) => `\x1b[9m${text}\x1b[29m`,
    // The target is always shown: the model chose the text of the link.
    link: (text, { href }) => (Bun.stripANSI(text) === href ? text : `${text} ${theme.dim(`(${href})`)}`),
    image: (text, { src }) => theme.dim(`[image: ${text || src}]`),
  };
}

/** Wraps each line; indents are kept. */
function wrapped(text: string, columns: number): string {
  return text
    .split("\n")
    .map((line) => {
      if (Bun.stringWidth(line) <= columns) return line.trimEnd();
      const indent = /^ */.exec(line)?.[0] ?? "";
      const room = Math.max(8, columns - indent.length);
      return indent + Bun.wrapAnsi(line.slice(indent.length), room, { hard: true }).replaceAll("\n", `\n${indent}`);
    })
    .join("\n");
}

/** Nested blocks keep the prefixes of all blocks around them, also on wrapped rows. */
function prefixed(text: string, first: string, rest: string): string {
  return linesOf(text)
    .map((line, index) => {
      const [before, after, content] = partsOf(line);
      return [(index === 0 ? first : rest) + before, rest + after, content].join(PARTED);
    })
    .join("\n");
}

function linesOf(text: string): string[] {
  return text
    .replace(/(?<=[^\n])\x19/g, "\n")
    .replaceAll(BEGIN, "")
    .split("\n");
}

function whole(text: string, indent: string): string {
  return text.replace(/^/gm, WHOLE + indent);
}

function partsOf(line: string): readonly [before: string, after: string, content: string] {
  const [before = "", after = "", content] = line.split(PARTED);
  return content === undefined ? ["", "", line] : [before, after, content];
}

function broken(line: string, columns: number): readonly string[] {
  const [before, after, content] = partsOf(line);
  if (content.startsWith(WHOLE)) return [before + content.slice(WHOLE.length)];
  const room = Math.max(8, columns - Bun.stringWidth(before));
  return wrapped(content, room)
    .split("\n")
    .map((each, at) => ((at === 0 ? before : after) + each).replace(/ +$/, ""));
}

function cellsOf(text: string): string[][] {
  return text
    .split(ROW_END)
    .map((row) => row.split(CELL_END).slice(0, -1))
    .filter((row) => row.length > 0);
}

/** The width that each column would take. */
export function naturalWidths(rows: readonly Cells[], before: readonly number[] = []): readonly number[] {
  const widths = [...before];
  for (const row of rows)
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 1, Bun.stringWidth(textOf(cell)));
  return widths;
}

export function widthsWithin(natural: readonly number[], width: number): readonly number[] {
  return narrowed(natural, Math.max(10, width) - 2 * (natural.length - 1));
}

/** The rows as lines; the first row of a table is its head. */
export function rowLines(rows: readonly Cells[], widths: readonly number[], head: Theme | null): readonly string[] {
  return rows.flatMap((row, index) => {
    const cells = widths.map((columns, at) => Bun.wrapAnsi(textOf(row[at]), columns, { hard: true }).split("\n"));
    const height = Math.max(...cells.map((cell) => cell.length));
    const drawn = Array.from({ length: height }, (_, line) =>
      cells
        .map((cell, at) => {
          const isRight = row[at]?.startsWith(RIGHT) === true;
          return padded(cell[line] ?? "", at === widths.length - 1 && !isRight ? 0 : widths[at]!, isRight);
        })
        .join("  ")
        .trimEnd(),
    );
    if (index > 0 || head === null) return drawn;
    return [...drawn, head.dim(widths.map((columns) => head.glyphs.line.repeat(columns)).join("  "))];
  });
}

function table(text: string, width: number, theme: Theme): string {
  const rows = cellsOf(text);
  return rowLines(rows, widthsWithin(naturalWidths(rows), width), theme).join("\n");
}

/** The widest columns shrink first. */
function narrowed(natural: readonly number[], room: number): number[] {
  const widths = [...natural];
  let over = widths.reduce((sum, columns) => sum + columns, 0) - room;
  while (over > 0) {
    const widest = Math.max(...widths);
    if (widest <= CELL_COLUMNS_MIN) break;
    widths[widths.indexOf(widest)] = widest - 1;
    over--;
  }
  return widths;
}

function textOf(cell: string | undefined): string {
  return cell?.startsWith(RIGHT) ? cell.slice(RIGHT.length) : (cell ?? "");
}

function padded(text: string, columns: number, isRight: boolean): string {
  const blank = " ".repeat(Math.max(0, columns - Bun.stringWidth(text)));
  return isRight ? blank + text : text + blank;
}
