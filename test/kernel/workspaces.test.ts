// Workspaces in a running kernel: who gets one, who sees one, what counts as a version, and what on this computer stays untouched.

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WorkspaceInfo } from "../../src/abi/process/workspace.ts";
import type { Commit } from "../../src/abi/repo.ts";
import type { WorkspacePage, WorkspaceView } from "../../src/syscalls/repo/workspace.ts";
import type { Spawned } from "../../src/syscalls/services.ts";
import { plainGit } from "../support/git.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { addHuman } from "../support/people.ts";

const made = (home: TestKernel, label?: string) =>
  home.sys.call<WorkspaceInfo>("workspace.create", label === undefined ? {} : { label });
const ids = async (home: TestKernel, args: object = {}) =>
  (await home.sys.call<WorkspacePage>("workspace.list", args)).workspaces.map(({ id }) => id);

describe("a tree managed by gsv", () => {
  test("has a version for each change, with its author, and a plain git agrees", async () => {
    await using home = await TestKernel.boot();
    const { id } = await made(home, "trip");
    const path = `/workspaces/${id}/plan/day-1.md`;
    await home.sys.call("fs.write", { path, content: "rest\n" });
    await (await home.insideOf(INIT)).call("fs.edit", { path, oldString: "rest", newString: "walk" });
    await home.sys.call("fs.rename", { from: path, to: `/workspaces/${id}/day-1.md` });
    await home.sys.call("fs.remove", { path: `/workspaces/${id}/plan` });
    await home.sys.call("fs.remove", { path: `/workspaces/${id}/day-1.md` });
    const { commits } = await home.sys.call<{ commits: Commit[] }>("workspace.log", { id });
    expect(commits.map(({ author, subject }) => `${author}: ${subject}`)).toEqual(
      [
        "sam: remove day-1.md",
        "sam: move plan/day-1.md to day-1.md",
        "friday: edit plan/day-1.md",
        "sam: write plan/day-1.md",
        "sam: begin workspace",
      ].map((line) => line.replace("friday: edit", "friday: write")),
    );
    const { files, head } = await home.sys.call<WorkspaceView>("workspace.get", { id });
    expect(plainGit(files, "rev-parse", "HEAD").trim()).toBe(head ?? "");
    expect(plainGit(files, "status", "--porcelain")).toBe("");
    const about = JSON.parse(readFileSync(join(files, ".gsv/workspace.json"), "utf8"));
    expect(about).toMatchObject({ workspaceId: id, ownerUsername: "sam", label: "trip" });
    const restored = { repo: id, path: "day-1.md", ref: "HEAD~1" };
    await home.sys.call("repo.restore", restored);
    expect(readFileSync(join(files, "day-1.md"), "utf8")).toBe("walk\n");
  });

  test("can be changed freely by an agent, except for agent instructions, which need an approval", async () => {
    await using home = await TestKernel.boot();
    const { id } = await made(home);
    const inside = await home.insideOf(INIT);
    await inside.call("fs.write", { path: `/workspaces/${id}/a.md`, content: "a" });
    for (const name of [".gsv/context.d/00.md", ".gsv/summary.md", ".GSV/x"]) {
      const path = `/workspaces/${id}/${name}`;
      expect((await home.refusal("fs.write", { path, content: "" }, inside)).code).toBe("EPERM");
    }
    const changes = { ops: [{ put: ".gsv/summary.md", content: "obey" }] };
    expect((await home.refusal("repo.apply", { repo: id, message: "m", changes }, inside)).code).toBe("EPERM");
    const { pid } = await home.spawn({ workspace: id });
    home.model.will(pid, { calls: [{ name: "Write", args: { path: ".gsv/context.d/00.md", content: "Be kind." } }] });
    await home.send("write it down", { pid });
    await home.inState(pid, "waiting_hil");
    const { approvals } = await home.sys.call<{ approvals: { id: string; why: string }[] }>("hil.list", {});
    expect(approvals[0]?.why).toBe(`write /workspaces/${id}/.gsv/context.d/00.md`);
    await home.sys.call("hil.answer", { id: approvals[0]?.id ?? "", decision: "approve" });
    await home.inState(pid, "idle");
    const { content } = await home.sys.call<{ content: string }>("fs.read", {
      path: `/workspaces/${id}/.gsv/context.d/00.md`,
    });
    expect(content).toBe("Be kind.");
  });

  test("is invisible to other humans and visible to root", async () => {
    await using home = await TestKernel.boot();
    const bob = await addHuman(home, "bob");
    const { id } = await made(home);
    await home.sys.call("fs.write", { path: `/workspaces/${id}/a.md`, content: "private" });
    for (const sys of [bob.sys, await home.insideOf(bob.init)]) {
      expect((await home.refusal("fs.read", { path: `/workspaces/${id}/a.md` }, sys)).code).toBe("ENOENT");
      expect(await sys.call<object>("fs.read", { path: "/workspaces" })).toMatchObject({ directories: [] });
      expect((await sys.call<WorkspacePage>("workspace.list", {})).workspaces).toEqual([]);
    }
    const root = await home.person(0).call<object>("fs.read", { path: "/workspaces" });
    expect(root).toMatchObject({ directories: [id] });
  });

  test("is read-only and unlisted when archived, and comes back with all its versions", async () => {
    await using home = await TestKernel.boot();
    const { id } = await made(home);
    const path = `/workspaces/${id}/a.md`;
    await home.sys.call("fs.write", { path, content: "a" });
    await home.sys.call("workspace.archive", { id });
    expect(await ids(home)).toEqual([]);
    expect(await ids(home, { all: true })).toEqual([id]);
    expect(await home.sys.call<object>("fs.read", { path: "/workspaces" })).toMatchObject({ directories: [] });
    expect(await home.sys.call<object>("fs.read", { path })).toMatchObject({ content: "a" });
    for (const [call, args] of [
      ["fs.write", { path, content: "b" }],
      ["fs.remove", { path }],
      ["repo.restore", { repo: id, path: "a.md", ref: "HEAD" }],
      ["proc.spawn", { workspace: id }],
    ] as const)
      expect([call, (await home.refusal(call, args)).code]).toEqual([call, "EROFS"]);
    await home.sys.call("workspace.archive", { id, undo: true });
    await home.sys.call("fs.write", { path, content: "b" });
    expect((await home.sys.call<{ commits: Commit[] }>("workspace.log", { id })).commits).toHaveLength(3);
  });

  test("is created only on request, and is not deleted", async () => {
    await using home = await TestKernel.boot();
    const { id } = await made(home);
    expect((await home.refusal("fs.mkdir", { path: "/workspaces/mine" })).message).toContain("gsv workspace create");
    expect((await home.refusal("fs.remove", { path: `/workspaces/${id}`, recursive: true })).code).toBe("EBUSY");
    expect((await home.refusal("repo.delete", { repo: id })).code).toBe("EPERM");
    expect((await home.refusal("repo.create", { name: "ws_abcdef" })).code).toBe("EINVAL");
    expect(await home.sys.call<object>("repo.list", {})).toMatchObject({
      repos: [{}, { repo: `sam/${id}`, kind: "workspace" }],
    });
  });
});

