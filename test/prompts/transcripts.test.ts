// The transcripts of the manual: the `console` blocks of a page, in order, in one shell with a home of its own, print what the page says.

import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ExampleShell, examplesOf } from "../support/examples.ts";

const PAGES = join(import.meta.dir, "../../src/prompts/manual");

describe.concurrent("what a page of the manual shows happens", () => {
  for (const page of readdirSync(PAGES)) {
    const examples = examplesOf(readFileSync(join(PAGES, page), "utf8"));
    if (examples.length === 0) continue;
    test(page, async () => {
      await using shell = new ExampleShell();
      expect((await shell.faultsOf(examples)).join("\n\n")).toBe("");
    }, 120_000);
  }
});
