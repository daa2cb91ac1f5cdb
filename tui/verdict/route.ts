// Decides where a line goes: gsv's shell, this computer or the attached process. Pure: the caller says which programs and paths exist.

import { isAboutConversation } from "../../src/abi/inbound.ts";
import { isForHost } from "./host-line.ts";
import { ADDRESSED, ENGLISH, JOINING, NOUN_VERBS, REPLIES, RESERVED, RUNNERS, SPEAKERS } from "./words.ts";

export type Route =
  | { readonly to: "nothing" }
  | { readonly to: "slash"; readonly word: string; readonly rest: string }
  /** A single unknown word after a slash. */
  | { readonly to: "unknown"; readonly word: string }
  | { readonly to: "shell" | "host" | "chat"; readonly text: string };

export interface Known {
  readonly isProgram: (word: string) => boolean;
  readonly isSlash: (word: string) => boolean;
  readonly isHostProgram: (word: string) => boolean;
  readonly exists: (word: string) => boolean;
}

const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?\+?=/;
const FUNCTION = /^[A-Za-z_][\w-]*\s*\(\)/;
const OPERATOR = /^(?:\(|\{$|\[\[?$|[<>|&;]|\d*[<>])/;
const FLAG = /^--?[a-z][a-z-]*(?:=.*)?$/i;
/** `for f in …` is a loop, `for example in …` a sentence. */
const LOOP = /^for\s+\w{1,2}\s+in\b/;
/** A full name of a setting. */
const SETTING = /^[a-z]+(?:\.[a-z][A-Za-z]*)+\.?$/;
/** Never in a sentence: flags, quotes, globs, `$`, operators, pids, numbers. */
const TELLTALE = /^-|["`$*<>|;&\\{}[\]~]|^(?:init|task):|^[0-9]+$|^%[0-9]/;

const NUMBER = /^[0-9]+$/;
/** A word of a sentence, with its punctuation. */
const PLAIN = /^[a-z]+(?:['’-][a-z]+)*[,:;.!]?$/i;
/** Leaves other shells and editors. */
const LEAVING = /^(?::q!?|:wq|quit)$/;
const COUNTED = /^[a-z]+[,:]$/i;

export function routeOf(line: string, known: Known): Route {
  const text = line.trim();
  if (text === "" || text.startsWith("#")) return { to: "nothing" };
  if (LEAVING.test(text) && known.isSlash("quit")) return { to: "slash", word: "quit", rest: "" };
  if (text.startsWith(",")) return message(text.slice(1).trim());
  if (text.startsWith("!")) return { to: "host", text: text.slice(1).trim() };
  const slash = /^\/([a-z]+)(?:\s+(.*))?$/s.exec(text);
  const [, word = "", rest = ""] = slash ?? [];
  if (slash !== null && known.isSlash(word)) return { to: "slash", word, rest };
  if (isAboutConversation(text)) return { to: "chat", text };
  // A prompt of an MCP server.
  const [, prompt = "", args = ""] = /^\/([a-z][a-z0-9-]{0,23}:[^\s/]{1,128})(?:\s+(.*))?$/s.exec(text) ?? [];
  if (prompt !== "") return { to: "slash", word: prompt, rest: args };
  // A directory alone is no command: the word is mistyped or from another program.
  if (slash !== null && rest === "") return { to: "unknown", word };
  if (isForHost(text, known)) return { to: "host", text };
  return isForShell(text, known) ? { to: "shell", text } : { to: "chat", text };
}

function message(text: string): Route {
  return text === "" ? { to: "nothing" } : { to: "chat", text };
}

function isForShell(text: string, known: Known): boolean {
  // A last `&` says nothing: it also asks in the background.
  const words = text.replace(/\s&$/, "").trim().split(/\s+/);
  const [first = "", ...rest] = words;
  if (ASSIGNMENT.test(first) || OPERATOR.test(first) || FUNCTION.test(text) || LOOP.test(text)) return true;
  const name = first.replace(/[;&|<>()].*$/, "");
  // Sentences hardly ever have flags: the line is a command, perhaps mistyped.
  if (!known.isProgram(name) && !RESERVED.has(name)) {
    const isSentence = rest.length > 3 && rest.filter((word) => JOINING.has(word)).length > 1;
    return (isPathLike(first) && known.exists(first)) || (!isSentence && rest.some((word) => FLAG.test(word)));
  }
  if (isQuestion(name, words)) return false;
  if (!ENGLISH.has(name) && !RESERVED.has(name)) return true;
  if (name === first && isReply(name, rest)) return false;
  // `find the bug` is a message, `find . -name x` a command.
  if (isOrder(name, rest, known)) return false;
  if (rest.length < 2 && !RESERVED.has(name)) return !isRunningNothing(name, rest, known);
  if (name === "config" && rest.some((word) => SETTING.test(word))) return true;
  if (isVerbPhrase(rest) || rest.every((word) => word.length === 1)) return true;
  const isSentence = rest.some((word) => COUNTED.test(word) || JOINING.has(word.toLowerCase()));
  const isCounting = isSentence && !RESERVED.has(name);
  const tells = (word: string) => TELLTALE.test(word) && !(isCounting && NUMBER.test(word));
  const isPath = (word: string) => known.exists(word) && (isPathLike(word) || !isSentence);
  return name !== first || rest.some((word) => tells(word) || isPath(word));
}

/** Written as a path; a file named `test` may also be a word. */
function isPathLike(word: string): boolean {
  return /[/~]|.\.\w/.test(word);
}

/** `history search parser`: a verb of a noun, and at most two words for it. */
function isVerbPhrase([verb = "", ...rest]: readonly string[]): boolean {
  return NOUN_VERBS.has(verb) && rest.length <= 2 && !rest.some((word) => JOINING.has(word) || ADDRESSED.has(word));
}

/** After plain words `?` is a question mark and no glob. */
function isQuestion(name: string, words: readonly string[]): boolean {
  if (words.length < (ENGLISH.has(name) ? 2 : 3) || SPEAKERS.has(name)) return false;
  const last = words.at(-1) ?? "";
  return [...words.slice(0, -1), last.replace(/\?+$/, "")].every((word) => PLAIN.test(word)) && last.endsWith("?");
}

/** `yes`, `test it`, `more please` */
function isReply(name: string, [word, ...more]: readonly string[]): boolean {
  if (word === undefined) return REPLIES.has(name);
  return more.length === 0 && ADDRESSED.has(word.toLowerCase().replace(/[.!?]+$/, ""));
}

/** `run ls -l on the host`, `read notes.md`, `every test fails`: words to an agent, which the program of that name cannot carry out. */
function isOrder(name: string, [word = "", ...more]: readonly string[], known: Known): boolean {
  if (name === "every") return !/^\d/.test(word) && !more.some((each) => FLAG.test(each));
  if (name === "on") return !/^--|^'?[a-z]+\.(?:[a-z_]+|\*)'?$/.test(word);
  if (name === "run") return known.isProgram(word);
  // The command explains exit statuses only.
  if (name === "explain") return word !== "" && !/^(?:-.*|\d+|exit)$/.test(word);
  return name === "read" && word !== "" && !/^-|^[A-Za-z_]\w*$/.test(word);
}

/** `time flies` */
function isRunningNothing(name: string, [word]: readonly string[], known: Known): boolean {
  if (word === undefined || !RUNNERS.has(name) || !PLAIN.test(word)) return false;
  return !known.isProgram(word) && !RESERVED.has(word) && !known.exists(word);
}
