// A repository that tries to run programs on every occasion: nothing runs and nothing leads out, whatever gsv does with it.

import { expect, test } from "bun:test";
import { lstatSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { plainGit } from "../support/git.ts";
import { HostileRepo } from "../support/hostile-repo.ts";
import { INIT, TestKernel } from "../support/kernel.ts";

const READS: readonly (readonly [call: string, args: object])[] = [
  ["repo.refs", {}],
  ["repo.read", {}],
  ["repo.read", { path: "knowledge/a.md" }],
  ["repo.read", { path: "knowledge/outside.md" }],
  ["repo.search", { query: "a" }],
  ["repo.log", {}],
  ["repo.show", {}],
  ["repo.diff", {}],
  ["repo.compare", { base: "HEAD" }],
];

test("the fixture works: a careless git runs its programs", async () => {
  await using home = await TestKernel.boot();
  const hostile = new HostileRepo(home.directory);
  utimesSync(join(hostile.directory, "a.md"), 1, 1);
  for (const args of [["status"], ["diff"], ["add", "a.md"], ["log", "-p", "--ext-diff"], ["checkout", "-b", "x"]]) {
    try {
      plainGit(hostile.directory, ...args);
    } catch {} // its programs fail as well
  }
  expect(hostile.ran().sort()).toEqual(
    expect.arrayContaining(["included-fsmonitor", "included-process", "reference-transaction"]),
  );
});

test("none of its programs runs during import, reads, changes, following and deletion", async () => {
  await using home = await TestKernel.boot();
  const hostile = new HostileRepo(home.directory);
  const repo = "evil";
  for (const remote of [hostile.directory, `file://${hostile.bare}`]) {
    await home.sys.call("repo.import", { remote, repo });
    for (const [call, args] of READS) await home.sys.call(call, { repo, ...args });
    const changes = { ops: [{ put: "knowledge/a.md", content: "changed" }, { delete: "a.md" }] };
    await home.sys.call("repo.apply", { repo, message: "change", changes });
    await home.sys.call("repo.restore", { repo, path: "a.md" });
    await home.sys.call("repo.import", { remote, repo });
    await home.sys.call("repo.sync", { remote: hostile.bare, repo }).catch(() => undefined);
    await home.sys.call("repo.delete", { repo, force: true });
  }
  expect(hostile.ran()).toEqual([]);
});

test("as the remote of a home it only brings plain files, and none of its programs runs on either side", async () => {
  await using home = await TestKernel.boot();
  const hostile = new HostileRepo(home.directory);
  await home.sys.call("repo.sync", { remote: hostile.bare });
  const tree = join(home.paths.reposDir, "sam/home");
  expect(lstatSync(join(tree, "knowledge/outside.md")).isFile()).toBe(true);
  expect(await home.sys.call("fs.read", { path: "~/knowledge/outside.md" })).toMatchObject({
    content: hostile.outside,
  });
  await home.sys.call("fs.write", { path: "~/knowledge/a.md", content: "changed\n" });
  await (await home.insideOf(INIT)).call("fs.write", { path: "~/knowledge/b.md", content: "new\n" });
  await home.sys.call("repo.restore", { path: "knowledge/a.md", ref: "HEAD~2" });
  expect(await home.sys.call("repo.sync", { remote: hostile.bare })).toMatchObject({ pushed: 3 });
  await home.refusal("repo.sync", { remote: hostile.directory });
  for (const [call, args] of READS) await home.sys.call(call, args);
  expect(plainGit(hostile.bare, "log", "--format=%an", "-3", "main").trim().split("\n")).toEqual([
    "sam",
    "friday",
    "sam",
  ]);
  expect(hostile.ran()).toEqual([]);
});

test("unpacked into a home by hand, it is not versioned, runs nothing and leads nowhere; other files keep working", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("fs.write", { path: "~/knowledge/own.md", content: "own\n" });
  await home.kernel.close();
  const hostile = new HostileRepo(home.directory);
  const tree = join(home.paths.reposDir, "sam/home");
  hostile.copyTo(join(tree, "knowledge/unpacked"));
  writeFileSync(join(tree, "knowledge/.gitattributes"), "* filter=evil working-tree-encoding=UTF-16\n");
  writeFileSync(join(tree, "knowledge/.gitignore"), "*.log\n");
  for (const path of ["knowledge/.gitattributes", "knowledge/.gitignore"]) utimesSync(join(tree, path), 1, 1);
  await home.start();
  await home.sys.call("fs.write", { path: "~/knowledge/own.md", content: "ours\n" });
  await home.sys.call("fs.write", { path: "~/knowledge/unpacked/new.md", content: "new\n" });
  expect(plainGit(tree, "show", "HEAD~1:knowledge/own.md")).toBe("ours\n");
  expect(plainGit(tree, "ls-tree", "-r", "--name-only", "HEAD").trim().split("\n").sort()).toEqual([
    "knowledge/.gitattributes",
    "knowledge/.gitignore",
    "knowledge/own.md",
    "knowledge/unpacked/new.md",
  ]);
  // Links are gsv's own: outside of it they are dangling.
  for (const path of ["outside.md", "up/outside.md", "up/etc/hostname", ".git/config", ".git"])
    expect((await home.refusal("fs.read", { path: `~/knowledge/unpacked/knowledge/${path}` })).code).toMatch(
      /^(?:ENOENT|EACCES|ELOOP)$/,
    );
  expect((await home.refusal("fs.read", { path: "~/knowledge/unpacked/.git/config" })).code).toBe("ENOENT");
  for (const name of [".git", ".GIT", ".Git", "git~1", ".git.", ".g\u200cit"]) {
    const path = `~/knowledge/x/${name}/config`;
    expect((await home.refusal("fs.write", { path, content: "x" })).code).toBe("EPERM");
  }
  expect(hostile.ran()).toEqual([]);
});
