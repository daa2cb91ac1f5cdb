// The mount of versioned homes: files with the permissions of their home, jailed by real path, with git and without.

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Namespace } from "../../fs/namespace.ts";
import { objectsFs } from "../../fs/objects.ts";
import { repoFs } from "../../fs/repo/repo.ts";
import type { Caller } from "../../src/abi/identity.ts";
import { Repos } from "../../src/repos/repos.ts";
import { agent, bob, root, sam } from "../support/caller.ts";
import { FakeClock } from "../support/clock.ts";
import { plainGit } from "../support/git.ts";
import { memoryObjects } from "../support/memoryfs.ts";
import { codeOf } from "../support/refusal.ts";
import { scratchDirectory } from "../support/scratch.ts";
import { samples } from "../support/soak.ts";

let directory: string;
let tree: string;
let files: Namespace;

function mounted(path = process.env.PATH): Namespace {
  const clock = new FakeClock();
  const store = memoryObjects(1 << 26);
  const under = objectsFs({ storeOf: () => store, clock, root: { uid: 0, gid: 0, mode: 0o755 } });
  const repos = new Repos({ directory, path, clock });
  const accounts = [sam, bob, root, { ...agent, home: "/home/echo" }];
  const fs = repoFs({
    under,
    accountAt: async (home) => accounts.find((each) => each.home === home) ?? null,
    directoryOf: (username) => join(directory, username, "home"),
    treeOf: async (username) => repos.tree({ owner: username, name: "home" }),
  });
  return new Namespace([{ at: "/", fs }]);
}

async function homes(): Promise<void> {
  await files.mkdir(root, "/home", { parents: false, mode: 0o755 });
  for (const { home, uid } of [sam, bob]) {
    await files.mkdir(root, home, { parents: false });
    await files.setattr(root, home, { uid, gid: uid, mode: 0o2770 });
  }
}

const put = (caller: Caller, path: string, text: string, options = {}) =>
  files.write(caller, path, Buffer.from(text), { at: "start", ...options });
const get = async (caller: Caller, path: string) =>
  Buffer.from((await files.read(caller, path, { bytesMax: 1 << 20 })).bytes).toString();
const names = async (path: string) => (await files.list(sam, path)).map(({ name }) => name);
const inGit = () => plainGit(tree, "ls-tree", "-r", "--name-only", "HEAD").trim().split("\n");

