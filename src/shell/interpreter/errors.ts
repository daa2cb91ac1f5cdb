// Errors of gsv's files and of the interpreter, as bash words them.

import type { SysError } from "../../abi/errno.ts";
import { sizeText } from "../../lib/text/size.ts";

/** Messages of bash; the interpreter looks for the code in front. */
export const PHRASES: { readonly [code: string]: string } = {
  ENOENT: "No such file or directory",
  EACCES: "Permission denied",
  EPERM: "Operation not permitted",
  EEXIST: "File exists",
  EISDIR: "Is a directory",
  ENOTDIR: "Not a directory",
  ENOTEMPTY: "Directory not empty",
  ELOOP: "Too many levels of symbolic links",
  ENAMETOOLONG: "File name too long",
  EINVAL: "Invalid argument",
  EXDEV: "Invalid cross-device link",
  EBUSY: "Device or resource busy",
  EROFS: "Read-only file system",
  EFBIG: "File too large",
  ENOSPC: "No space left on device",
};

/** Without the path: as typed, or the end of the absolute one. */
export function phraseOf({ code, message }: SysError, path: string): string {
  const [, why = ""] = /: ((?:the link leads out of|endless device).*)$/s.exec(message) ?? [];
  if (why !== "") return `${PHRASES[code]}: ${why}`;
  return PHRASES[code] ?? message.replace(new RegExp(`^(?:.*[/ ])?${RegExp.escape(path)}: `, "s"), "");
}

export class ShellFileError extends Error {
  readonly code: string;

  /** `redirect` if only this text is printed. */
  constructor(error: SysError, path: string, redirect = false) {
    const { code } = error;
    const phrase = phraseOf(error, path);
    // The interpreter's commands look for this code and use their own words.
    const known = code === "ENOENT" ? "ENOENT: no such file or directory" : phrase;
    super(redirect ? `bash: ${path}: ${phrase}` : known);
    this.code = code;
  }
}

/** Names the file inside the directory that a program was given. */
export function errorInside(error: unknown, path: string): unknown {
  if (!(error instanceof ShellFileError)) return error;
  return Object.assign(new Error(`${path}: ${error.message}`), { code: error.code });
}

/** The interpreter's token names. */
const SIGNS: { readonly [name: string]: string } = {
  ...{ NEWLINE: "newline", SEMICOLON: ";", AMP: "&", PIPE: "|", PIPE_AMP: "|&", AND_AND: "&&", OR_OR: "||", BANG: "!" },
  ...{ LPAREN: "(", RPAREN: ")", LBRACE: "{", RBRACE: "}", DSEMI: ";;", SEMI_AND: ";&", SEMI_SEMI_AND: ";;&" },
  ...{ LESS: "<", GREAT: ">", DLESS: "<<", DGREAT: ">>", DBRACK_START: "[[", DBRACK_END: "]]" },
};
const WORDS = new Set("IF THEN ELSE ELIF FI FOR WHILE UNTIL DO DONE CASE ESAC IN FUNCTION SELECT TIME".split(" "));

/** Replaces messages that differ from bash's, and drops advice on just-bash's options. */
export function worded(text: string): string {
  return text
    .replaceAll(
      /^bash: (?!syntax error: )(.*?): Parse error at (\d+):\d+: (.*)$/gm,
      (_, name, line, why) => `bash: ${name}: line ${Number(line) + (name === "eval" ? 1 : 0)}: ${mistake(why)}`,
    )
    .replaceAll(
      /^(?=division by 0$|syntax error: operand expected |(?!bash: )(?:\S+: )?value too great for base|exponent less than 0$)/gm,
      "bash: ",
    )
    .replaceAll(/^bash: arithmetic expression: /gm, "bash: ((: ")
    .replaceAll(/^bash: conditional expression: syntax error in /gm, "bash: [[: invalid ")
    .replaceAll(/^printf: \[sprintf\] unexpected placeholder$/gm, "bash: printf: invalid format character")
    .replaceAll(/^set: usage: set .*\nOptions:\n(?: +.*\n)*/gm, "")
    .replaceAll(/^jq: (.*) at position (\d+)/gm, (_, why, at) => jqMistake(why, Number(at) + 1))
    .replaceAll(/, increase executionLimits\.\w+|\(increase executionLimits\.\w+\)/g, "")
    .replaceAll(
      /^bash: (.*?) ?(?:limit |size )?(?:\((\d+)\) exceeded|exceeded(?: \(>?(\d+)(.*)\))?)$/gm,
      (_, what, depth, most = depth ?? "", unit) => limitWords(what, unit === " bytes" ? sizeText(Number(most)) : most),
    )
    .replaceAll(/^bash: : Is a directory$/gm, "bash: : No such file or directory")
    .replaceAll(
      /syntax error: Parse error at (\d+):\d+: (.*)/g,
      (_, line, why) => `line ${Math.max(1, Number(line))}: ${mistake(why)}`,
    );
}

