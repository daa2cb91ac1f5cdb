// A home's versions: one commit a write with its author, readable by any git, none lost or made twice.

import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Commit, RepoDiff, RepoView } from "../../src/abi/repo.ts";
import type { Sys } from "../../src/abi/sys.ts";
import type { Changed } from "../../src/syscalls/repo/repo-service.ts";
import { plainGit } from "../support/git.ts";
import { INIT, TestKernel } from "../support/kernel.ts";

const FILE = "~/knowledge/10-style.md";
const write = (sys: Sys, path: string, content: string) => sys.call("fs.write", { path, content });
const commits = async (sys: Sys, args: object = {}) =>
  (await sys.call<{ commits: Commit[] }>("repo.log", args)).commits;
const tree = (home: TestKernel, owner = "sam") => join(home.paths.reposDir, owner, "home");

describe("a write to versioned files", () => {
  test("is one commit with its author, and a plain git agrees", async () => {
    await using home = await TestKernel.boot();
    await write(home.sys, FILE, "Be brief.\n");
    await (await home.insideOf(INIT)).call("fs.edit", { path: FILE, oldString: "brief", newString: "kind" });
    await home.sys.call("fs.write", { path: FILE, content: "Be kind.\n" });
    const [second, first, ...others] = await commits(home.sys);
    expect(others).toEqual([]);
    expect([first?.author, first?.email, first?.subject]).toEqual(["sam", "sam@gsv", "write knowledge/10-style.md"]);
    expect([second?.author, second?.email]).toEqual(["friday", "friday@gsv"]);
    const log = plainGit(tree(home), "log", "--format=%H %an").trim().split("\n");
    expect(log).toEqual([`${second?.id} friday`, `${first?.id} sam`]);
    expect(plainGit(tree(home), "status", "--porcelain")).toBe("");
    expect(readFileSync(join(tree(home), "knowledge/10-style.md"), "utf8")).toBe("Be kind.\n");
  });

  test("replaces a repository that a dying kernel left half created", async () => {
    await using home = await TestKernel.boot();
    mkdirSync(join(tree(home), ".git/objects"), { recursive: true });
    writeFileSync(join(tree(home), ".git/HEAD.new"), "ref: re");
    await write(home.sys, FILE, "Be brief.\n");
    expect(await commits(home.sys)).toHaveLength(1);
    expect(plainGit(tree(home), "fsck", "--strict", "--no-dangling")).toBe("");
  });

  test("can be cloned, read at older versions, and restored", async () => {
    await using home = await TestKernel.boot();
    await write(home.sys, FILE, "one\n");
    await write(home.sys, FILE, "two\n");
    plainGit(home.directory, "clone", "-q", tree(home), "copy");
    expect(readFileSync(join(home.directory, "copy/knowledge/10-style.md"), "utf8")).toBe("two\n");
    const path = "knowledge/10-style.md";
    const old = await home.sys.call<RepoView>("repo.read", { path, ref: "HEAD~1" });
    expect(old).toMatchObject({ kind: "file", content: "one\n" });
    const diff = await home.sys.call<RepoDiff>("repo.diff", {});
    expect(diff.files).toEqual([{ path, added: 1, removed: 1 }]);
    expect(diff.text).toContain("-one\n+two");
    const back = await home.sys.call<Changed>("repo.restore", { path });
    expect(back).toMatchObject({ repo: "sam/home", changed: true });
    expect(readFileSync(join(tree(home), path), "utf8")).toBe("one\n");
    expect(await home.sys.call("repo.restore", { path, ref: "HEAD" })).toMatchObject({ changed: false });
    expect(plainGit(tree(home), "status", "--porcelain")).toBe("");
    expect(plainGit(tree(home), "fsck", "--strict", "--no-dangling")).toBe("");
  });

  test("with a name that git or a shell would interpret keeps that name", async () => {
    await using home = await TestKernel.boot();
    const names = ["-rf", ":(top)x", "a*b", "ü ñ", "'quoted\"", "tab\there", "HEAD", "x".repeat(200)];
    for (const name of names) await write(home.sys, `~/knowledge/${name}`, name);
    const listed = plainGit(tree(home), "ls-tree", "-r", "-z", "--name-only", "HEAD").split("\0");
    expect(listed.filter((each) => each !== "").sort()).toEqual(names.map((name) => `knowledge/${name}`).sort());
    expect(await commits(home.sys)).toHaveLength(names.length);
    for (const name of names) await home.sys.call("fs.delete", { path: `~/knowledge/${name}` });
    expect(plainGit(tree(home), "ls-tree", "-r", "--name-only", "HEAD")).toBe("");
  });

  test("of many at once makes a commit each, for each writer", async () => {
    await using home = await TestKernel.boot();
    const inside = await home.insideOf(INIT);
    await Promise.all(
      Array.from({ length: 12 }, (_, at) => write(at % 2 === 0 ? home.sys : inside, `~/knowledge/${at}.md`, `${at}`)),
    );
    const authors = (await commits(home.sys)).map(({ author }) => author);
    expect(authors.filter((each) => each === "sam")).toHaveLength(6);
    expect(authors.filter((each) => each === "friday")).toHaveLength(6);
  });

  test("waits for another git, and changes nothing if that never ends", async () => {
    await using home = await TestKernel.boot();
    await write(home.sys, FILE, "before\n");
    const lock = join(tree(home), ".git/index.lock");
    writeFileSync(lock, "");
    const refused = home.refusal("fs.write", { path: FILE, content: "after\n" });
    let over = false;
    void refused.then(() => {
      over = true;
    });
    await home.until("the write gives up", async () => {
      await home.clock.advance(100);
      return over;
    });
    expect((await refused).code).toBe("EAGAIN");
    expect(await home.sys.call("fs.read", { path: FILE })).toMatchObject({ content: "before" });
    rmSync(lock);
    await write(home.sys, FILE, "after\n");
    expect(await commits(home.sys)).toHaveLength(2);
  });
});

