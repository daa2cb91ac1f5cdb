// A manual page as roff, for `man` of any Unix. Text never becomes a roff request or escape, and code keeps its ASCII letters. Pure.

import type { Block, Part, Row } from "./layout.ts";

export interface RoffPage {
  readonly name: string;
  readonly section: number;
  readonly source: string;
  readonly summary: string;
  readonly parts: readonly Part[];
}

/** Characters that typesetting would replace or that roff interprets. */
const LETTERS: { readonly [letter: string]: string } = {
  "\\": "\\(rs",
  "-": "\\-",
  "'": "\\(aq",
  '"': "\\(dq",
  "`": "\\(ga",
  "^": "\\(ha",
  "~": "\\(ti",
};
const CODE = /`([^`]+)`/g;

export function roff({ name, section, source, summary, parts }: RoffPage): string {
  const lines = [
    `.TH ${escaped(name.toUpperCase())} ${section} "" ${argument(source)} ${argument("gsv manual")}`,
    ".nh",
    ".ad l",
    ".SH NAME",
    `${escaped(name)} \\- ${inline(summary)}`,
    ...parts.flatMap(partLines),
  ];
  return `${lines.join("\n")}\n`;
}

function partLines({ title, blocks }: Part): string[] {
  const heading = title === undefined ? ".SH DESCRIPTION" : `.SH ${argument(title)}`;
  return [heading, ...blocks.flatMap(blockLines)];
}

function blockLines(block: Block): string[] {
  switch (block.kind) {
    case "text":
      return [".PP", line(inline(block.text))];
    case "item":
      return [".IP \\(bu 2", line(inline(block.text))];
    case "usage":
      // Long choices may break after each bar.
      return [".PP", line(escaped(block.text).replaceAll("|", "|\\:"))];
    case "code":
      return [".PP", ".RS 4", ".nf", ...block.lines.map((each) => line(escaped(each))), ".fi", ".RE"];
    case "rows":
      return block.rows.flatMap(rowLines);
  }
}

function rowLines([name, text]: Row): string[] {
  return [".TP", `\\fB${escaped(name)}\\fR`, line(text === "" ? "\\&" : inline(text))];
}

function inline(text: string): string {
  const pieces = text.replaceAll("\n", " ").split(CODE);
  return pieces.map((piece, at) => (at % 2 === 1 ? `\\fB${escaped(piece)}\\fR` : escaped(piece))).join("");
}

/** A text line: a dot or quote at its beginning would make it a request. */
function line(text: string): string {
  if (text === "") return "\\&";
  return /^[.']/.test(text) ? `\\&${text}` : text;
}

function argument(text: string): string {
  return `"${escaped(text)}"`;
}

function escaped(text: string): string {
  return text
    .replace(/[\\\-'"`^~]/g, (letter) => LETTERS[letter] ?? letter)
    .replace(
      /[^\n\x20-\x7e]/gu,
      (letter) => `\\[u${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`,
    );
}
