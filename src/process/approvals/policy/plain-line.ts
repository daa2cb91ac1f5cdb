// Parses command lines that every shell reads the same way: words, plain quotes, pipes and lists. Returns null for anything else. Pure.

export type Words = readonly string[];

const CHARS_MAX = 10_000;
/** Characters without a special meaning inside a word in any shell. A tilde or caret is only safe after the first character. */
const BARE = /[\p{L}\p{N}_@%+:,./=-]/u;
const BARE_LATER = /[\p{L}\p{N}_@%+:,./=~^-]/u;
/** Also allowed between quotes: visible characters. */
const QUOTED = /[\p{L}\p{N}\p{P}\p{S} ]/u;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}|\p{M}/u;
const RESERVED = new Set(
  "if then elif else fi for while until do done case esac select function time coproc in { } ! [[ ]]".split(" "),
);
/** Redirections that write no file. */
const NOWHERE = /^(?:[12]?> ?\/dev\/null|2>&1)(?=[ |;&]|$)/;
const OPERATOR = /^(?:\|\||&&|\||;)/;

export function plainLine(text: string): readonly Words[] | null {
  if (text.length > CHARS_MAX) return null;
  const line = text.trim();
  const commands: Words[] = [];
  let words: string[] = [];
  for (let at = 0; at < line.length; ) {
    const rest = line.slice(at);
    const nowhere = NOWHERE.exec(rest);
    const operator = nowhere === null ? OPERATOR.exec(rest) : null;
    if (rest.startsWith(" ")) at++;
    else if (nowhere !== null) at += nowhere[0].length;
    else if (operator !== null) {
      if (words.length === 0) return null;
      commands.push(words);
      words = [];
      at += operator[0].length;
    } else {
      const word = wordAt(line, at);
      if (word === null) return null;
      words.push(word.text);
      at = word.end;
    }
  }
  if (words.length === 0) return commands.length > 0 && line.endsWith(";") ? known(commands) : null;
  return known([...commands, words]);
}

function known(commands: readonly Words[]): readonly Words[] | null {
  const isName = ([name = ""]: Words) => name !== "" && !name.includes("=") && !RESERVED.has(name);
  return commands.every(isName) ? commands : null;
}

function wordAt(line: string, start: number): { readonly text: string; readonly end: number } | null {
  let text = "";
  let at = start;
  while (at < line.length && !" |&;".includes(line[at]!)) {
    const char = String.fromCodePoint(line.codePointAt(at)!);
    if (char === "'" || char === '"') {
      const end = line.indexOf(char, at + 1);
      const inside = line.slice(at + 1, end);
      if (end === -1 || !isPlainInside(inside, char)) return null;
      text += inside;
      at = end + 1;
    } else {
      if (!(at === start ? BARE : BARE_LATER).test(char) || INVISIBLE.test(char)) return null;
      text += char;
      at += char.length;
    }
  }
  // An operator that is none of those known.
  return at === start ? null : { text, end: at };
}

function isPlainInside(text: string, quote: string): boolean {
  if (quote === '"' && /[$`\\!]/.test(text)) return false;
  return [...text].every((char) => QUOTED.test(char) && !INVISIBLE.test(char));
}
