// Finds the command that the first words name: one of the table, or a domain of syscalls (`proc`, `fs` …) and its verb. Refuses unknown
// words with similar names.

import { SysError } from "../src/abi/errno.ts";
import { nearest } from "../src/lib/text/nearest.ts";
import type { Command, Commands } from "./command.ts";

const FLAGS: ReadonlySet<string> = new Set(["--version"]);

/** Names of commands in other programs. */
const CALLED: ReadonlyMap<string, readonly string[]> = new Map([
  ["cost", ["usage"]],
  ["exec", ["sh --host"]],
  ["init", ["workspace attach .", "auth setup"]],
  ["jobs", ["ps"]],
  ["less", ["cat"]],
  ["memory", ["context list"]],
  ["resume", ["attach", "proc resume"]],
  ["sessions", ["ps", "session list"]],
  ["status", ["ps", "w"]],
  ["vi", ["edit"]],
  ["vim", ["edit"]],
]);

export interface Named {
  readonly command: Command;
  readonly args: readonly string[];
}

export async function lookUp(commands: Commands, [word = "", ...args]: readonly string[]): Promise<Named> {
  const entry = commands.get(word);
  if (entry !== undefined) return { command: await entry.load(), args };
  const { domainCommand } = await import("./derive.ts");
  const { domains, verbCommand, verbsOf } = await import("./verbs.ts");
  const [next = "", ...rest] = args;
  const verb = await verbCommand(word, next);
  if (verb !== null) return { command: verb, args: rest };
  const verbs = await verbsOf(word);
  if (verbs !== null) return { command: domainCommand(word, verbs), args };
  const known = await domains();
  // A verb without its noun is as common as a typing mistake.
  const withNoun = [...known].filter(([, each]) => each.has(word)).map(([domain]) => `${domain} ${word}`);
  const called = CALLED.get(word);
  const isSaid = /\S\s+\S/.test(word);
  if (called !== undefined || isSaid) throw unknown(word, called ?? ['chat "…"', 'run -- "…"'], isSaid);
  const close = FLAGS.has(`--${word}`)
    ? [`--${word}`]
    : [...withNoun, ...nearest(word, [...shown(commands), ...known.keys()])];
  throw unknown(word, close);
}

/** `isSaid`: several words, so probably a message. */
function unknown(word: string, close: readonly string[], isSaid = false): SysError {
  const shown = word.trim() === "" ? JSON.stringify(word) : word.length > 60 ? `${word.slice(0, 60)}…` : word;
  const names = close.map((name) => `gsv ${name}`).join(" or ");
  if (isSaid) return new SysError("EUSAGE", `unknown command: ${shown}`, [`to send it as a message: ${names}`]);
  return new SysError("EUSAGE", `unknown command: ${shown}`, [
    close.length > 0 ? `did you mean ${names}` : 'gsv help lists the commands; gsv chat "…" sends a message',
  ]);
}

function shown(commands: Commands): string[] {
  return [...commands].flatMap(([name, { hidden }]) => (hidden ? [] : [name]));
}
