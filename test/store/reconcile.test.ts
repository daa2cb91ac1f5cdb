// Copies taken one after the other while a kernel runs, made consistent: a process's own copy wins.

import { expect, test } from "bun:test";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseCopies } from "../../src/store/copy.ts";
import { Db } from "../../src/store/open.ts";
import { reconcile } from "../../src/store/reconcile.ts";
import { TestKernel } from "../support/kernel.ts";
import { scratchDirectory } from "../support/scratch.ts";

async function withCopies(
  work: (home: TestKernel, to: { kernelDb: string; procDir: string }) => Promise<void>,
): Promise<void> {
  const directory = scratchDirectory("agree");
  await using home = await TestKernel.boot();
  try {
    const to = { kernelDb: join(directory, "kernel.db"), procDir: join(directory, "proc") };
    mkdirSync(to.procDir);
    await work(home, to);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function copy(from: string, to: string): void {
  const db = new Db(from, { mode: "read" });
  db.copyTo(to);
  db.close();
}

function rows(path: string, sql: string): unknown[] {
  const db = new Db(path, { mode: "read" });
  try {
    return db.all(sql).map((row) => Object.values(row));
  } finally {
    db.close();
  }
}

test("an approval answered after the copy of a process is open again, and the process has its own state", () =>
  withCopies(async (home, to) => {
    const pid = await home.task();
    home.model.will(pid, { text: "may I", calls: [{ name: "Delete", args: { path: "~/a.md" } }] });
    await home.send("delete it", { pid });
    await home.inState(pid, "waiting_hil");
    copy(join(home.paths.procDir, `${pid}.db`), join(to.procDir, `${pid}.db`));
    const { approvals } = await home.sys.call<{ approvals: { id: string }[] }>("hil.list", {});
    await home.sys.call("hil.answer", { id: approvals[0]?.id, decision: "deny" });
    await home.inState(pid, "idle");
    copy(home.paths.kernelDb, to.kernelDb);
    copy(join(home.paths.procDir, "init:1000.db"), join(to.procDir, "init:1000.db"));
    expect(reconcile(to).missing).toEqual([]);
    expect(rows(to.kernelDb, `SELECT state FROM processes WHERE process_id = '${pid}'`)).toEqual([["waiting_hil"]]);
    expect(rows(to.kernelDb, "SELECT request_id, decision, decided_by FROM approvals")).toEqual([
      [approvals[0]?.id, null, null],
    ]);
  }));

test("a message that no run has claimed yet makes a start check its process", () =>
  withCopies(async (home, to) => {
    const pid = await home.task();
    home.model.will(pid, { text: "late", hold: true });
    await home.send("wait", { pid });
    await home.holding();
    copy(join(home.paths.procDir, `${pid}.db`), join(to.procDir, `${pid}.db`));
    copy(home.paths.kernelDb, to.kernelDb);
    // As if the run had ended between the two.
    const kernel = new Db(to.kernelDb, { mode: "write" });
    kernel.run("UPDATE processes SET dirty = 0, state = 'idle', active_run_id = NULL, queued_count = 0");
    kernel.run("INSERT INTO object_intents VALUES ('1', 'remove', '{}')");
    kernel.close();
    const { missing, pids } = reconcile(to);
    expect([missing, [...pids].sort()]).toEqual([["init:1000"], ["init:1000", pid]]);
    expect(rows(to.kernelDb, `SELECT state, dirty FROM processes WHERE process_id = '${pid}'`)).toEqual([
      ["running", 1],
    ]);
    expect(rows(to.kernelDb, "SELECT * FROM object_intents")).toEqual([]);
    expect(rows(to.kernelDb, "SELECT ended_cleanly FROM kernel")).toEqual([[1]]);
    home.model.release();
  }));

test("repeated copies follow the resets, kills and spawns since", () =>
  withCopies(async (home, to) => {
    const [reset, killed] = [await home.task(), await home.task()];
    for (const pid of [reset, killed]) await home.say("hello", { pid });
    const copies = new DatabaseCopies({ kernelDb: home.paths.kernelDb, procDir: home.paths.procDir }, to);
    copies.take();
    const messages = (pid: string) => rows(join(to.procDir, `${pid}.db`), "SELECT count(*) FROM messages");
    expect([messages(reset), messages(killed)]).toEqual([[[2]], [[2]]]);
    await home.sys.call("proc.reset", { pid: reset });
    await home.sys.call("proc.kill", { pid: killed });
    const spawned = await home.task();
    copies.take();
    copies.close();
    const { pids, missing } = reconcile(to);
    expect([[...pids].sort(), missing]).toEqual([["init:1000", reset, spawned].sort(), []]);
    expect(messages(reset)).toEqual([[0]]);
    expect(rows(to.kernelDb, "SELECT count(*) FROM archives")).toEqual([[2]]);
    expect(copies.faults).toEqual([]);
  }));

test("a copy is of one instant despite other writers, and copied rows stay unchanged", () =>
  withCopies(async (home, to) => {
    await home.say("hello");
    const before = rows(home.paths.kernelDb, "SELECT * FROM processes");
    copy(home.paths.kernelDb, to.kernelDb);
    expect(rows(home.paths.kernelDb, "SELECT * FROM processes")).toEqual(before);
    expect(rows(to.kernelDb, "SELECT * FROM processes")).toEqual(before);
    expect(rows(to.kernelDb, "PRAGMA user_version")).toEqual(rows(home.paths.kernelDb, "PRAGMA user_version"));
    const reader = new Db(home.paths.kernelDb, { mode: "read" });
    reader.copyTo(join(to.procDir, "again.db"));
    expect(() => reader.run("DELETE FROM processes")).toThrow();
    reader.close();
  }));

test("a process in creation is copied once it is complete, and is finished from its row if it never was", () =>
  withCopies(async (home, to) => {
    const pid = await home.task();
    await home.say("hello", { pid });
    const source = join(home.paths.procDir, `${pid}.db`);
    const [kernelDb, procDir] = [join(home.paths.home, "early.db"), join(home.paths.home, "early")];
    copy(home.paths.kernelDb, kernelDb);
    mkdirSync(procDir);
    copy(join(home.paths.procDir, "init:1000.db"), join(procDir, "init:1000.db"));
    const kernel = new Db(kernelDb, { mode: "write" });
    kernel.run(`UPDATE processes SET phase = 'creating', phase_json = '{}' WHERE process_id = '${pid}'`);
    // The state of the file between its opening and its first table.
    new Db(join(procDir, `${pid}.db`), { mode: "create" }).close();
    const copies = new DatabaseCopies({ kernelDb, procDir }, to);
    copies.take();
    expect([reconcile(to).missing, copies.faults]).toEqual([[], []]);
    rmSync(join(procDir, `${pid}.db`));
    copy(source, join(procDir, `${pid}.db`));
    kernel.run(`UPDATE processes SET phase = 'live', phase_json = NULL WHERE process_id = '${pid}'`);
    kernel.close();
    copies.take();
    copies.close();
    expect([reconcile(to).missing, rows(join(to.procDir, `${pid}.db`), "SELECT count(*) FROM messages")]).toEqual([
      [],
      [[2]],
    ]);
  }));

test("an archive with a file that was deleted before its row leaves the copy", () =>
  withCopies(async (home, to) => {
    await home.say("hello");
    await home.sys.call("proc.reset", {});
    const [archive] = await home.stores.kernel.archives.list({ limit: 1 });
    const copies = new DatabaseCopies({ kernelDb: home.paths.kernelDb, procDir: home.paths.procDir }, to);
    await home.stores.objects.remove(archive?.key ?? "");
    copies.take();
    copies.close();
    expect(reconcile(to).counts.archives).toBe(0);
    expect(rows(home.paths.kernelDb, "SELECT count(*) FROM archives")).toEqual([[1]]);
  }));
