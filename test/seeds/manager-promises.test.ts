// The 14 invariants, 6 examples, 7 errors and 11 constants of seed-002, over a kernel with a clock and a model of the test's own, so that hours
// pass at once. manager-program.test.ts tries those that need no hours through the program.

import { afterEach, beforeEach, expect } from "bun:test";
import { SETTINGS } from "../../src/abi/config/config.ts";
import {
  ORPHAN_SWEEP_MS,
  RESTART_BASE_MS,
  RESTARTS_MAX,
  STABLE_MS,
  TURNS_BEFORE_RESET,
} from "../../src/abi/process/lifecycle.ts";
import { laterMs } from "../../src/lib/backoff.ts";
import type { Session } from "../../src/process/manager/session.ts";
import { PROBES_MAX } from "../../src/process/run/retry-plan.ts";
import type { PlannedAnswer } from "../support/answers.ts";
import { ManagedKernel } from "../support/manager.ts";
import { type Row, table } from "./table.ts";

const MINUTE = 60_000;
const HELD: PlannedAnswer = { hold: true, text: "late" };
const FAULT: PlannedAnswer = { fault: "broken" };
const DOWN: PlannedAnswer = { error: { class: "outage", message: "overloaded" } };
const CALL: PlannedAnswer = { calls: [{ name: "Search", args: { query: "x" } }] };

let it: ManagedKernel;
beforeEach(async () => {
  it = await ManagedKernel.boot();
});
afterEach(async () => {
  it.home.faults.splice(0);
  await it[Symbol.asyncDispose]();
});

const talked = (about?: Partial<Session>) => it.talked(about);
const resumed = (about: Partial<Session>, ...answers: readonly PlannedAnswer[]) => it.resumed(about, ...answers);
const held = (pid: string) => it.held(pid);
const paused = () => resumed({ source: "algochat" }, DOWN, DOWN, DOWN, DOWN);
const asked = (pid: string) => JSON.stringify(it.home.model.asked(pid).at(-1) ?? null);

async function restarts(): Promise<unknown[]> {
  const { pid, session } = await resumed({ source: "algochat" }, FAULT, FAULT, FAULT, FAULT);
  const waits: number[] = [];
  for (let turn = 1; turn <= 3; turn++) {
    waits.push(await held(pid));
    expect([it.manager.isRunning(session.id), await it.restarts(pid)]).toEqual([false, turn]);
    await it.home.clock.advance(waits.at(-1) ?? 0);
    await it.until(session, "session_started", 2 + turn);
  }
  await it.until(session, "session_exited", 5);
  await it.home.clock.advance(10 * MINUTE);
  expect(it.types(session, "session_started")).toHaveLength(5);
  return [...waits, await it.status(session)];
}

/** The wait for a restart before and after ten minutes without one. */
async function stable(): Promise<number[]> {
  const { pid, session } = await resumed({ source: "algochat" }, FAULT, { text: "well again" });
  const first = await held(pid);
  await it.home.clock.advance(first);
  await it.until(session, "session_exited", 2);
  await it.home.clock.advance(STABLE_MS);
  it.home.model.will(pid, FAULT);
  it.manager.resumeProcess(session, "and again");
  return [first, await held(pid)];
}

/** After eight messages to a session that runs. */
async function reset(): Promise<string> {
  const { session, pid } = await resumed({}, HELD);
  await it.home.holding();
  for (let turn = 1; turn <= 7; turn++) it.manager.sendMessage(session.id, `more ${turn}`);
  await it.manager.settled();
  // The eighth is one message more of the same run.
  it.manager.resumeProcess(session, "the eighth");
  await it.manager.settled();
  expect(it.types(session, "session_stopped")).toEqual([]);
  it.manager.resumeProcess(session, "another message");
  await it.until(session, "session_exited", 2);
  it.home.model.release();
  return JSON.stringify(it.home.model.asked(pid).find((each) => JSON.stringify(each).includes("another message")));
}

async function history(): Promise<string> {
  const { session, pid } = await talked();
  // An answer for each but the last: 13 and 12.
  for (let turn = 2; turn <= 12; turn++) await it.home.say(`message ${turn} ${"x".repeat(2100)}`, { pid });
  await it.manager.settled();
  const ends = it.types(session, "session_exited").length;
  it.manager.resumeProcess(session, "new question");
  await it.until(session, "session_exited", ends + 1);
  const lines = asked(pid).match(/\[(?:User|Assistant)\]: [a-z]+ ?\d*/g) ?? [];
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([20, "[User]: message 3", "[Assistant]: done"]);
  const said = (await it.home.outline(pid)).filter((line) => line === "user: new question");
  expect(said).toHaveLength(1);
  return asked(pid);
}

async function exhausted(): Promise<string[]> {
  await it.home.sys.call("credits.rate", { rate: "free_credits_on_first_message", value: 0 });
  await it.home.sys.call("credits.grant", { wallet: "W7", amount: 2 });
  const { session } = await resumed({ source: "algochat", sender: "W7" }, CALL, HELD);
  await it.until(session, "session_stopped");
  return it.types(session).slice(-3);
}

