// The smaller tables of kernel.db: answered requests, projected approvals, archives, the client behind each run, and the usage of answers.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { LIMITS } from "../../src/abi/config/limits.ts";
import { NO_USAGE } from "../../src/abi/process/process.ts";
import type { ArchiveRow } from "../../src/store/kernel/processes/archives.ts";
import type { KernelStore } from "../../src/store/kernel/sqlite.ts";
import { approval, KernelPlane, liveProcess, outboxRow } from "../support/kernel-plane.ts";

let plane: KernelPlane;
let store: KernelStore;

beforeEach(() => {
  plane = new KernelPlane();
  store = plane.begin();
});
afterEach(() => plane.dispose());

test("a request is answered once, for its own account, and another body under its id is detected", async () => {
  const request = { uid: 1000, requestId: "r", bodyHash: "h", answer: { pid: "task:aaaaaa" }, now: 1 };
  expect(await store.requests.answered(1000, "r", "h")).toBeNull();
  await store.requests.remember(request);
  await store.requests.remember({ ...request, answer: { pid: "task:bbbbbb" } });
  expect(await store.requests.answered(1000, "r", "h")).toEqual({ answer: { pid: "task:aaaaaa" }, sameBody: true });
  expect(await store.requests.answered(1000, "r", "other")).toMatchObject({ sameBody: false });
  expect(await store.requests.answered(1001, "r", "h")).toBeNull();
});

test("requests are kept for a day", async () => {
  await store.requests.remember({ uid: 1000, requestId: "r", bodyHash: "h", answer: {}, now: 5 });
  await store.requests.sweep(5 + LIMITS.requestsKeptMs);
  expect(await store.requests.answered(1000, "r", "h")).not.toBeNull();
  await store.requests.sweep(6 + LIMITS.requestsKeptMs);
  expect(await store.requests.answered(1000, "r", "h")).toBeNull();
});

test("open approvals are listed oldest first, by owner or all", async () => {
  await liveProcess(store, "task:aaaaaa", { ownerUid: 1000 });
  await liveProcess(store, "task:bbbbbb", { ownerUid: 0 });
  const later = approval("task:aaaaaa", { id: "zzzz", createdAt: 9 });
  const earlier = approval("task:bbbbbb", { id: "aaaa", createdAt: 3 });
  await store.processes.project("task:aaaaaa", [outboxRow(1, {}, [later])]);
  await store.processes.project("task:bbbbbb", [outboxRow(1, {}, [earlier])]);
  expect(await store.approvals.open({})).toEqual([earlier, later]);
  expect(await store.approvals.open({ ownerUid: 1000 })).toEqual([later]);
  expect(await store.approvals.find("aaaa")).toEqual({ approval: earlier, ownerUid: 0 });
  expect(await store.approvals.find("none")).toBeNull();
});

test("a reused approval id means the open approval, and the latest if all are decided", async () => {
  await liveProcess(store, "task:aaaaaa");
  const first = approval("task:aaaaaa", { createdAt: 3 });
  const decided = { ...first, decision: "approve", by: "sam", decidedAt: 4 } as const;
  const second = approval("task:aaaaaa", { createdAt: 7 });
  await store.processes.project("task:aaaaaa", [outboxRow(1, {}, [first]), outboxRow(2, {}, [decided])]);
  expect((await store.approvals.find("a1b2"))?.approval).toEqual(decided);
  await store.processes.project("task:aaaaaa", [outboxRow(3, {}, [second])]);
  expect((await store.approvals.find("a1b2"))?.approval).toEqual(second);
  const denied = { ...second, decision: "deny", by: "alice", decidedAt: 8 } as const;
  await store.processes.project("task:aaaaaa", [outboxRow(4, {}, [denied])]);
  expect((await store.approvals.find("a1b2"))?.approval).toEqual(denied);
});

function archive(index: number, about: Partial<ArchiveRow> = {}): ArchiveRow {
  return {
    id: `archive-${index}`,
    pid: "task:aaaaaa",
    ownerUid: 1000,
    key: `var/sessions/sam/task:aaaaaa/archive-${index}.jsonl.gz`,
    reason: "reset",
    messages: 10,
    lines: 12,
    undelivered: 2,
    bytes: 300,
    sha256: "ab".repeat(32),
    createdAt: index,
    ...about,
  };
}

