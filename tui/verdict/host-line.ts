// Recognises lines for this computer: the first word is a program that only its PATH has, and the rest reads like a command line and not like a
// sentence. Pure.

import { ADDRESSED, HOST_ENGLISH, JOINING, RESERVED, SUBCOMMANDS, VERBS } from "./words.ts";

export interface HostKnown {
  /** A program, builtin or function of gsv's shell. */
  readonly isProgram: (word: string) => boolean;
  readonly isHostProgram: (word: string) => boolean;
  /** Of the words of the line, those that are paths of something. */
  readonly exists: (word: string) => boolean;
}

const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=/;
/** Flags, quotes, globs, variables, operators, file names, options with values: no sentence has them. */
const TELLTALE = /^-|["`$*<>|;&\\{}[\]~=]|^[^.\s]*[./][^.\s]/;
const PLAIN = /^[a-z]+(?:['’-][a-z]+)*[,:;.!?]?$/i;
/** Programs that write to other people's terminals: at this prompt their names are words. */
const MESSAGES = /^(?:write|wall|mesg|talk)$/;
const NAME = /^[A-Za-z0-9_][\w.+-]*$/;

export function isForHost(text: string, known: HostKnown): boolean {
  // `look around &` asks in the background.
  const commands = commandsOf(text.replace(/\s&$/, ""));
  // In a pipe one side decides for all: bash has gsv itself on this computer, but gsv's shell has no git.
  return commands.length > 0 && isHostCommand(commands[0] ?? [], known, true)
    ? true
    : commands.length > 1 && reads(commands, known) && commands.some((words) => isHostCommand(words, known, false));
}

/** Whether a line of several commands reads like one: each begins with a program. */
function reads(commands: readonly (readonly string[])[], { isProgram, isHostProgram }: HostKnown): boolean {
  return commands.every(([first = ""]) => isProgram(first) || isHostProgram(first) || RESERVED.has(first));
}

function isHostCommand(words: readonly string[], known: HostKnown, isFirst: boolean): boolean {
  const [first = "", ...rest] = words;
  const isSubcommand = SUBCOMMANDS[first]?.has(rest[0] ?? "") === true;
  if (
    !NAME.test(first) ||
    (known.isProgram(first) && !isSubcommand) ||
    RESERVED.has(first) ||
    MESSAGES.test(first) ||
    !known.isHostProgram(first)
  )
    return false;
  if (!isFirst) return true;
  if (isQuestion(rest)) return false;
  const tells = rest.some((word) => TELLTALE.test(word) || known.exists(word));
  const [second = "", third = ""] = rest.map((word) => word.toLowerCase());
  if (isSubcommand) return tells || rest.length <= 2 || !JOINING.has(third);
  // `git is confusing`, `docker doesn't start`: the program is what the sentence is about.
  if (VERBS.has(second.replace("’", "'")) && rest.length > 1) return false;
  const isSaid = ADDRESSED.has(second.replace(/[.!?]+$/, "")) || JOINING.has(second);
  if (isSaid && !tells) return false;
  if (!HOST_ENGLISH.has(first)) return tells || !isSentence(rest);
  if (rest.length === 0) return first === "make" || SUBCOMMANDS[first] === undefined;
  if (isSaid) return false;
  if (rest.length > 1) return tells && !isSentence(rest);
  return tells || !PLAIN.test(rest[0] ?? "");
}

/** Four or more plain words with one among them that joins a sentence. */
function isSentence(words: readonly string[]): boolean {
  return words.length > 3 && words.every((word) => PLAIN.test(word)) && words.some((word) => JOINING.has(word));
}

/** `git log?` may be a glob; behind two or more plain words a `?` ends a question. */
function isQuestion(words: readonly string[]): boolean {
  return words.length > 1 && words.at(-1)?.endsWith("?") === true && words.every((word) => PLAIN.test(word));
}

/** The words of each command of a line, without assignments in front; quotes are left on. */
function commandsOf(text: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]];
  const pieces = text.matchAll(/(\|\|?|&&?|;|\n)|((?:'[^']*'?|"(?:[^"\\]|\\[\s\S])*"?|\\[\s\S]|[^\s|&;'"\\])+)/g);
  for (const [, operator, word] of pieces) {
    if (operator !== undefined) commands.push([]);
    else if (word !== undefined) commands.at(-1)?.push(word);
  }
  return commands
    .map((words) => words.slice(words.findIndex((word) => !ASSIGNMENT.test(word))))
    .filter((words) => words.length > 0);
}
