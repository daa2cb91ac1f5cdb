// Changes of a run to files can be seen and undone: in trees managed by gsv and in directories of the host, without touching their owner's
// git. Changes of others stay; a process cannot undo by itself.

import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, lstatSync, readlinkSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ShownDiff } from "../../src/abi/process/undo.ts";
import { TestKernel } from "../support/kernel.ts";
import { diesIn, changesIn as filesOf, host, Project, undo, works, write } from "../support/worker.ts";

const diff = (home: TestKernel, pid: string, more: object = {}) =>
  home.sys.call<ShownDiff>("proc.diff", { pid, ...more });

async function inProject(home: TestKernel, project: Project): Promise<string> {
  return (await home.spawn({ workspace: project.directory })).pid;
}

describe("in a tree managed by gsv", () => {
  test("the last run is shown and undone, then the one before; and redone", async () => {
    await using home = await TestKernel.boot();
    const { pid, workspaceId } = await home.spawn({ workspace: "new" });
    const read = async (name: string) => {
      const path = `/workspaces/${workspaceId}/${name}`;
      return (await home.sys.call<{ content: string }>("fs.read", { path }).catch(() => ({ content: "gone" }))).content;
    };
    await works(home, pid, write("plan.md", "one\n"));
    await works(home, pid, write("plan.md", "one\ntwo\n"), write("sub/new.md", "new\n"));
    const shown = await diff(home, pid);
    expect(filesOf(shown)).toEqual(["added new.md", "changed plan.md"]);
    expect(shown.text).toContain("+two\n");
    expect(shown.text).not.toContain("+one");
    expect(filesOf(await diff(home, pid, { turn: 1 }))).toEqual(["changed plan.md"]);
    expect(filesOf(await undo(home, pid))).toEqual(["changed plan.md", "removed new.md"]);
    expect([await read("plan.md"), await read("sub/new.md")]).toEqual(["one", "gone"]);
    expect(filesOf(await undo(home, pid, { redo: true }))).toEqual(["added new.md", "changed plan.md"]);
    expect([await read("plan.md"), await read("sub/new.md")]).toEqual(["one\ntwo", "new"]);
    await undo(home, pid);
    await undo(home, pid);
    expect(await read("plan.md")).toBe("gone");
    expect((await home.refusal("proc.undo", { pid })).message).toContain("nothing left to undo");
  });

  test("changes by a script of gsv are included, those of another process of the same agent are not", async () => {
    await using home = await TestKernel.boot();
    const { pid, workspaceId } = await home.spawn({ workspace: "new" });
    const other = (await home.spawn({ workspace: workspaceId ?? "" })).pid;
    await works(home, pid, { name: "Shell", args: { command: "echo a > a.txt; echo b > b.txt" } });
    await works(home, other, write("c.txt", "c\n"));
    expect(filesOf(await diff(home, pid))).toEqual(["added a.txt", "added b.txt"]);
    expect(filesOf(await undo(home, pid))).toEqual(["removed a.txt", "removed b.txt"]);
    expect(filesOf(await diff(home, other))).toEqual(["added c.txt"]);
  });

  test("an approved change of an agent's own context is undone too", async () => {
    await using home = await TestKernel.boot();
    const pid = await home.task();
    await works(home, pid, write("~friday/context.d/10-user.md", "rewritten\n"));
    expect(filesOf(await undo(home, pid))).toEqual(["changed 10-user.md"]);
    const { content } = await home.sys.call<{ content: string }>("fs.read", { path: "~friday/context.d/10-user.md" });
    expect(content).toContain("About sam");
  });
});

