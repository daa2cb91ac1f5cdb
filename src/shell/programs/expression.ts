// Compiles the regular expressions of shell programs: POSIX, basic and extended. Pure.

import { Usage } from "./program.ts";

export interface Kind {
  readonly extended: boolean;
  readonly ignoreCase?: boolean;
  readonly flags?: string;
}

export function expression(
  program: string,
  pattern: string,
  { extended, ignoreCase = false, flags = "" }: Kind,
): RegExp {
  return compiled(program, pattern, translated(pattern, extended), `${flags}${ignoreCase ? "i" : ""}`);
}

/** Uses the u flag if the expression allows it, so that characters beyond the BMP count as one. */
export function compiled(program: string, pattern: string, source: string, flags: string): RegExp {
  if (isOpen(pattern)) throw new Usage(`${program}: Invalid regular expression`, 2);
  try {
    return new RegExp(source, `${flags}u`);
  } catch {
    try {
      return new RegExp(source, flags);
    } catch {
      throw new Usage(`${program}: ${/\(/.test(pattern) ? "Unmatched ( or \\(" : "Invalid regular expression"}`, 2);
    }
  }
}

/** An unclosed bracket. */
function isOpen(pattern: string): boolean {
  const bare = pattern.replaceAll(/\\./gs, "").replaceAll(/\[\^?\]?(?:\[:[a-z]+:\]|[^\]])*\]/g, "");
  return bare.includes("[");
}

const CLASSES: { readonly [name: string]: string } = {
  alpha: "A-Za-z",
  digit: "0-9",
  alnum: "A-Za-z0-9",
  upper: "A-Z",
  lower: "a-z",
  space: "\\s",
  blank: " \\t",
  punct: "!-\\/:-@\\[-`{-~",
  xdigit: "0-9A-Fa-f",
};

/** In basic expressions `+ ? | ( ) { }` are literal without a backslash; in extended ones with one. */
export function translated(pattern: string, extended: boolean): string {
  let source = "";
  for (let at = 0; at < pattern.length; at++) {
    const letter = pattern[at] as string;
    if (letter === "[") {
      const [text, end] = bracket(pattern, at);
      source += text;
      at = end;
    } else if (letter === "\\" && at + 1 < pattern.length) {
      const next = pattern[++at] as string;
      if ("+?|(){}".includes(next)) source += extended ? `\\${next}` : next;
      else source += next === "<" || next === ">" ? "\\b" : `\\${next}`;
    } else if ("+?|(){}".includes(letter)) source += extended ? letter : `\\${letter}`;
    // A star without an operand is literal.
    else if (letter === "*" && /^$|(?:^|[^\\])\($|\|$|^\^$/.test(source)) source += "\\*";
    else source += letter;
  }
  return source;
}

function bracket(pattern: string, from: number): readonly [text: string, end: number] {
  let at = from + 1;
  let text = "[";
  if (pattern[at] === "^") {
    text += "^";
    at++;
  }
  // `]` in first position is literal.
  for (let first = at; at < pattern.length && (pattern[at] !== "]" || at === first); at++) {
    const named = /^\[:([a-z]+):\]/.exec(pattern.slice(at, at + 12));
    if (named !== null && CLASSES[named[1] ?? ""] !== undefined) {
      text += CLASSES[named[1] ?? ""];
      at += named[0].length - 1;
    } else text += "\\[]".includes(pattern[at] as string) ? `\\${pattern[at]}` : pattern[at];
  }
  return [`${text}]`, at];
}
