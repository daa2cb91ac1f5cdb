// Every command with its verbs, for the manual, completion and the README test. To run a command, lookup.ts loads only that one.

import type { Command, Commands } from "../command.ts";
import { domainCommand } from "../derive.ts";
import { domains, verbsOf } from "../verbs.ts";

export interface Leaf {
  readonly name: string;
  readonly summary: string;
  readonly command: Command;
}

/** null for unknown words and hidden commands. */
export async function rootCommand(commands: Commands, word: string): Promise<Command | null> {
  const entry = commands.get(word);
  if (entry !== undefined) return entry.hidden ? null : await entry.load();
  const verbs = await verbsOf(word);
  return verbs === null ? null : domainCommand(word, verbs);
}

export async function commandNamed(
  commands: Commands,
  [word = "", ...verbs]: readonly string[],
): Promise<Command | null> {
  let command = await rootCommand(commands, word);
  for (const verb of verbs) command = (await command?.verbs?.get(verb)?.load()) ?? null;
  return command;
}

export async function nouns(commands: Commands): Promise<readonly string[]> {
  const roots = await Promise.all(
    (await firstWords(commands)).map(async (word) => ({ word, command: await rootCommand(commands, word) })),
  );
  return roots.flatMap(({ word, command }) => (command?.verbs === undefined ? [] : [word]));
}

/** Without nouns, in the order of help. */
export async function allCommands(commands: Commands): Promise<readonly Leaf[]> {
  const found = await Promise.all(
    (await firstWords(commands)).map(async (word) => {
      const command = await rootCommand(commands, word);
      return command === null ? [] : leavesOf({ name: word, summary: command.spec.summary, command });
    }),
  );
  return found.flat();
}

async function leavesOf(leaf: Leaf): Promise<readonly Leaf[]> {
  const { verbs } = leaf.command;
  if (verbs === undefined) return [leaf];
  const below = await Promise.all(
    [...verbs].map(async ([verb, { summary, load }]) =>
      leavesOf({ name: `${leaf.name} ${verb}`, summary, command: await load() }),
    ),
  );
  return below.flat();
}

async function firstWords(commands: Commands): Promise<string[]> {
  return [...commands.keys(), ...(await domains()).keys()];
}