describe("in a directory of the host", () => {
  test("a plain command is recorded like any other: files deleted by rm come back", async () => {
    await using home = await TestKernel.boot();
    using project = new Project({ "a.txt": "a\n", "build/out.js": "out\n" });
    const pid = await inProject(home, project);
    await works(home, pid, host("rm -rf build"));
    expect(filesOf(await diff(home, pid))).toEqual(["removed out.js"]);
    await works(home, pid, host("mv a.txt b.txt"));
    await undo(home, pid);
    await undo(home, pid);
    expect(project.read("build/out.js")).toBe("out\n");
    expect(project.read("a.txt")).toBe("a\n");
  });

  test("all effects of a command on files are undone: bytes, programs, links, deletions and moves", async () => {
    await using home = await TestKernel.boot();
    using project = new Project({
      "a.txt": "a\n",
      "run.sh": "#!/bin/sh\n",
      "deep/er/b.txt": "b\n",
      ".gitignore": "out/\n",
    });
    project.write("bytes.bin", new Uint8Array([0, 1, 2, 255, 254, 10]));
    project.write("private.txt", "mine\n");
    chmodSync(join(project.directory, "private.txt"), 0o600);
    chmodSync(join(project.directory, "run.sh"), 0o755);
    project.versioned();
    const before = project.gitDigest();
    const pid = await inProject(home, project);
    const bytes = Buffer.from(await Bun.file(join(project.directory, "bytes.bin")).bytes());
    const command = [
      ...["rm -r deep private.txt", "echo more >> a.txt", "printf '\\000\\001' > bytes.bin", "chmod -x run.sh"],
      ...["ln -s a.txt link", "mkdir -p new/dir", "echo n > new/dir/n.txt", "mkdir out; echo o > out/o.txt"],
    ].join("; ");
    await works(home, pid, host(command));
    const shown = await diff(home, pid);
    expect(filesOf(shown)).toEqual([
      ...["added link", "added n.txt", "changed a.txt", "changed bytes.bin", "changed run.sh"],
      ...["removed b.txt", "removed private.txt"],
    ]);
    expect(shown.files.find(({ path }) => path.endsWith("bytes.bin"))).toMatchObject({ added: null });
    await undo(home, pid);
    expect(project.names()).toEqual([
      ".git",
      ".gitignore",
      "a.txt",
      "bytes.bin",
      "deep",
      "out",
      "private.txt",
      "run.sh",
    ]);
    expect([project.read("a.txt"), project.read("deep/er/b.txt"), project.read("private.txt")]).toEqual([
      "a\n",
      "b\n",
      "mine\n",
    ]);
    expect(await Bun.file(join(project.directory, "bytes.bin")).bytes()).toEqual(new Uint8Array(bytes));
    const modeOf = (name: string) => statSync(join(project.directory, name)).mode & 0o777;
    expect([modeOf("run.sh"), modeOf("private.txt")]).toEqual([0o755, 0o600]);
    // Ignored files have no versions.
    expect(project.read("out/o.txt")).toBe("o\n");
    await undo(home, pid, { redo: true });
    expect(readlinkSync(join(project.directory, "link"))).toBe("a.txt");
    expect(existsSync(join(project.directory, "deep"))).toBe(false);
    expect(project.gitDigest()).toBe(before);
  });

  test("changes of the first call in a directory, which its approval attaches, are undone too", async () => {
    using project = new Project({ "notes.txt": "one\n" });
    await using home = await TestKernel.boot({ cwd: project.directory, realTime: true });
    const pid = await home.task();
    await works(home, pid, { name: "Write", args: { path: "new.txt", content: "new\n", target: "host" } });
    expect(project.names()).toEqual(["new.txt", "notes.txt"]);
    expect(filesOf(await undo(home, pid))).toEqual(["removed new.txt"]);
    expect(project.names()).toEqual(["notes.txt"]);
  });

  test("a later change by a person stays, unless they ask for it", async () => {
    await using home = await TestKernel.boot();
    using project = new Project({ "a.txt": "a\n", "b.txt": "b\n" });
    const pid = await inProject(home, project);
    await works(home, pid, host("echo run >> a.txt; echo run >> b.txt"));
    project.write("a.txt", "a\nrun\nperson\n");
    const refused = await home.refusal("proc.undo", { pid });
    expect(refused).toMatchObject({ code: "ECONFLICT" });
    expect(refused.message).toContain(`${project.directory}/a.txt: changed since`);
    expect([project.read("a.txt"), project.read("b.txt")]).toEqual(["a\nrun\nperson\n", "b\nrun\n"]);
    await undo(home, pid, { force: true });
    expect([project.read("a.txt"), project.read("b.txt")]).toEqual(["a\n", "b\n"]);
    await undo(home, pid, { redo: true });
    expect(project.read("a.txt")).toBe("a\nrun\nperson\n");
  });

  test("a person's edit between two writes of a run is named, not lost", async () => {
    await using home = await TestKernel.boot();
    using project = new Project({ "a.txt": "a\n" });
    const pid = await inProject(home, project);
    const path = (await home.get(pid)).cwd;
    home.model.will(
      pid,
      { calls: [write(`${path}/a.txt`, "first\n")] },
      { hold: true, calls: [host("echo last > a.txt")] },
    );
    const { runId } = await home.send("go", { pid });
    const approve = async () => {
      const { approvals } = await home.sys.call<{ approvals: { id: string }[] }>("hil.list", {});
      for (const { id } of approvals) await home.sys.call("hil.answer", { id, decision: "approve" });
    };
    await home.inState(pid, "waiting_hil");
    await approve();
    await home.holding();
    project.write("a.txt", "person\n");
    home.model.release();
    await home.inState(pid, "waiting_hil");
    await approve();
    await home.ended(runId);
    expect((await home.refusal("proc.undo", { pid })).message).toContain("someone else changed it in between");
  });

  test("changes of parallel runs are separated; where that is impossible, gsv reports it", async () => {
    await using home = await TestKernel.boot();
    using project = new Project({ "a.txt": "a\n" });
    const [first, second] = [await inProject(home, project), await inProject(home, project)];
    await works(home, first, host("echo one > one.txt"));
    await works(home, second, host("echo two > two.txt; echo two >> a.txt"));
    expect(filesOf(await undo(home, first))).toEqual(["removed one.txt"]);
    expect(project.read("two.txt")).toBe("two\n");
    // A gate that both wait at, so that both run when either ends.
    const gate = join(project.directory, "../", `gate-${first.slice(5)}`);
    const waits = (name: string) => host(`echo ${name} > ${name}; while [ ! -e ${gate} ]; do sleep 0.02; done`);
    const both = Promise.all([works(home, first, waits("x.txt")), works(home, second, waits("y.txt"))]);
    try {
      await home.until(
        "both are at work",
        () => existsSync(join(project.directory, "x.txt")) && existsSync(join(project.directory, "y.txt")),
      );
      await Bun.write(gate, "");
      await both;
    } finally {
      rmSync(gate, { force: true });
    }
    expect((await home.refusal("proc.undo", { pid: first })).message).toContain("also changed it");
  });

  test("a run that only reads, or changes nothing, leaves nothing behind", async () => {
    await using home = await TestKernel.boot();
    using project = new Project({ "a.txt": "a\n" });
    const pid = await inProject(home, project);
    await works(home, pid, { name: "Read", args: { path: "a.txt" } });
    expect(existsSync(join(home.paths.reposDir, "sam/.undo"))).toBe(false);
    await works(home, pid, host("cat a.txt > /dev/null"));
    expect(await home.stores.processes.changes(pid, "all")).toEqual([]);
    expect((await diff(home, pid)).files).toEqual([]);
  });

  test("nested repositories, big files and sockets are excluded, and the exclusions are listed", async () => {
    await using home = await TestKernel.boot();
    using project = new Project({ "a.txt": "a\n" });
    using inner = new Project({ "inner.txt": "i\n" });
    inner.versioned();
    const pid = await inProject(home, project);
    await works(
      home,
      pid,
      host(`cp -r ${inner.directory} nested; mkfifo pipe; truncate -s 20M big.bin; echo b >> a.txt`),
    );
    const shown = await diff(home, pid);
    expect(filesOf(shown)).toEqual(["changed a.txt"]);
    expect(shown.notKept.join("\n")).toContain("big.bin (bigger than 16 MiB)");
    await undo(home, pid);
    expect(project.read("a.txt")).toBe("a\n");
    expect(lstatSync(join(project.directory, "pipe")).isFIFO()).toBe(true);
    expect(existsSync(join(project.directory, "nested/inner.txt"))).toBe(true);
  });
});

