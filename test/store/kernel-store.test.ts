// The control plane's store: accounts, the registry with its projection, and the generation that keeps a kernel that lost its lock from
// writing.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { SysError } from "../../src/abi/errno.ts";
import type { KernelStore } from "../../src/store/kernel/sqlite.ts";
import { approval, FIRST, KernelPlane, liveProcess, newProcess, outboxRow } from "../support/kernel-plane.ts";

let plane: KernelPlane;
let store: KernelStore;

beforeEach(() => {
  plane = new KernelPlane();
  store = plane.begin();
});
afterEach(() => plane.dispose());

const pids = (rows: readonly { pid: string }[]) => rows.map((row) => row.pid);

test("a new home gets its accounts once; a second set-up changes nothing", async () => {
  expect(await store.accounts.firstHuman()).toBeNull();
  expect(await store.accounts.setUp(FIRST)).toBe(true);
  const other = { ...FIRST, accounts: FIRST.accounts.map((each) => ({ ...each, username: `${each.username}2` })) };
  expect(await store.accounts.setUp(other)).toBe(false);
  expect(await store.accounts.firstHuman()).toMatchObject({ username: "sam", uid: 1000, home: "/home/sam" });
  expect(await store.accounts.byName("sam2")).toBeNull();
  expect(await store.accounts.byUid(0)).toMatchObject({ username: "root" });
});

test("a set-up that fails in the middle leaves nothing, so the next start repeats all of it", async () => {
  const twice = { ...FIRST, grants: [...FIRST.grants, { gid: 100, capability: "proc.*" }] };
  await expect(store.accounts.setUp(twice)).rejects.toThrow();
  expect(await store.accounts.byUid(0)).toBeNull();
  expect(await store.accounts.setUp(FIRST)).toBe(true);
});

test("an account resolves to its groups, primary first, and groups to their capabilities", async () => {
  await store.accounts.setUp(FIRST);
  const sam = await store.accounts.identity(1000);
  expect(sam).toEqual({ uid: 1000, gid: 1000, gids: [1000, 100, 1001], username: "sam", home: "/home/sam" });
  expect(await store.accounts.capabilities(sam?.gids ?? [])).toEqual(["fs.read", "proc.*"]);
  expect(await store.accounts.capabilities([0])).toEqual(["*"]);
  expect(await store.accounts.identity(4294967295)).toBeNull();
});

test("a human may act as their own agent and as no other", async () => {
  await store.accounts.setUp(FIRST);
  expect(await store.accounts.personalAgent(1000)).toMatchObject({ uid: 1001, username: "sam-agent" });
  expect(await store.accounts.personalAgent(1001)).toBeNull();
  expect(await store.accounts.mayActAs(1000, 1001)).toBe(true);
  expect(await store.accounts.mayActAs(1001, 1000)).toBe(false);
  expect(await store.accounts.mayActAs(1000, 0)).toBe(false);
});

test("a process is created in a step that the next start can finish, then it is live", async () => {
  await store.processes.create(newProcess("task:aaaaaa", { label: "docs", step: { prompt: "go" } }));
  expect(await store.processes.get("task:aaaaaa")).toMatchObject({
    phase: "creating",
    step: { prompt: "go" },
    dirty: true,
  });
  expect(pids(await store.processes.unfinished())).toEqual(["task:aaaaaa"]);
  expect(await store.processes.list({ limit: 10 })).toEqual([]);
  await store.processes.live("task:aaaaaa", { dirty: true });
  expect(await store.processes.get("task:aaaaaa")).toEqual({
    pid: "task:aaaaaa",
    parentPid: null,
    uid: 1001,
    ownerUid: 1000,
    profile: "task",
    label: "docs",
    cwd: "/home/sam",
    workspaceId: null,
    createdAt: 1,
    phase: "live",
    step: null,
    dirty: true,
    state: "idle",
    activeRunId: null,
    queued: 0,
    lastActiveAt: null,
    waitsFor: null,
    lastStatus: null,
    endNotice: null,
    dropped: [],
    mode: "ask",
    restart: null,
    budgetId: null,
    costMicros: 0,
    tokens: 0,
    projectId: null,
  });
  expect(await store.processes.get("task:zzzzzz")).toBeNull();
});

test("a creation and its answer are one write", async () => {
  const request = { uid: 1000, requestId: "req-1", bodyHash: "h", answer: { pid: "task:aaaaaa" }, now: 9 };
  await store.processes.create(newProcess("task:aaaaaa"), request);
  expect(await store.requests.answered(1000, "req-1", "h")).toEqual({ answer: { pid: "task:aaaaaa" }, sameBody: true });
  const second = { ...request, requestId: "req-2" };
  await expect(store.processes.create(newProcess("task:aaaaaa"), second)).rejects.toThrow();
  expect(await store.requests.answered(1000, "req-2", "h")).toBeNull();
});

