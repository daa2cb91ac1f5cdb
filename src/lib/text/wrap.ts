// Text broken at words to fit a terminal, by columns and not by characters. A word that is wider than the line stays whole: a path or an
// id that is cut cannot be copied. Commands are broken so that a shell still reads them as one.

import { displayWidth } from "./truncate.ts";

export interface Margins {
  /** Before the first line, and before the others. */
  readonly first: string;
  readonly rest: string;
}

/** Wraps each line of the text by itself. */
export function wrapWords(text: string, columns: number, { first, rest }: Margins = { first: "", rest: "" }): string[] {
  return text.split("\n").flatMap((paragraph, at) => {
    const words = paragraph.split(/ +/).filter((word) => word !== "");
    return filled(words, columns, { first: at === 0 ? first : rest, rest });
  });
}

/** Wraps the lines that are too long. Their continuation keeps the indent. */
export function wrapIndented(text: string, columns: number): string[] {
  return text.split("\n").flatMap((line) => {
    if (displayWidth(line) <= columns) return [line];
    const indent = /^ */.exec(line)?.[0] ?? "";
    return wrapWords(line, columns, { first: indent, rest: indent });
  });
}

/** Breaks between shell words, with a backslash at each line end. */
export function wrapCommand(line: string, columns: number, { first, rest }: Margins): string[] {
  if (displayWidth(first + line) <= columns) return [first + line];
  const lines = filled(shellWords(line), columns - 2, { first, rest });
  return lines.map((each, at) => (at < lines.length - 1 ? `${each} \\` : each));
}

function filled(words: readonly string[], columns: number, { first, rest }: Margins): string[] {
  const lines: string[] = [];
  let line = first;
  let empty = true;
  for (const word of words) {
    if (!empty && displayWidth(line) + 1 + displayWidth(word) > columns) {
      lines.push(line);
      line = rest;
      empty = true;
    }
    line += empty ? word : ` ${word}`;
    empty = false;
  }
  return [...lines, empty ? line.trimEnd() : line];
}

// Quoted text is one word. Never break after the start of a comment: its rest would become a command.
function shellWords(line: string): string[] {
  const words = line.match(/(?:"[^"]*"|'[^']*'|[^\s"']|["'])+/g) ?? [];
  const remark = words.findIndex((word) => word.startsWith("#"));
  return remark === -1 ? words : [...words.slice(0, remark), words.slice(remark).join(" ")];
}
