// The `console` blocks of a manual page run in order, in one shell with a home of its own, and print what the page says. Each run plays one
// page; test/readme.test.ts plays the tour in every run.

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

describe.concurrent("the transcripts of a page print what it says", () => {
  for (const { page, examples } of drawn(1, SHOWING)) {
    test(page, async () => {
      await using shell = new ExampleShell();
      expect((await shell.faultsOf(examples)).join("\n\n")).toBe("");
    }, 120_000);
  }
});