test("a process cannot undo: not by a call, a script, or for a child", async () => {
  await using home = await TestKernel.boot();
  const { pid } = await home.spawn({ workspace: "new" });
  await works(home, pid, write("plan.md", "one\n"));
  const inside = await home.insideOf(pid, { approved: true });
  await expect(inside.call("proc.undo", { pid })).rejects.toThrow("is for people");
  await works(home, pid, { name: "Shell", args: { command: `gsv undo ${pid}` } });
  expect(filesOf(await diff(home, pid))).toEqual(["added plan.md"]);
});

test("an undo during which a kernel died is completed by the next one, and keeps later changes of others", async () => {
  await using home = await TestKernel.boot();
  using project = new Project({ "a.txt": "a\n", "b.txt": "b\n" });
  const pid = await inProject(home, project);
  await works(home, pid, host("echo run >> a.txt; echo run >> b.txt"));
  await undo(home, pid);
  const [done] = await home.stores.processes.undos(pid);
  await undo(home, pid, { redo: true });
  if (done === undefined) throw new Error("no undo was stored");
  project.write("b.txt", "person\n");
  await diesIn(home, pid, done);
  expect([project.read("a.txt"), project.read("b.txt")]).toEqual(["a\n", "person\n"]);
  expect((await home.stores.processes.undos(pid)).map((each) => each.done)).toEqual([true, true, true]);
});

test("an undo is refused while the process runs", async () => {
  await using home = await TestKernel.boot();
  const { pid } = await home.spawn({ workspace: "new" });
  await works(home, pid, write("plan.md", "one\n"));
  home.model.will(pid, { hold: true });
  await home.send("go", { pid });
  await home.holding();
  expect(await home.refusal("proc.undo", { pid })).toMatchObject({ code: "EBUSY" });
  home.model.release();
});

test("many files are restored like few: empty ones, odd names and all", async () => {
  await using home = await TestKernel.boot();
  const names = Array.from({ length: 150 }, (_, at) => `d${at % 7}/file ${at}.txt`);
  using project = new Project(Object.fromEntries(names.map((name, at) => [name, at % 10 === 0 ? "" : `line ${at}\n`])));
  project.write('na"me\u00e9\n.txt', "odd\n");
  const pid = await inProject(home, project);
  await works(home, pid, host("find . -name '*.txt' -exec sh -c 'for file; do echo run >> \"$file\"; done' _ {} +"));
  expect((await diff(home, pid)).files).toHaveLength(151);
  await undo(home, pid);
  expect(names.map((name) => project.read(name))).toEqual(names.map((_, at) => (at % 10 === 0 ? "" : `line ${at}\n`)));
  expect(project.read('na"me\u00e9\n.txt')).toBe("odd\n");
});
