// One verb claims whatever is due, of every kind, once; what a kernel claimed and did not carry out is claimed again.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { Claims } from "../../src/due/claims.ts";
import { planOf } from "../../src/due/timetable.ts";
import { DueQueue } from "../../src/lib/alarm.ts";
import type { ClaimOf } from "../../src/store/kernel/due/due.ts";
import type { KernelStore } from "../../src/store/kernel/sqlite.ts";
import { FakeClock } from "../support/clock.ts";
import { approval, KernelPlane, liveProcess, outboxRow } from "../support/kernel-plane.ts";

const PID = "task:aaaaaa";
const LIMIT = 50;

let plane: KernelPlane;
let store: KernelStore;

beforeEach(() => {
  plane = new KernelPlane();
  store = plane.begin();
});
afterEach(() => plane.dispose());

let ids = 0;
const claim = (from: KernelStore, now: number) =>
  from.due.claim({ now, limit: LIMIT }, (due) => planOf(due, now, () => `occurrence-${++ids}`));

/** One of each kind: due at 1010, 1020, … in the order of the kinds below. */
async function fill(): Promise<void> {
  const rules = { overlap: "skip", catchUp: "one", jitterMs: 0, failuresMax: 3 } as const;
  await store.schedules.add({
    ...{ id: "s1", ownerUid: 1000, name: "job", creator: { uid: 1000 }, enabled: true, pausedWhy: null, rules },
    ...{ timing: { kind: "at", at: 1010 }, target: { kind: "message", pid: PID, text: "go" } },
    ...{ nominalAt: 1010, nextAt: 1010, failures: 0, runs: 0, costMicros: 0, createdAt: 1, updatedAt: 1, file: null },
  });
  const news = { title: "hello", body: null, level: "info", source: { kind: "account", name: "sam" } } as const;
  const unread = { createdAt: 1, readAt: null, dismissedAt: null, expiresAt: 9000, announceAt: 1020 };
  await store.notifications.add({ id: "n1", uid: 1000, actions: [], ...news, ...unread }, { max: 10 });
  await store.ipc.open({
    ...{
      id: "call0001",
      ownerUid: 1000,
      requestKey: "r",
      sourcePid: PID,
      sourceRunId: "run",
      targetPid: "task:bbbbbb",
    },
    ...{ targetRunId: null, message: "?", replyAs: "result", status: "open", deadlineAt: 1030, createdAt: 1 },
    ...{ response: null, error: null },
  });
  const watch = {
    signal: "chat.complete",
    pid: null,
    where: null,
    state: null,
    once: false,
    status: "active",
  } as const;
  await store.watches.put(
    {
      ...{ id: "w1", ownerUid: 1000, creator: { uid: 1000 }, key: "w1", action: { kind: "notify", text: "x" } },
      ...{ ...watch, fired: 0, lastAt: null, error: null, createdAt: 1, expiresAt: 1040 },
    },
    null,
  );
  await liveProcess(store, PID);
  await store.processes.project(PID, [outboxRow(1, {}, [approval(PID, { expiresAt: 1050 })])]);
  await liveProcess(store, "task:cccccc");
  const waitsFor = { kind: "restart", reason: "it failed", until: 1060, attempt: 1 } as const;
  await store.processes.project("task:cccccc", [outboxRow(1, { state: "paused", waitsFor })]);
}

test("nothing is claimed before its instant; then every kind is, the earliest first, and only once", async () => {
  await fill();
  expect(await store.due.earliest()).toEqual({ at: 1010, startsAt: 1010 });
  expect(await claim(store, 1009)).toEqual([]);
  expect((await claim(store, 1010)).map(({ kind, id, at }) => [kind, id, at])).toEqual([["schedule", "s1", 1010]]);
  const due = await claim(store, 1060);
  expect(due.map(({ kind, id, at }) => [kind, id, at])).toEqual([
    ["notification", "n1", 1020],
    ["call", "call0001", 1030],
    ["watch", "w1", 1040],
    ["request", `${PID} a1b2`, 1050],
    ["run", "task:cccccc", 1060],
  ]);
  expect(due[1]).toMatchObject({ row: { status: "timeout" } });
  expect(await claim(store, 9000)).toEqual([]);
  expect(await store.due.earliest()).toEqual({ at: null, startsAt: null });
});

