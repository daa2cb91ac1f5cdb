// Lays out pages of titled parts: paragraphs, lists, commands and two columns. Wraps at words to the width of a terminal; without a width, lines
// stay long. Pure.

import { FENCED } from "../../src/lib/text/fences.ts";
import { sanitize } from "../../src/lib/text/sanitize.ts";
import { type Tone, toned } from "../../src/lib/text/tones.ts";
import { displayWidth } from "../../src/lib/text/truncate.ts";
import { wrapCommand, wrapWords } from "../../src/lib/text/wrap.ts";

export type Row = readonly [left: string, right: string];

export type Block =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "item"; readonly text: string }
  /** Never wrapped inside brackets. */
  | { readonly kind: "usage"; readonly text: string }
  | { readonly kind: "code"; readonly lines: readonly string[] }
  | { readonly kind: "rows"; readonly rows: readonly Row[] };

/** Without a title, the blocks are not indented. */
export interface Part {
  readonly title?: string;
  readonly blocks: readonly Block[];
}

const INDENT = "  ";
const BOUND = "\u00a0";
// If the first column is wider, the second goes below it.
const LEFT_SHARE_MAX = 0.5;

export interface Look {
  /** null: lines are not wrapped. */
  readonly width: number | null;
  readonly colour: boolean;
}

export const PLAIN: Look = { width: null, colour: false };

export function layout(parts: readonly Part[], { width, colour }: Look): string {
  const paint = (text: string, tone: Tone) => (colour ? toned(sanitize(text), tone) : text);
  const shown = parts.map(({ title, blocks }) => {
    const indent = title === undefined ? "" : INDENT;
    const lines = blocks.flatMap((block, at) => [
      ...(at > 0 && !follows(blocks[at - 1], block) ? [""] : []),
      ...blockLines(block, indent, width).map((line) => (colour ? colouredLine(line, block) : line)),
    ]);
    return [...(title === undefined ? [] : [paint(title, "title")]), ...lines].join("\n");
  });
  return `${shown.join("\n\n")}\n`;
}

/** Colors code in backticks; the backticks stay. */
function colouredLine(line: string, { kind }: Block): string {
  const inert = sanitize(line);
  if (kind === "code") return inert.replace(/\S.*/, (code) => toned(code, "code"));
  if (kind === "rows" || kind === "usage") return inert;
  return inert.replace(/`[^`]+`/g, (code) => toned(code, "code"));
}

export function markdownBlocks(markdown: string): Block[] {
  const blocks: Block[] = [];
  let from = 0;
  for (const fenced of markdown.matchAll(FENCED)) {
    const [whole, , , code = ""] = fenced;
    blocks.push(...paragraphs(markdown.slice(from, fenced.index)), { kind: "code", lines: code.trimEnd().split("\n") });
    from = fenced.index + whole.length;
  }
  return [...blocks, ...paragraphs(markdown.slice(from))];
}

/** A list item begins with a dash; all else ends with an empty line. */
function paragraphs(markdown: string): Block[] {
  const whole = markdown.trim().split(/\n(?:[ \t]*\n)+|\n(?=- )/);
  const texts = whole.map((lines) => lines.replaceAll(/\s*\n\s*/g, " ").trim());
  return texts.flatMap((text): Block[] => {
    if (text === "") return [];
    return [text.startsWith("- ") ? { kind: "item", text: text.slice(2) } : { kind: "text", text }];
  });
}

function follows(before: Block | undefined, block: Block): boolean {
  return before?.kind === "item" && block.kind === "item";
}

function blockLines(block: Block, indent: string, width: number | null): string[] {
  switch (block.kind) {
    case "text":
      // Wrapped text ignores the line ends of the source.
      return width === null
        ? block.text.split("\n").map((line) => indent + line)
        : wrapWords(block.text.replaceAll("\n", " "), width, { first: indent, rest: indent });
    case "item":
      return wrapWords(block.text, width ?? Number.POSITIVE_INFINITY, { first: `${indent}- `, rest: `${indent}  ` });
    case "usage": {
      const bound = block.text.replace(/\[[^\]]*\]/g, (group) => group.replaceAll(" ", BOUND));
      const lines = wrapWords(bound, width ?? Number.POSITIVE_INFINITY, { first: indent, rest: `${indent}    ` });
      return lines.map((line) => line.replaceAll(BOUND, " "));
    }
    case "code":
      return block.lines.flatMap((line) => codeLines(line, indent, width));
    case "rows":
      return rowLines(block.rows, indent, width);
  }
}

function codeLines(line: string, indent: string, width: number | null): string[] {
  if (width === null || line === "") return [indent + line];
  return wrapCommand(line, width, { first: indent, rest: `${indent}    ` });
}

export function rowLines(rows: readonly Row[], indent: string, width: number | null): string[] {
  const left = Math.max(0, ...rows.map(([text]) => displayWidth(text)));
  if (width !== null && left > width * LEFT_SHARE_MAX) {
    const under = `${indent}    `;
    return rows.flatMap(([name, text]) => [
      ...wrapWords(name, width, { first: indent, rest: under }),
      ...(text === "" ? [] : wrapWords(text, width, { first: under, rest: under })),
    ]);
  }
  return rows.flatMap(([name, text]) => {
    const first = `${indent}${name}${" ".repeat(left - displayWidth(name))}  `;
    if (width === null) return [(first + text).trimEnd()];
    return wrapWords(text, width, { first, rest: " ".repeat(displayWidth(first)) });
  });
}