function jqMistake(why: string, character: number): string {
  const [, token] = /^parse error: Unexpected token (\S+)$/.exec(why) ?? [];
  if (token === undefined)
    return `jq: ${why.replace("end of JSON input", "end of the JSON text")} at character ${character}`;
  const found = token === "EOF" ? "the filter ends too early" : `unexpected ${token.toLowerCase()}`;
  return `jq: syntax error: ${found} at character ${character}`;
}

/** What the interpreter limits, in plain words. */
const LIMITED: readonly (readonly [what: RegExp, words: string])[] = [
  [/brace/, "brace expansion makes more words than allowed"],
  [/width|precision/, "printf: the field is too wide"],
  [/output/, "too much output"],
  [/recursion|depth|nesting/, "nested too deep"],
  [/string|input|source|script/, "a text grew too long"],
  [/element|result|array|line|field/, "too many values"],
];

/** The interpreter's parts, which mean nothing to a reader. */
const PLACES = new Set("execution script statement pipeline group subshell condition redirection".split(" "));

function limitWords(what: string, most: string): string {
  const [, words = "a limit of gsv's shell was reached"] = LIMITED.find(([pattern]) => pattern.test(what)) ?? [];
  const [, name] = /^([\w.-]+): /.exec(what) ?? [];
  const about = name === undefined || PLACES.has(name) ? "" : `${name}: `;
  return `bash: ${about}${words}${most === "" ? "" : `; the limit is ${most}`}`;
}

function mistake(why: string): string {
  const [, word] = /^syntax error near unexpected token `(select|coproc)'/.exec(why) ?? [];
  if (word === "select") return "select: only in a script, a function or a sourced file";
  if (word === "coproc") return "coproc: only in a script, as coproc NAME { cmd; } or coproc cmd";
  const [, sign] = /^unexpected EOF while looking for matching '(.)'$/.exec(why) ?? [];
  if (sign !== undefined) return `unexpected EOF while looking for matching \`${sign}'`;
  const [, operator] = /^Expected operand after (-\w+)$/.exec(why) ?? [];
  if (operator !== undefined) return `syntax error: ${operator} needs an operand`;
  if (why === "Expected function name") return "syntax error: function needs a name";
  if (why === "Expected compound command for function body") return "syntax error: function needs a body: { cmd; }";
  if (why === "Expected redirection target" || why === "Expected here-document delimiter")
    return "syntax error near unexpected token `newline'";
  if (/^Parser stuck: /.test(why))
    return "syntax error: more than 10000 commands; split the script and source the parts";
  if (/^Expected RPAREN, got EOF/.test(why)) return "unexpected EOF while looking for matching `)'";
  const [, got = ""] = /^Expected \w+, got (\w+)$/.exec(why) ?? [];
  const token = SIGNS[got] ?? (WORDS.has(got) ? got.toLowerCase() : undefined);
  if (token !== undefined) return `syntax error near unexpected token \`${token}'`;
  if (/^Expected \w+, got EOF/.test(why)) return "syntax error: unexpected end of file";
  return /^(?:syntax error|unexpected EOF)/.test(why) ? why : `syntax error: ${why}`;
}
