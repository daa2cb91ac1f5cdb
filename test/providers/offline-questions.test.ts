// Without a model gsv never guesses: each question of offline-questions.txt gets the page that answers it, or, after `-`, the honest answer with
// the three nearest entries and how to set up a model. A request to do something is never answered with a page.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { MANUAL } from "../../src/prompts/manual.ts";
import { ManualAnswers } from "../../src/providers/offline/manual.ts";

const TABLE = readFileSync(join(import.meta.dir, "offline-questions.txt"), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => line.split("\t") as [page: string, question: string]);
const manual = ManualAnswers.from(MANUAL);

test("the table has 60 questions and more", () => {
  expect(TABLE.length).toBeGreaterThanOrEqual(60);
});

test.each(TABLE)("%s: %s", (page, question) => {
  const text = manual.answer(question);
  if (page === "-") {
    expect(text).toContain("`gsv auth setup`");
    expect(text.match(/^- .* \(manual: \S+\)$/gm)).toHaveLength(3);
    expect(manual.isClear(question)).toBe(false);
  } else {
    expect(text).toContain(`\n\nmanual: ${page}`);
    expect(text).not.toContain("Nearest entries");
  }
});
