// The transcripts of the manual: the `console` blocks of a page, in order, in one shell with a home of its own, print what the page says.
// Each run plays one of the pages; the tour is played by test/readme.test.ts in every run.

import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ExampleShell, examplesOf } from "../support/examples.ts";
import { drawn } from "../support/soak.ts";

const PAGES = join(import.meta.dir, "../../src/prompts/manual");

const SHOWING = readdirSync(PAGES)
  .filter((page) => page !== "tour.md")
  .map((page) => ({ page, examples: examplesOf(readFileSync(join(PAGES, page), "utf8")) }))
  .filter(({ examples }) => examples.length > 0);

describe.concurrent("what a page of the manual shows happens", () => {
  for (const { page, examples } of drawn(1, SHOWING)) {
    test(page, async () => {
      await using shell = new ExampleShell();
      expect((await shell.faultsOf(examples)).join("\n\n")).toBe("");
    }, 120_000);
  }
});
