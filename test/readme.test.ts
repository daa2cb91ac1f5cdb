// The README is run: every `console` block, in order, in one shell with a home of its own; what its other blocks say to type is a script
// of the project that does what stands beside it.

import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { allCommands } from "../commands/man/command-tree.ts";
import { COMMANDS } from "../commands/table.ts";
import { ExampleShell, examplesOf, mismatch } from "./support/examples.ts";

const ROOT = join(import.meta.dir, "..");
const README = readFileSync(join(ROOT, "README.md"), "utf8");

test("every command in the README prints what the README says", async () => {
  const examples = examplesOf(README);
  expect(examples.length).toBeGreaterThan(10);
  await using shell = new ExampleShell();
  expect((await shell.faultsOf(examples)).join("\n\n")).toBe("");
}, 120_000);

test("every block of the README is an example that is run, or names scripts of the project that are there to run", () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: object };
  const launcher = readFileSync(join(ROOT, "src", "launch.mjs"), "utf8");
  const blocks = [...README.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(([, kind, text = ""]) => ({ kind, text }));
  expect(README.match(/^```/gm)?.length).toBe(2 * blocks.length);
  const examples = blocks.filter(({ kind }) => kind === "console");
  for (const { text } of examples) expect(text).toStartWith("$ ");
  const lines = blocks.filter(({ kind }) => kind !== "console").flatMap(({ text }) => text.trimEnd().split("\n"));
  const strangers = lines.filter((line) => {
    const [, script = ""] = /^npm (?:run )?(\S+) /.exec(line) ?? [];
    const [, ...path] =
      new RegExp(`\\b"?${RegExp.escape(script)}"?: \\(args\\).*?join\\(ROOT, ([^)]*)\\)`, "s").exec(launcher) ?? [];
    const file = path[0]?.split(", ").map((part) => part.replaceAll('"', "")) ?? [];
    return !Object.hasOwn(scripts, script) || (script !== "format" && !existsSync(join(ROOT, ...file)));
  });
  expect(strangers).toEqual([]);
});

test("the README begins with the two commands and names every exit status and script", () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: object };
  expect(README).toMatch(/^# gsv\n\n```sh\nnpm start\b.*\nnpm test\b/);
  for (const status of [0, 1, 2, 3, 4, 5, 6, 75, 78, 124, 130, 137, 141, 143]) {
    expect(README).toMatch(new RegExp(`^\\| .*\\b${status}\\b`, "m"));
  }
  for (const script of Object.keys(scripts)) expect(README).toMatch(new RegExp(`npm (?:run )?${script}\\b`));
});

// After a wanted change: UPDATE_GOLDEN=1 bun test ./test/readme.test.ts
test("the README's table of commands holds every command that is declared, as it is declared, and no other", async () => {
  const path = join(ROOT, "README.md");
  const commands = await allCommands(COMMANDS);
  const wanted = tableOf([
    ["command", "does"],
    ...commands.map(({ name, summary }) => [`\`gsv ${name}\``, summary] as const),
  ]);
  const [, before = "", table = "", after = ""] =
    /^(.*^## Commands\n.*?\n\n)(\|.*?\n)(\n<\/details>\n.*)$/ms.exec(README) ?? [];
  if (process.env.UPDATE_GOLDEN) writeFileSync(path, before + wanted + after);
  else expect(table).toBe(wanted);
});

function tableOf(rows: readonly (readonly [left: string, right: string])[]): string {
  const widths = [0, 1].map((at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const lines = rows.map((row) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`);
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return `${[lines[0], rule, ...lines.slice(1)].join("\n")}\n`;
}

test("the comparison finds a wrong line, a missing one and one too many, and lets … be anything", () => {
  expect(mismatch(["a…c", "…", "end"], "abc\nx\ny\nend\n")).toBeNull();
  expect(mismatch(["a.c"], "abc\n")).not.toBeNull();
  expect(mismatch(["a", "b"], "a\n")).not.toBeNull();
  expect(mismatch(["a"], "a\nb\n")).not.toBeNull();
  expect(mismatch([], "")).toBeNull();
});
