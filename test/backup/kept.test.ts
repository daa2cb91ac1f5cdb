// The content of a backup, of a sound home and of a damaged one, and its exceptions; and the counts of `gsv df`.

import { expect, test } from "bun:test";
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HomeUsage } from "../../src/abi/backup.ts";
import { KernelDb } from "../../src/store/kernel/db.ts";
import { Db } from "../../src/store/open.ts";
import { kernelGenerationOf } from "../../src/store/process/head.ts";
import type { Closed } from "../../src/syscalls/services.ts";
import { keepingOf, partsOf, treeOf } from "../support/keeping.ts";
import { TestKernel } from "../support/kernel.ts";
import { rejection } from "../support/refusal.ts";
import { scratchDirectory } from "../support/scratch.ts";
import { type } from "../support/shell.ts";

/** A second kernel on the backup of the first. */
async function restored(file: string, work: (home: TestKernel) => Promise<void>): Promise<void> {
  await using home = await TestKernel.boot({ restore: file });
  await work(home);
}

async function withScratch(work: (directory: string) => Promise<void>): Promise<void> {
  const directory = scratchDirectory("kept");
  try {
    await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

test("messages, archives, files, approvals and pending questions are restored unchanged", () =>
  withScratch(async (directory) => {
    await using home = await TestKernel.boot();
    await home.sys.call("fs.write", { path: "~/a.md", content: "same bytes" });
    await home.sys.call("fs.write", { path: "~/b/c.md", content: "same bytes" });
    await home.say("first");
    const { archiveId } = await home.sys.call<Closed>("proc.reset", {});
    await home.say("second");
    const asking = await home.task({ label: "asks" });
    home.model.will(asking, { text: "may I", calls: [{ name: "Delete", args: { path: "~/a.md" } }] });
    await home.send("delete it", { pid: asking });
    await home.inState(asking, "waiting_hil");
    const file = join(directory, "b.tar");
    const made = await keepingOf(home.directory, home.clock).backup(file, { force: false });
    expect(made).toMatchObject({ file, faults: [], counts: { processes: 2, archives: 1, files: 4 } });
    const open = await home.sys.call<{ approvals: { id: string }[] }>("hil.list", {});

    await restored(file, async (copy) => {
      expect(await copy.outline("init:1000")).toEqual(await home.outline("init:1000"));
      for (const path of ["~/a.md", "~/b/c.md"])
        expect(await copy.sys.call("fs.read", { path })).toEqual(await home.sys.call("fs.read", { path }));
      expect(await copy.sys.call("archive.verify", { id: archiveId })).toMatchObject({ ok: true });
      expect(await copy.sys.call<{ approvals: { id: string }[] }>("hil.list", {})).toEqual(open);
      await copy.sys.call("hil.answer", { id: open.approvals[0]?.id, decision: "approve" });
      await copy.inState(asking, "idle");
      expect(await copy.refusal("fs.read", { path: "~/a.md" })).toMatchObject({ code: "ENOENT" });
    });
    // Derived data is left out, and earlier derived data is not taken for current.
    await home.sys.call("proc.search", { words: ["second"] });
    expect(partsOf(file).filter(({ name }) => name.includes("index"))).toEqual([]);
    // The same bytes are in it once.
    const names = partsOf(file).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  }));

test("secrets, logs, the kernel's own files and quarantined files are never in a backup", () =>
  withScratch(async (directory) => {
    await using home = await TestKernel.boot();
    const canary = "canary-5c1f0e";
    for (const place of ["secrets", "run", "log", "quarantine", "spool", "crash", "backup", "objects/.tmp"]) {
      mkdirSync(join(home.directory, place), { recursive: true });
      writeFileSync(join(home.directory, place, canary), canary);
    }
    const file = join(directory, "b.tar");
    await keepingOf(home.directory, home.clock).backup(file, { force: false });
    expect(readFileSync(file).includes(canary)).toBe(false);
    expect(partsOf(file).map(({ name }) => name.replace(/[0-9a-f]{64}/, "…"))).toEqual(
      expect.arrayContaining(["manifest.json", "kernel.db", "proc/init:1000.db", "objects/…"]),
    );
  }));

test("the kernel's number never repeats: the restored one is above every process", () =>
  withScratch(async (directory) => {
    await using home = await TestKernel.boot();
    for (let n = 0; n < 3; n++) await home.restart();
    await home.say("hello");
    const file = join(directory, "b.tar");
    const { generation } = await keepingOf(home.directory, home.clock).backup(file, { force: false });
    await restored(file, async (copy) => {
      const database = KernelDb.openForReading(copy.paths.kernelDb);
      expect(database?.current().generation).toBe(generation + 1);
      database?.close();
      await copy.say("goes on");
      const own = new Db(join(copy.paths.procDir, "init:1000.db"), { mode: "read" });
      expect(kernelGenerationOf(own)).toBe(generation + 1);
      own.close();
    });
  }));

test("a backup of a damaged home has the rest, lists each damage, and its exit status shows it", () =>
  withScratch(async (directory) => {
    await using home = await TestKernel.boot();
    await home.sys.call("fs.write", { path: "~/a.md", content: "good" });
    await home.sys.call("fs.write", { path: "~/bad.md", content: "bad" });
    const pid = await home.task({ label: "broken" });
    await home.kernel.close();
    appendFileSync(join(home.paths.objectsDir, "home/sam/bad.md"), "!");
    writeFileSync(join(home.paths.procDir, `${pid}.db`), "no database");
    const file = join(directory, "b.tar");
    const { faults } = await keepingOf(home.directory, home.clock).backup(file, { force: false });
    expect(faults.map((fault) => fault.split(":").slice(0, -1).join(":")).sort()).toEqual(
      ["/home/sam/bad.md", `${pid}: the database ${join(home.paths.procDir, pid)}.db is damaged`].sort(),
    );
    await restored(file, async (copy) => {
      expect(await copy.sys.call("fs.read", { path: "~/a.md" })).toMatchObject({ content: "good" });
      expect(await copy.refusal("fs.read", { path: "~/bad.md" })).toMatchObject({ code: "EIO" });
      expect((await copy.get("init:1000")).state).toBe("idle");
      copy.faults.length = 0;
    });
    await home.start();
    home.faults.length = 0;
  }));

test("a backup replaces no existing file, never a directory, and needs a home to save", () =>
  withScratch(async (directory) => {
    await using home = await TestKernel.boot();
    const keeping = keepingOf(home.directory, home.clock);
    const file = join(directory, "b.tar");
    writeFileSync(file, "mine");
    expect(await rejection(keeping.backup(file, { force: false }))).toMatchObject({ code: "EEXIST" });
    expect(readFileSync(file, "utf8")).toBe("mine");
    await keeping.backup(file, { force: true });
    expect(partsOf(file)[0]?.name).toBe("manifest.json");
    expect(await rejection(keeping.backup(directory, { force: true }))).toMatchObject({ code: "EEXIST" });
    expect(await rejection(keeping.backup(join(directory, "no/b.tar"), { force: false }))).toMatchObject({
      code: "ENOENT",
    });
    const empty = keepingOf(join(directory, "empty"));
    expect(await rejection(empty.backup(join(directory, "c.tar"), { force: false }))).toMatchObject({ code: "ENOENT" });
    expect(treeOf(directory).map((line) => line.split(" ")[0])).toEqual(["b.tar", "empty/run/keep.lock"]);
  }));

test("after a restore a search finds the current words, and none of the replaced home", () =>
  withScratch(async (directory) => {
    await using home = await TestKernel.boot();
    const file = join(directory, "b.tar");
    const found = async (word: string) => {
      const result = await home.sys.call<{ found: { seq: number }[] }>("proc.search", { words: [word] });
      return result.found.map(({ seq }) => seq);
    };
    await home.say("first heron");
    await keepingOf(home.directory, home.clock).backup(file, { force: false });
    await home.say("second egret");
    expect(await found("egret")).toEqual([3]);
    await home.kernel.close();
    await keepingOf(home.directory, home.clock).restore(file, { force: true });
    await home.start();
    await home.say("third curlew");
    expect([await found("heron"), await found("egret"), await found("curlew")]).toEqual([[1], [], [3]]);
  }));

test("df counts databases by process, archives and files by account, and the other files", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("fs.write", { path: "~/a.md", content: "1234567" });
  await home.say("hello");
  await home.sys.call("proc.reset", {});
  writeFileSync(join(home.paths.logDir, "kernel.log"), "x".repeat(2048));
  mkdirSync(join(home.paths.quarantineDir, "task:aaaaaa-1"));
  writeFileSync(join(home.paths.quarantineDir, "task:aaaaaa-1", "a.db"), "x".repeat(100));
  const ran = await type(home, "df", "--json");
  const rows = ran.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as HomeUsage["rows"][number]);
  const row = (kind: string) =>
    rows.filter((each) => each.kind === kind).map(({ name, bytes, count }) => ({ name, bytes, count }));
  expect(row("files")).toEqual([{ name: "/home/sam", bytes: 7, count: 1 }]);
  expect(row("logs")).toEqual([{ name: "log", bytes: 2048, count: 1 }]);
  expect(row("quarantine")).toEqual([{ name: "quarantine", bytes: 100, count: 1 }]);
  expect(row("archives")).toMatchObject([
    { name: "friday", count: 1 },
    { name: "sam", count: 1 },
  ]);
  expect(row("process")).toMatchObject([{ name: "init:1000", count: 1 }]);
  expect(rows.at(-1)).toMatchObject({ kind: "total", freeBytes: expect.any(Number) });
  expect(rows.at(-1)?.bytes).toBe(rows.slice(0, -1).reduce((sum, { bytes }) => sum + bytes, 0));
  const text = await type(home, "df");
  expect([text.status, text.stderr]).toEqual([0, ""]);
  expect(text.stdout).toMatch(/2\.0 KiB +1 +logs +log\n/);
  expect(text.stdout).toMatch(/ free on this disk\n$/);
});
