// Properties that only files show: damage affects one process, an empty file is not new, deleted text is gone, few files stay open.

import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, readlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LIMITS } from "../../src/abi/config/limits.ts";
import type { ProcessStore } from "../../src/store/process/verbs.ts";
import { FakeClock } from "../support/clock.ts";
import { DONE, Subject } from "../support/process-subject.ts";
import { SqliteEngine } from "../support/sqlite-engine.ts";

const PAGE_BYTES = 4096;

async function withEngine(body: (engine: SqliteEngine) => Promise<void>): Promise<void> {
  const engine = new SqliteEngine();
  try {
    await body(engine);
  } finally {
    await engine.dispose();
  }
}

async function make(store: ProcessStore, pid: string): Promise<void> {
  await store.create(pid, { profile: "task", identity: {}, now: 1 });
  await store.adopt(pid, { now: 2 });
}

/** A process with enough history for ten pages. */
async function fill(store: ProcessStore, pid: string): Promise<void> {
  await make(store, pid);
  for (let message = 0; message < 12; message++) await send(store, pid, `${message} ${"x".repeat(3000)}`);
}

async function send(store: ProcessStore, pid: string, text: string): Promise<void> {
  const about = { kind: "user", wakes: true, urgent: false, origin: { kind: "kernel" }, source: null, now: 3 } as const;
  const key = `${pid}-${text.slice(0, 3)}`;
  const admitted = await store.admit(pid, { ...about, runId: `run-${key}`, requestKey: key, text });
  if (!admitted.ok) throw new Error(admitted.why);
}

const pidOf = (index: number) => `task:${String(index).padStart(6, "a")}`;

test("one damaged database of eight affects only its process", () =>
  withEngine(async (engine) => {
    const pids = Array.from({ length: 8 }, (_, index) => pidOf(index));
    const first = engine.open(1);
    for (const pid of pids) await fill(first, pid);
    await first.close();
    const bytes = readFileSync(engine.path(pids[3] ?? ""));
    bytes.fill(0xaa, 9 * PAGE_BYTES, 10 * PAGE_BYTES);
    writeFileSync(engine.path(pids[3] ?? ""), bytes);
    const second = engine.open(2);
    const found = await Promise.all(pids.map((pid) => second.check(pid)));
    expect(found.map((damage) => damage === null)).toEqual(pids.map((_, index) => index !== 3));
    for (const pid of pids.filter((_, index) => index !== 3)) {
      await second.adopt(pid, { now: 10 });
      expect(await second.claim(pid, { now: 11 })).not.toBeNull();
    }
  }));

test("a quarantined database takes its write-ahead log along, and its process starts over", () =>
  withEngine(async (engine) => {
    const pid = pidOf(1);
    const first = engine.open(1);
    await fill(first, pid);
    await first.close();
    writeFileSync(`${engine.path(pid)}-wal`, "a log that nobody can read");
    const store = engine.open(2);
    const place = await store.quarantine(pid, 5);
    expect(readdirSync(place).toSorted()).toEqual([`${pid}.db`, `${pid}.db-wal`]);
    expect(readdirSync(engine.directory).filter((name) => name.startsWith(pid))).toEqual([]);
    await make(store, pid);
    expect(await store.history(pid, { limit: 10 })).toMatchObject({ messages: [], count: 0 });
    expect((await store.head(pid)).queued).toBe(0);
  }));

test("a database moved to quarantine twice does not overwrite the first copy", () =>
  withEngine(async (engine) => {
    const pid = pidOf(1);
    const store = engine.open(1);
    const places: string[] = [];
    for (let time = 0; time < 2; time++) {
      await make(store, pid);
      places.push(await store.quarantine(pid, 5));
    }
    expect(new Set(places).size).toBe(2);
    for (const place of places) expect(existsSync(join(place, `${pid}.db`))).toBe(true);
  }));

test("a database that was truncated to nothing is damage, not a new process", () =>
  withEngine(async (engine) => {
    const pid = pidOf(1);
    const first = engine.open(1);
    await fill(first, pid);
    await first.close();
    truncateSync(engine.path(pid), 0);
    const store = engine.open(2);
    expect(await store.check(pid)).toContain("empty although it held data");
    await expect(store.adopt(pid, { now: 3 })).rejects.toMatchObject({ code: "EIO" });
    await expect(store.history(pid, { limit: 1 })).rejects.toMatchObject({ code: "EIO" });
    await expect(engine.open(2, "read").history(pid, { limit: 1 })).rejects.toMatchObject({ code: "EIO" });
  }));

test("a file with other bytes is damage", () =>
  withEngine(async (engine) => {
    const pid = pidOf(1);
    writeFileSync(engine.path(pid), "this is not a database, whatever its name says. ".repeat(100));
    const store = engine.open(1);
    expect(await store.check(pid)).toContain("damaged");
    await expect(store.head(pid)).rejects.toMatchObject({ code: "EIO" });
  }));

