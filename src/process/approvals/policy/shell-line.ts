// A command line as rules see it: its parts, whether it is plain, and which of its commands are read-only. Pure, except that the parser is loaded
// when a line needs it.

import { programNamed } from "../../../abi/programs.ts";
import { plainLine, type Words } from "./plain-line.ts";
import { type Looks, looksOf } from "./readers.ts";
import { type ParseShell, type Part, partsOf, programOf, shellParts } from "./shell-parts.ts";

/** One command of a pipe or list, with the commands that it runs. */
export interface LineCommand {
  readonly parts: readonly Part[];
  /** null if the command may change something. */
  readonly looks: Looks | null;
}

export interface ShellLine {
  readonly commands: readonly LineCommand[] | null;
  /** No substitution, redirection, variable or compound: every shell reads it the same way. */
  readonly isPlain: boolean;
  /** Part of it is text that runs without being parsed here. */
  readonly unread: boolean;
}

/** What each command of a plain line reads; null for other lines. Changing the directory and then doing more is not read-only. */
export function looksAt(text: string): readonly (Looks | null)[] | null {
  const plain = plainLine(text);
  if (plain === null) return null;
  const looks = plain.map((words) => looksOf(inTime(words)));
  if (!looks.includes(null)) return looks;
  // After that, relative paths are unknown.
  const goes = plain.findIndex(([program = ""]) => programNamed(program).moves);
  return looks.map((each, at) => (goes === -1 || at < goes ? each : null));
}

function inTime(words: Words): Words {
  return words[0] === "timeout" && /^[\d.]+[smh]?$/.test(words[1] ?? "") ? words.slice(2) : words;
}

export async function shellLine(text: string, parser: () => Promise<ParseShell>): Promise<ShellLine> {
  const plain = plainLine(text);
  const parse = plain?.flat().some(runsScript) === false ? nothing : await parser();
  if (plain === null) {
    const all = shellParts(text, parse);
    const commands = all?.parts.map((part) => ({ parts: [part], looks: null })) ?? null;
    return { commands, isPlain: false, unread: all?.unread ?? true };
  }
  const taken = plain.map((words) => partsOf(words, parse));
  if (taken.includes(null)) return { commands: null, isPlain: false, unread: true };
  const looks = looksAt(text) ?? [];
  const commands = taken.map((each, index) => ({ parts: each?.parts ?? [], looks: looks[index] ?? null }));
  return { commands, isPlain: true, unread: taken.some((each) => each?.unread === true) };
}

function nothing(): never {
  throw new Error("nothing to parse");
}

function runsScript(word: string): boolean {
  const program = programOf(word);
  return program === "eval" || programNamed(program).runs === "script";
}
