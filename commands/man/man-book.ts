// The manual in three sections: 1 commands and 2 syscalls, made of their declarations, and 7 pages. A name in several sections means the
// first of them, and a command's page includes the page of the same name.

import { titleKey } from "../../src/lib/text/search.ts";
import type { ManualSection } from "../../src/prompts/manual.ts";
import { SYSCALLS } from "../../src/syscalls/all.ts";
import { REFERENCE, referenceOf, referencePage } from "../../src/syscalls/reference.ts";
import type { Command, Commands } from "../command.ts";
import { allCommands, commandNamed, type Leaf, nouns } from "./command-tree.ts";
import { markdownBlocks, type Part } from "./layout.ts";
import { commandParts } from "./man-command.ts";

export type SectionNumber = 1 | 2 | 7;

export interface Page {
  readonly name: string;
  readonly section: SectionNumber;
  readonly summary: string;
  readonly parts: readonly Part[];
}

export interface Line {
  readonly name: string;
  readonly section: SectionNumber;
  readonly summary: string;
}

const PAGES_SEEN_MAX = 3;

export class Book {
  private leaves: Promise<readonly Leaf[]> | null = null;

  constructor(
    private readonly manual: readonly ManualSection[],
    private readonly all: Commands,
  ) {}

  /** `chat`, `proc spawn`, `proc.spawn`, a page, or the title of a section; `7 chat` and `chat(7)` name the section too. */
  async page(words: readonly string[]): Promise<Page | null> {
    const { name, only } = wanted(words);
    const found = {
      1: () => this.commandPage(name.split(" ")),
      2: () => this.callPage(name),
      7: () => topicPage(this.manual, name),
    };
    if (only !== null) return found[only]();
    const command = await found[1]();
    return command === null ? (found[2]() ?? found[7]()) : this.withTopic(command);
  }

  // A command's page includes the manual page of the same name.
  private withTopic(command: Page): Page {
    const sections = this.manual.filter(({ page }) => page === command.name);
    const [first] = sections;
    if (first === undefined) return command;
    const [, ...parts] = pageOf(first.page, first.about, sections).parts;
    const lead: Part = { title: `${command.name}(7)`, blocks: [{ kind: "text", text: first.about }] };
    return { ...command, parts: [...command.parts, lead, ...parts] };
  }

  async contents(): Promise<Line[]> {
    const commands = await this.commands();
    const pages = new Map(this.manual.map(({ page, about }) => [page, about]));
    return [
      ...commands.map(({ name, summary }): Line => ({ name, section: 1, summary })),
      ...[...SYSCALLS.values()].map(({ name, summary }): Line => ({ name, section: 2, summary })),
      ...[...pages, [REFERENCE.page, REFERENCE.about] as const].map(
        ([name, summary]): Line => ({ name, section: 7, summary: summary.replace(/\.$/, "") }),
      ),
    ];
  }

  /** All names, for suggestions. */
  async names(): Promise<string[]> {
    return [...(await this.contents()).map(({ name }) => name), ...(await nouns(this.all))];
  }

  private async commandPage(words: readonly string[]): Promise<Page | null> {
    const command = await commandNamed(this.all, words);
    if (command === null) return null;
    const { name, summary } = command.spec;
    return { name, section: 1, summary, parts: commandParts(command, await this.seeAlso(command)) };
  }

  private callPage(name: string): Page | null {
    const call = SYSCALLS.get(name);
    if (call === undefined) return null;
    const { summary, synopsis, text } = referenceOf(call);
    const parts: Part[] = [
      { title: "NAME", blocks: [{ kind: "text", text: `${name} - ${summary}` }] },
      { title: "SYNOPSIS", blocks: [{ kind: "code", lines: [synopsis] }] },
      { title: "DESCRIPTION", blocks: markdownBlocks(text) },
      {
        title: "SEE ALSO",
        blocks: [
          { kind: "text", text: `${call.cli.hidden ? "" : `gsv ${name.replace(".", " ")}(1), `}${REFERENCE.page}(7)` },
        ],
      },
    ];
    return { name, section: 2, summary, parts };
  }

  private async twinsOf(call: string, name: string): Promise<string[]> {
    const commands = await this.commands();
    return commands.flatMap((other) =>
      other.command.call === call && other.name !== name ? [`gsv ${other.name}(1)`] : [],
    );
  }

  // Loaded once and only when needed: all commands take a while.
  private commands(): Promise<readonly Leaf[]> {
    this.leaves ??= allCommands(this.all);
    return this.leaves;
  }

  // Aliases, the noun, and the pages that show the command most often.
  private async seeAlso({ spec: { name }, call }: Command): Promise<string[]> {
    const twins = call === undefined ? [] : await this.twinsOf(call, name);
    const [noun = ""] = name.split(" ");
    const shows = new RegExp(`\\bgsv ${RegExp.escape(name)}\\b`);
    const counts = new Map<string, number>();
    for (const { page, commands } of this.manual) {
      const shown = commands.filter((line) => shows.test(line)).length + (page === name ? 1000 : 0);
      counts.set(page, (counts.get(page) ?? 0) + shown);
    }
    const pages = [...counts].filter(([, count]) => count > 0).sort(([, left], [, right]) => right - left);
    return [
      ...twins,
      ...(noun === name ? [] : [`gsv ${noun}(1)`]),
      ...(call === undefined ? [] : [`${call}(2)`]),
      ...pages.slice(0, PAGES_SEEN_MAX).map(([page]) => `${page}(7)`),
    ];
  }
}

export function topicPage(manual: readonly ManualSection[], name: string): Page | null {
  if (name === REFERENCE.page) return referenceAsPage();
  const sections = manual.filter(({ page }) => page === name.toLowerCase().replaceAll(" ", "-"));
  const [first] = sections;
  if (first !== undefined) return pageOf(first.page, first.about, sections);
  const key = titleKey(name);
  const titled = manual.find(({ heading }) => key !== "" && titleKey(heading) === key);
  return titled === undefined ? null : pageOf(titled.page, titled.about, [titled]);
}

function wanted(words: readonly string[]): { readonly name: string; readonly only: SectionNumber | null } {
  const plain = words[0] === "gsv" && words.length > 1 ? words.slice(1) : words;
  const [first = "", ...rest] = plain;
  if (isNumber(first) && rest.length > 0) return { name: rest.join(" "), only: Number(first) as SectionNumber };
  const [, name, number = ""] = /^(.*)\(([127])\)$/.exec(plain.join(" ")) ?? [];
  if (name !== undefined && isNumber(number)) return { name, only: Number(number) as SectionNumber };
  return { name: plain.join(" "), only: null };
}

function isNumber(word: string): boolean {
  return ["1", "2", "7"].includes(word);
}

function pageOf(name: string, about: string, sections: readonly ManualSection[]): Page {
  const parts: Part[] = sections.map(({ heading, text }) => ({ title: heading, blocks: markdownBlocks(text) }));
  const lead: Part = { blocks: [{ kind: "text", text: `${name} - ${about}` }] };
  return { name, section: 7, summary: about.replace(/\.$/, ""), parts: [lead, ...parts] };
}

function referenceAsPage(): Page {
  const [, ...sections] = referencePage().split(/^## /m);
  const parts = sections.map((section): Part => {
    const [title = "", ...rest] = section.split("\n");
    return { title, blocks: markdownBlocks(rest.join("\n")) };
  });
  const { page, about } = REFERENCE;
  return {
    name: page,
    section: 7,
    summary: about,
    parts: [{ blocks: [{ kind: "text", text: `${page} - ${about}` }] }, ...parts],
  };
}