test("processes are listed oldest first, by owner or all, in pages that lose none", async () => {
  // Two of each millisecond; the younger ones come first by name.
  const made = ["g", "h", "e", "f", "c", "d", "a"].map((letter) => `task:${letter.repeat(6)}`);
  for (const [index, pid] of made.entries()) {
    await liveProcess(store, pid, { ownerUid: index % 2 === 0 ? 1000 : 0, createdAt: Math.floor(index / 2) });
  }
  expect(pids(await store.processes.list({ limit: 100 }))).toEqual(made);
  expect(pids(await store.processes.list({ ownerUid: 0, limit: 100 }))).toEqual([
    "task:hhhhhh",
    "task:ffffff",
    "task:dddddd",
  ]);
  for (const limit of [1, 2, 3, 7]) {
    const seen: string[] = [];
    for (let page = await store.processes.list({ limit }); page.length > 0; ) {
      seen.push(...pids(page));
      const last = page.at(-1);
      if (last === undefined) break;
      page = await store.processes.list({ after: { createdAt: last.createdAt, id: last.pid }, limit });
    }
    expect(seen).toEqual(made);
  }
  expect(await store.processes.count(1000)).toBe(4);
  expect(await store.processes.tally()).toEqual(new Map([["idle", 7]]));
});

test("the projection is applied by number: repeated or out of order, it changes nothing", async () => {
  await liveProcess(store, "task:aaaaaa");
  const asked = approval("task:aaaaaa");
  const waitsFor = { kind: "approval", id: "a1b2", tool: "Delete", summary: "delete /a" } as const;
  const first = outboxRow(7, { state: "queued", queued: 1 });
  const second = outboxRow(8, { state: "waiting_hil", activeRunId: "run-1", waitsFor }, [asked]);
  const third = outboxRow(9, { state: "running", activeRunId: "run-1" }, [
    { ...asked, decision: "approve", by: "sam", decidedAt: 6 },
  ]);
  await store.processes.project("task:aaaaaa", [first, second]);
  expect(await store.processes.get("task:aaaaaa")).toMatchObject({
    state: "waiting_hil",
    activeRunId: "run-1",
    waitsFor,
  });
  expect(await store.approvals.open({})).toEqual([asked]);
  await store.processes.project("task:aaaaaa", [first, second, third]);
  const applied = await store.processes.get("task:aaaaaa");
  expect(applied).toMatchObject({ state: "running", queued: 0, waitsFor: null, lastActiveAt: 9 });
  for (const again of [[first], [second], [first, second], [first, second, third], []]) {
    await store.processes.project("task:aaaaaa", again);
    expect(await store.processes.get("task:aaaaaa")).toEqual(applied);
    expect(await store.approvals.open({})).toEqual([]);
  }
  expect(await store.processes.tally()).toEqual(new Map([["running", 1]]));
});

test("a projection of a removed process creates nothing", async () => {
  await store.processes.project("task:aaaaaa", [outboxRow(1, {}, [approval("task:aaaaaa")])]);
  expect(await store.processes.get("task:aaaaaa")).toBeNull();
  expect(await store.approvals.open({})).toEqual([]);
});

test("a start only checks processes that are dirty or in a step", async () => {
  for (const pid of ["task:aaaaaa", "task:bbbbbb", "task:cccccc"]) {
    await liveProcess(store, pid);
    await store.processes.clearDirty(pid);
  }
  expect(await store.processes.unfinished()).toEqual([]);
  await store.processes.markDirty("task:bbbbbb");
  await store.processes.tombstone("task:cccccc", { archive: true });
  expect(pids(await store.processes.unfinished())).toEqual(["task:bbbbbb", "task:cccccc"]);
  await store.processes.clearDirty("task:cccccc");
  await store.processes.clearDirty("task:bbbbbb");
  expect(await store.processes.unfinished()).toMatchObject([{ pid: "task:cccccc", dirty: true }]);
});

test("a process that is being killed keeps that state and its data until it is removed", async () => {
  await liveProcess(store, "task:aaaaaa");
  await store.processes.tombstone("task:aaaaaa", { archiveId: "first" });
  await store.processes.tombstone("task:aaaaaa", { archiveId: "second" });
  await store.processes.live("task:aaaaaa", { dirty: true });
  expect(await store.processes.get("task:aaaaaa")).toMatchObject({ phase: "killing", step: { archiveId: "first" } });
  expect(await store.processes.list({ limit: 10 })).toEqual([]);
});

