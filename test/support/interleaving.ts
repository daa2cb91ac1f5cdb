// Random lives of two sessions of another channel: started, resumed, messaged, stopped, faulting, out of reach, swept, and with kernels that
// die under them. After each step the invariants of every session hold.

import { expect } from "bun:test";
import fc from "fast-check";
import type { Session } from "../../src/process/manager/session.ts";
import { ManagedKernel } from "./manager.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

export type Step = {
  readonly do: "start" | "resume" | "message" | "stop" | "answer" | "fault" | "outage" | "sweep" | "time" | "kernel";
  readonly of: 0 | 1;
};

const NAMES = ["start", "resume", "message", "stop", "answer", "fault", "outage", "sweep", "time"] as const;

export const STEPS: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    do: fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom(...NAMES) },
      { weight: 1, arbitrary: fc.constant("kernel" as const) },
    ),
    of: fc.constantFrom<0 | 1>(0, 1),
  }),
  { minLength: 3, maxLength: 14 },
);

export async function play(steps: readonly Step[]): Promise<void> {
  const it = await ManagedKernel.boot();
  try {
    const sessions = [await it.session({ source: "algochat" }), await it.session({ source: "algochat" })] as const;
    for (const step of steps) {
      await take(it, sessions[step.of], step);
      await holds(it, sessions);
    }
    await over(it, sessions);
  } finally {
    it.home.faults.splice(0);
    await it[Symbol.asyncDispose]();
  }
}

async function take(it: ManagedKernel, session: Session, step: Step): Promise<void> {
  const { manager, home } = it;
  const pid = await it.pid(session);
  switch (step.do) {
    case "start":
      manager.startProcess(session, "start");
      break;
    case "resume":
      manager.resumeProcess(session, "resume");
      break;
    case "message":
      manager.sendMessage(session.id, "message");
      break;
    case "stop":
      manager.stopProcess(session.id);
      await manager.settled();
      expect([manager.isRunning(session.id), manager.isPaused(session.id)]).toEqual([false, false]);
      break;
    case "answer":
      home.model.release();
      break;
    case "fault":
      home.model.will(pid, { fault: "broken" });
      break;
    case "outage":
      home.model.will(
        pid,
        ...Array.from({ length: 4 }, () => ({ error: { class: "outage", message: "down" } }) as const),
      );
      break;
    case "sweep":
      await home.clock.advance(5 * MINUTE);
      break;
    case "time":
      await home.clock.advance(45 * SECOND);
      break;
    default:
      await it.restart();
  }
  await manager.settled();
  await home.quiet();
}

async function holds(it: ManagedKernel, sessions: readonly Session[]): Promise<void> {
  const { manager } = it;
  const stats = manager.getMemoryStats();
  expect(stats.processes).toBe(manager.getActiveSessionIds().length);
  expect(stats.stableTimers).toBe(stats.processes);
  expect(stats.sessionTimeouts).toBeLessThanOrEqual(stats.processes);
  expect(stats.pausedSessions).toBe(manager.getPausedSessionIds().length);
  const pids = new Set<string>();
  for (const session of sessions) {
    // At most one run, and never running and paused at once.
    expect(manager.isRunning(session.id) && manager.isPaused(session.id)).toBe(false);
    const pid = await it.pid(session);
    if (pid === "none") continue;
    expect(await it.restarts(pid)).toBeLessThanOrEqual(3);
    expect(pids.has(pid)).toBe(false);
    pids.add(pid);
    const { state } = await it.home.get(pid);
    if (state === "stopped") expect(manager.isRunning(session.id)).toBe(false);
  }
  expect(it.faults).toEqual([]);
}

/** In every state it can be brought to an end, and nothing is left then. */
async function over(it: ManagedKernel, sessions: readonly Session[]): Promise<void> {
  for (const { id } of sessions) it.manager.stopProcess(id);
  await it.manager.settled();
  it.home.model.release();
  await it.home.quiet();
  await it.manager.settled();
  const told = it.events.length;
  await it.home.clock.advance(2 * 60 * MINUTE);
  await it.manager.settled();
  const { globalSubscribers: _, ...stats } = it.manager.getMemoryStats();
  expect([...new Set(Object.values(stats))]).toEqual([0]);
  // Stopped is stopped: nothing resumes by itself.
  expect(it.events.slice(told).map(({ event }) => event.type)).toEqual([]);
}
