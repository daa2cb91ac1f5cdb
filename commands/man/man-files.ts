// The manual as roff files, by their paths below a man directory. Names start with `gsv-` to avoid clashes: gsv-proc-spawn(1),
// gsv-proc.spawn(2), gsv-processes(7). gsv(1) is the front page.

import type { ManualSection } from "../../src/prompts/manual.ts";
import type { Commands } from "../command.ts";
import { allCommands, nouns } from "./command-tree.ts";
import { globalRows } from "./help-text.ts";
import { type Block, markdownBlocks, type Part, type Row } from "./layout.ts";
import { Book, type Page, type SectionNumber } from "./man-book.ts";
import { roff } from "./roff.ts";

const REFERENCE = /(?:\bgsv )?([a-z_][\w. -]*?)\(([127])\)/g;

export async function manualFiles(
  manual: readonly ManualSection[],
  version: string,
  commands: Commands,
): Promise<ReadonlyMap<string, string>> {
  const book = new Book(manual, commands);
  const source = `gsv ${version}`;
  const { summary, parts } = await frontPage(manual, commands);
  const files = new Map([[pathOf("gsv", 1), roff({ name: "gsv", section: 1, source, summary, parts })]]);
  const named = (await book.contents()).map(({ name, section }) => [name, section] as const);
  const all = [...named, ...(await nouns(commands)).map((name) => [name, 1] as const)];
  for (const [name, section] of all) {
    const page = await book.page([String(section), ...name.split(" ")]);
    if (page === null) throw new Error(`${name}(${section}) is listed and not there`);
    files.set(pathOf(fileName(name), section), roff({ ...asFile(page), source }));
  }
  return files;
}

function pathOf(name: string, section: SectionNumber): string {
  return `man${section}/${name}.${section}`;
}

function fileName(name: string): string {
  return `gsv-${name.replaceAll(" ", "-")}`;
}

/** Without the first part: `man` prints the name itself. */
function asFile({ name, section, summary, parts: [, ...parts] }: Page) {
  return { name: fileName(name), section, summary, parts: parts.map(linked) };
}

function linked(part: Part): Part {
  if (part.title !== "SEE ALSO") return part;
  const blocks = part.blocks.map((block): Block => {
    if (block.kind !== "text") return block;
    return { ...block, text: block.text.replace(REFERENCE, (_all, name, section) => `${fileName(name)}(${section})`) };
  });
  return { ...part, blocks };
}

async function frontPage(
  manual: readonly ManualSection[],
  all: Commands,
): Promise<{ summary: string; parts: readonly Part[] }> {
  const commands = (await allCommands(all)).map(({ name, summary }): Row => [`gsv ${name}`, summary]);
  const pages = new Map(manual.map(({ page, about }) => [page, about.replace(/\.$/, "")]));
  const first = (page: string): Block[] => markdownBlocks(manual.find((section) => section.page === page)?.text ?? "");
  const parts: Part[] = [
    { title: "SYNOPSIS", blocks: [{ kind: "usage", text: "gsv [FLAG...] COMMAND [ARGUMENT...]" }] },
    { title: "DESCRIPTION", blocks: first("getting-started") },
    { title: "COMMANDS", blocks: [{ kind: "rows", rows: commands }] },
    { title: "WITH ANY COMMAND", blocks: [{ kind: "rows", rows: globalRows() }] },
    { title: "EXIT STATUS", blocks: first("exit-status") },
    { title: "ENVIRONMENT", blocks: first("environment") },
    {
      title: "PAGES",
      blocks: [{ kind: "rows", rows: [...pages].map(([page, about]): Row => [`${fileName(page)}(7)`, about]) }],
    },
  ];
  return { summary: "a small operating system for agents, in the terminal", parts };
}
