// What waits for the disk together: processes created at once, the first accounts of a home, and changes of one directory.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { syncDirectory } from "../../src/lib/directories.ts";
import { KernelDb } from "../../src/store/kernel/db.ts";
import { GroupCommit } from "../../src/store/kernel/group-commit.ts";
import { openKernelDb } from "../../src/store/kernel/open.ts";
import { sqliteKernelStore } from "../../src/store/kernel/sqlite.ts";
import { type Durability, StoreUnavailable, timeWrites } from "../../src/store/open.ts";
import { FIRST, newProcess } from "../support/kernel-plane.ts";
import { scratchDirectory } from "../support/scratch.ts";

let directory = "";
let kernel: KernelDb;
let writes: Durability[] = [];
let stop = () => {};

beforeEach(() => {
  directory = scratchDirectory("group");
  kernel = openKernelDb(join(directory, "kernel.db"), { now: 1 });
  kernel.begin(1);
  writes = [];
  stop = timeWrites({ mono: () => 0, wrote: (durability) => void writes.push(durability) });
});
afterEach(() => {
  stop();
  kernel.close();
  rmSync(directory, { recursive: true, force: true });
});

const rejection = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

const pids = Array.from({ length: 20 }, (_, index) => `task:aaaa${10 + index}`);

test("processes created at once share one FULL commit, and all are there when it is acknowledged", async () => {
  const { processes } = sqliteKernelStore(kernel);
  await Promise.all(pids.map((pid) => processes.create(newProcess(pid))));
  expect(writes).toEqual(["full"]);
  const reader = KernelDb.openForReading(join(directory, "kernel.db"))!;
  expect((await sqliteKernelStore(reader).processes.unfinished()).map(({ pid }) => pid).sort()).toEqual(pids);
  reader.close();
});

test("one that fails changes nothing and fails alone", async () => {
  const { processes } = sqliteKernelStore(kernel);
  const twice = [...pids, pids[3]!].map((pid) => processes.create(newProcess(pid)));
  const outcomes = (await Promise.allSettled(twice)).map(({ status }) => status);
  expect(outcomes).toEqual([...pids.map(() => "fulfilled" as const), "rejected"]);
  expect(await processes.count(1000)).toBe(pids.length);
  expect(await rejection(processes.create(newProcess(pids[0]!)))).toBeInstanceOf(Error);
});

test("a commit that the disk refused is acknowledged to none of its writers", async () => {
  const refused = new StoreUnavailable("disk", "the disk is full");
  const group = new GroupCommit({
    write(_durability, body) {
      body(kernel.db);
      throw refused;
    },
  });
  const results = [group.write(() => 1), group.write(() => 2)];
  expect(await Promise.all(results.map((each) => rejection(each)))).toEqual([refused, refused]);
});

test("the commits of a first run wait for the disk once, at their end, also if it fails; others are as before", async () => {
  const { accounts, processes } = sqliteKernelStore(kernel);
  await kernel.syncOnce(async () => {
    await accounts.setUp(FIRST);
    await processes.create(newProcess("task:aaaaaa"));
  });
  expect(writes).toEqual(["normal", "normal", "full"]);
  await kernel.syncOnce(() => accounts.firstHuman());
  const failed = kernel.syncOnce(async () => {
    await processes.create(newProcess("task:bbbbbb"));
    throw new Error("interrupted");
  });
  expect(String(await rejection(failed))).toContain("interrupted");
  await processes.markDirty("task:aaaaaa");
  expect(writes.slice(3)).toEqual(["normal", "full", "full"]);
});

test("syncs of one directory at once are shared, and each caller gets the error of its own", async () => {
  await Promise.all(Array.from({ length: 50 }, () => syncDirectory(directory)));
  const gone = join(directory, "gone");
  const errors = await Promise.all([1, 2, 3].map(() => rejection(syncDirectory(gone))));
  expect(errors.map((error) => (error as { code?: string }).code)).toEqual(["ENOENT", "ENOENT", "ENOENT"]);
  await syncDirectory(directory);
});
