// `gsv help`: the short help, and the help of any command or domain.

import { field } from "../src/syscalls/define.ts";
import type { Command, Io } from "./command.ts";
import { command } from "./define.ts";
import { domains } from "./derive.ts";
import { find } from "./find.ts";
import { aligned, section } from "./help-text.ts";
import { COMMANDS } from "./table.ts";

const spec = {
  name: "help",
  summary: "Help on any command",
  input: {
    command: field.optional(field.text("the command", { positional: true, meta: "COMMAND" })),
    verb: field.optional(field.text("its verb", { positional: true, meta: "VERB" })),
  },
  examples: ["gsv help chat", "gsv help proc spawn"],
};

export const help: Command = command(spec, async ({ args }, io) => {
  if (args.command === undefined) {
    await io.stdout.write(shortHelp());
    return 0;
  }
  const found = await find(args.command);
  return found.run(args.verb === undefined ? ["--help"] : [args.verb, "--help"], io);
});

/** Nothing was typed but `gsv`: help on a terminal; a usage error where a program called it. */
export async function bare(io: Io): Promise<number> {
  const person = io.stdin.isTTY && io.stdout.isTTY;
  await (person ? io.stdout : io.stderr).write(shortHelp());
  return person ? 0 : 2;
}

function shortHelp(): string {
  const commands = [...COMMANDS].map(([name, { summary }]) => [name, summary] as const);
  const families = [...domains()].map(([domain, verbs]) => [domain, [...verbs.keys()].join(" ")] as const);
  return `${[
    "gsv: a small operating system for agents",
    section("Try", [
      'gsv chat "How do I stop a process?"',
      'gsv spawn --label "docs audit" --prompt "Review the docs."',
      "gsv ps",
    ]),
    section("Commands", aligned(commands)),
    section("By noun", aligned(families)),
    "gsv COMMAND --help says more, with examples. --json prints JSON everywhere, --user NAME acts as another account.",
  ].join("\n\n")}\n`;
}
