// A git gc beside gsv's changes: it never deletes the objects of a commit in the making, and gsv waits for a running one.

import { expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { findGit, gitAt } from "../../src/repos/git.ts";
import { HiddenRepository } from "../../src/repos/hidden-repository.ts";
import { FakeClock } from "../support/clock.ts";
import { plainGit } from "../support/git.ts";
import { TestKernel } from "../support/kernel.ts";
import { scratchDirectory } from "../support/scratch.ts";

const FILE = "~/knowledge/10-style.md";

test("git gc --prune=now does not delete objects that are not in a commit yet", async () => {
  const { hidden, gitDir } = await begun();
  const { repository } = hidden;
  await repository.turn(async () => {
    const { text } = await repository.run(["hash-object", "-w", "--stdin"], { stdin: "of the next commit\n" });
    expect(() => plainGit(gitDir, "--git-dir=.", "gc", "-q", "--prune=now")).toThrow(/gc is already running/);
    expect(plainGit(gitDir, "--git-dir=.", "cat-file", "-p", text.trim())).toBe("of the next commit\n");
  });
  expect(plainGit(gitDir, "--git-dir=.", "gc", "-q", "--prune=now")).toBe("");
  expect(readdirSync(gitDir).filter((name) => name.startsWith("gc."))).toEqual([]);
});

test("a write waits for a gc and changes nothing if that never ends; the lock of a dead one does not count", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("fs.write", { path: FILE, content: "before\n" });
  const lock = join(home.paths.reposDir, "sam/home/.git/gc.pid");
  writeFileSync(lock, `${process.ppid} ${hostname()}`);
  expect(await retried(home, home.refusal("fs.write", { path: FILE, content: "after\n" }))).toMatchObject({
    code: "EAGAIN",
  });
  expect(await home.sys.call("fs.read", { path: FILE })).toMatchObject({ content: "before" });
  const dead = Bun.spawnSync(["true"]).pid;
  writeFileSync(lock, `${dead} ${hostname()}`);
  // The watcher of the home may be ahead of this write, and waits for the lock between two tries.
  await retried(home, home.sys.call("fs.write", { path: FILE, content: "after\n" }));
  expect(existsSync(lock)).toBe(false);
});

/** The result of work that tries again after a while: time passes until it is done. */
async function retried<T>(home: TestKernel, work: Promise<T>): Promise<T> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  void work.then(over, over);
  await home.until("the work is done", async () => {
    await home.clock.advance(100);
    return isOver;
  });
  return await work;
}

async function begun() {
  const directory = scratchDirectory("gc");
  const [work, gitDir] = [join(directory, "work"), join(directory, "versions.git")];
  mkdirSync(work, { recursive: true });
  writeFileSync(join(work, "a.txt"), "one\n");
  const path = process.env.PATH ?? "";
  const git = gitAt(findGit(path) ?? "git", path);
  const clock = new FakeClock();
  const open = () => new HiddenRepository({ directory: work, gitDir, findGit: () => git, clock, log: () => {} });
  const hidden = open();
  await hidden.snapshot(null, []);
  return { hidden, gitDir, work, open };
}

test("versions know the modes of all private files, also after a restart", async () => {
  const { hidden, work, open } = await begun();
  const names = ["a", "b", "c"];
  for (const name of names) writeFileSync(join(work, name), name, { mode: 0o600 });
  await hidden.snapshot(null, []);
  const again = open();
  expect(names.map((name) => [hidden.modeOf(name), again.modeOf(name)])).toEqual(names.map(() => [0o600, 0o600]));
  chmodSync(join(work, "b"), 0o644);
  writeFileSync(join(work, "b"), "changed");
  await again.snapshot(null, []);
  expect(names.map((name) => open().modeOf(name))).toEqual([0o600, null, 0o600]);
});
