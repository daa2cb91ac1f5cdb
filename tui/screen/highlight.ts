// Highlights code line by line: keywords, strings, numbers, comments. A lexer and no grammar, so it never delays an answer. The result carries
// a comment or string that is open at the end of the line.

import type { Theme } from "./theme.ts";

export type Open = string | null;

interface Language {
  readonly words: ReadonlySet<string>;
  readonly comment: readonly string[];
  /** Beginning and end of comments and strings over several lines. */
  readonly blocks: readonly (readonly [string, string, "comment" | "string"])[];
  readonly quotes: string;
  readonly ignoresCase?: boolean;
}

const C_LIKE = {
  comment: ["//"],
  blocks: [["/*", "*/", "comment"]] as const,
  quotes: "\"'",
};

function language(words: string, rest: Omit<Language, "words">): Language {
  return { words: new Set(words.split(" ")), ...rest };
}

const JS = language(
  "abstract as async await break case catch class const continue default delete do else enum export extends false finally for from function get if implements import in instanceof interface let new null of private protected public readonly return satisfies set static super switch this throw true try type typeof undefined var void while yield",
  { ...C_LIKE, blocks: [...C_LIKE.blocks, ["`", "`", "string"]] },
);
const PYTHON = language(
  "and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None nonlocal not or pass raise return True try while with yield match case self",
  {
    comment: ["#"],
    blocks: [
      ['"""', '"""', "string"],
      ["'''", "'''", "string"],
    ],
    quotes: "\"'",
  },
);
const SHELL = language(
  "case do done elif else esac export fi for function if in local return set shift then unset until while",
  { comment: ["#"], blocks: [], quotes: "\"'" },
);
const RUST = language(
  "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while",
  { ...C_LIKE, quotes: '"' },
);
const GO = language(
  "break case chan const continue default defer else fallthrough false for func go goto if import interface map nil package range return select struct switch true type var",
  { ...C_LIKE, blocks: [...C_LIKE.blocks, ["`", "`", "string"]] },
);
const C = language(
  "auto bool break case catch char class const constexpr continue default delete do double else enum extern false final float for if inline int long namespace new nullptr operator private protected public return short signed sizeof static struct switch template this throw true try typedef typename union unsigned using virtual void volatile while abstract boolean byte extends implements import instanceof interface package super synchronized throws null",
  C_LIKE,
);
const SQL = language(
  "select from where and or not in is null insert into values update set delete create table index view drop alter add primary key foreign references join left right inner outer on group by order having limit offset as distinct union all case when then else end with begin commit rollback default unique check exists like between",
  { comment: ["--"], blocks: [["/*", "*/", "comment"]], quotes: "'", ignoresCase: true },
);
const CONFIG = language("true false null yes no on off", { comment: ["#", ";"], blocks: [], quotes: "\"'" });
const JSON_WORDS = language("true false null", { comment: ["//"], blocks: [], quotes: '"' });

const LANGUAGES: { readonly [name: string]: Language } = Object.fromEntries(
  [
    ["js jsx ts tsx mjs cjs javascript typescript", JS],
    ["py python", PYTHON],
    ["sh bash zsh shell console fish", SHELL],
    ["rs rust", RUST],
    ["go golang", GO],
    ["c h cc cpp c++ hpp cs csharp java kotlin swift", C],
    ["sql sqlite", SQL],
    ["toml yaml yml ini conf dockerfile make makefile", CONFIG],
    ["json jsonc json5", JSON_WORDS],
  ].flatMap(([names, found]) => (names as string).split(" ").map((name) => [name, found as Language])),
);

const TOKEN = /[A-Za-z_$][\w$]*|\d[\w.]*|\s+|[\s\S]/y;

export interface Highlighted {
  readonly text: string;
  readonly open: Open;
}

export function highlight(line: string, name: string, open: Open, theme: Theme): Highlighted {
  if (name === "diff" || name === "patch") return { text: diffLine(line, theme), open: null };
  const found = LANGUAGES[name.toLowerCase()];
  if (found === undefined || !theme.colour) return { text: line, open: null };
  return lineOf(line, found, open, theme);
}

function lineOf(line: string, found: Language, before: Open, theme: Theme): Highlighted {
  let out = "";
  let at = 0;
  let open = before;
  const paintOf = (closing: string) =>
    found.blocks.find(([, close]) => close === closing)?.[2] === "comment" ? theme.dim : theme.string;
  while (at < line.length) {
    if (open !== null) {
      const end = line.indexOf(open, at);
      const to = end === -1 ? line.length : end + open.length;
      out += paintOf(open)(line.slice(at, to));
      if (end !== -1) open = null;
      at = to;
      continue;
    }
    const block = found.blocks.find(([begin]) => line.startsWith(begin, at));
    if (block !== undefined) {
      out += paintOf(block[1])(block[0]);
      at += block[0].length;
      open = block[1];
      continue;
    }
    if (found.comment.some((mark) => line.startsWith(mark, at) && (mark !== "#" || /\s/.test(line[at - 1] ?? " "))))
      return { text: out + theme.dim(line.slice(at)), open: null };
    const taken = tokenAt(line, at, found);
    out += painted(taken, found, theme);
    at += taken.length;
  }
  return { text: out, open };
}

function tokenAt(line: string, at: number, { quotes }: Language): string {
  const quote = line[at] ?? "";
  if (quotes.includes(quote)) {
    let end = at + 1;
    while (end < line.length && line[end] !== quote) end += line[end] === "\\" ? 2 : 1;
    return line.slice(at, end + 1);
  }
  TOKEN.lastIndex = at;
  return TOKEN.exec(line)?.[0] ?? quote;
}

function painted(token: string, { words, quotes, ignoresCase = false }: Language, theme: Theme): string {
  if (token.length > 1 && quotes.includes(token[0] ?? "")) return theme.string(token);
  if (words.has(ignoresCase ? token.toLowerCase() : token)) return theme.keyword(token);
  return /^\d/.test(token) ? theme.number(token) : token;
}

function diffLine(line: string, theme: Theme): string {
  if (line.startsWith("+")) return theme.ok(line);
  if (line.startsWith("-")) return theme.bad(line);
  return line.startsWith("@@") ? theme.dim(line) : line;
}
