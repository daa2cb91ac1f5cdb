// What a command in the sandbox may write of a git repository: nothing, commits, or everything. A hook or a program in the settings would
// run later as the person, outside of the sandbox.

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type GitWrites, gitGuard, NO_GUARD } from "../../src/targets/git-guard.ts";
import { Placeholders } from "../../src/targets/git-placeholders.ts";
import { BASH } from "../../src/targets/leader.ts";
import { CONFINED, machineSandbox } from "../support/sandbox.ts";
import { scratchDirectory } from "../support/scratch.ts";

const scratch = scratchDirectory("git-guard");
const work = join(scratch, "work");
const env = { PATH: process.env.PATH ?? "", HOME: scratch, GIT_CONFIG_NOSYSTEM: "1" };
const git = (...words: string[]) =>
  Bun.spawnSync(["git", "-c", "user.name=sam", "-c", "user.email=sam@example.com", ...words], { cwd: work, env });
beforeEach(() => {
  rmSync(work, { recursive: true, force: true });
  mkdirSync(join(work, "library"), { recursive: true });
  for (const place of [".", "library"]) git("init", "-q", place);
  writeFileSync(join(work, "a.txt"), "a\n");
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test("without git, .git is read-only, also of repositories in the directory", () => {
  expect(gitGuard(work, "nothing")).toEqual({
    held: [],
    readOnly: [join(work, ".git"), join(work, "library/.git")],
    placeholders: [],
  });
});

test("a git command may commit, and cannot write settings and hooks or replace .git", () => {
  const { held, readOnly } = gitGuard(work, "commits");
  for (const name of [".git", "library/.git", ".git/info"]) expect(held).toContain(join(work, name));
  for (const name of [".git/hooks", ".git/config", "library/.git/config", ".git/commondir"])
    expect(readOnly).toContain(join(work, name));
});

test("nothing is guarded where git's settings are granted", () => {
  expect(gitGuard(work, "everything")).toEqual(NO_GUARD);
});

test("settings outside of .git that the settings include are read-only", () => {
  writeFileSync(join(work, "shared.gitconfig"), "");
  git("config", "include.path", "../shared.gitconfig");
  for (const writes of ["nothing", "commits"] as const)
    expect(gitGuard(work, writes).readOnly).toContain(join(work, "shared.gitconfig"));
});

test("a directory without a repository gets an empty .git while commands run; one inside a repository does not", () => {
  rmSync(join(work, ".git"), { recursive: true });
  const path = join(work, ".git");
  expect(gitGuard(work, "nothing").placeholders).toEqual([{ path, text: null }]);
  const uses = new Placeholders();
  const [first, second] = [uses.place(gitGuard(work, "nothing")), uses.place(gitGuard(work, "nothing"))];
  expect([first.guard.readOnly, second.guard.readOnly].map((each) => each.includes(path))).toEqual([true, true]);
  first.release();
  expect(existsSync(path)).toBe(true);
  second.release();
  expect(existsSync(path)).toBe(false);
  git("init", "-q", ".");
  expect(gitGuard(join(work, "library"), "nothing").placeholders).toEqual([]);
});

test("the stand-ins for absent settings change nothing for git, and go away", () => {
  const before = readdirSync(join(work, ".git")).sort();
  const { release } = new Placeholders().place(gitGuard(work, "commits"));
  expect(existsSync(join(work, ".git/commondir"))).toBe(true);
  for (const words of [
    ["status", "--short"],
    ["add", "a.txt"],
    ["commit", "-qm", "first"],
    ["worktree", "list"],
    ["gc", "-q"],
  ])
    expect([words, git(...words).exitCode]).toEqual([words, 0]);
  release();
  const added = readdirSync(join(work, ".git")).filter((name) => !before.includes(name));
  expect(added.filter((name) => /^(?:co|wo|mo)/.test(name))).toEqual([]);
  expect(git("log", "--format=%s").stdout.toString()).toBe("first\n");
});

test("the .git file of a linked worktree is read-only", () => {
  rmSync(join(work, ".git"), { recursive: true });
  writeFileSync(join(work, ".git"), "gitdir: /elsewhere/.git/worktrees/work\n");
  for (const writes of ["nothing", "commits"] as const)
    expect(gitGuard(work, writes).readOnly).toContain(join(work, ".git"));
});

const real = await machineSandbox();

describe.skipIf(real?.name !== "bwrap")("in the sandbox", () => {
  const tried = (script: string, writes: GitWrites) => {
    const { guard, release } = new Placeholders().place(gitGuard(work, writes));
    const place = { ...CONFINED, terminal: true, directory: work, git: guard };
    const argv = real!.wrap([BASH, "--noprofile", "--norc", "-c", script], place);
    const { exitCode, stderr } = Bun.spawnSync([...argv], { cwd: work, env });
    release();
    return { exitCode, stderr: stderr.toString() };
  };
  const COMMIT = "git -c user.name=sam -c user.email=sam@example.com commit -q -m first";

  test("a git command commits, and its settings and hooks stay", () => {
    expect(tried(`git add a.txt && ${COMMIT}`, "commits")).toEqual({ exitCode: 0, stderr: expect.any(String) });
    expect(git("log", "--format=%s").stdout.toString()).toBe("first\n");
    const steps = [
      ...["echo x > .git/hooks/pre-commit", "cp a.txt .git/hooks/post-commit", "mv .git/hooks .git/h"],
      ...["git config core.fsmonitor /tmp/x", "echo '[core]' >> .git/config", "mv a.txt .git/config", "rm .git/config"],
      ...["echo ../.. > .git/commondir", "rm .git/commondir", "mkdir .git/worktrees/x", "mkdir .git/modules/x"],
      ...["echo x > .git/config.worktree", "echo '* filter=x' > .git/info/attributes", "mv .git/info .git/i"],
      ...["echo /tmp/objects > .git/objects/info/alternates", "mv .git/objects/info .git/o", "mv .git/objects .git/o"],
      ...["mv .git other", "rm -rf .git", "mv library/.git other", "echo x > library/.git/hooks/update"],
    ];
    for (const step of steps) expect([step, tried(step, "commits").exitCode === 0]).toEqual([step, false]);
    expect(existsSync(join(work, ".git/hooks/pre-commit"))).toBe(false);
    expect(existsSync(join(work, ".git/commondir"))).toBe(false);
    expect(git("config", "core.fsmonitor").stdout.toString()).toBe("");
  });

  test("another command reads the repository, and writes nothing of it", () => {
    git("add", "a.txt");
    expect(tried("git status && git diff --cached --stat", "nothing")).toMatchObject({ exitCode: 0 });
    for (const step of [
      "git add a.txt b",
      `git add a.txt && ${COMMIT}`,
      "echo ../.. > .git/commondir",
      "rm .git/index",
    ])
      expect([step, tried(step, "nothing").exitCode === 0]).toEqual([step, false]);
  });

  test("without a repository no command creates one, with hooks or settings", () => {
    rmSync(join(work, ".git"), { recursive: true });
    const steps = [
      ...["mkdir -p .git/hooks", "git init -q .", "mv library/.git .git", "mv library other && mv other/.git .git"],
      ...["echo 'gitdir: library/.git' > .git", "ln -s library/.git .git", "rmdir .git"],
    ];
    for (const writes of ["nothing", "commits"] as const)
      for (const step of steps) expect([step, tried(step, writes).exitCode === 0]).toEqual([step, false]);
    expect(existsSync(join(work, ".git"))).toBe(false);
    expect(tried("echo x > b && mkdir -p c/d", "nothing").exitCode).toBe(0);
    expect(tried("git init -q . && git add a.txt", "everything").exitCode).toBe(0);
    expect(existsSync(join(work, ".git/index"))).toBe(true);
  });

  test("git's settings are written where they are granted", () => {
    expect(tried("git config core.editor vi && echo x > .git/hooks/pre-commit", "everything").exitCode).toBe(0);
    expect(git("config", "core.editor").stdout.toString()).toBe("vi\n");
  });
});
