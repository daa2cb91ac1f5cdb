// Real paths in gsv: inside an attached directory they lead to the same files as the path under /workspaces, and nowhere else.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import type { WorkspaceInfo } from "../../src/abi/process/workspace.ts";
import { agent, bob, root, sam } from "../support/caller.ts";
import { TestKernel } from "../support/kernel.ts";
import { type Mounted, mounted } from "../support/mounted.ts";
import { codeOf } from "../support/refusal.ts";
import { samples } from "../support/soak.ts";

let scratch: string;
let work: string;
let home: TestKernel;
let tree: Mounted;
/** The path of `work` under /workspaces. */
let at: string;

const attach = async (what: string) => await home.sys.call<WorkspaceInfo>("workspace.attach", { what });

beforeEach(async () => {
  scratch = realpathSync(mkdtempSync(join(tmpdir(), "gsv-real-")));
  work = join(scratch, "app");
  mkdirSync(join(work, "src/deep"), { recursive: true });
  writeFileSync(join(work, "add.js"), "add\n");
  writeFileSync(join(work, "src/x.ts"), "x\n");
  mkdirSync(join(scratch, "other"));
  writeFileSync(join(scratch, "other/secret"), "canary\n");
  writeFileSync(join(scratch, "secret"), "canary\n");
  home = await TestKernel.boot();
  at = (await attach(work)).path;
  tree = mounted(home);
});
afterEach(async () => {
  await home[Symbol.asyncDispose]();
  rmSync(scratch, { recursive: true, force: true });
});

test("a real path means the mounted file, for a person and for an agent", async () => {
  for (const caller of [sam, agent, root]) {
    expect(await tree.read(caller, join(work, "add.js"))).toBe("add\n");
    expect(await tree.files.resolve(caller, `${work}/./src//x.ts`)).toBe(`${at}/src/x.ts`);
    expect(await tree.files.resolve(caller, `${work}/src/../../app/add.js`)).toBe(`${at}/add.js`);
    expect(await tree.names(caller, `${work}/`)).toEqual(["add.js", "src"]);
  }
  await tree.write(sam, join(work, "new"), "new\n");
  expect(readFileSync(join(work, "new"), "utf8")).toBe("new\n");
  await tree.files.rename(sam, join(work, "new"), `${at}/src/new`);
  expect(readFileSync(join(work, "src/new"), "utf8")).toBe("new\n");
});

test("a directory that is not attached reads as absent, and so does that of another account", async () => {
  for (const path of [`${scratch}/secret`, `${work}/../secret`, `${work}-2/x`, `${scratch}/other/secret`])
    expect([path, await codeOf(tree.read(sam, path))]).toEqual([path, "ENOENT"]);
  expect(await codeOf(tree.read(bob, join(work, "add.js")))).toBe("ENOENT");
  expect(await codeOf(tree.files.stat(bob, scratch))).toBe("ENOENT");
});

test("a parent of the directory that gsv does not have shows the way to it, and takes no files", async () => {
  expect(await tree.names(sam, scratch)).toEqual(["app"]);
  expect(await tree.names(sam, `${work}/..`)).toEqual(["app"]);
  for (const call of [
    tree.write(sam, `${scratch}/new`, "x"),
    tree.files.mkdir(sam, `${scratch}/new`, { parents: false }),
    tree.files.link(sam, `${scratch}/new`, "app"),
    tree.files.remove(sam, scratch, { recursive: true }),
    tree.files.rename(sam, scratch, "/tmp/taken"),
    tree.read(sam, `${scratch}/secret`),
  ])
    expect(await codeOf(call)).toBe("ENOENT");
  // gsv's own /dev takes no directories.
  if (!scratch.startsWith("/dev/")) {
    await tree.files.mkdir(sam, `${scratch}/own`, { parents: true });
    expect(await tree.names(sam, scratch)).toEqual(["own"]);
  }
  expect(await tree.read(sam, join(work, "add.js"))).toBe("add\n");
});

test("gsv's own tree stays as it is around an attached directory", async () => {
  await tree.write(sam, "/tmp/own", "gsv's\n");
  expect(await tree.names(sam, "/tmp")).toEqual(["own"]);
  await attach(tmpdir());
  expect(await tree.read(sam, "/tmp/own")).toBe("gsv's\n");
  expect(await tree.names(sam, "/tmp")).toEqual(["own"]);
  expect(await codeOf(tree.files.remove(sam, work, { recursive: true }))).toBe("EBUSY");
  expect(await tree.read(sam, join(work, "add.js"))).toBe("add\n");
});

