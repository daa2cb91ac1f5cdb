// Crashes, outages and time in the process manager: differences between channels and terminals; waits survive a kernel and end at a stop.

import { expect, test } from "bun:test";
import type { PlannedAnswer } from "../../support/answers.ts";
import { ManagedKernel } from "../../support/manager.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const FAULT: PlannedAnswer = { fault: "broken" };
const DOWN: PlannedAnswer = { error: { class: "outage", message: "the server is down" } };
const HELD = { hold: true, text: "at last" } as const;

/** A session with one answer behind it, and these next answers. */
async function talking(it: ManagedKernel, source: string, ...answers: readonly PlannedAnswer[]) {
  const session = await it.session({ source });
  it.manager.startProcess(session, "hello");
  await it.until(session, "session_exited");
  const pid = await it.pid(session);
  it.home.model.will(pid, ...answers);
  return { session: await it.row(session), pid };
}

/** Until its process is held; only the time of its quick attempts passes. */
async function held(it: ManagedKernel, pid: string): Promise<number> {
  await it.home.until(`${pid} is held`, async () => {
    const { state, waitsFor } = await it.home.get(pid);
    if (waitsFor?.kind === "model") await it.home.clock.advance(Math.max(0, waitsFor.until - it.home.clock.now()));
    return state === "paused";
  });
  await it.manager.settled();
  const { waitsFor } = await it.home.get(pid);
  return waitsFor !== null && "until" in waitsFor ? (waitsFor.until ?? 0) - it.home.clock.now() : -1;
}

async function paused(it: ManagedKernel, source = "algochat") {
  const found = await talking(it, source, DOWN, DOWN, DOWN, DOWN);
  it.manager.resumeProcess(found.session, "and now");
  return { ...found, ms: await held(it, found.pid) };
}

test("a session of another channel that crashes is restarted after 5, 15 and 45 seconds, and then stays in error", async () => {
  await using it = await ManagedKernel.boot();
  const { session, pid } = await talking(it, "algochat", FAULT, FAULT, FAULT, FAULT);
  it.manager.resumeProcess(session, "and now");
  const waits: number[] = [];
  for (let turn = 1; turn <= 3; turn++) {
    const ms = await held(it, pid);
    waits.push(ms / SECOND);
    expect(it.manager.isRunning(session.id)).toBe(false);
    expect(await it.restarts(pid)).toBe(turn);
    await it.home.clock.advance(ms);
    await it.until(session, "session_started", 2 + turn);
  }
  expect(waits).toEqual([5, 15, 45]);
  await it.until(session, "session_exited", 5);
  expect(await it.status(session)).toBe("error");
  await it.home.clock.advance(10 * MINUTE);
  expect(it.types(session, "session_started")).toHaveLength(5);
  it.home.faults.splice(0);
});

test("a session at a terminal or in a browser that crashes is not restarted: it is in error", async () => {
  await using it = await ManagedKernel.boot();
  for (const source of ["cli", "web"]) {
    const { session } = await talking(it, source, FAULT);
    it.manager.resumeProcess(session, "and now");
    await it.until(session, "session_exited", 2);
    expect(await it.status(session)).toBe("error");
    expect(it.types(session).slice(-3)).toEqual(["direct_process_error", "result", "session_exited"]);
    it.home.faults.splice(0);
  }
});