describe("a new process", () => {
  test("gets the requested workspace, starts in it, and passes it to its children", async () => {
    await using home = await TestKernel.boot();
    const fresh = await home.spawn({ workspace: "new", label: "notes" });
    const id = fresh.workspaceId ?? "";
    expect(fresh.cwd).toBe(`/workspaces/${id}`);
    expect(await home.get(fresh.pid)).toMatchObject({ workspaceId: id, cwd: `/workspaces/${id}` });
    const inside = await home.insideOf(fresh.pid);
    await inside.call("fs.write", { path: "here.md", content: "x" });
    expect(await home.sys.call<object>("fs.read", { path: `/workspaces/${id}` })).toMatchObject({ files: ["here.md"] });
    const child = await inside.call<Spawned>("proc.spawn", {});
    expect(child).toMatchObject({ workspaceId: id, cwd: `/workspaces/${id}` });
    const apart = await inside.call<Spawned>("proc.spawn", { workspace: "none" });
    expect(apart).toMatchObject({ workspaceId: null, cwd: "/home/sam" });
    expect((await home.spawn()).workspaceId).toBeNull();
    const status = await home.sys.call<{ content: string }>("fs.read", { path: `/proc/${fresh.pid}/status` });
    expect(status.content).toMatch(new RegExp(`Workspace:\\s${id}`));
    const { processes } = await home.sys.call<WorkspaceView>("workspace.get", { id });
    expect(processes).toEqual([fresh.pid, child.pid]);
  });

  test("is refused an invalid workspace, with the valid forms", async () => {
    await using home = await TestKernel.boot();
    const refused = async (workspace: string) => (await home.refusal("proc.spawn", { workspace })).code;
    expect(await refused("project")).toBe("EINVAL");
    expect(await refused("ws_zzzzzz")).toBe("ENOENT");
    expect(await refused("/no/such/directory")).toBe("ENOENT");
    expect(await refused(home.directory)).toBe("EPERM");
    expect(await refused(join(home.directory, "proc"))).toBe("EPERM");
  });

  test("that is already running can be moved to a workspace by a person", async () => {
    await using home = await TestKernel.boot();
    const { id } = await made(home);
    await home.sys.call("workspace.attach", { what: id, pid: INIT });
    expect(await home.get(INIT)).toMatchObject({ workspaceId: id, cwd: `/workspaces/${id}` });
  });
});

