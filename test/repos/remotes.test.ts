// Remote repositories: new commits come in and go out, conflicts are merged or left alone, and gsv runs and follows nothing
// that a remote contains.

import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RepoView } from "../../src/abi/repo.ts";
import type { Imported, SyncedRepo } from "../../src/syscalls/repo/repo-service.ts";
import { plainGit } from "../support/git.ts";
import { INIT, TestKernel } from "../support/kernel.ts";

const FILE = "~/knowledge/a.md";
const write = (home: TestKernel, path: string, content: string) => home.sys.call("fs.write", { path, content });
const sync = (home: TestKernel, remote: string, more: object = {}) =>
  home.sys.call<SyncedRepo>("repo.sync", { remote, ...more });

/** An empty bare repository, and a clone that another user works in. */
function elsewhere(home: TestKernel): { remote: string; clone: () => string } {
  const remote = join(home.directory, "elsewhere.git");
  plainGit(home.directory, "init", "-q", "--bare", "-b", "main", remote);
  return {
    remote,
    clone: () => {
      const directory = join(home.directory, "clone");
      plainGit(home.directory, "clone", "-q", remote, directory);
      return directory;
    },
  };
}

function committed(clone: string, path: string, text: string): void {
  mkdirSync(join(clone, path, ".."), { recursive: true });
  writeFileSync(join(clone, path), text);
  plainGit(clone, "add", "-A");
  plainGit(clone, "commit", "-q", "-m", `their ${path}`);
  plainGit(clone, "push", "-q", "origin", "HEAD:main");
}

describe("gsv repo sync", () => {
  test("pushes new commits, fetches remote ones, and merges separate changes", async () => {
    await using home = await TestKernel.boot();
    const { remote, clone } = elsewhere(home);
    await write(home, FILE, "one\n");
    expect(await sync(home, `file://${remote}`)).toMatchObject({ pulled: 0, pushed: 1, merged: false });
    const theirs = clone();
    committed(theirs, "knowledge/b.md", "theirs\n");
    expect(await sync(home, remote)).toMatchObject({ pulled: 1, pushed: 0, merged: false });
    expect(await home.sys.call("fs.read", { path: "~/knowledge/b.md" })).toMatchObject({ content: "theirs" });
    committed(theirs, "knowledge/c.md", "also theirs\n");
    await write(home, FILE, "two\n");
    expect(await sync(home, remote)).toMatchObject({ pulled: 1, pushed: 1, merged: true });
    const tree = join(home.paths.reposDir, "sam/home");
    expect(readFileSync(join(tree, "knowledge/c.md"), "utf8")).toBe("also theirs\n");
    expect(plainGit(tree, "status", "--porcelain")).toBe("");
    expect(plainGit(remote, "rev-parse", "main")).toBe(plainGit(tree, "rev-parse", "HEAD"));
    expect(await sync(home, remote)).toMatchObject({ pulled: 0, pushed: 0, changed: false });
  });

  test("changes nothing on either side if both changed the same lines", async () => {
    await using home = await TestKernel.boot();
    const { remote, clone } = elsewhere(home);
    await write(home, FILE, "one\n");
    await sync(home, remote);
    committed(clone(), "knowledge/a.md", "theirs\n");
    await write(home, FILE, "ours\n");
    const before = plainGit(remote, "rev-parse", "main");
    const refused = await home.refusal("repo.sync", { remote });
    expect([refused.code, refused.message]).toEqual([
      "ECONFLICT",
      expect.stringContaining("both sides changed the same lines: knowledge/a.md"),
    ]);
    expect(plainGit(remote, "rev-parse", "main")).toBe(before);
    expect(await home.sys.call("fs.read", { path: FILE })).toMatchObject({ content: "ours" });
  });

  test("is for people: no process reaches a remote, and no other account reaches a directory of the host", async () => {
    await using home = await TestKernel.boot();
    const { remote } = elsewhere(home);
    await write(home, FILE, "one\n");
    await home.sys.call("repo.create", { name: "notes" });
    const inside = await home.insideOf(INIT);
    for (const address of [remote, "https://127.0.0.1:1/x.git"]) {
      expect((await home.refusal("repo.sync", { remote: address }, inside)).code).toBe("EPERM");
      expect((await home.refusal("repo.sync", { remote: address, repo: "notes" }, inside)).code).toBe("EPERM");
      expect((await home.refusal("repo.import", { remote: address, repo: "copy" }, inside)).code).toBe("EPERM");
    }
    const { uid } = await home.person(0).call<{ uid: number }>("account.create", { username: "bob" });
    expect((await home.refusal("repo.import", { remote, repo: "copy" }, home.person(uid))).code).toBe("EPERM");
    expect(plainGit(remote, "for-each-ref")).toBe("");
  });

  test("refuses an address that would run a program, contains a password, or is an option", async () => {
    await using home = await TestKernel.boot();
    await write(home, FILE, "one\n");
    const canary = join(home.directory, "ran");
    const addresses = [
      `ext::sh -c touch% ${canary}`,
      `ext::touch ${canary}`,
      "fd::7",
      `--upload-pack=touch ${canary}`,
      "-oProxyCommand=x",
      "ssh://-oProxyCommand=touch@x/y",
      "https://user:secret@127.0.0.1:1/x.git",
      "http://127.0.0.1:1/x.git",
      "git://127.0.0.1:1/x",
      "a b",
      "x\ny",
      "",
    ];
    for (const remote of addresses) {
      const { code, message } = await home.refusal("repo.sync", { remote });
      expect(`${remote} ${code}`).toMatch(/ (?:EINVAL|EIO|ENOENT|EAUTH)$/);
      expect(message).not.toContain("secret");
    }
    expect((await home.refusal("repo.sync", { remote: home.directory, branch: "--all" })).code).toBe("EINVAL");
    expect(existsSync(canary)).toBe(false);
  });
});

describe("gsv repo import", () => {
  test("imports a repository, follows it, and leaves local changes alone", async () => {
    await using home = await TestKernel.boot();
    const { remote, clone } = elsewhere(home);
    const theirs = clone();
    committed(theirs, "a.md", "one\n");
    const request = { remote, repo: "notes" };
    const first = await home.sys.call<Imported>("repo.import", request);
    expect(first).toMatchObject({ repo: "sam/notes", changed: true, diverged: false });
    expect(await home.sys.call<RepoView>("repo.read", { repo: "notes", path: "a.md" })).toMatchObject({
      content: "one\n",
    });
    committed(theirs, "a.md", "two\n");
    expect(await home.sys.call<Imported>("repo.import", request)).toMatchObject({ changed: true });
    const changes = {
      ops: [
        { put: "b.md", content: "ours" },
        { move: "a.md", to: "c/a.md" },
      ],
    };
    await home.sys.call("repo.apply", { repo: "notes", message: "ours", changes });
    committed(theirs, "a.md", "three\n");
    expect(await home.sys.call<Imported>("repo.import", request)).toMatchObject({ changed: false, diverged: true });
    expect(await home.sys.call<RepoView>("repo.read", { repo: "notes", path: "c/a.md" })).toMatchObject({
      content: "two\n",
    });
  });

  test("of a missing repository leaves nothing behind", async () => {
    await using home = await TestKernel.boot();
    const remote = join(home.directory, "nothing");
    expect((await home.refusal("repo.import", { remote, repo: "notes" })).code).toBe("ENOENT");
    expect(await home.sys.call("repo.list", {})).toEqual({
      repos: [expect.objectContaining({ repo: "friday/home", kind: "home" })],
    });
  });
});