async function timedOut(): Promise<string> {
  const { session, pid } = await talked();
  const extend = (minutes: number, id = session.id) => it.manager.extendTimeout(id, minutes * MINUTE);
  expect(extend(1)).toBe(false);
  it.home.model.will(pid, HELD);
  it.manager.resumeProcess(session, "and now");
  await it.home.holding();
  expect(it.manager.getMemoryStats()).toMatchObject({ processes: 1, sessionTimeouts: 1, stableTimers: 1 });
  expect([extend(1, "no such session"), extend(-1), extend(90), extend(1)]).toEqual([false, false, true, true]);
  await it.manager.settled();
  await it.home.clock.advance(89 * MINUTE);
  const before = await it.status(session);
  await it.home.clock.advance(2 * MINUTE);
  await it.until(session, "session_stopped");
  const systems = it.told(session).flatMap((event) => (event.type === "system" ? [event.subtype] : []));
  expect(systems).toEqual(["timeout_warning", "stopped"]);
  expect(it.manager.getMemoryStats()).toMatchObject({ processes: 0, sessionTimeouts: 0, stableTimers: 0 });
  it.home.model.release();
  return `${before} ${await it.status(session)}`;
}

async function personaTold(): Promise<string> {
  await it.home.sys.call("bundle.create", { name: "own", tools: "Write", prompt: "Look twice." });
  await it.home.sys.call("agent.create", { name: "chef", traits: "calm", bundles: "own", tools: "Search" });
  return asked((await talked({ agentId: "chef" })).pid);
}

async function failed(about: Partial<Session>, type: string): Promise<unknown[]> {
  const session = it.session(about);
  it.manager.startProcess(session, "hello");
  await it.until(session, type);
  const { processes, sessionMeta, stableTimers, sessionTimeouts } = it.manager.getMemoryStats();
  expect([processes, sessionMeta, stableTimers, sessionTimeouts]).toEqual([0, 0, 0, 0]);
  const { pid, outcome } = await it.row(session);
  return [it.types(session), it.manager.isRunning(session.id), pid, outcome];
}

async function givenUp(): Promise<string[]> {
  const { session, pid } = await paused();
  await held(pid);
  for (let look = 1; look <= 10; look++) {
    it.home.model.will(pid, DOWN);
    const count = it.home.model.requests.length;
    await it.home.clock.advance(await held(pid).catch(() => 0));
    await it.home.until("it was asked", () => it.home.model.requests.length === count + 1);
    await it.home.until("it rests", async () => ["paused", "idle"].includes((await it.home.get(pid)).state));
  }
  await it.until(session, "auto_resume_exhausted");
  expect(it.manager.isPaused(session.id)).toBe(false);
  await it.home.clock.advance(24 * 60 * MINUTE);
  expect(it.manager.getMemoryStats()).toMatchObject({ processes: 0, pausedSessions: 0, sessionMeta: 0 });
  return [await it.status(session), ...it.types(session, "auto_resume_exhausted")];
}

async function outage(): Promise<unknown[]> {
  const { session, pid } = await paused();
  const ms = await held(pid);
  const before = [it.types(session).at(-1), it.manager.isPaused(session.id), await it.status(session), ms];
  expect([it.manager.isRunning(session.id), it.manager.getPausedSessionIds()]).toEqual([false, [session.id]]);
  expect((await it.row(session)).restartCount).toBe(0);
  await it.home.clock.advance(ms);
  await it.until(session, "session_exited", 2);
  expect([it.manager.isPaused(session.id), it.types(session).at(-1)]).toEqual([false, "session_exited"]);
  return before;
}

