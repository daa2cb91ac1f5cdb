// Commits that gsv writes itself are git's own: any git reads, checks and continues them, also at the same moment.

import { expect, test } from "bun:test";
import { appendFileSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { realClock } from "../../src/lib/clock.ts";
import { findGit, gitAt, programPath } from "../../src/repos/git.ts";
import { VersionedTree } from "../../src/repos/tree.ts";
import { plainGit } from "../support/git.ts";
import { seeded } from "../support/random.ts";
import { scratchDirectory } from "../support/scratch.ts";

const NAMES = ["a.md", "a/b.md", "a/c/d.md", "a-b/x.md", "a.d/y.md", "a/c.md", "z.md", "ä/ö é.md", "b/empty.md"];

test("random changes beside a person's git leave what git itself would have made", async () => {
  const { tree, directory, started } = versioned();
  const { pick, int: below } = seeded(7);
  await write(tree, "z.md", "begin\n");
  const steps = 60;
  for (let step = 0; step < steps; step++) {
    const name = pick(NAMES);
    const place = join(directory, name);
    const kind = below(8);
    if (kind === 0) plainGit(directory, "commit", "-q", "--allow-empty", "-m", "by hand");
    else if (kind === 1) plainGit(directory, "read-tree", "HEAD");
    else if (kind === 2 && existsSync(place)) await change(tree, [name], () => rmSync(place));
    else if (kind === 3)
      plainGit(
        directory,
        ...pick([
          ["gc", "-q"],
          ["pack-refs", "--all"],
          ["update-index", "--really-refresh"],
        ]),
      );
    else await write(tree, name, below(5) === 0 ? "" : `step ${step % 10}\n`);
  }
  expect(plainGit(directory, "fsck", "--strict", "--no-dangling")).toBe("");
  expect(plainGit(directory, "status", "--porcelain")).toBe("");
  expect(plainGit(directory, "write-tree")).toBe(plainGit(directory, "rev-parse", "HEAD^{tree}"));
  const entries = plainGit(directory, "ls-files", "-s");
  rmSync(join(directory, ".git/index"));
  plainGit(directory, "read-tree", "HEAD");
  expect(plainGit(directory, "ls-files", "-s")).toBe(entries);
  const reflog = plainGit(directory, "log", "-g", "--format=%H").trim().split("\n");
  expect(reflog).toEqual(plainGit(directory, "log", "--format=%H").trim().split("\n"));
  expect(started.filter((verb) => verb === "commit").length).toBeLessThan(steps / 2);
}, 60_000);

test("a commit starts no git, and says who made it and why", async () => {
  const { tree, directory, started } = versioned();
  await write(tree, "z.md", "begin\n");
  started.length = 0;
  await write(tree, "a/b.md", "one\n", "task:abc123");
  expect(started).toEqual([]);
  const shown = plainGit(directory, "log", "-1", "--format=%an|%ae|%cn|%B");
  expect(shown.trimEnd()).toBe("sam|sam@gsv|sam|write a/b.md\n\nBy: task:abc123");
  const head = plainGit(directory, "rev-parse", "HEAD");
  await write(tree, "a/b.md", "one\n");
  expect(plainGit(directory, "rev-parse", "HEAD")).toBe(head);
});

test("commits of a person's git at the same time are not lost, and no write is", async () => {
  const { tree, directory } = versioned();
  await write(tree, "z.md", "begin\n");
  const script = `for i in $(seq 40); do until git commit -q --allow-empty -m "hand $i" 2>/dev/null; do :; done; done`;
  const identity = {
    GIT_AUTHOR_NAME: "p",
    GIT_AUTHOR_EMAIL: "p@x",
    GIT_COMMITTER_NAME: "p",
    GIT_COMMITTER_EMAIL: "p@x",
  };
  const env = { PATH: process.env.PATH ?? "", HOME: directory, ...identity };
  const person = Bun.spawn(["sh", "-c", script], { cwd: directory, env });
  let written = 0;
  for (; person.exitCode === null || written < 40; written++) await write(tree, "a/b.md", `${written}\n`);
  const subjects = plainGit(directory, "log", "--format=%s").trim().split("\n");
  expect(subjects.filter((subject) => subject.startsWith("hand "))).toHaveLength(40);
  // A commit of the person may hold a version too: it takes the index as it is.
  const changes = plainGit(directory, "log", "-p", "--unified=0", "--format=", "--", "a/b.md");
  expect(new Set(changes.match(/^\+\d+$/gm)).size).toBe(written);
  expect(plainGit(directory, "status", "--porcelain")).toBe("");
  expect(plainGit(directory, "fsck", "--strict", "--no-dangling")).toBe("");
}, 60_000);

test("a file edited in the second of a commit is still seen as changed", async () => {
  const { tree, directory } = versioned();
  await write(tree, "z.md", "begin\n");
  for (let round = 0; round < 20; round++) {
    await write(tree, "a.md", `A${round % 2}\n`);
    writeFileSync(join(directory, "a.md"), `B${round % 2}\n`);
    await write(tree, "z.md", `${round}\n`);
    expect(plainGit(directory, "status", "--porcelain").trim()).toBe("M a.md");
    plainGit(directory, "checkout", "-q", "a.md");
  }
});

test("what only git can do is left to git", async () => {
  const cases: { readonly [name: string]: (directory: string) => void } = {
    "an index of version 4": (directory) => void plainGit(directory, "update-index", "--index-version", "4"),
    "a hidden entry": (directory) => void plainGit(directory, "update-index", "--assume-unchanged", "z.md"),
    "a split index": (directory) => void plainGit(directory, "update-index", "--split-index"),
    "a setting of core": (directory) => void plainGit(directory, "config", "core.sharedRepository", "group"),
    "a file of settings that is included": (directory) => void plainGit(directory, "config", "include.path", "x"),
    "attributes of the repository": (directory) =>
      appendFileSync(join(directory, ".git/info/attributes"), "*.md ident\n"),
    "a packed branch": (directory) => void plainGit(directory, "pack-refs", "--all"),
    "a packed head": (directory) => void plainGit(directory, "gc", "-q"),
    "a link in the place of the file": (directory) => {
      plainGit(directory, "config", "core.symlinks", "true");
      symlinkSync("z.md", join(directory, "l.md"));
      plainGit(directory, "add", "l.md");
      plainGit(directory, "commit", "-q", "-m", "link");
      renameSync(join(directory, "z.md"), join(directory, "y.md"));
      renameSync(join(directory, "y.md"), join(directory, "z.md"));
    },
  };
  for (const [name, prepare] of Object.entries(cases)) {
    const { tree, directory, started } = versioned();
    await write(tree, "z.md", "begin\n");
    prepare(directory);
    started.length = 0;
    await write(tree, "a/b.md", "one\n");
    expect([name, started.includes("commit")]).toEqual([name, true]);
    expect([name, plainGit(directory, "show", "HEAD:a/b.md")]).toEqual([name, "one\n"]);
    expect([name, plainGit(directory, "fsck", "--strict", "--no-dangling")]).toEqual([name, ""]);
  }
}, 60_000);

function versioned() {
  const directory = join(scratchDirectory("quick"), "home");
  mkdirSync(directory);
  const started: string[] = [];
  const path = programPath(process.env.PATH);
  const git = gitAt(findGit(path) ?? "git", path);
  const tree = new VersionedTree({
    owner: "sam",
    directory,
    tops: null,
    scratch: join(dirname(directory), "scratch"),
    findGit: () => (place, args, call) => {
      started.push(args[0] ?? "");
      return git(place, args, call);
    },
    clock: realClock,
    log: () => {},
    onReady: () => {},
  });
  return { tree, directory, started };
}

function write(tree: VersionedTree, path: string, content: string, by?: string): Promise<void> {
  return change(
    tree,
    [path],
    () => {
      const place = join(tree.directory, path);
      mkdirSync(dirname(place), { recursive: true });
      writeFileSync(place, content);
    },
    by,
  );
}

function change(tree: VersionedTree, paths: readonly string[], work: () => void, by?: string): Promise<void> {
  return tree.change({ author: "sam", message: `write ${paths.join(" ")}`, by }, async () => {
    work();
    return { value: undefined, undo: async () => {}, paths };
  });
}
