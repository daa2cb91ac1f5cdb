// Which command the first word of a command line names: one of the table, or a domain of syscalls (`proc`, `fs` …). An unknown word is
// refused with the nearest names.

import { SysError } from "../src/abi/errno.ts";
import { nearest } from "../src/lib/nearest.ts";
import type { Command } from "./command.ts";
import { COMMANDS } from "./table.ts";

export async function lookUp(word: string): Promise<Command> {
  const entry = COMMANDS.get(word);
  if (entry !== undefined) return entry.load();
  const { domainCommand, domains, verbsOf } = await import("./derive.ts");
  const verbs = await verbsOf(word);
  if (verbs !== null) return domainCommand(word, verbs);
  const known = await domains();
  // A verb without its noun is as common as a typing mistake.
  const withNoun = [...known].filter(([, each]) => each.has(word)).map(([domain]) => `${domain} ${word}`);
  const close = [...withNoun, ...nearest(word, [...shown(), ...known.keys()])];
  throw new SysError("EUSAGE", `unknown command: ${word.length > 60 ? `${word.slice(0, 60)}…` : word}`, [
    ...(close.length > 0 ? [`did you mean ${close.map((name) => `gsv ${name}`).join(" or ")}`] : []),
    'gsv help lists the commands; gsv chat "…" talks',
  ]);
}

function shown(): string[] {
  return [...COMMANDS].flatMap(([name, { hidden }]) => (hidden ? [] : [name]));
}
