// No source breaks the rules of words.ts; samples show that each rule can fail.

import { expect, test } from "bun:test";
import { PRODUCT, ROOT, readTree, sampleTree } from "./tree.ts";
import { wordOffences } from "./words.ts";

test("no source is unfinished, bypasses an injected dependency or names one person's computer", () => {
  expect(wordOffences(readTree([...PRODUCT, "test"]))).toEqual([]);
});

test("the top level has the known files and folders, and no stray file", () => {
  const { stdout } = Bun.spawnSync(["git", "ls-files"], { cwd: ROOT, env: { PATH: process.env.PATH ?? "" } });
  const top = new Set(
    stdout
      .toString()
      .trimEnd()
      .split("\n")
      .map((path) => path.split("/")[0] ?? ""),
  );
  expect([...top].filter((name) => !name.startsWith(".")).sort()).toEqual(
    "LICENSE README.md biome.json bun.lock bunfig.toml commands fs package.json src test tsconfig.json tui".split(" "),
  );
});

const BAD: { readonly [path: string]: string } = {
  "src/kernel/mark.ts": "// TODO later\nexport {};",
  "commands/barrel.ts": 'export * from "./a.ts";',
  "test/mock.test.ts": 'mock.module("x", () => ({}));',
  "src/kernel/machine.ts": 'const root = "/work/main";',
  "src/kernel/clock.ts": "const at = Date.now();",
  "fs/timer.ts": "setTimeout(() => {}, 5);",
  "src/kernel/today.ts": "const at = new Date();",
  "src/process/dice.ts": "const n = Math.random();",
  "src/process/ids.ts": "const id = crypto.randomUUID();",
  "commands/env.ts": "const home = process.env.HOME;",
  "commands/leave.ts": "process.exit(1);",
  "src/rpc/status.ts": "process.exitCode = 2;",
  "src/kernel/run.ts": 'Bun.spawn(["ls"], { env: {} });',
  "src/kernel/child.ts": 'import { spawn } from "node:child_process";\nspawn("ls");',
  "src/boot/boot.ts": 'Bun.spawn(["ls"], { stdin: "ignore" });',
  "src/kernel/web.ts": 'await fetch("https://example.org");',
  "src/store/kernel/late.ts": 'db.write("full", async () => {});',
  "src/kernel/names.ts": "const name = error.constructor.name;",
  "src/kernel/index.ts": "",
};

for (const [path, text] of Object.entries(BAD)) {
  test(`an offence is found in ${path}: ${text.split("\n")[0] || "the name of the file"}`, () => {
    expect(wordOffences(sampleTree({ [path]: text }))).toHaveLength(1);
  });
}

test("comments, the owning files and similar words break no rule", () => {
  const tree = sampleTree({
    "src/kernel/a.ts":
      "// process.env is read in main, Date.now() in the clock\nexport const prefetch = (refetch: () => void) => refetch();",
    "src/lib/clock.ts": "export const now = () => Date.now();",
    "src/main.ts": "process.exitCode = process.argv.length + crypto.getRandomValues(new Uint8Array(4)).length;",
    "src/boot/boot.ts": 'Bun.spawn(["ls"], { env: {} });',
    "src/providers/a.ts": 'await fetch("http://127.0.0.1");',
    "commands/a.ts": "await io.stdout.write(await text());",
    "test/a.test.ts": "await Bun.sleep(1);\nprocess.env.HOME;",
    "src/kernel/b.ts": 'export const at = new Date(0);\nport.fetch();\nsend({ name: "process.exit" });',
  });
  expect(wordOffences(tree)).toEqual([]);
});
