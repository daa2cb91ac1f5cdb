// Doctor and fsck on repositories: broken on purpose, found, fixed if that loses nothing.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { plainGit } from "../support/git.ts";
import { Bed } from "../support/patient.ts";

let bed: Bed;
let gitDir = "";

beforeEach(async () => {
  bed = await Bed.make();
  await bed.home.start();
  await bed.home.sys.call("fs.write", { path: "~/knowledge/a.md", content: "a" });
  await bed.rest();
  gitDir = join(bed.paths.reposDir, "sam/home/.git");
});
afterEach(() => bed[Symbol.dispose]());

const look = () => bed.look("repositories");
const fsck = async () => (await bed.fsck()).filter((line) => line.includes("repositories:"));

test("sound ones have no problem in doctor and fsck", async () => {
  for (const found of [await look(), await fsck()])
    expect(found.join()).toMatch(/^ok repositories: \d repositor(?:y|ies): readable$/);
});

test("a stale lock is found, and removed once it is old enough", async () => {
  const lock = join(gitDir, "index.lock");
  writeFileSync(lock, "");
  expect(await look()).toEqual(["notice repositories: git is working in sam/home, or was just killed"]);
  await bed.fix("repositories");
  expect(existsSync(lock)).toBe(true);
  utimesSync(lock, 1, 1);
  expect(await look()).toEqual(["problem repositories: sam/home has a stale lock: index.lock"]);
  const [fixed = "", after = ""] = await bed.fix("repositories");
  expect(fixed).toBe("fixed repositories: removed index.lock of sam/home");
  expect(after).toStartWith("ok ");
  expect(existsSync(lock)).toBe(false);
});

test("a HEAD that is not on main or broken and a broken index are found", async () => {
  plainGit(join(gitDir, ".."), "switch", "-q", "--detach");
  expect(await look()).toEqual(["problem repositories: HEAD of sam/home is not on main: gsv does not write to it"]);
  plainGit(join(gitDir, ".."), "switch", "-q", "main");
  writeFileSync(join(gitDir, "index"), "nonsense");
  expect(await look()).toEqual(["notice repositories: the index of sam/home is damaged"]);
  rmSync(join(gitDir, "index"));
  writeFileSync(join(gitDir, "refs/heads/main"), "");
  for (const found of [await look(), await fsck()])
    expect(found).toEqual(["problem repositories: sam/home is damaged: refs/heads/main contains no version"]);
});

test("a missing older commit is found by fsck only", async () => {
  const [first = ""] = plainGit(join(gitDir, ".."), "rev-list", "--objects", "HEAD", "--", "knowledge/a.md")
    .split("\n")
    .filter((line) => line.endsWith(" knowledge/a.md"));
  const id = first.slice(0, 40);
  expect(readdirSync(join(gitDir, "objects", id.slice(0, 2)))).toContain(id.slice(2));
  rmSync(join(gitDir, "objects", id.slice(0, 2), id.slice(2)));
  expect((await look()).join()).toStartWith("ok ");
  expect((await fsck()).join()).toMatch(/^problem repositories: sam\/home: .*/);
  expect(readFileSync(join(gitDir, "HEAD"), "utf8")).toContain("main");
});
