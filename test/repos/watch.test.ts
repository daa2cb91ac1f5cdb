// Edits that a person makes outside of gsv, with any editor: noticed, committed as theirs once, never half.

import { expect, test } from "bun:test";
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Commit } from "../../src/abi/repo.ts";
import { plainGit } from "../support/git.ts";
import { TestKernel } from "../support/kernel.ts";

/** A home with a watched tree. */
async function watched(): Promise<{ home: TestKernel; tree: string; log: () => Promise<string[]> }> {
  const home = await TestKernel.boot();
  await home.sys.call("fs.write", { path: "~/context.d/10-style.md", content: "one\n" });
  const log = async () =>
    (await home.sys.call<{ commits: Commit[] }>("repo.log", {})).commits.map(
      ({ author, subject }) => `${author}: ${subject}`,
    );
  return { home, tree: join(home.paths.reposDir, "sam/home"), log };
}

test("edits in place, by rename, of new files and directories, and removals are commits of the account", async () => {
  const { home, tree, log } = await watched();
  await using _ = home;
  const file = join(tree, "context.d/10-style.md");
  const steps: readonly (readonly [string, () => void])[] = [
    ["sam: edit context.d/10-style.md", () => writeFileSync(file, "two\n")],
    [
      "sam: edit context.d/20-new.md",
      () => {
        writeFileSync(join(tree, "context.d/.20-new.md.swp"), "three\n");
        renameSync(join(tree, "context.d/.20-new.md.swp"), join(tree, "context.d/20-new.md"));
      },
    ],
    [
      "sam: edit knowledge/trips/rome.md",
      () => {
        mkdirSync(join(tree, "knowledge/trips"), { recursive: true });
        writeFileSync(join(tree, "knowledge/trips/rome.md"), "# Rome\n");
      },
    ],
    ["sam: edit context.d/20-new.md", () => rmSync(join(tree, "context.d/20-new.md"))],
  ];
  for (const [wanted, edit] of steps) {
    const before = (await log()).length;
    edit();
    await home.until(wanted, async () => {
      await home.clock.advance(50);
      return (await log()).length > before;
    });
    expect((await log())[0]).toBe(wanted);
  }
  expect(await log()).toHaveLength(5);
  expect(plainGit(tree, "status", "--porcelain")).toBe("");
});

test("a file written in pieces is committed when it is complete, and gsv's own writes are not committed twice", async () => {
  const { home, tree, log } = await watched();
  await using _ = home;
  mkdirSync(join(tree, "knowledge"), { recursive: true });
  const handle = openSync(join(tree, "knowledge/long.md"), "w");
  for (let piece = 0; piece < 8; piece++) {
    writeSync(handle, `piece ${piece}\n`);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  closeSync(handle);
  await home.sys.call("fs.write", { path: "~/knowledge/own.md", content: "own" });
  await home.until("the edit is committed", async () => {
    await home.clock.advance(50);
    return (await log()).includes("sam: edit knowledge/long.md");
  });
  expect(plainGit(tree, "log", "--format=%s", "--", "knowledge/long.md").trim().split("\n")).toHaveLength(1);
  expect(plainGit(tree, "show", "HEAD:knowledge/long.md")).toBe(readFileSync(join(tree, "knowledge/long.md"), "utf8"));
  expect((await log()).filter((line) => line.includes("own.md"))).toEqual(["sam: write knowledge/own.md"]);
});
