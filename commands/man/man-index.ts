// The index of `gsv man -k`: counted words of pages, commands and syscalls. It needs every declaration, so the build replaces this file with
// its result (src/bundle/ready-made.ts).

import { countWords, type WordCounts } from "../../src/lib/text/search.ts";
import type { ManualSection } from "../../src/prompts/manual.ts";
import { reference } from "../../src/syscalls/reference.ts";
import type { Commands } from "../command.ts";
import { allCommands } from "./command-tree.ts";
import { layout, PLAIN } from "./layout.ts";
import type { Line } from "./man-book.ts";
import { commandParts } from "./man-command.ts";

export interface ManualIndex {
  readonly lines: readonly Line[];
  /** Word counts, one per line above. */
  readonly counts: WordCounts;
}

export async function manualIndex(
  manual: () => Promise<readonly ManualSection[]>,
  all: Commands,
): Promise<ManualIndex> {
  const commands = await allCommands(all);
  const sections = [
    ...(await manual()).map(({ page, heading, words, text }) =>
      entry({ name: page, section: 7, summary: heading }, words, text),
    ),
    ...commands.map(({ name, summary, command }) =>
      entry({ name, section: 1, summary }, name, layout(commandParts(command, []).slice(1), PLAIN)),
    ),
    ...reference().map(({ name, summary, text }) => entry({ name, section: 2, summary }, name, text)),
  ];
  return { lines: sections.map(({ line }) => line), counts: countWords(sections) };
}

function entry(line: Line, words: string, text: string) {
  return { line, heading: `${line.name} ${line.summary}`, words, text };
}
