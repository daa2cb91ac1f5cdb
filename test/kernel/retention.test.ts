// Retention, with a moved clock: nothing is deleted early or without a setting. Each sweep is bounded, and the next one continues an
// interrupted sweep.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { RetentionSettings } from "../../src/abi/backup.ts";
import { LIMITS } from "../../src/abi/config/limits.ts";
import { SysError } from "../../src/abi/errno.ts";
import { retain } from "../../src/kernel/lifetime/retention.ts";
import { KernelDb } from "../../src/store/kernel/db.ts";
import type { ArchiveInfo, Closed } from "../../src/syscalls/services.ts";
import { INIT, TestKernel } from "../support/kernel.ts";

const FOR_EVER: RetentionSettings = { archivesDays: 0, auditDays: 0, syscallLogDays: 0, runsDays: 0 };

const DAY_MS = 24 * 60 * 60 * 1000;
const HOUR_MS = 60 * 60 * 1000;

async function put(home: TestKernel): Promise<string> {
  await home.say("hello");
  const { archiveId, archivedTo } = await home.sys.call<Closed>("proc.reset", {});
  expect(existsSync(join(home.paths.objectsDir, archivedTo ?? ""))).toBe(true);
  return archiveId ?? "";
}

async function archives(home: TestKernel): Promise<string[]> {
  const { archives: rows } = await home.sys.call<{ archives: ArchiveInfo[] }>("archive.list", {});
  return rows.map(({ id }) => id);
}

function audit(home: TestKernel): { call: string; detail: string; pid: string | null }[] {
  const database = KernelDb.openForReading(home.paths.kernelDb);
  try {
    return database?.db.all("SELECT call, detail, pid FROM audit ORDER BY id") ?? [];
  } finally {
    database?.close();
  }
}

/** Settings that a test changes while the kernel runs. */
function keeping(settings: Partial<RetentionSettings>) {
  const now = { ...FOR_EVER, ...settings };
  return { now, retention: async () => now };
}

test("the hourly sweep deletes old archives, bytes and row, and the audit log names them", async () => {
  const { now: settings, retention } = keeping({ archivesDays: 30 });
  await using home = await TestKernel.boot({ retention });
  const old = await put(home);
  await home.clock.advance(20 * DAY_MS);
  const young = await put(home);
  await home.clock.advance(10 * DAY_MS - 2 * HOUR_MS);
  expect(await archives(home)).toEqual([young, old]);
  await home.clock.advance(3 * HOUR_MS);
  await home.until("the old one is gone", async () => (await archives(home)).length === 1);
  expect(await archives(home)).toEqual([young]);
  expect(existsSync(join(home.paths.objectsDir, `var/sessions/sam/init:1000/${old}.jsonl.gz`))).toBe(false);
  expect(existsSync(join(home.paths.objectsDir, `var/sessions/sam/init:1000/${young}.jsonl.gz`))).toBe(true);
  const said = () => audit(home).filter(({ call }) => call === "retention.archives");
  await home.until("the audit has it", () => said().length > 0);
  expect(said().map(({ pid, detail }) => [pid, detail.split(",")[0]])).toEqual([
    ["init:1000", `/var/sessions/sam/init:1000/${old}.jsonl.gz`],
  ]);
  Object.assign(settings, { archivesDays: 1 });
  await home.clock.advance(HOUR_MS);
  await home.until("what was said since counts", async () => (await archives(home)).length === 0);
});

test("everything is kept by default, however old", async () => {
  await using home = await TestKernel.boot();
  const id = await put(home);
  await home.clock.advance(DAY_MS);
  home.clock.setWall(home.clock.now() + 4000 * DAY_MS);
  await home.clock.advance(2 * HOUR_MS);
  await home.quiet();
  expect(await archives(home)).toEqual([id]);
  const { runId } = await home.send("still here");
  await home.ended(runId);
});

test("a kernel that lives for seconds also sweeps", async () => {
  await using home = await TestKernel.boot(keeping({ archivesDays: 1 }));
  await put(home);
  await home.kernel.close();
  home.clock.setWall(home.clock.now() + 2 * DAY_MS);
  await home.start();
  await home.clock.advance(1000);
  await home.until("it is gone", async () => (await archives(home)).length === 0);
});