describe("an attached directory", () => {
  let directory = "";
  beforeEach(() => {
    directory = realpathSync(mkdtempSync(join(tmpdir(), "gsv-work-")));
    mkdirSync(join(directory, ".git"));
    writeFileSync(join(directory, "README.md"), "# Project\n");
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  test("is used in place, and is the same workspace when named again", async () => {
    await using home = await TestKernel.boot();
    const { id } = await home.sys.call<WorkspaceInfo>("workspace.attach", { what: directory, label: "site" });
    expect(await home.spawn({ workspace: directory })).toMatchObject({ workspaceId: id, cwd: `/workspaces/${id}` });
    expect(await home.sys.call<object>("fs.read", { path: `/workspaces/${id}/README.md` })).toMatchObject({
      content: "# Project",
    });
    await home.sys.call("fs.write", { path: `/workspaces/${id}/new.md`, content: "n\n" });
    expect(readFileSync(join(directory, "new.md"), "utf8")).toBe("n\n");
    await home.sys.call("workspace.archive", { id });
    expect((await home.refusal("fs.write", { path: `/workspaces/${id}/new.md`, content: "" })).code).toBe("EROFS");
    expect(await home.sys.call<object>("workspace.attach", { what: directory })).toMatchObject({ id, state: "active" });
    expect((await home.refusal("workspace.log", { id })).hints[0]).toBe(`git -C ${directory} log`);
  });

  test("can be attached by its person, but not by an agent or another human of the home", async () => {
    await using home = await TestKernel.boot();
    const bob = await addHuman(home, "bob");
    const inside = await home.insideOf(INIT);
    for (const sys of [inside, bob.sys, await home.insideOf(bob.init)]) {
      for (const call of ["proc.spawn", "workspace.attach"]) {
        const args = call === "proc.spawn" ? { workspace: directory } : { what: directory };
        expect([call, (await home.refusal(call, args, sys)).code]).toEqual([call, "EPERM"]);
      }
    }
    expect(await ids(home)).toEqual([]);
  });

  test("hides its .git from everyone, and its files from agents without approval", async () => {
    await using home = await TestKernel.boot();
    const { id } = await home.sys.call<WorkspaceInfo>("workspace.attach", { what: directory });
    symlinkSync(".git", join(directory, "sneaky"));
    for (const name of [".git/config", ".git/hooks/pre-commit", ".GIT/config", "sneaky/config", "sub/.git"]) {
      const path = `/workspaces/${id}/${name}`;
      expect([name, (await home.refusal("fs.write", { path, content: "x" })).code]).toEqual([name, "EPERM"]);
    }
    expect(existsSync(join(directory, ".git/config"))).toBe(false);
    const { pid } = await home.spawn({ workspace: id });
    const inside = await home.insideOf(pid);
    expect((await home.refusal("fs.write", { path: "mine.md", content: "x" }, inside)).code).toBe("EPERM");
    home.model.will(pid, { calls: [{ name: "Write", args: { path: "mine.md", content: "x" } }] });
    await home.send("write it", { pid });
    await home.inState(pid, "waiting_hil");
    const { approvals } = await home.sys.call<{ approvals: { id: string }[] }>("hil.list", {});
    await home.sys.call("hil.answer", { id: approvals[0]?.id ?? "", decision: "approve" });
    await home.inState(pid, "idle");
    expect(readFileSync(join(directory, "mine.md"), "utf8")).toBe("x");
  });

  test("is the working directory of host commands of its processes", async () => {
    await using home = await TestKernel.boot();
    const { id } = await home.sys.call<WorkspaceInfo>("workspace.attach", { what: directory });
    expect(await home.stores.kernel.attachments.of(id)).toEqual([directory]);
    await home.stores.kernel.attachments.attach(id, "/elsewhere", home.clock.now() + 1);
    expect(await home.stores.kernel.attachments.of(id)).toEqual([directory, "/elsewhere"]);
    await home.sys.call("workspace.archive", { id });
    expect(await home.stores.kernel.attachments.of(id)).toEqual(["/elsewhere"]);
  });

  test("never shows gsv's own home, and has no link out of it", async () => {
    await using home = await TestKernel.boot();
    const above = join(home.directory, "..");
    const { id } = await home.sys.call<WorkspaceInfo>("workspace.attach", { what: above });
    const name = home.directory.split("/").at(-1) ?? "";
    const path = `/workspaces/${id}/${name}`;
    expect((await home.refusal("fs.stat", { path })).code).toBe("ENOENT");
    expect((await home.refusal("fs.read", { path: `${path}/kernel.db` })).code).toBe("ENOENT");
    const own = await home.sys.call<WorkspaceInfo>("workspace.attach", { what: directory });
    symlinkSync("/etc", join(directory, "etc"));
    expect((await home.refusal("fs.read", { path: `/workspaces/${own.id}/etc/hostname` })).code).toBe("EACCES");
  });
});
