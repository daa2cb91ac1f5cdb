// Tokenizes an awk program. A slash starts a regular expression where a value may stand, and divides elsewhere. Pure.

import { Usage } from "../program.ts";

export type Kind =
  | "number"
  | "string"
  | "regex"
  | "name"
  | "call"
  | "builtin"
  | "keyword"
  | "operator"
  | "newline"
  | "end";

export interface Token {
  readonly kind: Kind;
  readonly text: string;
  readonly line: number;
}

const KEYWORDS = new Set(
  "BEGIN END function func if else while for do break continue next nextfile exit return delete in getline print printf".split(
    " ",
  ),
);

const BUILTINS: ReadonlySet<string> = new Set(
  [
    "length substr index split sub gsub match sprintf sin cos atan2 exp log sqrt int rand srand tolower toupper system close fflush",
    "gensub strftime systime mktime strtonum and or xor lshift rshift compl asort asorti",
  ]
    .join(" ")
    .split(" "),
);

const OPERATORS =
  /^(?:\*\*=|\*\*|\+\+|--|\+=|-=|\*=|\/=|%=|\^=|==|<=|>=|!=|!~|&&|\|\||\|&|>>|[-+*/%^!<>|?:~$=,;(){}[\]])/;
/** After these a slash divides. */
const VALUE_ENDS = new Set([")", "]", "$", "++", "--"]);

export function tokens(text: string): readonly Token[] {
  const found: Token[] = [];
  let [at, line] = [0, 1];
  const add = (kind: Kind, word: string, length = word.length) => {
    found.push({ kind, text: word, line });
    at += length;
  };
  while (at < text.length) {
    const rest = text.slice(at, at + 4096);
    const skipped = /^(?:[ \t\r]+|\\\r?\n|#[^\n]*)/.exec(rest);
    if (skipped !== null) {
      line += skipped[0].includes("\n") ? 1 : 0;
      at += skipped[0].length;
    } else if (rest.startsWith("\n")) {
      add("newline", "\n");
      line++;
    } else if (rest.startsWith('"')) {
      const { value, length } = quoted(text, at, '"', line);
      add("string", unescaped(value), length);
    } else if (rest.startsWith("/") && !endsValue(found.at(-1))) {
      const { value, length } = quoted(text, at, "/", line);
      add("regex", value.replaceAll("\\/", "/"), length);
    } else {
      const word = /^(?:0[xX][\da-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)/.exec(rest)?.[0];
      const name = /^[A-Za-z_]\w*/.exec(rest)?.[0];
      const operator = OPERATORS.exec(rest)?.[0];
      if (word !== undefined) add("number", word);
      else if (name !== undefined) add(kindOf(name, rest[name.length]), name);
      else if (operator !== undefined) add("operator", operator);
      else throw new Usage(`awk: line ${line}: syntax error at or near ${rest[0]}`, 2);
    }
  }
  return [...found, { kind: "newline", text: "\n", line }, { kind: "end", text: "end of file", line }];
}

function kindOf(name: string, next: string | undefined): Kind {
  if (KEYWORDS.has(name)) return "keyword";
  if (BUILTINS.has(name)) return "builtin";
  return next === "(" ? "call" : "name";
}

function endsValue(token: Token | undefined): boolean {
  if (token === undefined) return false;
  if (["number", "string", "name", "builtin"].includes(token.kind)) return true;
  return token.kind === "operator" && VALUE_ENDS.has(token.text);
}

function quoted(text: string, from: number, mark: string, line: number): { value: string; length: number } {
  let inBrackets = false;
  for (let at = from + 1; at < text.length; at++) {
    const letter = text[at];
    if (letter === "\\") at++;
    else if (letter === "\n") break;
    else if (mark === "/" && letter === "[" && !inBrackets) {
      inBrackets = text.slice(at).search(/\]/) > 0;
      if (/^\[\^?\]/.test(text.slice(at, at + 3))) at += text[at + 1] === "^" ? 2 : 1;
    } else if (letter === "]") inBrackets = false;
    else if (letter === mark && !inBrackets) return { value: text.slice(from + 1, at), length: at + 1 - from };
  }
  throw new Usage(`awk: line ${line}: ${mark === "/" ? "regular expression" : "string"} without its end`, 2);
}

const ESCAPES: { readonly [letter: string]: string } = {
  ...{ n: "\n", t: "\t", r: "\r", "\\": "\\", '"': '"', "/": "/", a: "\x07", b: "\b", f: "\f", v: "\v" },
};

/** Resolves escapes of a string or a -v value. Unknown escapes are kept. */
export function unescaped(text: string): string {
  return text.replaceAll(/\\(\r?\n|[0-7]{1,3}|x[\da-fA-F]{1,2}|[\s\S])/g, (whole, what: string) => {
    if (/^\r?\n$/.test(what)) return "";
    if (/^[0-7]/.test(what)) return String.fromCharCode(Number.parseInt(what, 8));
    if (/^x[\da-fA-F]/.test(what)) return String.fromCharCode(Number.parseInt(what.slice(1), 16));
    return ESCAPES[what] ?? whole;
  });
}
