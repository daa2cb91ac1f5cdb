// `gsv help`: one screen, `help topics` with all commands, the help of any command or noun, and any page or section of the manual by its name.

import { SysError } from "../../src/abi/errno.ts";
import { nearest } from "../../src/lib/text/nearest.ts";
import { clip } from "../../src/lib/text/truncate.ts";
import { field } from "../../src/syscalls/define.ts";
import type { Command, Commands, Io } from "../command.ts";
import { command } from "../define.ts";
import { lookOf, read } from "../io/pager.ts";
import { lookUp } from "../lookup.ts";
import { shortName } from "../short-names.ts";
import { domains, verbsOf } from "../verbs.ts";
import { FAMILIES } from "./families.ts";
import { globalRows } from "./help-text.ts";
import { type Look, layout, type Row } from "./layout.ts";
import type { Book } from "./man-book.ts";
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
  examples: ["gsv help topics", "gsv help chat", "gsv help proc spawn", "gsv help exit-status"],
};

export const help = (commands: Commands): Command =>
  command(spec, async ({ args, json }, io) => {
    const [word, ...rest] = args.topic ?? [];
    if (word === undefined) return read(io, await shortHelp(lookOf(io)));
    if ((commands.has(word) && !commands.get(word)?.hidden) || (await verbsOf(word)) !== null) {
      const named = await lookUp(commands, [word, ...rest]);
      return named.command.run([...named.args, "--help"], io);
    }
    const { Book } = await import("./man-book.ts");
    const book = new Book(await io.manual(), commands);
    if (word === "topics" && rest.length === 0) return read(io, await allTopics(commands, book, lookOf(io)));
    const topic = await book.page([word, ...rest]);
    if (topic === null) throw await unknown(await book.names(), [word, ...rest].join(" "));
    const { showPage } = await import("./man.ts");
    return showPage(io, topic, json);
  });

/** `gsv` alone: help on a terminal, else a usage error. */
export async function bare(io: Io): Promise<number> {
  const person = io.stdin.isTTY && io.stdout.isTTY;
  if (person) return read(io, await shortHelp(lookOf(io)));
  await io.stderr.write(await shortHelp(lookOf(io, io.stderr)));
  return 2;
}

async function unknown(names: readonly string[], topic: string): Promise<SysError> {
  const verbs = [...(await domains())].filter(([, each]) => each.has(topic)).map(([domain]) => `${domain} ${topic}`);
  const close = [...verbs, ...nearest(topic, names)].map((name) => `gsv help ${name}`);
  return new SysError("ENOENT", `no help on ${clip(topic)}`, [
    ...(close.length > 0 ? [`did you mean ${close.join(" or ")}`] : []),
    "gsv help lists the commands; gsv man -k WORD… searches the manual",
  ]);
}

const BEGIN: readonly Row[] = [
  ["gsv", "work with an agent in this directory"],
  ['gsv chat "QUESTION"', "print an answer; reads stdin too"],
  ['gsv spawn --prompt "TASK"', "start a task in the background"],
  ["gsv ps", "list processes; gsv attach NAME opens one"],
];

const MORE: readonly Row[] = [
  ["gsv COMMAND --help", "show flags and examples"],
  ["gsv help topics", "list all commands"],
  ["gsv man", "read the manual"],
];

/** One screen. */
async function shortHelp(look: Look): Promise<string> {
  const nouns = [...(await domains()).keys()].join(" ");
  return layout(
    [
      { title: "gsv: a small operating system for agents", blocks: [{ kind: "rows", rows: BEGIN }] },
      { title: "Commands", blocks: [{ kind: "rows", rows: [...FAMILIES, ["nouns", nouns]] }] },
      { blocks: [{ kind: "rows", rows: MORE }] },
    ],
    look,
  );
}

/** `gsv help topics`: a line for each command, noun, global flag and page. */
async function allTopics(all: Commands, book: Book, look: Look): Promise<string> {
  const rows = await summaries(all);
  const nouns = [...(await domains())].flatMap(([domain, verbs]) => {
    const listed = [...verbs].filter((verb) => shortName(`${domain} ${verb}`) === null);
    return listed.length === 0 ? [] : [[domain, listed.join(" ")] as const];
  });
  const pages = (await book.contents())
    .filter(({ section }) => section === 7)
    .map(({ name, summary }) => [name, summary] as const);
  return layout(
    [
      { title: "Commands", blocks: [{ kind: "rows", rows }] },
      { title: "Commands by noun", blocks: [{ kind: "rows", rows: nouns }] },
      { title: "Global flags", blocks: [{ kind: "rows", rows: globalRows() }] },
      { title: "Manual pages", blocks: [{ kind: "rows", rows: pages }] },
    ],
    look,
  );
}
