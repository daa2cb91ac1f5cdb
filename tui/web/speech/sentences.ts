// The sentences of an answer, as a voice reads them: without marks of Markdown, addresses and blocks of code. Pure.

import { Lexer, type Token, type Tokens } from "marked";
import { sanitize } from "../../../src/lib/text/sanitize.ts";

/** Engines stop in the middle of longer ones. */
const SENTENCE_CHARS_MAX = 240;
/** A longer answer is read up to here. */
const CHARS_MAX = 64 * 1024;
const DEPTH_MAX = 24;
/** How `sanitize` shows characters that steer a terminal or the direction of text. */
const SHOWN_CONTROLS = /⟨U\+[0-9A-F]+⟩/g;

export function sentencesOf(markdown: string): readonly string[] {
  const text = sanitize(markdown.slice(0, CHARS_MAX)).replace(SHOWN_CONTROLS, "");
  const segmenter = new Intl.Segmenter(undefined, { granularity: "sentence" });
  return blocks(new Lexer({ gfm: true }).lex(text), 0)
    .flatMap((block) => [...segmenter.segment(block)].map(({ segment }) => segment.replace(/\s+/g, " ").trim()))
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence))
    .flatMap(shortened);
}

/** Each text that is read in one go. */
function blocks(tokens: readonly Token[], depth: number): readonly string[] {
  if (depth > DEPTH_MAX) return [];
  return tokens.flatMap((token) => {
    switch (token.type) {
      case "code":
        return ["Code."];
      case "list":
        return (token as Tokens.List).items.flatMap(({ tokens: item }) => blocks(item, depth + 1));
      case "table": {
        const { header, rows } = token as Tokens.Table;
        return [header, ...rows].map((row) => row.map(({ tokens: cell }) => inline(cell, depth + 1)).join(", "));
      }
      case "blockquote":
        return blocks(token.tokens ?? [], depth + 1);
      case "heading":
      case "paragraph":
      case "text":
        return [inline(token.tokens ?? [token], depth + 1)];
      default:
        return [];
    }
  });
}

function inline(tokens: readonly Token[], depth: number): string {
  if (depth > DEPTH_MAX) return "";
  return tokens
    .map((token) => {
      if (token.type === "br") return " ";
      if (token.type === "html") return "";
      // An address by itself is not read letter by letter.
      if (token.type === "link" && token.text === token.href) return "link";
      return "tokens" in token && token.tokens !== undefined ? inline(token.tokens, depth + 1) : textOf(token);
    })
    .join("");
}

function textOf(token: Token): string {
  return "text" in token && typeof token.text === "string" ? token.text : "";
}

/** Cut at commas, else at spaces. */
function shortened(sentence: string): readonly string[] {
  const parts: string[] = [];
  let rest = sentence;
  while (rest.length > SENTENCE_CHARS_MAX) {
    const head = rest.slice(0, SENTENCE_CHARS_MAX);
    const comma = Math.max(head.lastIndexOf(", "), head.lastIndexOf("; "), head.lastIndexOf(": "));
    const cut = comma > SENTENCE_CHARS_MAX / 2 ? comma + 1 : head.lastIndexOf(" ");
    const at = cut > 0 ? cut : SENTENCE_CHARS_MAX;
    parts.push(rest.slice(0, at).trim());
    rest = rest.slice(at).trim();
  }
  return [...parts, rest].filter((part) => part !== "");
}
