// The README and the tour run: every `console` block, in order, in one shell with its own home. The README's screen is a real screen, its
// other blocks name scripts of the project, and its links exist.

import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MANUAL } from "../src/prompts/manual.ts";
import { ExampleShell, examplesOf, mismatch } from "./support/examples.ts";

const ROOT = join(import.meta.dir, "..");
const README = readFileSync(join(ROOT, "README.md"), "utf8");
const MAP = readFileSync(join(ROOT, "src", "README.md"), "utf8");
const LINES_MAX = 130;

function blocksOf(markdown: string): { kind: string; text: string }[] {
  return [...markdown.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(([, kind = "", text = ""]) => ({ kind, text }));
}

async function faultsOf(markdown: string, countMin: number): Promise<string> {
  const examples = examplesOf(markdown);
  expect(examples.length).toBeGreaterThanOrEqual(countMin);
  await using shell = new ExampleShell();
  return (await shell.faultsOf(examples)).join("\n\n");
}

test("every command in the README prints the output shown there", async () => {
  expect(await faultsOf(README, 10)).toBe("");
}, 120_000);

test("every command of the tour prints the output shown there", async () => {
  expect(await faultsOf(readFileSync(join(ROOT, "src/prompts/manual/tour.md"), "utf8"), 60)).toBe("");
}, 120_000);

// Update: UPDATE_GOLDEN=1 bun test ./test/readme.test.ts
test("the screen in the README is the beginning of a real one", () => {
  const golden = readFileSync(join(ROOT, "test/golden/newcomer.txt"), "utf8");
  const screen = golden.slice(golden.indexOf("\ngsv ") + 1, golden.indexOf("\n\n$ ls /proc"));
  expect(screen.split("\n").length).toBeGreaterThan(20);
  if (process.env.UPDATE_GOLDEN) {
    const updated = README.replace(/^```text\n[\s\S]*?^```$/m, () => `\`\`\`text\n${screen}\n\`\`\``);
    writeFileSync(join(ROOT, "README.md"), updated);
  } else
    expect(blocksOf(README).filter(({ kind }) => kind === "text")).toEqual([{ kind: "text", text: `${screen}\n` }]);
});

test("every other block is a tested example, or names existing scripts of the project", () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: object };
  const launcher = readFileSync(join(ROOT, "src", "launch.mjs"), "utf8");
  const blocks = blocksOf(README);
  expect(README.match(/^```/gm)?.length).toBe(2 * blocks.length);
  for (const { text } of blocks.filter(({ kind }) => kind === "console")) expect(text).toStartWith("$ ");
  const lines = [...blocks, ...blocksOf(MAP)]
    .filter(({ kind }) => kind === "sh")
    .flatMap(({ text }) => text.trimEnd().split("\n"))
    .filter((line) => line.startsWith("npm "));
  expect(lines.length).toBeGreaterThan(8);
  const strangers = lines.filter((line) => {
    const [, script = ""] = /^npm (?:run )?(\S+)/.exec(line) ?? [];
    const [, ...path] =
      new RegExp(`\\b"?${RegExp.escape(script)}"?: \\(args\\).*?join\\(ROOT, ([^)]*)\\)`, "s").exec(launcher) ?? [];
    const file = path[0]?.split(", ").map((part) => part.replaceAll('"', "")) ?? [];
    return !Object.hasOwn(scripts, script) || (script !== "format" && !existsSync(join(ROOT, ...file)));
  });
  expect(strangers).toEqual([]);
});

test("the README is short and begins with the two commands, and the map names every script", () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: object };
  expect(README).toMatch(/^# gsv\n\n```sh\nnpm start\b.*\nnpm test\b/);
  expect(README.trimEnd().split("\n").length).toBeLessThanOrEqual(LINES_MAX);
  for (const script of Object.keys(scripts)) expect(README + MAP).toMatch(new RegExp(`npm (?:run )?${script}\\b`));
});

test("every page and file that the README or the map links to exists", () => {
  const pages = new Set(MANUAL.map(({ page }) => page));
  const named = [...`${README}\n${MAP}`.matchAll(/`gsv man ([a-z-]+)`/g)].map(([, page = ""]) => page);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((page) => !pages.has(page))).toEqual([]);
  const links = [
    ...[...README.matchAll(/\]\(([^)]+)\)/g)].map(([, path = ""]) => path),
    ...[...MAP.matchAll(/\]\(([^)]+)\)/g)].map(([, path = ""]) => join("src", path)),
  ];
  expect(links.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test("the comparison finds wrong, missing and extra lines, and accepts anything for …", () => {
  expect(mismatch(["a…c", "…", "end"], "abc\nx\ny\nend\n")).toBeNull();
  expect(mismatch(["a.c"], "abc\n")).not.toBeNull();
  expect(mismatch(["a", "b"], "a\n")).not.toBeNull();
  expect(mismatch(["a"], "a\nb\n")).not.toBeNull();
  expect(mismatch([], "")).toBeNull();
});
