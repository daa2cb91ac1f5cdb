// `gsv help`: the short help, the help of any command or noun, and any page or section of the manual by its name.

import { SysError } from "../../src/abi/errno.ts";
import { nearest } from "../../src/lib/text/nearest.ts";
import { clip } from "../../src/lib/text/truncate.ts";
import { field } from "../../src/syscalls/define.ts";
import type { Command, Commands, Io } from "../command.ts";
import { command } from "../define.ts";
import { lookOf, read } from "../io/pager.ts";
import { lookUp } from "../lookup.ts";
import { domains, verbsOf } from "../verbs.ts";
import { globalRows } from "./help-text.ts";
import { type Look, layout } from "./layout.ts";
import { summaries } from "./summaries.ts";

const spec = {
  name: "help",
  summary: "Show help on a command or topic",
  input: {
    topic: field.optional(
      field.words("a command, manual page or section title", {
        positional: true,
        meta: "TOPIC...",
        of: "topic",
      }),
    ),
  },
  examples: ["gsv help chat", "gsv help proc spawn", "gsv help exit-status"],
};

export const help = (commands: Commands): Command =>
  command(spec, async ({ args, json }, io) => {
    const [word, ...rest] = args.topic ?? [];
    if (word === undefined) return read(io, await shortHelp(commands, lookOf(io)));
    if ((commands.has(word) && !commands.get(word)?.hidden) || (await verbsOf(word)) !== null) {
      const named = await lookUp(commands, [word, ...rest]);
      return named.command.run([...named.args, "--help"], io);
    }
    const { Book } = await import("./man-book.ts");
    const book = new Book(await io.manual(), commands);
    const topic = await book.page([word, ...rest]);
    if (topic === null) throw await unknown(await book.names(), [word, ...rest].join(" "));
    const { showPage } = await import("./man.ts");
    return showPage(io, topic, json);
  });

/** `gsv` alone: help on a terminal, else a usage error. */
export async function bare(io: Io, commands: Commands): Promise<number> {
  const person = io.stdin.isTTY && io.stdout.isTTY;
  if (person) return read(io, await shortHelp(commands, lookOf(io)));
  await io.stderr.write(await shortHelp(commands, lookOf(io, io.stderr)));
  return 2;
}

async function unknown(names: readonly string[], topic: string): Promise<SysError> {
  const verbs = [...(await domains())].filter(([, each]) => each.has(topic)).map(([domain]) => `${domain} ${topic}`);
  const close = [...verbs, ...nearest(topic, names)].map((name) => `gsv help ${name}`);
  return new SysError("EUSAGE", `no help on ${clip(topic)}`, [
    ...(close.length > 0 ? [`did you mean ${close.join(" or ")}`] : []),
    "gsv help lists the commands; gsv man -k WORD… searches the manual",
  ]);
}

async function shortHelp(all: Commands, look: Look): Promise<string> {
  const rows = await summaries(all);
  const families = [...(await domains())].map(([domain, verbs]) => [domain, [...verbs.keys()].join(" ")] as const);
  const parts = [
    { blocks: [{ kind: "text" as const, text: "gsv: a small operating system for agents" }] },
    {
      title: "Try",
      blocks: [
        {
          kind: "code" as const,
          lines: [
            'gsv chat "How do I stop a process?"',
            'gsv spawn --label "docs audit" --prompt "Review the docs."',
            "gsv ps",
          ],
        },
      ],
    },
    { title: "Commands", blocks: [{ kind: "rows" as const, rows }] },
    { title: "Commands by noun", blocks: [{ kind: "rows" as const, rows: families }] },
    { title: "Global flags", blocks: [{ kind: "rows" as const, rows: globalRows() }] },
    {
      blocks: [
        { kind: "text" as const, text: "gsv COMMAND --help shows details and examples. gsv man is the manual." },
      ],
    },
  ];
  return layout(parts, look);
}
