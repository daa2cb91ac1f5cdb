// Crashes, outages and time in the process manager: differences between channels and terminals; waits survive a kernel and end at a stop.

import { expect, test } from "bun:test";
import type { PlannedAnswer } from "../../support/answers.ts";
import { ManagedKernel } from "../../support/manager.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const FAULT: PlannedAnswer = { fault: "broken" };
const DOWN: PlannedAnswer = { error: { class: "outage", message: "the server is down" } };
const HELD = { hold: true, text: "at last" } as const;

async function paused(it: ManagedKernel) {
  const found = await it.resumed({ source: "algochat" }, DOWN, DOWN, DOWN, DOWN);
  return { ...found, ms: await it.held(found.pid) };
}

test("a session at a terminal or in a browser that crashes is not restarted: it is in error", async () => {
  await using it = await ManagedKernel.boot();
  for (const source of ["cli", "web"]) {
    const { session } = await it.resumed({ source }, FAULT);
    await it.until(session, "session_exited", 2);
    expect(await it.status(session)).toBe("error");
    expect(it.types(session).slice(-3)).toEqual(["direct_process_error", "result", "session_exited"]);
    it.home.faults.splice(0);
  }
});

test("a sweep during a wait keeps the count and the listeners", async () => {
  await using it = await ManagedKernel.boot();
  const { session, pid } = await it.talked({ source: "algochat" });
  it.home.model.will(pid, FAULT, FAULT, FAULT, FAULT);
  const heard: string[] = [];
  it.manager.subscribe(session.id, (_, { type }) => heard.push(type));
  await it.home.clock.advance(5 * MINUTE - SECOND);
  it.manager.resumeProcess(session, "and now");
  for (let turn = 1; turn <= 3; turn++) {
    await it.home.clock.advance(await it.held(pid));
    await it.until(session, "session_started", 2 + turn);
  }
  await it.until(session, "session_exited", 5);
  expect(heard.filter((type) => type === "session_started")).toHaveLength(4);
  expect(heard.at(-1)).toBe("session_exited");
  expect(it.manager.getMemoryStats()).toMatchObject({ subscribers: 0, sessionMeta: 0, stableTimers: 0 });
  it.home.faults.splice(0);
});

test("ten minutes of running reset the count of restarts", async () => {
  await using it = await ManagedKernel.boot();
  const { session, pid } = await it.resumed({ source: "algochat" }, FAULT, HELD);
  await it.home.clock.advance(await it.held(pid));
  await it.home.holding();
  expect(await it.restarts(pid)).toBe(1);
  await it.home.clock.advance(10 * MINUTE);
  // Another fault after that counts as the first.
  it.home.model.will(pid, FAULT);
  it.home.model.release();
  await it.until(session, "session_exited", 3);
  it.manager.resumeProcess(session, "and then");
  expect(await it.held(pid)).toBe(5 * SECOND);
  expect(await it.restarts(pid)).toBe(1);
  it.home.faults.splice(0);
});

test("a stop during a pending restart cancels it: the session is stopped and stays so", async () => {
  await using it = await ManagedKernel.boot();
  const { session, pid } = await it.resumed({ source: "algochat" }, FAULT);
  await it.held(pid);
  it.manager.stopProcess(session.id);
  await it.until(session, "session_stopped");
  await it.home.clock.advance(20 * MINUTE);
  expect(await it.home.get(pid)).toMatchObject({ state: "stopped" });
  expect(it.types(session, "session_started")).toHaveLength(2);
  it.home.faults.splice(0);
});

test("a paused session is resumed at once on request; a session in another state is not", async () => {
  await using it = await ManagedKernel.boot();
  const { session } = await paused(it);
  expect(it.manager.resumeSession("no such session")).toBe(false);
  expect(it.manager.resumeSession(session.id)).toBe(true);
  expect(it.manager.resumeSession(session.id)).toBe(false);
  await it.until(session, "session_exited", 2);
});

test("stopping a paused session is final: it has no later retry, and is not listed as paused", async () => {
  await using it = await ManagedKernel.boot();
  const { session, pid, ms } = await paused(it);
  it.manager.stopProcess(session.id);
  await it.until(session, "session_stopped");
  expect(it.manager.getPausedSessionIds()).toEqual([]);
  const asked = it.home.model.requests.length;
  await it.home.clock.advance(2 * ms);
  expect(it.home.model.requests).toHaveLength(asked);
  expect(await it.home.get(pid)).toMatchObject({ state: "stopped" });
});

test("a new manager finds the paused sessions, with their count and next retry", async () => {
  await using it = await ManagedKernel.boot();
  const { session, pid, ms } = await paused(it);
  await it.restart();
  await it.home.until("it was found", () => it.manager.isPaused(session.id));
  expect(it.manager.getMemoryStats()).toMatchObject({ processes: 0, pausedSessions: 1 });
  expect((await it.home.get(pid)).waitsFor).toMatchObject({ kind: "outage", looks: 1 });
  await it.home.clock.advance(ms);
  await it.until(session, "session_exited", 2);
});
