// `gsv man`: the contents, a page, or with -k a search. Needs no kernel and no home.

import { SysError } from "../../src/abi/errno.ts";
import { nearest } from "../../src/lib/text/nearest.ts";
import { countedIndex } from "../../src/lib/text/search.ts";
import { clip } from "../../src/lib/text/truncate.ts";
import { field, type Print } from "../../src/syscalls/define.ts";
import { usageError } from "../args.ts";
import type { Commands, Io } from "../command.ts";
import { command } from "../define.ts";
import { lookOf, page, read, widthOf } from "../io/pager.ts";
import { jsonLine } from "../io/status.ts";
import { printResult } from "../print.ts";
import { type Look, layout, PLAIN } from "./layout.ts";
import type { Book, Line, Page, SectionNumber } from "./man-book.ts";

const spec = {
  name: "man",
  summary: "Read the manual",
  usage: "gsv man [1|2|7] [NAME...] | gsv man -k WORD... [--json]",
  input: {
    name: field.optional(
      field.words("a command, syscall, page or section title", {
        positional: true,
        meta: "NAME...",
        of: "topic",
      }),
    ),
    search: field.flag("search the manual and your skills, context and knowledge", {
      letter: "k",
    }),
  },
  examples: ["gsv man", "gsv man proc spawn", "gsv man 7 chat", "gsv man -k stop a process"],
  notes: [
    "Sections: 1 commands, 2 syscalls, 7 pages. A name in several sections shows the first; the page of a command follows it. gsv man 7 NAME shows only the page.",
    "On a terminal, long output goes through $GSV_PAGER, $PAGER or less.",
  ],
} as const;

const FOUND_MAX = 12;
// Results below this share of the best score only match a common word.
const SHARE_MIN = 0.1;

const TITLES: { readonly [S in SectionNumber]: string } = { 1: "Commands (1)", 2: "Syscalls (2)", 7: "Pages (7)" };

/** A line of the manual; the section is null for your own files. */
type Listed = Omit<Line, "section"> & { readonly section: SectionNumber | null };

const LISTING: Print<{ readonly lines: readonly Listed[] }> = {
  kind: "list",
  rows: ({ lines }) => lines,
  line: (listed: Listed) => `${nameOf(listed)} - ${listed.summary}`,
  empty: "(no match in the manual)",
};

export const man = (commands: Commands) =>
  command(spec, async ({ args, json }, io) => {
    const words = args.name ?? [];
    if (args.search) {
      if (words.length === 0) throw usageError(spec, "-k needs words to search for");
      return await showFound(io, await found(io, words.join(" "), commands), json);
    }
    const { Book } = await import("./man-book.ts");
    const book = new Book(await io.manual(), commands);
    if (words.length === 0) {
      const lines = await book.contents();
      if (!json) return read(io, contents(lines, lookOf(io)));
      await printResult(io, LISTING, { lines }, json);
      return 0;
    }
    const asked = await book.page(words);
    if (asked === null) throw await unknown(book, words.join(" "));
    return showPage(io, asked, json);
  });

function nameOf({ name, section }: Listed): string {
  return section === null ? name : `${section === 1 ? "gsv " : ""}${name}(${section})`;
}

async function showFound(io: Io, lines: readonly Listed[], json: boolean): Promise<number> {
  const width = widthOf(io.stdout);
  if (!json && width !== null && lines.length > 0) {
    const rows = lines.map((listed) => [nameOf(listed), listed.summary] as const);
    return page(io, layout([{ blocks: [{ kind: "rows", rows }] }], { width, colour: false }));
  }
  await printResult(io, LISTING, { lines }, json);
  return 0;
}

/** If the manual matches the whole question, the home is not searched: that takes longer. */
const WHOLE = 0.999;

/** Your own files first, then sections of pages, commands and syscalls, best first. */
async function found(io: Io, question: string, commands: Commands): Promise<Listed[]> {
  const { manualIndex } = await import("./man-index.ts");
  const { lines, counts } = await manualIndex(io.manual, commands);
  const hits = countedIndex(lines, counts).search(question);
  const least = (hits[0]?.score ?? 0) * SHARE_MIN;
  const manual = hits.flatMap(({ section, score }) => (score >= least ? [section] : [])).slice(0, FOUND_MAX);
  return hits.some(({ coverage }) => coverage >= WHOLE) ? manual : [...(await inOwnFiles(io, question)), ...manual];
}

async function inOwnFiles(io: Io, question: string): Promise<Listed[]> {
  const { foundInOwnFiles } = await import("../config/own-files.ts");
  const own = await foundInOwnFiles(io, question);
  return own.map(({ path: name, summary }) => ({ name, section: null, summary }));
}

export async function showPage(io: Io, found: Page, json: boolean): Promise<number> {
  const { name, section, summary, parts } = found;
  if (!json) return read(io, layout(parts, lookOf(io)));
  const texts = parts.map((part) => ({
    title: part.title ?? null,
    text: layout([{ blocks: part.blocks }], PLAIN).trimEnd(),
  }));
  await io.stdout.write(jsonLine({ name, section, summary, parts: texts }));
  return 0;
}

async function unknown(book: Book, name: string): Promise<SysError> {
  const close = nearest(name, await book.names()).map((each) => `gsv man ${each}`);
  return new SysError("ENOENT", `the manual has no page ${clip(name)}`, [
    ...(close.length > 0 ? [`did you mean ${close.join(" or ")}`] : []),
    "gsv man lists the pages; gsv man -k WORD… searches them",
  ]);
}

function contents(lines: readonly Line[], look: Look): string {
  const parts = ([1, 2, 7] as const).map((number) => ({
    title: TITLES[number],
    blocks: [
      {
        kind: "rows" as const,
        rows: lines.flatMap(({ name, section, summary }) => (section === number ? [[name, summary] as const] : [])),
      },
    ],
  }));
  const tail = {
    blocks: [{ kind: "text" as const, text: "gsv man NAME shows a page. gsv man -k WORD… searches the manual." }],
  };
  return layout([...parts, tail], look);
}
