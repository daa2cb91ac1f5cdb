// Ways to allow more than one exact call: for a command `npm install *` and `npm *`, for a file everything in its directory. Dangerous forms have
// none, and no pattern covers them later either (see shell-verdict). Pure.

import { dirname } from "node:path";
import { SysError } from "../../../abi/errno.ts";
import type { Rule } from "../../../abi/policy.ts";
import { programNamed } from "../../../abi/programs.ts";
import { clip } from "../../../lib/text/truncate.ts";
import type { CommandNeeds } from "../approval-card/command-needs.ts";
import { tagsOf, unstableOption } from "./command-tags.ts";
import type { ShellLine } from "./shell-line.ts";
import { isTransparent, type Part, programOf } from "./shell-parts.ts";
import type { PartVerdict } from "./shell-verdict.ts";

/** A word that names what a program does, not on what. */
const VERB = /^[A-Za-z][\w:-]*$/;
const PLAIN = /^[\w@%+:,./=-]+$/;
const WORDS_MAX = 3;
const END = " *";

export interface PatternCase {
  readonly line: ShellLine;
  readonly needs: CommandNeeds;
  /** In the order of the commands of the line. */
  readonly parts: readonly PartVerdict[];
}

/** The words of the one command that a pattern may cover; null if none may. */
function coverable({ line, needs, parts }: PatternCase): readonly string[] | null {
  const { commands, isPlain, unread } = line;
  if (commands === null || !isPlain || unread || needs.exactOnly) return null;
  const asking = commands.flatMap((command) => command.parts).filter((_, index) => parts[index]?.action === "ask");
  const [first] = asking;
  if (first === undefined || asking.length > 1 || !isTame(first)) return null;
  const words = first.words.flatMap((word) => (word === null ? [] : [word]));
  return words.length === first.words.length ? words : null;
}

function isTame(part: Part): boolean {
  const [name = null] = part.words;
  if (
    name === null ||
    !part.wrappers.every(isTransparent) ||
    programNamed(programOf(name)).onlyExact === true ||
    unstableOption(part) !== null
  )
    return false;
  const tags = tagsOf(part);
  return !tags.has("destructive") && !tags.has("privileged");
}

/** Narrow to wide. */
export function commandPatterns(given: PatternCase): readonly string[] {
  const words = coverable(given);
  if (words === null) return [];
  return leading(words).flatMap((_, index, all) => patternOf(all.slice(0, all.length - index)) ?? []);
}

/** The program with what it does. */
function leading([program = "", ...rest]: readonly string[]): readonly string[] {
  const end = rest.findIndex((word) => !VERB.test(word));
  return [program, ...rest.slice(0, Math.min(WORDS_MAX - 1, end === -1 ? rest.length : end))];
}

function patternOf(words: readonly string[]): string | null {
  return words.every((word) => PLAIN.test(word)) ? `${words.join(" ")}${END}` : null;
}

/** The rule of a pattern that a person chose or edited. It must cover the command on the card. */
export function commandRule(
  pattern: string,
  given: PatternCase,
  { network, target }: { readonly network: boolean; readonly target: string },
): Rule {
  const words = coverable(given);
  const [example] = commandPatterns(given);
  if (words === null || example === undefined)
    throw new SysError("EPERM", `no pattern can cover this command: ${clip(pattern)}`, ["allow the exact command"]);
  const wanted = pattern.trim().slice(0, -END.length).trim().split(/\s+/);
  const isPrefix = wanted.every((word, index) => word === words[index] && PLAIN.test(word));
  if (!isPattern(pattern) || !isPrefix)
    throw new SysError("EINVAL", `does not cover the command on the card: ${clip(pattern)}`, [
      `for example: ${example}`,
    ]);
  const when = { argEquals: { network: String(network) }, argPrefix: { command: wanted.join(" ") } };
  return { match: "shell.exec", target, when, action: "auto" };
}

function isPattern(text: string): boolean {
  return text.trim().endsWith(END);
}

/** The directory of a file, with all that is in it. */
export function filePatterns(place: string): readonly string[] {
  const directory = dirname(place);
  return directory.split("/").filter(Boolean).length < 2 ? [] : [`${directory}/*`];
}

export function fileRule(pattern: string, call: string, given: { readonly place: string; readonly target: string }) {
  const directory = pattern.trim().slice(0, -"/*".length);
  const isAbove = pattern.trim().endsWith("/*") && given.place.startsWith(`${directory}/`);
  if (!isAbove || filePatterns(`${directory}/x`).length === 0)
    throw new SysError("EINVAL", `does not cover the file on the card: ${clip(pattern)}`, [
      `for example: ${filePatterns(given.place)[0] ?? given.place}`,
    ]);
  return { match: call, target: given.target, when: { argPrefix: { path: directory } }, action: "auto" } satisfies Rule;
}
