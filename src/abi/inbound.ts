// Parts of a person's message that are for gsv: a command in place of a message, or directives within one. A second slash
// escapes them. All other words belong to the message. Pure.

import { type Thinking, thinkingNamed } from "./process/session.ts";

export type SlashCommand =
  | { readonly command: "reset" | "stop" | "status" | "help" }
  | { readonly command: "compact"; readonly keep: number | null }
  /** null shows the current model. */
  | { readonly command: "model"; readonly model: string | null }
  | { readonly command: "think"; readonly level: Thinking | null }
  | { readonly command: "wrong"; readonly why: string };

export interface Directed {
  /** The text for the model; may be empty. */
  readonly text: string;
  readonly thinking: Thinking | null;
  readonly model: string | null;
  readonly status: boolean;
}

const NAMES: { readonly [word: string]: Exclude<SlashCommand["command"], "wrong"> } = {
  new: "reset",
  reset: "reset",
  compact: "compact",
  stop: "stop",
  status: "status",
  model: "model",
  think: "think",
  thinking: "think",
  t: "think",
  help: "help",
  "?": "help",
};

const COMMAND = /^\/([a-z]+|\?)(?:[ \t]+(\S+))?$/i;
const DIRECTIVE = /(^|\s)\/(think|t|model|m):(\S+)(?=\s|$)/gi;
const STATUS = /^\s*\/status(?=\s|$)/i;
/** An escaped directive. */
const ESCAPED = /(^|\s)\/(\/(?:(?:think|t|model|m):\S+))(?=\s|$)/gi;
const ESCAPED_COMMAND = /^\/(\/(?:[a-z]+|\?))(?=\s|$)/i;
const KEEP_MAX = 100_000;

/** null if the text is a message. */
export function commandIn(text: string): SlashCommand | null {
  const [, word = "", rest = null] = COMMAND.exec(text.trim()) ?? [];
  const name = Object.hasOwn(NAMES, word.toLowerCase()) ? NAMES[word.toLowerCase()] : undefined;
  switch (name) {
    case undefined:
      return null;
    case "compact":
      return compactOf(rest);
    case "model":
      return { command: "model", model: rest };
    case "think":
      return thinkOf(rest);
    default:
      // With more words it is a sentence that begins with a path.
      return rest === null ? { command: name } : null;
  }
}

function compactOf(rest: string | null): SlashCommand | null {
  if (rest === null) return { command: "compact", keep: null };
  const keep = Number(rest);
  if (/^[0-9]+$/.test(rest) && keep >= 1 && keep <= KEEP_MAX) return { command: "compact", keep };
  return { command: "wrong", why: "/compact takes the number of messages to keep, for example /compact 20" };
}

function thinkOf(rest: string | null): SlashCommand {
  const level = rest === null ? null : thinkingNamed(rest);
  if (rest === null || level !== null) return { command: "think", level };
  return { command: "wrong", why: `unknown level: ${rest.slice(0, 40).toWellFormed()}; ${LEVELS}` };
}

export const LEVELS = "levels are off, minimal, low, medium, high and xhigh";

/** An unknown directive stays part of the message. */
export function directedIn(message: string): Directed {
  const found: { thinking: Thinking | null; model: string | null; status: boolean } = {
    thinking: null,
    model: null,
    status: false,
  };
  const without = message
    .replace(DIRECTIVE, (whole, before: string, name: string, value: string) => {
      if (/^m/i.test(name)) found.model = value;
      else {
        const level = thinkingNamed(value);
        if (level === null) return whole;
        found.thinking = level;
      }
      return before === "\n" ? before : "";
    })
    .replace(STATUS, () => {
      found.status = true;
      return "";
    });
  const text = (without === message ? message : without.trim()).replace(ESCAPED, "$1$2");
  return { ...found, text: unescaped(text) };
}

/** Whether a line is a command or a directive, or an escaped one. */
export function isAboutConversation(line: string): boolean {
  return line.startsWith("/") && (commandIn(line) !== null || directedIn(line).text !== line);
}

function unescaped(text: string): string {
  const [, word = ""] = ESCAPED_COMMAND.exec(text) ?? [];
  return Object.hasOwn(NAMES, word.slice(1).toLowerCase()) ? text.slice(1) : text;
}