test("a sweep deletes a limited number of archives, oldest first, and an interrupted sweep is continued", async () => {
  await using home = await TestKernel.boot();
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) {
    ids.push(await put(home));
    await home.clock.advance(10);
  }
  const { kernel, processes, objects } = home.stores;
  const asked: number[] = [];
  const limited = {
    ...kernel.archives,
    olderThan: (instant: number, limit: number) => {
      asked.push(limit);
      return kernel.archives.olderThan(instant, 2);
    },
  };
  const settings = { ...FOR_EVER, archivesDays: 1 };
  const now = home.clock.now() + 2 * DAY_MS;
  const sweep = (more: object) =>
    retain({
      kernel: { ...kernel, archives: limited },
      processes,
      objects,
      settings,
      now,
      isOver: () => false,
      ...more,
    });
  await sweep({});
  expect([asked, await archives(home)]).toEqual([[LIMITS.sweptArchivesMax], ids.slice(2).reverse()]);

  // The bytes are deleted and the row is not, as after a kill between the two.
  const died = { remove: async (key: string) => objects.remove(key).then(() => Promise.reject(new Error("dead"))) };
  await expect(sweep({ objects: died })).rejects.toThrow("dead");
  expect(await archives(home)).toEqual(ids.slice(2).reverse());
  await sweep({});
  expect(await archives(home)).toEqual([ids[4] ?? ""]);

  await sweep({ isOver: () => true });
  expect(await archives(home)).toEqual([ids[4] ?? ""]);
  const failing = { remove: async () => Promise.reject(new SysError("EIO", "a bad disk")) };
  await expect(sweep({ objects: failing })).rejects.toThrow("a bad disk");
  expect(await archives(home)).toEqual([ids[4] ?? ""]);
});

test("a sweep deletes a limited number of old audit lines and keeps young ones", async () => {
  await using home = await TestKernel.boot();
  const { kernel } = home.stores;
  const now = home.clock.now();
  for (let n = 0; n < 6; n++)
    await kernel.audit.add({
      at: now - (n < 4 ? 3 * DAY_MS : 0),
      uid: 0,
      pid: null,
      call: "x.y",
      outcome: "ok",
      detail: String(n),
    });
  const lines = () =>
    audit(home)
      .filter(({ call }) => call === "x.y")
      .map(({ detail }) => detail);
  await kernel.audit.sweep();
  expect(lines()).toEqual(["0", "1", "2", "3", "4", "5"]);
  await kernel.audit.sweep({ before: now - 2 * DAY_MS, rowsMax: 3 });
  expect(lines()).toEqual(["3", "4", "5"]);
  await kernel.audit.sweep({ before: now - 2 * DAY_MS, rowsMax: 3 });
  expect(lines()).toEqual(["4", "5"]);
});

test("old ended runs and logged calls of live processes are deleted; messages and the last end stay", async () => {
  await using home = await TestKernel.boot(keeping({ runsDays: 7, syscallLogDays: 7 }));
  const pid = await home.task();
  const { runId: first } = await home.send("one", { pid });
  await home.ended(first);
  home.model.will(pid, { text: "looking", calls: [{ name: "Read", args: { path: "/etc" } }] });
  const { runId: last } = await home.send("two", { pid });
  await home.ended(last);
  const calls = async () => (await home.stores.processes.trace(pid, { limit: 100 })).length;
  expect(await calls()).toBeGreaterThan(0);
  await home.clock.advance(8 * DAY_MS);
  await home.until("the log is empty", async () => (await calls()) === 0);
  expect(await home.stores.processes.runEnd(pid, first)).toBeNull();
  expect(await home.stores.processes.runEnd(pid, last)).toMatchObject({ status: "ok" });
  expect((await home.get(pid)).lastStatus).toBe("ok");
  expect((await home.outline(pid)).filter((line) => line.startsWith("user"))).toEqual(["user: one", "user: two"]);
  expect((await home.wait(pid)).status).toBe("ok");
});

test("a retention setting of root applies from the next sweep, without a new kernel", async () => {
  await using home = await TestKernel.boot();
  await put(home);
  await home.clock.advance(3 * DAY_MS);
  expect(await archives(home)).toHaveLength(1);
  await home.person(0).call("config.set", { key: "retention.archivesDays", value: "2", system: true });
  await home.clock.advance(HOUR_MS + 1);
  await home.until("it is gone", async () => (await archives(home)).length === 0);
});

test("the log of calls of a process is as long as root sets, from the next call", async () => {
  await using home = await TestKernel.boot();
  const inside = await home.insideOf(INIT);
  const rows = async () =>
    (await home.sys.call<{ rows: unknown[] }>("proc.trace", { pid: INIT, after: 0 })).rows.length;
  for (let call = 0; call < 9; call++) await inside.call("sys.version", {});
  expect(await rows()).toBe(9);
  await home.person(0).call("config.set", { key: "retention.syscallLogRows", value: "3", system: true });
  await inside.call("sys.version", {});
  expect(await rows()).toBe(3);
  await home.restart();
  for (let call = 0; call < 5; call++) await (await home.insideOf(INIT)).call("sys.version", {});
  expect(await rows()).toBe(3);
});