test("removing a process gives its children to its parent, withdraws its questions and answers the caller", async () => {
  await liveProcess(store, "init:1000");
  await liveProcess(store, "task:aaaaaa", { parentPid: "init:1000" });
  await liveProcess(store, "task:bbbbbb", { parentPid: "task:aaaaaa" });
  await liveProcess(store, "task:cccccc", { parentPid: "task:aaaaaa" });
  await liveProcess(store, "task:dddddd", { parentPid: "task:bbbbbb" });
  await store.processes.project("task:aaaaaa", [outboxRow(1, {}, [approval("task:aaaaaa")])]);
  await store.routes.add({ runId: "run-1", uid: 1000, connectionId: "c1", pid: "task:aaaaaa", now: 1 });
  const request = { uid: 1000, requestId: "kill-1", answer: { killed: true }, now: 9 };
  await store.processes.remove("task:aaaaaa", request);
  expect(await store.processes.get("task:aaaaaa")).toBeNull();
  const orphans = (await store.processes.list({ limit: 10 })).filter((row) => row.parentPid === "init:1000");
  expect(pids(orphans)).toEqual(["task:bbbbbb", "task:cccccc"]);
  expect((await store.processes.get("task:dddddd"))?.parentPid).toBe("task:bbbbbb");
  expect(await store.approvals.open({})).toEqual([]);
  expect((await store.approvals.find("a1b2"))?.approval).toMatchObject({ decision: "withdrawn", decidedAt: 9 });
  expect(await store.routes.all()).toEqual([]);
  expect((await store.requests.answered(1000, "kill-1", "task:aaaaaa"))?.answer).toEqual({ killed: true });
  await store.processes.remove("task:aaaaaa", { ...request, answer: { killed: false } });
  expect((await store.requests.answered(1000, "kill-1", "task:aaaaaa"))?.answer).toEqual({ killed: true });
});

test("children of a process without a parent have no parent", async () => {
  await liveProcess(store, "task:aaaaaa");
  await liveProcess(store, "task:bbbbbb", { parentPid: "task:aaaaaa" });
  await store.processes.remove("task:aaaaaa", { uid: 1000, requestId: "k", answer: {}, now: 1 });
  expect((await store.processes.get("task:bbbbbb"))?.parentPid).toBeNull();
});

test("the next kernel finds everything that the last one stored", async () => {
  await store.accounts.setUp(FIRST);
  await liveProcess(store, "task:aaaaaa", { label: "docs" });
  const next = plane.begin();
  expect(await next.accounts.firstHuman()).toMatchObject({ uid: 1000 });
  expect(await next.processes.get("task:aaaaaa")).toEqual(await store.processes.get("task:aaaaaa"));
});

test("a kernel that lost its lock changes no row by any verb, and gets an error", async () => {
  await store.accounts.setUp(FIRST);
  await liveProcess(store, "task:aaaaaa");
  const next = plane.begin();
  const before = await everything(next);
  const { processes, archives, routes, requests, audit, accounts } = store;
  const request = { uid: 1000, requestId: "late", answer: {}, now: 9 };
  const archive = {
    id: "x",
    pid: "p",
    ownerUid: 0,
    key: "k",
    reason: "kill",
    messages: 1,
    lines: 1,
    undelivered: 0,
    bytes: 1,
    sha256: "",
    createdAt: 1,
  } as const;
  const late: (() => Promise<unknown>)[] = [
    () => accounts.setUp(FIRST),
    () => processes.create(newProcess("task:bbbbbb")),
    () => processes.live("task:aaaaaa", { dirty: true }),
    () => processes.markDirty("task:aaaaaa"),
    () => processes.clearDirty("task:aaaaaa"),
    () => processes.project("task:aaaaaa", [outboxRow(1, { state: "running" })]),
    () => processes.tombstone("task:aaaaaa", {}),
    () => processes.remove("task:aaaaaa", request),
    () => archives.add(archive),
    () => routes.add({ runId: "run-1", uid: 1, connectionId: "c", pid: "task:aaaaaa", now: 1 }),
    () => routes.sweep(Number.MAX_SAFE_INTEGER),
    () => requests.remember({ ...request, bodyHash: "h" }),
    () => requests.sweep(Number.MAX_SAFE_INTEGER),
    () => audit.add({ at: 1, uid: 1, pid: null, call: "proc.kill", outcome: "ok", detail: "" }),
  ];
  for (const verb of late) {
    const error = await verb().then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(SysError);
    expect(error).toMatchObject({ code: "EAGAIN", message: expect.stringContaining("another kernel has taken over") });
  }
  expect(await everything(next)).toEqual(before);
  await next.processes.markDirty("task:aaaaaa");
});

async function everything(of: KernelStore) {
  return {
    processes: await of.processes.unfinished(),
    live: await of.processes.list({ limit: 100 }),
    human: await of.accounts.firstHuman(),
    approvals: await of.approvals.open({}),
    archives: await of.archives.list({ limit: 100 }),
    routes: await of.routes.all(),
    request: await of.requests.answered(1000, "late", "h"),
  };
}

test("a home is readable without a kernel, but not writable", async () => {
  await store.accounts.setUp(FIRST);
  await liveProcess(store, "task:aaaaaa");
  const reading = plane.reading();
  expect(pids((await reading?.processes.list({ limit: 10 })) ?? [])).toEqual(["task:aaaaaa"]);
  await expect(reading?.processes.markDirty("task:aaaaaa")).rejects.toMatchObject({ code: "EAGAIN" });
});
