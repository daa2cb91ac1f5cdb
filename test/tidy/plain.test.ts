// Texts keep the plainest rules of the language, and the checks can fail.

import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { allCommands } from "../../commands/man/command-tree.ts";
import { COMMANDS } from "../../commands/table.ts";
import { MANUAL } from "../../src/prompts/manual.ts";
import { commentOffences, errorLineOffences, helpLineOffences, proseOf, proseOffences } from "./plain.ts";
import { PRODUCT, ROOT, readTree, sampleTree } from "./tree.ts";

const PAGES = "src/prompts/manual";
const GLOSSARY = readFileSync(join(ROOT, PAGES, "glossary.md"), "utf8");

const tree = readTree([...PRODUCT, "test"]);

test("the manual, the README and the map are short sentences in plain words", () => {
  const pages = readdirSync(join(ROOT, PAGES)).map((name) => `${PAGES}/${name}`);
  const offences = [...pages, "README.md", "src/README.md"].flatMap((path) =>
    proseOffences(path, readFileSync(join(ROOT, path), "utf8")),
  );
  expect(offences).toEqual([]);
});

test("each page of the manual begins with an example", () => {
  const first = new Map([...MANUAL].reverse().map(({ page, text }) => [page, text]));
  // One sentence may stand before it.
  const late = [...first].filter(([, text]) => !/^(?:[^\n]{1,160}\n\n)?`{3}/.test(text)).map(([page]) => page);
  expect(late).toEqual([]);
});

test("the glossary defines each word once, in one or two sentences", () => {
  const terms = [...GLOSSARY.matchAll(/^- `([^`]+)`: (.+)$/gm)].map(([, term = "", text = ""]) => ({ term, text }));
  expect(terms.length).toBeGreaterThan(50);
  const words = terms.map(({ term }) => term.toLowerCase());
  expect(words.filter((word, at) => words.indexOf(word) !== at)).toEqual([]);
  for (const { text } of terms) expect(proseOf(text).sentences.length).toBeLessThanOrEqual(3);
});

test("comments and titles of tests have no words that a colleague would not say", () => {
  expect(commentOffences(tree)).toEqual([]);
});

test("an error line that is written in one piece fits on a screen", () => {
  expect(errorLineOffences(tree)).toEqual([]);
});

test("a help line is an order of a few words", async () => {
  const commands = await allCommands(COMMANDS);
  expect(commands.length).toBeGreaterThan(80);
  const offences = commands.flatMap(({ name, summary }) => helpLineOffences(name, summary));
  expect(offences).toEqual([]);
});

test("each rule for prose finds what breaks it", () => {
  const faults = (text: string) => proseOffences("page.md", text).length;
  expect(faults("gsv fixes it. `gsv diff` shows the changes.")).toBe(0);
  expect(faults("What a run changed is shown.")).toBe(1);
  expect(faults("## What happens")).toBe(1);
  expect(faults("gsv mends it.")).toBe(1);
  expect(faults("One; two; three.")).toBe(1);
  expect(faults(`${"word ".repeat(26)}.`)).toBe(1);
  expect(faults(`${"word ".repeat(24)}\`a long piece of code\`.`)).toBe(0);
  expect(faults("```sh\nwhoever mends anew\n```\n<!-- also: whoever -->")).toBe(0);
});

test("so does each of the others", () => {
  // In pieces, because this file is checked too.
  const [told, verb] = [`it is ${"told"}`, `men${"ded"}`];
  const sample = sampleTree({
    "src/a.ts": `// Whoever asks.\nexport const a = "whoever"; // ${told}\n/** Fine. */\n`,
    "test/a.test.ts": `test("nothing is ${verb}", () => {});\nconst text = "${verb}";`,
    "src/b.ts": `new SysError("EIO", "${"x".repeat(76)}");\nusageError(spec, "short");`,
  });
  expect(commentOffences(sample)).toHaveLength(3);
  expect(errorLineOffences(sample)).toHaveLength(1);
  expect(helpLineOffences("ps", "List processes")).toEqual([]);
  for (const line of ["The processes", "list processes", "Listing processes", "List; print", `List${" it".repeat(8)}`])
    expect(helpLineOffences("ps", line)).toHaveLength(1);
});