describe("a lock that a killed git left", () => {
  const LOCKS = ["index.lock", "HEAD.lock", "refs/heads/main.lock"];
  const leave = (home: TestKernel) => {
    for (const name of LOCKS) {
      const path = join(tree(home), ".git", name);
      writeFileSync(path, "");
      utimesSync(path, 1, 1);
    }
  };
  const told = (home: TestKernel) => home.faults.splice(0).filter((line) => line.includes(".lock was abandoned"));

  test("is removed by the first write of the next kernel, which reports it", async () => {
    await using home = await TestKernel.boot();
    await write(home.sys, FILE, "one\n");
    await home.kernel.close();
    leave(home);
    await home.start();
    await write(home.sys, FILE, "two\n");
    expect(await commits(home.sys)).toHaveLength(2);
    expect(told(home)).toHaveLength(LOCKS.length);
  });

  test("does not stop a running kernel", async () => {
    await using home = await TestKernel.boot();
    await write(home.sys, FILE, "one\n");
    leave(home);
    await write(home.sys, FILE, "two\n");
    expect(await commits(home.sys)).toHaveLength(2);
    expect(told(home)).toHaveLength(LOCKS.length);
  });

  test("stays while a git works there, however long that takes", async () => {
    await using home = await TestKernel.boot();
    await write(home.sys, FILE, "one\n");
    leave(home);
    const env = { PATH: process.env.PATH ?? "" };
    const person = Bun.spawn(["git", "hash-object", "--stdin"], {
      cwd: tree(home),
      env,
      stdin: "pipe",
      stdout: "ignore",
    });
    try {
      let over = false;
      const refused = home.refusal("fs.write", { path: FILE, content: "two\n" });
      void refused.then(() => {
        over = true;
      });
      await home.until("the write gives up", async () => {
        await home.clock.advance(100);
        return over;
      });
      expect((await refused).code).toBe("EAGAIN");
    } finally {
      await person.stdin.end();
      await person.exited;
    }
    await write(home.sys, FILE, "two\n");
    told(home);
  });
});

test("no write happens while HEAD is not on main, reads continue, and writes work again after", async () => {
  await using home = await TestKernel.boot();
  await write(home.sys, FILE, "one\n");
  for (const away of [["--detach"], ["-c", "mine"]]) {
    plainGit(tree(home), "switch", "-q", ...away);
    const said = await home.refusal("fs.write", { path: FILE, content: "lost\n" });
    expect(`${said.code} ${said.message}`).toMatch(/^EAGAIN .*HEAD of .* is not on main/);
    const changes = { ops: [{ put: "knowledge/x.md", content: "x" }] };
    expect((await home.refusal("repo.apply", { message: "x", changes })).code).toBe("EAGAIN");
    expect(await home.sys.call("fs.read", { path: FILE })).toMatchObject({ content: "one" });
    expect(await commits(home.sys)).toHaveLength(1);
    plainGit(tree(home), "switch", "-q", "main");
  }
  await write(home.sys, FILE, "two\n");
  expect(plainGit(tree(home), "show", "main:knowledge/10-style.md")).toBe("two\n");
});

