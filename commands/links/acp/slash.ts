// Slash commands in an editor: commands of gsv about the session's process, and skills.

import type { Sys } from "../../../src/abi/sys.ts";
import { skillsOf } from "../../config/skills.ts";
import type { Json } from "./rpc.ts";

interface SlashCommand {
  readonly name: string;
  readonly description: string;
  readonly line: (pid: string) => string;
}

const COMMANDS: readonly SlashCommand[] = [
  { name: "compact", description: "Summarize older history", line: (pid) => `gsv compact ${pid}` },
  { name: "context", description: "Show what fills the context", line: (pid) => `gsv prompt ${pid} --bars` },
  { name: "cost", description: "Show tokens and cost", line: (pid) => `gsv usage --pid ${pid}` },
  { name: "diff", description: "Show the last run's changes", line: (pid) => `gsv diff ${pid}` },
  { name: "undo", description: "Undo the last run's changes", line: (pid) => `gsv undo ${pid}` },
  { name: "redo", description: "Revert the last undo", line: (pid) => `gsv undo ${pid} --redo` },
];

export async function availableCommands(sys: Sys): Promise<readonly Json[]> {
  const { skills } = await skillsOf(sys);
  return [
    ...COMMANDS.map(({ name, description }) => ({ name, description })),
    ...skills
      .filter(({ name }) => COMMANDS.every((each) => each.name !== name))
      .map(({ name, description }) => ({ name, description, input: { hint: "what to do" } })),
  ];
}

/** The output of a command, or the message that a skill stands for; null if the text is neither. */
export async function slashed(
  sys: Sys,
  pid: string,
  text: string,
): Promise<{ readonly output: string } | { readonly message: string } | null> {
  const [, word = "", rest = ""] = /^\/([a-z0-9-]+)(?:\s+(.*))?$/s.exec(text) ?? [];
  if (word === "") return null;
  const known = COMMANDS.find(({ name }) => name === word);
  if (known !== undefined && rest === "") return { output: await outputOf(sys, known.line(pid)) };
  const skill = (await skillsOf(sys)).skills.find(({ name }) => name === word);
  return skill === undefined ? null : { message: `Use the skill ${skill.name} (${skill.path}).\n\n${rest}`.trim() };
}

async function outputOf(sys: Sys, command: string): Promise<string> {
  const { output } = await sys.call<{ output: string }>("shell.exec", { command });
  return output.trimEnd();
}