async function attached(directory: string): Promise<void> {
  const row = {
    id: "dir_k3x9qa",
    ownerUid: sam.uid,
    label: null,
    state: "active",
    createdAt: 1,
    updatedAt: 1,
  } as const;
  await home.stores.kernel.workspaces.create({ ...row, directory });
}

test.each([
  "/home/sam",
  "/home",
  "/home/sam/context.d",
  "/home/sam/knowledge/notes",
  "/etc",
  "/proc/1",
  "/var/log/gsv",
])("%p is gsv's own even if such a directory is attached", async (directory) => {
  await attached(directory);
  expect(await tree.files.locate(sam, `${directory}/brief.md`)).toBe(`${directory}/brief.md`);
});

test.each([
  "/home/sam/app",
  "/home/x",
  "/Volumes/work",
  "/tmp/x",
  "/etc/nginx",
  "/var/www",
  "/srv/app",
  "/workspaces/app",
  "/dev/shm/app",
])("%p leads to its mount", async (directory) => {
  await attached(directory);
  expect(await tree.files.named(sam, `${directory}/a/b`)).toBe("/workspaces/dir_k3x9qa/a/b");
  expect(await tree.files.shown(sam, "/workspaces/dir_k3x9qa/a/b")).toBe(`${directory}/a/b`);
  // `cd` looks at each directory on the way.
  for (let above = dirname(directory); above !== "/"; above = dirname(above))
    expect([above, (await tree.files.stat(sam, above)).kind]).toEqual([above, "directory"]);
  expect(await tree.files.shown(bob, "/workspaces/dir_k3x9qa/a/b")).toBe("/workspaces/dir_k3x9qa/a/b");
});

test("the longest attached directory wins, and `..` leads back to the one around it", async () => {
  const inner = (await attach(join(work, "src"))).path;
  expect(await tree.files.resolve(sam, `${work}/src/x.ts`)).toBe(`${inner}/x.ts`);
  expect(await tree.files.resolve(sam, `${work}/src/../add.js`)).toBe(`${at}/add.js`);
});

/** What a path leads to: the file's place and text, or the error. */
async function outcome(path: string): Promise<string> {
  try {
    const place = await tree.files.resolve(sam, path);
    const { kind } = await tree.files.stat(sam, path);
    return `${place} ${kind === "file" ? await tree.read(sam, path) : kind}`;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

test("links and `..` lead to the same place by both paths, and never out of the directory", async () => {
  const links = {
    ...{ "src/up": "..", "src/top": work, self: ".", file: "src/x.ts", "src/abs": join(work, "add.js") },
    ...{ out: "../other", "src/out": "../../secret", whole: join(scratch, "secret"), loop: "loop", gone: "src/gone" },
    ...{ mount: at, "src/mount": `${at}/add.js`, etc: "/etc" },
  };
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(work, path));
  await tree.files.link(sam, "/home/sam/app", work);
  const names = ["src", "deep", "add.js", "x.ts", "secret", "other", "app", "..", "..", ".", ""];
  const name = fc.constantFrom(...names, ...Object.keys(links).flatMap((path) => path.split("/")));
  const depths = (path: string) =>
    path.split("/").map((each) => (each === ".." ? -1 : each === "" || each === "." ? 0 : 1));
  const property = fc.asyncProperty(fc.array(name, { maxLength: 8 }), async (parts) => {
    const below = parts.join("/");
    const real = await outcome(`${work}/${below}`);
    const viaLink = await outcome(`/home/sam/app/${below}`);
    expect(real).not.toContain("canary");
    expect(viaLink).not.toContain("canary");
    // Text alone cannot tell where `..` leads after a link, so only paths that never climb are compared.
    if (depths(below).includes(-1)) return;
    expect(real).toBe(await outcome(`${at}/${below}`));
    expect(viaLink).toBe(real);
  });
  await fc.assert(property, { seed: samples(22, Date.now() % 2 ** 31), numRuns: samples(300, 5000) });
  expect(await outcome(`${work}/src/up/add.js`)).toBe(`${at}/add.js add\n`);
  expect(await outcome(`${work}/src/deep/../../file`)).toBe(`${at}/src/x.ts x\n`);
  for (const path of ["out/secret", "src/out", "whole", "etc/passwd"])
    expect([path, await outcome(`${work}/${path}`)]).toEqual([path, "EACCES"]);
});