test("archives are listed newest first, by owner and by process, and outlive their process", async () => {
  const rows = [
    archive(1),
    archive(2, { ownerUid: 0 }),
    archive(3, { pid: "task:bbbbbb", reason: "kill" }),
    archive(4),
  ];
  for (const row of rows) await store.archives.add(row);
  const ids = async (filter: { ownerUid?: number; pid?: string }) =>
    (await store.archives.list({ ...filter, limit: 100 })).map((row) => row.id);
  expect(await ids({})).toEqual(["archive-4", "archive-3", "archive-2", "archive-1"]);
  expect(await ids({ ownerUid: 1000 })).toEqual(["archive-4", "archive-3", "archive-1"]);
  expect(await ids({ pid: "task:aaaaaa" })).toEqual(["archive-4", "archive-2", "archive-1"]);
  expect(await ids({ ownerUid: 0, pid: "task:aaaaaa" })).toEqual(["archive-2"]);
  expect(await ids({ ownerUid: 7 })).toEqual([]);
  expect(await store.archives.get("archive-3")).toEqual(archive(3, { pid: "task:bbbbbb", reason: "kill" }));
  expect(await store.archives.get("none")).toBeNull();
});

test("archives of the same millisecond have a stable order", async () => {
  for (const index of [2, 1, 3]) await store.archives.add(archive(index, { createdAt: 5 }));
  expect((await store.archives.list({ limit: 100 })).map((row) => row.id)).toEqual([
    "archive-3",
    "archive-2",
    "archive-1",
  ]);
});

test("an archive that is written again, as after a crash, is one archive", async () => {
  await store.archives.add(archive(1));
  await store.archives.add(archive(1, { bytes: 301 }));
  expect(await store.archives.list({ limit: 100 })).toEqual([archive(1, { bytes: 301 })]);
});

test("the next kernel knows the client that started a run, until that record expires", async () => {
  const route = { runId: "run-1", uid: 1000, connectionId: "c1", pid: "task:aaaaaa", now: 5 };
  await store.routes.add(route);
  await store.routes.add({ ...route, runId: "run-2", connectionId: "c2", now: 9 });
  const next = plane.begin();
  expect(await next.routes.all()).toEqual([
    { runId: "run-1", connectionId: "c1" },
    { runId: "run-2", connectionId: "c2" },
  ]);
  await next.routes.sweep(6 + LIMITS.runRoutesKeptMs);
  expect((await next.routes.all()).map(({ runId }) => runId)).toEqual(["run-2"]);
});

test("usage is charged once, however often its row is copied, alone or with new ones", async () => {
  await liveProcess(store, "task:aaaaaa");
  const spent = (seq: number, costUsd: number) => ({
    ...outboxRow(seq),
    usage: [
      {
        ...{ id: seq, runId: "run-1", turn: seq, model: "openai/m", ms: 10, priced: true, wasted: false, at: seq },
        usage: { ...NO_USAGE, input: 100, costUsd },
      },
    ],
  });
  const [first, second, third] = [spent(1, 0.25), spent(2, 0.5), spent(3, 1)] as const;
  const total = async () => {
    const [sum] = await store.usage.sums({ by: "account" });
    const row = await store.processes.get("task:aaaaaa");
    return [sum?.turns, sum?.input, sum?.micros, row?.costMicros, row?.tokens];
  };
  await store.processes.project("task:aaaaaa", [first, second]);
  expect(await total()).toEqual([2, 200, 750_000, 750_000, 200]);
  for (const again of [[first], [second], [first, second]]) {
    await store.processes.project("task:aaaaaa", again);
    expect(await total()).toEqual([2, 200, 750_000, 750_000, 200]);
  }
  await store.processes.project("task:aaaaaa", [first, second, third]);
  expect(await total()).toEqual([3, 300, 1_750_000, 1_750_000, 300]);
});