test("a claim is stored before it is returned: the next kernel finds the occurrence and the ended call, and repeats what no database shows", async () => {
  await fill();
  const claimed = await claim(store, 1060);
  expect(claimed).toHaveLength(6);
  const next = plane.begin();
  expect((await next.occurrences.open()).map(({ id, state }) => [id, state])).toEqual([
    [(claimed[0] as ClaimOf<"schedule">).occurrences[0]?.id ?? "none", "claimed"],
  ]);
  // Its message may still have to be withdrawn.
  expect((await next.ipc.unsettled()).map(({ status }) => status)).toEqual(["timeout"]);
  expect((await claim(next, 1060)).map(({ kind }) => kind)).toEqual(["request", "run"]);
});

test("an expired watch wakes nobody: a kernel need not stay for it", async () => {
  await fill();
  await claim(store, 1030);
  await store.processes.project(PID, [outboxRow(2, {}, [approval(PID, { decision: "deny", decidedAt: 2 })])]);
  await store.processes.project("task:cccccc", [outboxRow(2)]);
  expect(await store.due.earliest()).toEqual({ at: 1040, startsAt: null });
});

test("an instant that moved is claimed again, also by the same kernel", async () => {
  await fill();
  await claim(store, 1060);
  const waitsFor = { kind: "restart", reason: "it failed", until: 2000, attempt: 2 } as const;
  await store.processes.project("task:cccccc", [outboxRow(2, { state: "paused", waitsFor })]);
  expect(await store.due.earliest()).toMatchObject({ startsAt: 2000 });
  expect((await claim(store, 2000)).map(({ kind, at }) => [kind, at])).toEqual([["run", 2000]]);
});

test("what a handler could not carry out is claimed again a minute later; the others are not held up", async () => {
  await fill();
  const clock = new FakeClock();
  const faults: unknown[] = [];
  const onFault = (error: unknown) => void faults.push(error);
  const claims = new Claims({
    ...{ queue: new DueQueue({ clock, onFault }), kernel: store, clock, onFault },
    newId: () => `occurrence-${++ids}`,
  });
  const seen: string[] = [];
  const takes = async (rows: readonly { readonly kind: string }[]) => void seen.push(...rows.map(({ kind }) => kind));
  const others = { schedule: takes, notification: takes, call: takes, watch: takes, request: takes };
  let tries = 0;
  await claims.begin({
    ...others,
    async run() {
      if (++tries === 1) throw new Error("not now");
    },
  });
  await clock.advance(1);
  await claims.settled();
  // The notification has expired.
  expect(seen.sort()).toEqual(["call", "request", "schedule", "watch"]);
  expect([tries, faults.length]).toEqual([1, 1]);
  await clock.advance(60_000);
  await claims.settled();
  expect(tries).toBe(2);
  claims.stop();
});

test("a schedule whose start takes long holds up nothing else, and what became due meanwhile starts after it", async () => {
  await fill();
  const clock = new FakeClock(1010);
  const onFault = (error: unknown) => {
    throw error;
  };
  const claims = new Claims({
    ...{ queue: new DueQueue({ clock, onFault }), kernel: store, clock, onFault },
    newId: () => `occurrence-${++ids}`,
  });
  const seen: string[] = [];
  const takes = async (rows: readonly { readonly kind: string; readonly id: string }[]) =>
    void seen.push(...rows.map(({ kind, id }) => `${kind} ${id}`));
  const slow = Promise.withResolvers<void>();
  const schedule = async (rows: readonly { readonly kind: string; readonly id: string }[]) => {
    await takes(rows);
    await slow.promise;
  };
  await claims.begin({ schedule, notification: takes, call: takes, watch: takes, request: takes, run: takes });
  await clock.advance(1);
  const rules = { overlap: "skip", catchUp: "one", jitterMs: 0, failuresMax: 3 } as const;
  await store.schedules.add({
    ...{ id: "s2", ownerUid: 1000, name: "second", creator: { uid: 1000 }, enabled: true, pausedWhy: null, rules },
    ...{ timing: { kind: "at", at: 1012 }, target: { kind: "message", pid: PID, text: "go" } },
    ...{ nominalAt: 1012, nextAt: 1012, failures: 0, runs: 0, costMicros: 0, createdAt: 1, updatedAt: 1, file: null },
  });
  await claims.arm();
  await clock.advance(60);
  expect(seen.map((each) => each.split(" ")[0])).toEqual([
    "schedule",
    "notification",
    "call",
    "watch",
    "request",
    "run",
  ]);
  slow.resolve();
  await claims.settled();
  await clock.advance(1);
  await claims.settled();
  expect(seen.at(-1)).toBe("schedule s2");
  claims.stop();
});