const INVARIANTS: readonly Row<null>[] = [
  [
    "1. Session-process 1:1 mapping: startProcess kills any existing process for that session first",
    async () => {
      const { session } = await resumed({}, HELD);
      await it.home.holding();
      it.manager.startProcess(session, "instead");
      await it.until(session, "session_exited", 2);
      it.home.model.release();
      return [await it.pid(session), it.types(session, "session_stopped")];
    },
    /session_stopped/,
  ],
  [
    "2. Stale session cleanup on startup (a run in flight goes on with the next kernel)",
    async () => {
      const { session, pid } = await resumed({}, HELD, { hold: true, text: "from the next kernel" });
      await it.home.holding();
      await it.restart();
      // The next manager is there before the run ends.
      await it.home.holding();
      it.home.model.release();
      await it.until(session, "session_exited", 2);
      expect(it.types(session, "session_started", "session_exited").at(-2)).toBe("session_started");
      const { processes, sessionMeta } = it.manager.getMemoryStats();
      return [await it.status(session), (await it.home.outline(pid)).at(-1), processes, sessionMeta];
    },
    ["idle", "assistant: from the next kernel", 0, 0],
  ],
  ["3. Persona/skill prompt injection", personaTold, /calm/],
  ["4. Tool permission resolution chain: agent base permissions, merged with bundle tools", personaTold, /"Write"/],
  ["5. Provider routing", () => it.home.sys.call("proc.model", { pid: "init:1000" }), /offline/],
  ["6. Context reset after 8 user messages", reset, /conversation_history/],
  ["7. Resume prompt construction: the last 20 messages, each truncated to 2000 chars", history, /x{1900}\.\.\./],
  ["8. Auto-restart for AlgoChat: 5s * 3^n, max 3 restarts", restarts, [5000, 15_000, 45_000, "error"]],
  ["9. API outage handling: pauses, auto-resume after 5 min", outage, ["api_outage", true, "paused", 5 * MINUTE]],
  ["10. Timeout enforcement: extended up to 4x via extendTimeout", timedOut, "running stopped"],
  ["11. Credit deduction for AlgoChat: stopped if credits exhausted", exhausted, /credits_exhausted.*session_stopped/],
  [
    "12. Event emission before cleanup",
    async () => {
      const session = it.session();
      const heard: string[] = [];
      it.manager.subscribe(session.id, (_, { type }) => heard.push(type));
      it.manager.startProcess(session, "hello");
      await it.until(session, "session_exited");
      return [heard.at(-1), it.manager.getMemoryStats().subscribers];
    },
    ["session_exited", 0],
  ],
  [
    "13. Orphan pruning every 5 minutes",
    async () => {
      it.manager.subscribe("nobody", () => {});
      await it.home.clock.advance(2 * ORPHAN_SWEEP_MS);
      return it.manager.getMemoryStats().subscribers;
    },
    0,
  ],
  [
    "14. Memory cleanup single source: cleanupSessionState",
    async () => {
      const { session } = await resumed({}, HELD);
      await it.home.holding();
      it.manager.cleanupSessionState(session.id);
      const { processes, sessionMeta } = it.manager.getMemoryStats();
      it.home.model.release();
      return [processes, sessionMeta];
    },
    [0, 0],
  ],
];

const EXAMPLES: readonly Row<null>[] = [
  ["Scenario: Start a new session with persona and skills", personaTold, /calm.*Look twice/s],
  ["Scenario: Resume a session with message history", history, /conversation_history.*new question/],
  ["Scenario: Context reset after many turns", reset, /another message/],
  ["Scenario: AlgoChat session crashes and auto-restarts", async () => (await restarts())[1], 15_000],
  ["Scenario: after 10+ minutes the restart counter resets to 0", stable, [5000, 5000]],
  ["Scenario: API outage pauses and auto-resumes", async () => (await outage())[2], "paused"],
  ["Scenario: Credit exhaustion mid-session", exhausted, ["credits_exhausted", "system", "session_stopped"]],
];

const ERRORS: readonly Row<null>[] = [
  [
    "Project not found: error event of type not_found, process not started",
    () => failed({ projectId: "gone" }, "not_found"),
    [["not_found"], false, null, "error"],
  ],
  [
    "Spawn fails: status error, error event emitted",
    () => failed({ agentId: "nobody" }, "spawn_error"),
    [["spawn_error"], false, null, "error"],
  ],
  [
    "Resume of nonexistent process: starts a fresh process with resume prompt",
    async () => {
      const { session, pid } = await talked();
      await it.home.sys.call("proc.kill", { pid });
      it.manager.resumeProcess(session, "still there?");
      await it.until(session, "session_exited", 2);
      return asked(await it.pid(session));
    },
    /conversation_history.*hello.*still there/,
  ],
  ["sendMessage to non-running session returns false", () => it.manager.sendMessage("unknown", "x"), false],
  ["resumeSession for non-paused session returns false", () => it.manager.resumeSession("unknown"), false],
  ["Max restarts exceeded (3): left in error state", async () => (await restarts()).slice(3), ["error"]],
  ["Auto-resume max attempts exceeded (10)", givenUp, ["error", "auto_resume_exhausted"]],
];

const CONSTANTS: readonly Row<null>[] = [
  ["AGENT_TIMEOUT_MS 1800000", () => SETTINGS["run.timeoutMs"], { fallback: "1800000", env: "AGENT_TIMEOUT_MS" }],
  ["COUNCIL_MODEL (none)", () => SETTINGS["council.model"], { fallback: "", env: "COUNCIL_MODEL" }],
  ["MAX_RESTARTS 3", () => RESTARTS_MAX, 3],
  ["BACKOFF_BASE_MS 5000", () => RESTART_BASE_MS, 5000],
  ["STABLE_PERIOD_MS 600000", () => STABLE_MS, 600_000],
  ["ORPHAN_PRUNE_INTERVAL_MS 300000", () => ORPHAN_SWEEP_MS, 300_000],
  ["AUTO_RESUME_BASE_MS 300000", () => laterMs(0), 300_000],
  ["AUTO_RESUME_MULTIPLIER 3", () => laterMs(1) / laterMs(0), 3],
  ["AUTO_RESUME_CAP_MS 3600000", () => laterMs(9), 3_600_000],
  ["AUTO_RESUME_MAX_ATTEMPTS 10", () => PROBES_MAX, 10],
  ["MAX_TURNS_BEFORE_CONTEXT_RESET 8", () => TURNS_BEFORE_RESET, 8],
];

table([...INVARIANTS, ...EXAMPLES, ...ERRORS, ...CONSTANTS], () => null);