test("a sweep during a wait keeps the count and the listeners", async () => {
  await using it = await ManagedKernel.boot();
  const { session, pid } = await talking(it, "algochat", FAULT, FAULT, FAULT, FAULT);
  const heard: string[] = [];
  it.manager.subscribe(session.id, (_, { type }) => heard.push(type));
  await it.home.clock.advance(5 * MINUTE - SECOND);
  it.manager.resumeProcess(session, "and now");
  for (let turn = 1; turn <= 3; turn++) {
    await it.home.clock.advance(await held(it, pid));
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
  const { session, pid } = await talking(it, "algochat", FAULT, HELD);
  it.manager.resumeProcess(session, "and now");
  await it.home.clock.advance(await held(it, pid));
  await it.home.holding();
  expect(await it.restarts(pid)).toBe(1);
  await it.home.clock.advance(10 * MINUTE);
  // Another fault after that counts as the first.
  it.home.model.will(pid, FAULT);
  it.home.model.release();
  await it.until(session, "session_exited", 3);
  it.manager.resumeProcess(session, "and then");
  expect(await held(it, pid)).toBe(5 * SECOND);
  expect(await it.restarts(pid)).toBe(1);
  it.home.faults.splice(0);
});

test("a stop during a pending restart cancels it: the session is stopped and stays so", async () => {
  await using it = await ManagedKernel.boot();
  const { session, pid } = await talking(it, "algochat", FAULT);
  it.manager.resumeProcess(session, "and now");
  await held(it, pid);
  it.manager.stopProcess(session.id);
  await it.until(session, "session_stopped");
  await it.home.clock.advance(20 * MINUTE);
  expect(await it.home.get(pid)).toMatchObject({ state: "stopped" });
  expect(it.types(session, "session_started")).toHaveLength(2);
  it.home.faults.splice(0);
});

test("an outage pauses the session and sends an event; it is no restart, and five minutes later it resumes", async () => {
  await using it = await ManagedKernel.boot();
  const heard: string[] = [];
  const { session, pid } = await talking(it, "algochat", DOWN, DOWN, DOWN, DOWN);
  it.manager.subscribe(session.id, (_, event) => heard.push(event.type === "error" ? event.error.type : event.type));
  it.manager.resumeProcess(session, "and now");
  const ms = await held(it, pid);
  expect(ms).toBe(5 * MINUTE);
  expect(heard.at(-1)).toBe("api_outage");
  expect([it.manager.isPaused(session.id), it.manager.isRunning(session.id)]).toEqual([true, false]);
  expect(it.manager.getPausedSessionIds()).toEqual([session.id]);
  expect((await it.row(session)).restartCount).toBe(0);
  await it.home.clock.advance(ms);
  await it.until(session, "session_exited", 2);
  expect(it.manager.isPaused(session.id)).toBe(false);
  expect(heard.at(-1)).toBe("session_exited");
});

test("a paused session is resumed at once on request; a session in another state is not", async () => {
  await using it = await ManagedKernel.boot();
  const { session } = await paused(it);
  expect(it.manager.resumeSession("no such session")).toBe(false);
  expect(it.manager.resumeSession(session.id)).toBe(true);
  expect(it.manager.resumeSession(session.id)).toBe(false);
  await it.until(session, "session_exited", 2);
});

test("after ten failed checks a paused session is given up: in error, reported once, and never tried again", async () => {
  await using it = await ManagedKernel.boot();
  const { session, pid } = await paused(it);
  for (let look = 1; look <= 10; look++) {
    it.home.model.will(pid, DOWN);
    const { waitsFor } = await it.home.get(pid);
    const until = waitsFor?.kind === "outage" ? waitsFor.until : 0;
    const asked = it.home.model.requests.length;
    await it.home.clock.advance(until - it.home.clock.now());
    await it.home.until("it was asked", () => it.home.model.requests.length === asked + 1);
    await it.home.until("it rests", async () => ["paused", "idle"].includes((await it.home.get(pid)).state));
  }
  await it.until(session, "auto_resume_exhausted");
  expect(await it.status(session)).toBe("error");
  expect(it.manager.isPaused(session.id)).toBe(false);
  await it.home.clock.advance(24 * 60 * MINUTE);
  expect(it.types(session, "auto_resume_exhausted")).toHaveLength(1);
  expect(it.manager.getMemoryStats()).toMatchObject({ processes: 0, pausedSessions: 0, sessionMeta: 0 });
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

test("a new manager has no running sessions, and adopts those that the kernel continues", async () => {
  await using it = await ManagedKernel.boot();
  const { session, pid } = await talking(it, "cli", HELD, { text: "from the next kernel" });
  it.manager.resumeProcess(session, "and now");
  await it.home.holding();
  await it.restart();
  await it.until(session, "session_exited", 2);
  expect(it.types(session, "session_started", "session_exited").slice(-2)).toEqual([
    "session_started",
    "session_exited",
  ]);
  expect((await it.home.outline(pid)).at(-1)).toBe("assistant: from the next kernel");
  expect(it.manager.getMemoryStats()).toMatchObject({ processes: 0, sessionMeta: 0 });
});

test("half an hour without activity stops a session, with a warning a minute before", async () => {
  await using it = await ManagedKernel.boot();
  const { session } = await talking(it, "cli", HELD);
  it.manager.resumeProcess(session, "and now");
  await it.home.holding();
  expect(it.manager.getMemoryStats()).toMatchObject({ processes: 1, sessionTimeouts: 1, stableTimers: 1 });
  await it.home.clock.advance(30 * MINUTE);
  await it.until(session, "session_stopped");
  const systems = it.told(session).filter(({ type }) => type === "system");
  expect(systems.map(({ subtype }) => subtype)).toEqual(["timeout_warning", "stopped"]);
  expect(await it.status(session)).toBe("stopped");
  expect(it.manager.getMemoryStats()).toMatchObject({ processes: 0, sessionTimeouts: 0, stableTimers: 0 });
  it.home.model.release();
});

test("an extension counts from now, never shortens, is capped at four times the limit, and needs a running session", async () => {
  await using it = await ManagedKernel.boot();
  const { session } = await talking(it, "cli", HELD);
  expect(it.manager.extendTimeout(session.id, MINUTE)).toBe(false);
  it.manager.resumeProcess(session, "and now");
  await it.home.holding();
  const began = it.home.clock.now();
  expect(it.manager.extendTimeout("no such session", MINUTE)).toBe(false);
  expect(it.manager.extendTimeout(session.id, -MINUTE)).toBe(false);
  await it.home.clock.advance(29 * MINUTE);
  expect(it.manager.extendTimeout(session.id, 90 * MINUTE)).toBe(true);
  expect(it.manager.extendTimeout(session.id, MINUTE)).toBe(true);
  await it.manager.settled();
  await it.home.clock.advance(90 * MINUTE - 1);
  expect(it.manager.isRunning(session.id)).toBe(true);
  await it.home.clock.advance(1);
  await it.until(session, "session_stopped");
  expect(it.home.clock.now() - began).toBe(119 * MINUTE);
  it.home.model.release();
});