test("the next kernel finishes a creation that a crash interrupted", () =>
  withEngine(async (engine) => {
    const pid = pidOf(1);
    writeFileSync(engine.path(pid), "");
    const store = engine.open(1);
    await make(store, pid);
    await send(store, pid, "hello");
    expect(await store.claim(pid, { now: 4 })).toMatchObject({ entered: [{ id: 1 }] });
  }));

test("a store for reading shows the content and changes nothing", () =>
  withEngine(async (engine) => {
    const pid = pidOf(1);
    const writer = engine.open(1);
    await fill(writer, pid);
    const reader = engine.open(1, "read");
    expect((await reader.head(pid)).queued).toBe(12);
    await expect(send(reader, pid, "no")).rejects.toMatchObject({ code: "EAGAIN" });
    await send(writer, pid, "yes");
    expect((await reader.head(pid)).queued).toBe(13);
  }));

test("text removed by a reset is in no file, also before the store closes", () =>
  withEngine(async (engine) => {
    const subject = await Subject.on(engine);
    const secret = "a-word-that-must-go";
    const run = await subject.running(`${secret} asked`);
    const call = { ...subject.call("Write"), args: { text: `${secret} argument` } };
    await subject.turn(run, { text: `${secret} answer`, calls: [call] });
    await subject.carryOut(run, call);
    await subject.turn(run, { text: "done", finish: DONE });
    await subject.send(`${secret} waits`);
    await subject.cut();
    await subject.seal();
    expect(occurrences(engine, secret)).toEqual([]);
  }));

// Another process reads: opening a live database here would drop its locks.
function occurrences(engine: SqliteEngine, text: string): string[] {
  const found = Bun.spawnSync(["grep", "-rlF", text, engine.directory], { env: {} });
  return found.stdout.toString().split("\n").filter(Boolean);
}

test("at most 64 databases are open, and the others open when needed", () =>
  withEngine(async (engine) => {
    const store = engine.open(1);
    const pids = Array.from({ length: LIMITS.openProcessDatabasesMax + 8 }, (_, index) => pidOf(index));
    for (const pid of pids) await make(store, pid);
    const open = readdirSync("/proc/self/fd").filter((fd) => linkOf(fd).startsWith(engine.directory));
    expect(open.filter((fd) => linkOf(fd).endsWith(".db")).length).toBe(LIMITS.openProcessDatabasesMax);
    for (const pid of pids) await send(store, pid, "hello");
    for (const pid of pids) expect((await store.head(pid)).queued).toBe(1);
  }));

test("unused databases close after a while, except a few, and reopen when needed", () =>
  withEngine(async (engine) => {
    const clock = new FakeClock();
    const { processDatabaseRestMs: rest, restingProcessDatabasesMax: few } = LIMITS;
    const store = engine.open(1, "write", { clock });
    const pids = Array.from({ length: few + 6 }, (_, index) => pidOf(index));
    for (const pid of pids) await make(store, pid);
    await clock.advance(rest - 1);
    const busy = pids.slice(0, few + 1);
    for (const pid of busy) await send(store, pid, "hello");
    await clock.advance(1);
    expect(await store.opened()).toEqual(busy);
    await clock.advance(rest);
    expect(await store.opened()).toEqual(busy.slice(1));
    // No work is left, and nothing wakes for it.
    expect(clock.pending).toBe(0);
    for (const pid of pids) expect((await store.head(pid)).queued).toBe(busy.includes(pid) ? 1 : 0);
    expect(clock.pending).toBe(1);
    await store.close();
    expect(clock.pending).toBe(0);
  }));

test("a scan of all processes reopens none that had nothing, and still sees new rows", () =>
  withEngine(async (engine) => {
    const store = engine.open(1, "write", { openMax: 4 });
    const pids = Array.from({ length: 10 }, (_, index) => pidOf(index));
    for (const pid of pids) await make(store, pid);
    const named = async () => {
      const found: string[] = [];
      for (const pid of pids) {
        for (const { name } of await store.contextFiles(pid)) found.push(`${pid} ${name}`);
        expect(await store.segments(pid)).toEqual([]);
      }
      return found;
    };
    const [first = "", second = ""] = pids;
    await store.setContextFile(second, { name: "rules.md", text: "be kind" });
    expect(await named()).toEqual([`${second} rules.md`]);
    expect(await store.opened()).not.toContain(first);
    expect([await store.contextFiles(first), await store.segments(first)]).toEqual([[], []]);
    expect(await store.opened()).not.toContain(first);
    await store.setContextFile(first, { name: "plan.md", text: "slowly" });
    expect(await named()).toEqual([`${first} plan.md`, `${second} rules.md`]);
    await store.setContextFile(first, { name: "plan.md", text: null });
    expect(await named()).toEqual([`${second} rules.md`]);
    // A reader in another process is not the writer, and looks each time.
    const reader = engine.open(1, "read");
    expect(await reader.contextFiles(first)).toEqual([]);
    await store.setContextFile(first, { name: "late.md", text: "now" });
    expect(await reader.contextFiles(first)).toEqual([{ name: "late.md", text: "now" }]);
  }));

function linkOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return "";
  }
}
