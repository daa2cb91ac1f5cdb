// Delivery of events: in order, each once, independent of other listeners; the last event before the listener is removed; nothing kept for
// ended sessions.

import { expect, test } from "bun:test";
import { LIMITS } from "../../../src/abi/config/limits.ts";
import { ManagedKernel } from "../../support/manager.ts";

const MINUTE = 60_000;
const HELD = { hold: true, text: "at last" } as const;

test("a session's listeners get an event before global ones, in order of subscription, each once", async () => {
  await using it = await ManagedKernel.boot();
  const session = await it.session();
  const heard: string[] = [];
  const listener =
    (name: string) =>
    (_: string, { type }: { type: string }) => {
      if (type === "session_started") heard.push(name);
    };
  const [first, second] = [listener("first"), listener("second")];
  it.manager.subscribeAll(listener("all"));
  for (const each of [first, second, first]) it.manager.subscribe(session.id, each);
  it.manager.startProcess(session, "hello");
  await it.until(session, "session_exited");
  expect(heard).toEqual(["first", "second", "all"]);
});

test("a listener that throws affects no other listener, and subscribing succeeds", async () => {
  await using it = await ManagedKernel.boot();
  const { session } = await it.resumed({}, HELD);
  await it.home.holding();
  const heard: string[] = [];
  it.manager.subscribe(session.id, () => {
    throw new Error("a broken listener");
  });
  it.manager.subscribe(session.id, (_, { type }) => heard.push(type));
  it.home.model.release();
  await it.until(session, "session_exited", 2);
  expect(heard.at(-1)).toBe("session_exited");
  expect(it.faults.splice(0).length).toBeGreaterThan(1);
});

test("a listener that subscribes during a run is notified at once; otherwise it is not", async () => {
  await using it = await ManagedKernel.boot();
  const { session, pid } = await it.talked();
  const heard: object[] = [];
  it.manager.subscribe(session.id, (_, event) => heard.push(event));
  expect(heard).toEqual([]);
  it.home.model.will(pid, HELD);
  it.manager.resumeProcess(session, "again");
  await it.home.holding();
  const late: object[] = [];
  it.manager.subscribe(session.id, (_, event) => late.push(event));
  expect(late).toEqual([{ type: "thinking", thinking: true, session_id: session.id }]);
  it.home.model.release();
});

test("an unsubscribed listener gets nothing more, even during delivery; others do", async () => {
  await using it = await ManagedKernel.boot();
  const session = await it.session();
  const heard: string[] = [];
  const once = () => {
    heard.push("once");
    it.manager.unsubscribe(session.id, once);
  };
  it.manager.subscribe(session.id, once);
  it.manager.subscribe(session.id, (_, { type }) => type === "session_exited" && heard.push("both"));
  const all = () => heard.push("all");
  it.manager.subscribeAll(all);
  it.manager.unsubscribeAll(all);
  it.manager.unsubscribe("no such session", once);
  it.manager.startProcess(session, "hello");
  await it.until(session, "session_exited");
  expect(heard).toEqual(["once", "both"]);
});

test("listeners get the last event and are removed: after an answer, a stop, an error", async () => {
  await using it = await ManagedKernel.boot();
  const { session, pid } = await it.talked();
  const last = new Map<string, string>();
  const listen = (id: string) => it.manager.subscribe(id, (_, { type }) => void last.set(id, type));
  listen(session.id);
  it.home.model.will(pid, HELD);
  it.manager.resumeProcess(session, "again");
  await it.home.holding();
  it.manager.stopProcess(session.id);
  await it.until(session, "session_stopped");
  expect(last.get(session.id)).toBe("session_stopped");
  expect(it.manager.getMemoryStats().subscribers).toBe(0);
  it.home.model.release();
});

test("cleaning up removes everything of one session and nothing of another; a second time it does nothing", async () => {
  await using it = await ManagedKernel.boot();
  for (const id of ["one", "two"]) it.manager.subscribe(id, () => {});
  it.manager.cleanupSessionState("one");
  it.manager.cleanupSessionState("one");
  it.manager.cleanupSessionState("unknown");
  expect(it.manager.getMemoryStats()).toEqual({
    ...{ processes: 0, subscribers: 1, sessionMeta: 0, pausedSessions: 0, sessionTimeouts: 0, stableTimers: 0 },
    globalSubscribers: 1,
  });
});

test("every five minutes the listeners of sessions that do not run are removed; running and paused ones keep theirs", async () => {
  await using it = await ManagedKernel.boot();
  const { session } = await it.resumed({}, HELD);
  await it.home.holding();
  for (const id of [session.id, "gone"]) it.manager.subscribe(id, () => {});
  await it.home.clock.advance(5 * MINUTE - 1);
  expect(it.manager.getMemoryStats().subscribers).toBe(2);
  it.manager.subscribe("just now", () => {});
  await it.home.clock.advance(1);
  expect(it.manager.getMemoryStats().subscribers).toBe(2);
  await it.home.clock.advance(5 * MINUTE);
  expect(it.manager.getMemoryStats().subscribers).toBe(1);
  it.home.model.release();
});

test("after a thousand started and ended sessions nothing is left of them", async () => {
  await using it = await ManagedKernel.boot();
  const before = it.home.clock.pending;
  const sessions = await Promise.all(Array.from({ length: 20 }, () => it.session()));
  for (let round = 0; round < 50; round++) {
    for (const { id } of sessions) it.manager.subscribe(id, () => {});
    for (const session of sessions) it.manager.startProcess(session, "");
    for (const { id } of sessions.slice(0, 5)) it.manager.stopProcess(id);
    await it.manager.settled();
    await it.manager.settled();
  }
  expect(it.manager.getMemoryStats()).toEqual({
    ...{ processes: 0, subscribers: 0, sessionMeta: 0, pausedSessions: 0, sessionTimeouts: 0, stableTimers: 0 },
    globalSubscribers: 1,
  });
  // Their databases are closed after a while.
  await it.home.clock.advance(2 * LIMITS.processDatabaseRestMs);
  expect(it.home.clock.pending).toBeLessThanOrEqual(before);
});

test("a shutdown stops every session and leaves no timer; a second one does nothing, and nothing starts after it", async () => {
  await using it = await ManagedKernel.boot();
  const running = await Promise.all(Array.from({ length: 5 }, () => it.talked()));
  for (const { session, pid } of running) {
    it.home.model.will(pid, HELD);
    it.manager.resumeProcess(session, "again");
  }
  await it.home.holding(5);
  it.manager.shutdown();
  it.manager.shutdown();
  await it.manager.settled();
  await it.home.quiet();
  for (const { session } of running) {
    expect(it.types(session).at(-1)).toBe("session_stopped");
    expect(await it.status(session)).toBe("stopped");
  }
  const { globalSubscribers, ...stats } = it.manager.getMemoryStats();
  expect([...new Set(Object.values(stats))]).toEqual([0]);
  expect(globalSubscribers).toBe(1);
  it.manager.startProcess(running[0]!.session, "again");
  expect(it.manager.isRunning(running[0]!.session.id)).toBe(false);
  it.home.model.release();
});