beforeEach(async () => {
  directory = scratchDirectory("repos");
  tree = join(directory, "sam/home");
  files = mounted();
  await homes();
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe("with git", () => {
  test("a home is empty until something is created in it; then it is listed, and stays", async () => {
    expect(await names("/home/sam")).toEqual([]);
    expect(await names("/home/sam/context.d")).toEqual([]);
    await put(sam, "/home/sam/context.d/a.md", "one");
    await files.mkdir(sam, "/home/sam/knowledge/a/b", { parents: true });
    expect(await names("/home/sam")).toEqual(["context.d", "knowledge"]);
    expect(await files.stat(sam, "/home/sam/knowledge/a")).toMatchObject({
      kind: "directory",
      uid: 1000,
      mode: 0o2770,
    });
    for (const path of ["/home/sam/context.d", "/home/sam", "/home"])
      expect(await codeOf(files.remove(root, path, { recursive: true }))).toBe("EBUSY");
    expect(await codeOf(files.rename(root, "/home/sam", "/home/other"))).toBe("EBUSY");
  });

  test("a write replaces or appends, is refused for another version, and belongs to the home", async () => {
    const path = "/home/sam/knowledge/a.md";
    await files.mkdir(agent, "/home/sam/knowledge", { parents: true });
    const { version } = await put(sam, path, "one");
    await put(agent, path, " two", { at: "end" });
    expect(await get(sam, path)).toBe("one two");
    expect(await files.stat(agent, path)).toMatchObject({
      uid: 1000,
      gid: 1000,
      mode: 0o660,
      contentType: "text/markdown",
    });
    expect(await codeOf(put(sam, path, "x", { ifVersion: version }))).toBe("ECONFLICT");
    expect(await codeOf(put(sam, path, "x", { exclusive: true }))).toBe("EEXIST");
    expect(await codeOf(put(sam, "/home/sam/knowledge", "x"))).toBe("EISDIR");
    expect(await codeOf(put(sam, `${path}/b`, "x"))).toBe("ENOTDIR");
    expect(await codeOf(put(sam, "/home/sam/knowledge/none/b", "x"))).toBe("ENOENT");
    expect(await get(sam, path)).toBe("one two");
    const { version: now } = await files.stat(sam, path);
    const codes = await Promise.all(["x", "y"].map((text) => codeOf(put(sam, path, text, { ifVersion: now }))));
    expect(codes.sort()).toEqual(["ECONFLICT", "done"]);
  });

  test("a process changes context and skills only within an approval for that very call", async () => {
    const [a, b] = ["/home/sam/context.d/a.md", "/home/sam/context.d/b.md"];
    await put(sam, a, "one");
    await files.mkdir(agent, "/home/sam/knowledge", { parents: true });
    const allowed = { ...agent, allowed: b };
    for (const work of [
      () => put(agent, a, "x"),
      () => put(agent, b, "x"),
      () => put(allowed, a, "x"),
      () => files.remove(agent, a, { recursive: false }),
      () => files.remove(allowed, a, { recursive: false }),
      () => files.rename(agent, a, "/home/sam/knowledge/a.md"),
      () => files.mkdir(agent, "/home/sam/skills.d/deep", { parents: true }),
      () => files.mkdir(allowed, "/home/sam/skills.d/deep", { parents: true }),
    ])
      expect(await codeOf(work())).toBe("EPERM");
    await put(allowed, b, "two");
    await files.remove(allowed, b, { recursive: false });
    await put({ ...agent, approved: true }, a, "three");
    expect(await get(sam, a)).toBe("three");
  });

  test("a directory with a user's own repository in it is neither deleted nor replaced", async () => {
    await files.mkdir(sam, "/home/sam/knowledge/lib/deep", { parents: true });
    await files.mkdir(sam, "/home/sam/knowledge/other", { parents: true });
    await put(sam, "/home/sam/knowledge/lib/a.md", "a");
    const nested = join(tree, "knowledge/lib/deep");
    plainGit(nested, "init", "-q");
    const paths = ["/home/sam/knowledge/lib", "/home/sam/knowledge/lib/deep"];
    for (const path of paths) {
      const failure = await files.remove(sam, path, { recursive: true }).then(() => null, String);
      expect(failure).toContain("contains another repository: knowledge/lib/deep/.git");
      expect(await codeOf(files.remove(sam, path, { recursive: false }))).toBe("ENOTEMPTY");
      expect(await codeOf(files.rename(sam, "/home/sam/knowledge/other", path))).toBe("ENOTEMPTY");
    }
    expect(plainGit(nested, "rev-parse", "--is-inside-work-tree")).toBe("true\n");
    rmSync(join(nested, ".git"), { recursive: true });
    await files.remove(sam, "/home/sam/knowledge/lib", { recursive: true });
    expect(inGit()).not.toContain("knowledge/lib/a.md");
  });

  test("another account sees nothing of a home, and root everything", async () => {
    await put(sam, "/home/sam/context.d/a.md", "secret");
    for (const work of [
      files.read(bob, "/home/sam/context.d/a.md", { bytesMax: 9 }),
      files.list(bob, "/home/sam/context.d"),
      files.stat(bob, "/home/sam/context.d/none"),
      put(bob, "/home/sam/context.d/a.md", "x"),
      put(bob, "/home/sam/knowledge", "x"),
      files.mkdir(bob, "/home/sam/skills.d", { parents: false }),
      files.remove(bob, "/home/sam/context.d/a.md", { recursive: false }),
    ])
      expect(await codeOf(work)).toBe("EACCES");
    expect(await get(root, "/home/sam/context.d/a.md")).toBe("secret");
  });

  test("files and directories are moved within a home, with their history, and not out of it", async () => {
    await files.mkdir(sam, "/home/sam/knowledge/trips", { parents: true });
    await put(sam, "/home/sam/knowledge/trips/rome.md", "rome");
    await put(sam, "/home/sam/knowledge/b.md", "b");
    await files.rename(sam, "/home/sam/knowledge/trips", "/home/sam/knowledge/past");
    await files.rename(sam, "/home/sam/knowledge/b.md", "/home/sam/context.d/b.md");
    expect(inGit()).toEqual(["context.d/b.md", "knowledge/past/rome.md"]);
    expect(plainGit(tree, "log", "--follow", "--format=%s", "knowledge/past/rome.md").trim().split("\n")).toEqual([
      "move knowledge/trips to knowledge/past",
      "write knowledge/trips/rome.md",
    ]);
    await put(sam, "/home/sam/plain.md", "plain");
    expect(await codeOf(files.rename(sam, "/home/sam/plain.md", "/home/sam/knowledge/p.md"))).toBe("EXDEV");
    expect(await codeOf(files.rename(sam, "/home/sam/knowledge/past", "/home/sam/x"))).toBe("EXDEV");
    expect(await codeOf(files.rename(sam, "/home/sam/knowledge", "/home/sam/context.d/x"))).toBe("EBUSY");
    expect(await codeOf(files.rename(sam, "/home/sam/knowledge/past", "/home/sam/knowledge/past/x"))).toBe("EINVAL");
    expect(await codeOf(files.rename(sam, "/home/sam/knowledge/past", "/home/sam/context.d/b.md"))).toBe("ENOTDIR");
    await files.remove(sam, "/home/sam/knowledge/past", { recursive: true });
    expect(await names("/home/sam/knowledge")).toEqual([]);
    expect(inGit()).toEqual(["context.d/b.md"]);
    expect(readdirSync(join(directory, "sam/.scratch"))).toEqual([]);
  });

  test("a directory with content is removed only as a whole; modes, owners and links are not stored", async () => {
    await files.mkdir(sam, "/home/sam/knowledge/d", { parents: true });
    await put(sam, "/home/sam/knowledge/d/a", "a");
    expect(await codeOf(files.remove(sam, "/home/sam/knowledge/d", { recursive: false }))).toBe("ENOTEMPTY");
    expect(await codeOf(files.setattr(sam, "/home/sam/knowledge/d/a", { mode: 0o777 }))).toBe("EPERM");
    expect(await codeOf(files.setattr(sam, "/home/sam/knowledge/d/a", { mode: 0o660 }))).toBe("done");
    expect(await codeOf(files.link(sam, "/home/sam/knowledge/l", "/etc/passwd"))).toBe("EPERM");
  });

  test("a user's git ignores and links are never a way out, however often they change meanwhile", async () => {
    const outside = join(directory, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "a.md"), "outside");
    await files.mkdir(sam, "/home/sam/knowledge/d", { parents: true });
    await put(sam, "/home/sam/knowledge/d/a.md", "inside");
    const inner = join(tree, "knowledge/d");
    const swapping = `
      const fs = require("node:fs");
      const [inner, aside, out] = process.argv.slice(1);
      process.stdout.write("ready");
      const stay = () => { for (let looks = Math.random() * 200; looks > 0; looks--) fs.existsSync(out); };
      for (;;) {
        try { fs.renameSync(inner, aside); fs.symlinkSync(out, inner); stay(); fs.unlinkSync(inner); fs.renameSync(aside, inner); } catch {}
        stay();
      }`;
    const child = Bun.spawn([process.execPath, "-e", swapping, inner, `${inner}.kept`, outside], {
      stdout: "pipe",
      env: {},
    });
    const seen = new Set<string>();
    try {
      await child.stdout.getReader().read();
      const deadline = performance.now() + 4000;
      const late = () => performance.now() > deadline;
      for (let round = 0; round < samples(400, 20_000) || (seen.size < 2 && !late()); round++) {
        seen.add(await get(sam, "/home/sam/knowledge/d/a.md").catch((error) => error.code));
        if (round % 40 === 0) await put(sam, "/home/sam/knowledge/d/a.md", "inside").catch(() => undefined);
      }
    } finally {
      child.kill("SIGKILL");
      await child.exited;
    }
    // The test saw both states, and never read outside.
    expect([...seen].sort()).toEqual(["ENOENT", "inside"]);
    expect(readFileSync(join(outside, "a.md"), "utf8")).toBe("outside");
    expect(readdirSync(outside)).toEqual(["a.md"]);
  });
});

describe("without git", () => {
  beforeEach(async () => {
    files = mounted(join(directory, "nothing"));
    await homes();
  });

  test("context and skills are plain files, knowledge is read-only, and git commits it all once it is there", async () => {
    await files.mkdir(sam, "/home/sam/context.d", { parents: true });
    await put(sam, "/home/sam/context.d/a.md", "one");
    await put(sam, "/home/sam/context.d/a.md", "two");
    expect(await get(agent, "/home/sam/context.d/a.md")).toBe("two");
    expect(await codeOf(files.mkdir(sam, "/home/sam/knowledge/deep", { parents: true }))).toBe("EROFS");
    mkdirSync(join(tree, "knowledge"));
    writeFileSync(join(tree, "knowledge/a.md"), "known");
    expect(await get(sam, "/home/sam/knowledge/a.md")).toBe("known");
    expect(await codeOf(put(sam, "/home/sam/knowledge/a.md", "x"))).toBe("EROFS");
    files = mounted();
    await homes();
    await new Promise((resolve) => setTimeout(resolve, 200));
    await put(sam, "/home/sam/context.d/b.md", "three");
    expect(plainGit(tree, "log", "--format=%an %s").trim().split("\n")).toEqual([
      "sam write context.d/b.md",
      "sam begin",
    ]);
    expect(inGit()).toEqual(["context.d/a.md", "context.d/b.md", "knowledge/a.md"]);
  });
});
