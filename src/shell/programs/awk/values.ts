// awk's values: numbers, texts, and input, which is numeric if it looks like a number. Pure.

import { compiled } from "../expression.ts";
import { Usage } from "../program.ts";

/** Input from a file, a field or the command line. */
export class Input {
  private known: number | null | undefined;

  constructor(readonly text: string) {}

  /** null if not numeric. */
  get number(): number | null {
    if (this.known === undefined) this.known = NUMERIC.test(this.text) ? Number(this.text) : null;
    return this.known;
  }
}

/** undefined means never assigned: both 0 and "". */
export type Value = number | string | Input | undefined;
export type Table = Map<string, Value>;

/** A variable, scalar or array. */
export interface Cell {
  value: Value | Table;
  /** The caller's variable behind an unused parameter; it becomes an array together with the parameter. */
  origin?: Cell | undefined;
}

const NUMERIC = /^[ \t\r\n]*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?[ \t\r\n]*$/;
const BEGINNING = /^[ \t\r\n]*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)/;
const TEXT_CHARS_MAX = 128 * 1024 * 1024;

export function numberOf(value: Value): number {
  if (typeof value === "number") return value;
  if (value === undefined) return 0;
  if (typeof value !== "string") return value.number ?? beginning(value.text);
  return beginning(value);
}

function beginning(text: string): number {
  return Number(BEGINNING.exec(text)?.[1] ?? 0);
}

export function isTrue(value: Value): boolean {
  if (typeof value === "number") return value !== 0;
  if (value === undefined) return false;
  if (typeof value === "string") return value !== "";
  return value.number === null ? value.text !== "" : value.number !== 0;
}

export function together(a: string, b: string): string {
  if (a.length + b.length > TEXT_CHARS_MAX) throw new Usage("awk: a text grows too long", 2);
  return a + b;
}

const EXPRESSIONS_MAX = 500;
const expressions = new Map<string, RegExp>();

/** Always global, so callers that want the first match set `lastIndex`. */
export function expressionOf(source: string): RegExp {
  let found = expressions.get(source);
  if (found === undefined) {
    if (expressions.size >= EXPRESSIONS_MAX) expressions.clear();
    found = compiled("awk", source, ours(source), "g");
    expressions.set(source, found);
  }
  found.lastIndex = 0;
  return found;
}

const CLASSES: { readonly [name: string]: string } = {
  ...{ alpha: "A-Za-z", digit: "0-9", alnum: "A-Za-z0-9", upper: "A-Z", lower: "a-z", space: "\\s", blank: " \\t" },
  ...{ punct: "!-\\/:-@\\[-`{-~", xdigit: "0-9A-Fa-f", cntrl: "\\x00-\\x1f\\x7f", print: " -~", graph: "!-~" },
};
const LETTERS: { readonly [letter: string]: string } = {
  ...{
    n: "\\n",
    t: "\\t",
    r: "\\r",
    f: "\\f",
    v: "\\v",
    a: "\\x07",
    b: "\\x08",
    y: "\\b",
    B: "\\B",
    "<": "\\b(?=\\w)",
  },
  ...{ ">": "\\b(?<=\\w)", "`": "^", "'": "$", w: "\\w", W: "\\W", s: "\\s", S: "\\S" },
};

function ours(source: string): string {
  let made = "";
  for (let at = 0; at < source.length; at++) {
    const letter = source[at] as string;
    if (letter === "\\" && at + 1 < source.length) made += escaped(source[++at] as string);
    else if (letter === "[") {
      const [text, end] = bracket(source, at);
      made += text;
      at = end;
    } else if (letter === "{" && !/^\{\d+(?:,\d*)?\}/.test(source.slice(at, at + 24))) made += "\\{";
    else if (letter === "}" && !/\{\d+(?:,\d*)?$/.test(made)) made += "\\}";
    // Without an operand before it, it is literal.
    else if ("*+?".includes(letter) && /^$|\($|\|$|^\^$/.test(made)) made += `\\${letter}`;
    else made += letter;
  }
  return made;
}

function escaped(letter: string): string {
  return LETTERS[letter] ?? RegExp.escape(letter);
}

function bracket(source: string, from: number): readonly [text: string, end: number] {
  let at = from + 1;
  let text = "[";
  if (source[at] === "^") {
    text += "^";
    at++;
  }
  for (const first = at; at < source.length && (source[at] !== "]" || at === first); at++) {
    const letter = source[at] as string;
    const named = /^\[:([a-z]+):\]/.exec(source.slice(at, at + 12));
    if (named !== null && CLASSES[named[1] ?? ""] !== undefined) {
      text += CLASSES[named[1] ?? ""];
      at += named[0].length - 1;
    } else if (letter === "\\" && at + 1 < source.length) {
      const next = source[++at] as string;
      text += "ntrfv".includes(next) ? `\\${next}` : /[\\\]^[-]/.test(next) ? `\\${next}` : next === "/" ? "\\/" : next;
    } else text += /[[\]\\]/.test(letter) ? `\\${letter}` : letter;
  }
  return [`${text}]`, at];
}
