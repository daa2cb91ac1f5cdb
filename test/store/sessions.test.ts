// Sessions in kernel.db: one address each, a process that comes and goes, and conversations that follow each other without a gap.

import { afterEach, beforeEach, expect, test } from "bun:test";
import type { KernelStore } from "../../src/store/kernel/sqlite.ts";
import { KernelPlane, liveProcess } from "../support/kernel-plane.ts";

let plane: KernelPlane;
let store: KernelStore;

beforeEach(() => {
  plane = new KernelPlane();
  store = plane.begin();
});
afterEach(() => plane.dispose());

const KEY = "agent:main:cli:dm:alice";

async function session(id: string, key = KEY, ownerUid = 1000) {
  return await store.sessions.create({ id, ownerUid, key, agentId: "main", createdAt: 1 });
}

test("an address exists once for each owner; later requests get the first one", async () => {
  expect((await session("s1")).id).toBe("s1");
  expect((await session("s2")).id).toBe("s1");
  expect((await session("s3", KEY, 1002)).id).toBe("s3");
  expect(await store.sessions.byKey(1000, KEY)).toMatchObject({ id: "s1", pid: null, resetPolicy: null, name: "" });
  expect(await store.sessions.byKey(1001, KEY)).toBeNull();
  expect((await store.sessions.create({ id: "s4", ownerUid: 1000, createdAt: 1, source: "telegram" })).source).toBe(
    "telegram",
  );
});

test("a reset ends a conversation and starts the next, once, however often recovery repeats it", async () => {
  await liveProcess(store, "task:aaaaaa");
  await session("s1");
  await store.sessions.attach("s1", { pid: "task:aaaaaa", generationId: "g1", now: 5 });
  await store.sessions.attach("s1", { pid: "task:aaaaaa", generationId: "again", now: 6 });
  expect((await store.sessions.ofProcess("task:aaaaaa"))?.id).toBe("s1");
  expect(await store.sessions.current("task:aaaaaa")).toMatchObject({ id: "g1", number: 1, endedAt: null });
  const closing = { closingId: "a1", nextId: "g2", now: 9 };
  const ended = await store.sessions.turn("task:aaaaaa", closing);
  expect(ended).toMatchObject({ id: "g1", endedAt: 9, closingId: "a1" });
  expect(await store.sessions.turn("task:aaaaaa", { ...closing, nextId: "other", now: 10 })).toEqual(ended);
  await store.sessions.keep("g1", "agents/sol/sessions/g1.jsonl.gz");
  const [second, first, ...others] = await store.sessions.generations("s1", 9);
  expect([second?.id, second?.number, first?.key]).toEqual(["g2", 2, "agents/sol/sessions/g1.jsonl.gz"]);
  expect(others).toEqual([]);
  expect((await store.sessions.closedBy("a1"))?.id).toBe("g1");
  expect(await store.sessions.turn("task:bbbbbb", closing)).toMatchObject({ id: "g1" });
  expect(await store.sessions.turn("task:bbbbbb", { ...closing, closingId: "a2" })).toBeNull();
});

test("a killed process leaves its session, and the next one continues its numbers", async () => {
  await liveProcess(store, "task:aaaaaa");
  await session("s1");
  await store.sessions.attach("s1", { pid: "task:aaaaaa", generationId: "g1", now: 5 });
  await store.processes.tombstone("task:aaaaaa", {});
  await store.processes.remove("task:aaaaaa", { uid: 1000, requestId: "r", answer: {}, now: 7 });
  expect(await store.sessions.get("s1")).toMatchObject({ pid: null, updatedAt: 7 });
  expect(await store.sessions.current("task:aaaaaa")).toBeNull();
  await store.sessions.attach("s1", { pid: "task:bbbbbb", generationId: "g2", now: 8 });
  expect(await store.sessions.current("task:bbbbbb")).toMatchObject({ number: 2, pid: "task:bbbbbb" });
});

test("sessions are listed by their last activity, a page at a time, by owner or all", async () => {
  for (const name of ["a", "b", "c"]) await session(name, `agent:main:cli:dm:${name}`);
  await session("other", KEY, 1002);
  await store.sessions.change("b", { name: "letters" }, 20);
  await store.sessions.change("c", { resetPolicy: { mode: "daily", atHour: 5, idleMinutes: 60 } }, 10);
  const first = await store.sessions.list({ ownerUid: 1000, limit: 2 });
  expect(first.map(({ id }) => id)).toEqual(["b", "c"]);
  expect(first[0]?.name).toBe("letters");
  expect(first[1]?.resetPolicy).toEqual({ mode: "daily", atHour: 5, idleMinutes: 60 });
  const after = { createdAt: first[1]?.activeAt ?? 0, id: first[1]?.id ?? "" };
  expect((await store.sessions.list({ ownerUid: 1000, after, limit: 2 })).map(({ id }) => id)).toEqual(["a"]);
  expect(await store.sessions.list({ limit: 9 })).toHaveLength(4);
  await store.sessions.remove("b");
  expect(await store.sessions.get("b")).toBeNull();
});

test("usage counts for the session", async () => {
  await liveProcess(store, "task:aaaaaa");
  await liveProcess(store, "task:bbbbbb");
  await session("s1");
  await store.sessions.attach("s1", { pid: "task:aaaaaa", generationId: "g1", now: 5 });
  const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, costUsd: 0.5 };
  const projection = { state: "idle", activeRunId: null, queued: 0, lastActiveAt: 1, waitsFor: null, lastStatus: null };
  for (const pid of ["task:aaaaaa", "task:bbbbbb"]) {
    const row = { id: 1, runId: "r", turn: 0, model: "m", usage, ms: 1, priced: true, wasted: false, at: 7 };
    const outbox = { seq: 1, projection, approvals: [], ended: null, usage: [row] };
    await store.processes.project(pid, [outbox as never]);
  }
  const sums = await store.usage.sums({ by: "session" });
  expect(sums.map(({ key, input }) => [key, input])).toEqual([
    ["-", 10],
    [KEY, 10],
  ]);
  expect(await store.usage.sums({ by: "session", since: 7, until: 8 })).toHaveLength(2);
  expect(await store.usage.sums({ by: "session", since: 5, until: 7 })).toHaveLength(0);
});
