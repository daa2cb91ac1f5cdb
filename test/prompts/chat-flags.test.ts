// Every flag of `gsv chat` has a transcript in the manual, which test/prompts/transcripts.test.ts replays.

import { expect, test } from "bun:test";
import { flagsOf } from "../../commands/args.ts";
import { CHAT } from "../../commands/chat/spec.ts";
import { MANUAL } from "../../src/prompts/manual.ts";

test("every flag of chat is typed on its page", () => {
  const typed = MANUAL.flatMap(({ page, commands }) => (page === "scripting" ? commands : [])).join("\n");
  const words = new Set(typed.match(/(?<=\s)--?[a-z][a-z-]*/g));
  const names = new Map<string, string[]>();
  for (const [text, { key }] of flagsOf(CHAT.input)) names.set(key, [...(names.get(key) ?? []), text]);
  const missing = [...names.values()].filter((ways) => !ways.some((way) => words.has(way)));
  expect(missing).toEqual([]);
});
