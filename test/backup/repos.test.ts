// Repositories are restored from a backup: files, versions and owners, without anything that git would run.

import { expect, test } from "bun:test";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRepoPath } from "../../src/backup/repos.ts";
import { plainGit } from "../support/git.ts";
import { keepingOf } from "../support/keeping.ts";
import { TestKernel } from "../support/kernel.ts";

const log = async (home: TestKernel, repo = "home") =>
  (await home.sys.call<{ commits: { id: string }[] }>("repo.log", { repo })).commits.map(({ id }) => id);

test("a home's files and all versions, loose or packed, and other repositories are restored and keep working", async () => {
  await using home = await TestKernel.boot();
  for (const text of ["one", "two", "three"])
    await home.sys.call("fs.write", { path: "~/context.d/10-a.md", content: `${text}\n` });
  const tree = join(home.paths.reposDir, "sam/home");
  plainGit(tree, "gc", "-q");
  await home.sys.call("fs.write", { path: "~/knowledge/b.md", content: "after packing\n" });
  await home.sys.call("repo.create", { name: "notes" });
  const changes = { ops: [{ put: "a.md", content: "noted" }] };
  await home.sys.call("repo.apply", { repo: "notes", message: "first", changes });
  const before = { home: await log(home), notes: await log(home, "notes") };
  // A file that an attacker would have git run.
  mkdirSync(join(tree, ".git/hooks"), { recursive: true });
  writeFileSync(join(tree, ".git/hooks/pre-commit"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  appendFileSync(join(tree, ".git/config"), "[core]\n\tfsmonitor = /bin/false\n");
  const file = join(home.directory, "all.tar");
  await keepingOf(home.directory, home.clock).backup(file, { force: false });
  await using back = await TestKernel.boot({ restore: file });
  const restored = join(back.paths.reposDir, "sam/home");
  expect(existsSync(join(restored, ".git/hooks"))).toBe(false);
  expect(readFileSync(join(back.paths.reposDir, "friday/home/context.d/00-style.md"), "utf8")).toContain("# Style");
  expect({ home: await log(back), notes: await log(back, "notes") }).toEqual(before);
  expect(await back.sys.call("fs.read", { path: "~/context.d/10-a.md" })).toMatchObject({ content: "three" });
  await back.sys.call("fs.write", { path: "~/context.d/10-a.md", content: "four\n" });
  expect(readFileSync(join(restored, ".git/config"), "utf8")).not.toContain("fsmonitor");
  expect(plainGit(restored, "status", "--porcelain")).toBe("");
  expect(plainGit(restored, "fsck", "--strict", "--no-dangling")).toBe("");
  expect(await log(back)).toHaveLength(before.home.length + 1);
  await back.sys.call("repo.apply", { repo: "notes", message: "second", changes: { ops: [{ delete: "a.md" }] } });
  expect(await log(back, "notes")).toHaveLength(2);
});

test("a workspace is restored with its files, its versions and its owner, and keeps working", async () => {
  await using home = await TestKernel.boot();
  const { id } = await home.sys.call<{ id: string }>("workspace.create", { label: "trip" });
  for (const text of ["one", "two"])
    await home.sys.call("fs.write", { path: `/workspaces/${id}/src/a.md`, content: text });
  const before = await log(home, id);
  const used = (await keepingOf(home.directory, home.clock).usage()).rows.find(({ kind }) => kind === "workspace");
  expect(used).toMatchObject({ name: `sam/${id}` });
  const file = join(home.directory, "all.tar");
  await keepingOf(home.directory, home.clock).backup(file, { force: false });
  await using back = await TestKernel.boot({ restore: file });
  expect(await back.sys.call<object>("workspace.get", { id })).toMatchObject({ label: "trip", owner: "sam" });
  expect(await log(back, id)).toEqual(before);
  expect(await back.sys.call("fs.read", { path: `/workspaces/${id}/src/a.md` })).toMatchObject({ content: "two" });
  await back.sys.call("fs.write", { path: `/workspaces/${id}/src/a.md`, content: "three" });
  expect(await log(back, id)).toHaveLength(before.length + 1);
  expect(plainGit(join(back.paths.reposDir, "sam", id), "status", "--porcelain")).toBe("");
});

test("a restore moves the repositories of the replaced home aside, whether or not the backup has any", async () => {
  await using home = await TestKernel.boot();
  const file = join(home.directory, "empty.tar");
  await keepingOf(home.directory, home.clock).backup(file, { force: false });
  await home.sys.call("fs.write", { path: "~/context.d/10-a.md", content: "of the old home\n" });
  await home.kernel.close();
  const { replaced } = await keepingOf(home.directory, home.clock).restore(file, { force: true });
  expect(existsSync(join(replaced ?? "", "repos/sam/home/context.d/10-a.md"))).toBe(true);
  await home.start();
  expect((await home.refusal("fs.read", { path: "~/context.d/10-a.md" })).code).toBe("ENOENT");
});

test("a file is restored whatever characters its name has", async () => {
  await using home = await TestKernel.boot();
  const names = ["back\\slash.md", "tab\there", "ü ñ", "-rf", "a:b", "'\""];
  for (const name of names) await home.sys.call("fs.write", { path: `~/knowledge/${name}`, content: name });
  const file = join(home.directory, "all.tar");
  await keepingOf(home.directory, home.clock).backup(file, { force: false });
  await using back = await TestKernel.boot({ restore: file });
  for (const name of names)
    expect(await back.sys.call("fs.read", { path: `~/knowledge/${name}` })).toMatchObject({ content: name });
});

test("an unreadable history is listed among the faults, packed or not; a readable one is not", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("fs.write", { path: "~/knowledge/a.md", content: "a" });
  await home.sys.call("repo.create", { name: "empty" });
  const tree = join(home.paths.reposDir, "sam/home");
  const made = async (name: string) =>
    (await keepingOf(home.directory, home.clock).backup(join(home.directory, name), { force: false })).faults;
  expect(await made("loose.tar")).toEqual([]);
  plainGit(tree, "gc", "-q");
  expect(await made("packed.tar")).toEqual([]);
  writeFileSync(join(tree, ".git/refs/heads/main"), "");
  expect(await made("broken.tar")).toEqual(["repository sam/home: refs/heads/main contains no version"]);
  writeFileSync(join(tree, ".git/refs/heads/main"), "1".repeat(40));
  expect(await made("missing.tar")).toEqual(["repository sam/home: commit 1111111111, the commit of HEAD, is missing"]);
});

test("no name in a backup leads out of a tree or to a file that git would run", () => {
  const object = `objects/ab/${"c".repeat(38)}`;
  for (const path of [
    "sam/home/context.d/a.md",
    "sam/home/.git/HEAD",
    `sam/home/.git/${object}`,
    "sam/home/.git/refs/heads/main",
    `sam/notes.git/objects/pack/pack-${"a".repeat(40)}.pack`,
  ])
    expect(`${path} ${isRepoPath(path)}`).toBe(`${path} true`);
  for (const path of [
    "",
    "sam",
    "sam/home",
    "../home/a",
    "sam/home/../../../x",
    "/etc/passwd",
    "sam/home//a",
    "sam/home/./a",
    "sam/home/.git/config",
    "sam/home/.git/hooks/pre-commit",
    "sam/home/.git/info/attributes",
    "sam/home/.git/objects/info/alternates",
    "sam/home/.git/refs/../config",
    "sam/home/.git/refs/heads/main.lock",
    "sam/home/.GIT/config",
    "sam/home/knowledge/x/.git/config",
    "sam/home/knowledge/git~1/config",
    "sam/notes.git/config",
    "sam/notes.git/hooks/update",
    "sam/other/HEAD",
    "sam/.scratch/1",
    "sam/home/a\u0000b",
    "sam/home/.git/refs/heads/a\\b",
    "sam/home/knowledge/a\\.git",
  ])
    expect(`${path} ${isRepoPath(path)}`).toBe(`${path} false`);
});
