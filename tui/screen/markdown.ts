// One finished block of markdown as lines for a terminal. All that is known of Bun.markdown is in here. Text comes in sanitised; the only
// escapes that leave are those of the theme.

import { sanitize } from "../../src/lib/text/sanitize.ts";
import type { Theme } from "./theme.ts";

/** Deeper quotes are shown at this depth: what lies in each other costs more than its length. */
const QUOTES_MAX = 16;
const BLOCK_CHARS_MAX = 64 * 1024;
const CELL_END = "\x1f";
/** Before the text of a cell that stands at the right end of its column. */
const RIGHT = "\x1d";
const ROW_END = "\x1e";
/** Between what stands before a line, what stands before the lines it is broken into, and its text: only at the end its room is known. */
const PARTED = "\x1c";
/** Before what begins a line of its own, also behind the words of a list's item. */
const BEGIN = "\x19";
/** Before a line that is not to be broken. */
const WHOLE = "\x1a";
const CELL_COLUMNS_MIN = 6;
const QUOTES_OVER = new RegExp(`^(?:[ \\t]*>){${QUOTES_MAX + 1},}`, "gm");
/** One line of prose in which nothing could mean anything but itself: it need not be asked what it means. */
const PLAIN = /^\p{L}[^\\`*_~<[\]&\p{Cc}]*$/u;

export function renderBlock(source: string, columns: number, theme: Theme): readonly string[] {
  const width = Math.max(10, columns);
  if (source.length > BLOCK_CHARS_MAX) return source.split("\n");
  if (PLAIN.test(source)) return wrapped(source.replace(/ +$/, ""), width).split("\n");
  const text = source.replace(QUOTES_OVER, ">".repeat(QUOTES_MAX));
  const rendered = Bun.markdown.render(text, callbacksFor(width, theme), { noHtmlBlocks: true, noHtmlSpans: true });
  return linesOf(rendered.replace(/\n+$/, "")).flatMap((line) => broken(line, width));
}

// The open block of an answer is drawn with every paint.
let made: { readonly width: number; readonly theme: Theme; readonly of: Bun.markdown.RenderCallbacks } | null = null;

function callbacksFor(width: number, theme: Theme): Bun.markdown.RenderCallbacks {
  if (made?.width !== width || made.theme !== theme) made = { width, theme, of: callbacks(width, theme) };
  return made.of;
}

function callbacks(width: number, theme: Theme): Bun.markdown.RenderCallbacks {
  return {
    // What is written as &#27; comes out here as what it stands for.
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
    // Where a link leads is always said: its words are the model's.
    link: (text, { href }) => (Bun.stripANSI(text) === href ? text : `${text} ${theme.dim(`(${href})`)}`),
    image: (text, { src }) => theme.dim(`[image: ${text || src}]`),
  };
}

/** Each line by itself, what is set in stays set in. */
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

/** What is in something is set in by as much, and by as much again where it is broken. */
function prefixed(text: string, first: string, rest: string): string {
  return linesOf(text)
    .map((line, index) => {
      const [before, after, said] = partsOf(line);
      return [(index === 0 ? first : rest) + before, rest + after, said].join(PARTED);
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

function partsOf(line: string): readonly [before: string, after: string, said: string] {
  const [before = "", after = "", said] = line.split(PARTED);
  return said === undefined ? ["", "", line] : [before, after, said];
}

function broken(line: string, columns: number): readonly string[] {
  const [before, after, said] = partsOf(line);
  if (said.startsWith(WHOLE)) return [before + said.slice(WHOLE.length)];
  const room = Math.max(8, columns - Bun.stringWidth(before));
  return wrapped(said, room)
    .split("\n")
    .map((each, at) => ((at === 0 ? before : after) + each).replace(/ +$/, ""));
}

function table(text: string, width: number, theme: Theme): string {
  const rows = text
    .split(ROW_END)
    .map((row) => row.split(CELL_END).slice(0, -1))
    .filter((row) => row.length > 0);
  const count = Math.max(...rows.map((row) => row.length));
  const natural = Array.from({ length: count }, (_, at) =>
    Math.max(1, ...rows.map((row) => Bun.stringWidth(textOf(row[at])))),
  );
  const widths = narrowed(natural, width - 2 * (count - 1));
  const lines = rows.flatMap((row, index) => {
    const cells = widths.map((columns, at) => Bun.wrapAnsi(textOf(row[at]), columns, { hard: true }).split("\n"));
    const height = Math.max(...cells.map((cell) => cell.length));
    const drawn = Array.from({ length: height }, (_, line) =>
      cells
        .map((cell, at) => {
          const isRight = row[at]?.startsWith(RIGHT) === true;
          return padded(cell[line] ?? "", at === count - 1 && !isRight ? 0 : widths[at]!, isRight);
        })
        .join("  ")
        .trimEnd(),
    );
    return index === 0
      ? [...drawn, theme.dim(widths.map((columns) => theme.glyphs.line.repeat(columns)).join("  "))]
      : drawn;
  });
  return lines.join("\n");
}

/** The widest give way first. */
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