describe("a repository that is damaged", () => {
  test("is reported as damaged, not as empty, and no write is based on it", async () => {
    await using home = await TestKernel.boot();
    await write(home.sys, FILE, "one\n");
    await home.sys.call("repo.create", { name: "notes" });
    const changes = { ops: [{ put: "a.md", content: "a" }] };
    await home.sys.call("repo.apply", { repo: "notes", message: "x", changes });
    for (const [repo, gitDir] of [
      ["home", join(tree(home), ".git")],
      ["notes", join(home.paths.reposDir, "sam/notes.git")],
    ] as const) {
      const ref = join(gitDir, "refs/heads/main");
      const commit = readFileSync(ref, "utf8");
      for (const broken of ["", "\0".repeat(41), `${"1".repeat(40)}\n`, "ref: refs/heads/../x"]) {
        writeFileSync(ref, broken);
        const said = await home.refusal("repo.log", { repo });
        expect(`${said.code} ${said.message}`).toMatch(/^EIO the repository in .* is damaged: /);
        const apply = { repo, message: "x", changes: { ops: [{ put: "knowledge/b.md", content: "b" }] } };
        expect((await home.refusal("repo.apply", apply)).code).toBe("EIO");
        expect(readFileSync(ref, "utf8")).toBe(broken);
      }
      writeFileSync(ref, commit);
      expect(await commits(home.sys, { repo })).toHaveLength(1);
    }
  });

  test("only in its index is repaired by the next write, running or after a start", async () => {
    await using home = await TestKernel.boot();
    await write(home.sys, "~/knowledge/a.md", "a\n");
    await write(home.sys, FILE, "one\n");
    for (const [at, broken] of ["nonsense", "DIRC\0\0\0\u0002".padEnd(64, "x"), ""].entries()) {
      writeFileSync(join(tree(home), ".git/index"), broken);
      if (at === 0) {
        await home.kernel.close();
        await home.start();
      }
      await write(home.sys, FILE, `${at}\n`);
      expect(home.faults.splice(0).join()).toContain("index was damaged: rebuilt");
    }
    expect(await commits(home.sys)).toHaveLength(5);
    expect(plainGit(tree(home), "ls-files")).toBe("knowledge/10-style.md\nknowledge/a.md\n");
    expect(plainGit(tree(home), "status", "--porcelain")).toBe("");
  });
});

test("the next write first commits edits made without a kernel, as the account's own", async () => {
  await using home = await TestKernel.boot();
  await write(home.sys, FILE, "one\n");
  await home.kernel.close();
  writeFileSync(join(tree(home), "knowledge/10-style.md"), "edited\n");
  mkdirSync(join(tree(home), "knowledge/trips"), { recursive: true });
  writeFileSync(join(tree(home), "knowledge/trips/rome.md"), "# Rome\n");
  for (const path of ["knowledge/10-style.md", "knowledge/trips/rome.md"]) utimesSync(join(tree(home), path), 1, 1);
  writeFileSync(join(tree(home), "knowledge/.10-style.md.swp"), "an editor's own");
  await home.start();
  await (await home.insideOf(INIT)).call("fs.write", { path: "~/knowledge/a.md", content: "a" });
  const log = await commits(home.sys);
  expect(log.map(({ author, subject }) => `${author}: ${subject}`)).toEqual([
    "friday: write knowledge/a.md",
    "sam: edit 2 files",
    "sam: write knowledge/10-style.md",
  ]);
});

test("the first commit of a home has all its content from before", async () => {
  await using home = await TestKernel.boot();
  const about = { uid: 1000, gid: 1000, mtimeMs: 0, symlink: null, dirmarker: false };
  const put = (key: string, text: string) =>
    home.stores.objects.put({ key, ...about, mode: 0o660, type: "text/markdown" }, Buffer.from(text));
  const directory = { key: "home/sam/context.d/.dir", ...about, mode: 0o2770, type: "application/x-directory" };
  await home.stores.objects.put({ ...directory, dirmarker: true }, new Uint8Array());
  await put("home/sam/context.d/old.md", "old\n");
  await put("home/sam/context.d/deep/er.md", "deep\n");
  expect(await home.sys.call("fs.read", { path: "~/context.d/old.md" })).toMatchObject({ content: "old" });
  await write(home.sys, "~/context.d/new.md", "new\n");
  for (const [path, content] of [
    ["~/context.d/old.md", "old"],
    ["~/context.d/deep/er.md", "deep"],
    ["~/context.d/new.md", "new"],
  ])
    expect(await home.sys.call("fs.read", { path })).toMatchObject({ content });
  expect((await commits(home.sys)).map(({ subject }) => subject)).toEqual([
    "write context.d/new.md",
    "bring in context.d",
  ]);
  expect(await home.stores.objects.page("home/sam/context.d", null, 9)).toEqual([]);
});
