// The 14 invariants, 6 examples, 7 errors and 11 constants of seed-002, and what its constructor sets off, through the program as it is built:
// `gsv manager`, its kernel, and a model server. Hours pass by the clock of the test.

import { afterAll, beforeAll, expect } from "bun:test";
import { ManagedHome, ManagerProgram, MINUTE } from "../support/manager-program.ts";
import { Scenarios } from "../support/manager-scenarios.ts";
import { type Row, table } from "./table.ts";

let it: ManagedHome;
let played: Scenarios;
const call = <Result = unknown>(method: string, ...args: readonly unknown[]) =>
  it.manager.call<Result>(method, ...args);
const stats = () => call<{ readonly [name: string]: number }>("getMemoryStats");
const contains = (text: string) => expect.stringContaining(text);

beforeAll(async () => {
  it = await ManagedHome.boot();
  played = new Scenarios(it);
});
afterAll(() => it[Symbol.asyncDispose]());

/** A session that cannot start. */
async function refused(about: object, type: string): Promise<unknown[]> {
  const session = it.session(about);
  await call("startProcess", session, "hello");
  await it.manager.seen(session.id, type);
  await call("settled");
  const { status, pid } = await it.info(session);
  return [it.manager.types(session.id), await call("isRunning", session.id), status, pid];
}

async function setting(key: string): Promise<unknown> {
  return (await it.sys.call<{ value: unknown }>("config.get", { key })).value;
}

const INVARIANTS: readonly Row<null>[] = [
  [
    "1. Session-process 1:1 mapping: startProcess kills any existing process for that session first",
    async () => {
      const session = await it.working();
      const { pid } = await it.process(session);
      await call("startProcess", session, "instead");
      await it.manager.seen(session.id, "session_exited", 2);
      const types = it.manager.types(session.id).filter((type) => type.startsWith("session_"));
      return [...types.slice(-3), (await it.process(session)).pid === pid];
    },
    ["session_stopped", "session_started", "session_exited", true],
  ],
  [
    "2. Stale session cleanup on startup (a run in flight goes on with the next kernel)",
    async () => {
      const session = await it.working();
      await it.home.kill();
      await it.startKernel();
      await it.manager.seen(session.id, "session_exited", 2);
      await it.manager.until("it is forgotten", async () => !(await call("isRunning", session.id)));
      return [(await it.info(session)).status, (await it.process(session)).activeRunId];
    },
    ["idle", null],
  ],
  [
    "3. Persona/skill prompt injection",
    async () => (await played.persona()).asked,
    /calm.*Look twice\..*Look thrice\..*Build it\./,
  ],
  [
    "4. Tool permission resolution chain: agent base, agent bundles; project bundles only without explicit tools",
    async () => (await played.persona()).tools,
    ["Edit", "Search", "Write"],
  ],
  [
    "5. Provider routing: an agent's explicit provider, else the account's",
    async () => {
      const script = await it.home.file("script.jsonl", [{ text: "from the script" }]);
      await it.gsv("agent", "create", "local", "--model", `script:${script}`);
      const before = it.server.requests.length;
      const session = await it.talked({ agentId: "local" });
      const asked = it.server.requests.length - before;
      const text = JSON.stringify(it.manager.events(session.id));
      await it.talked();
      return [asked, text, it.server.requests.at(-1)?.json.model];
    },
    [0, contains("from the script"), "some-model"],
  ],
  [
    "6. Context reset after 8 user messages",
    () => played.reset(),
    { early: 0, stopped: 1, asked: contains("conversation_history") },
  ],
  [
    "7. Resume prompt construction: the last 20 messages, each truncated to 2000 chars, then the new prompt",
    async () => {
      const { asked, lines } = await played.history();
      return [lines.length, lines[0], lines.at(-1), asked];
    },
    [
      20,
      "[User]: message 3",
      "[Assistant]: done",
      expect.stringMatching(/x{1900}\.\.\.[^x].*<\/conversation_history>.*new question/),
    ],
  ],
  [
    "8. Auto-restart for AlgoChat: 5s * 3^n, max 3 restarts; counter resets after 10 minutes of stability",
    async () => [(await played.restarts()).waits, await played.stable()],
    [
      [5000, 15_000, 45_000],
      [5000, 15_000, 5000],
    ],
  ],
  [
    "9. API outage handling: pauses (not counted as restart), 5min * 3^n, cap 60min, max 10 attempts",
    async () => [(await played.outage()).restarts, (await played.givenUp()).minutes],
    [0, [5, 15, 45, 60, 60, 60, 60, 60, 60, 60]],
  ],
  [
    "10. Timeout enforcement: silence stops a session",
    async () => {
      await it.gsv("config", "set", "run.timeoutMs", "20000");
      const session = await it.working();
      await it.gsv("config", "unset", "run.timeoutMs");
      it.pass(18_000);
      await it.gsv("ps");
      const before = await call("isRunning", session.id);
      it.pass(3000);
      await it.manager.seen(session.id, "session_stopped");
      return [before, (await it.info(session)).status, await call("extendTimeout", session.id, MINUTE)];
    },
    [true, "stopped", false],
  ],
  [
    "11. Credit deduction for AlgoChat: on each cost event; stopped if credits exhausted",
    () => played.exhausted(),
    { types: ["credits_exhausted", "system", "session_stopped"], balance: contains("0") },
  ],
  [
    "12. Event emission before cleanup",
    async () => {
      const session = it.session();
      await call("subscribe", session.id);
      await call("startProcess", session, "hello");
      await it.manager.seen(session.id, "session_exited");
      return [it.manager.types(session.id).at(-1), (await stats()).subscribers];
    },
    ["session_exited", 0],
  ],
  [
    "13. Orphan pruning: every 5 minutes, entries of sessions with no active process",
    async () => {
      await call("subscribe", "nobody");
      const before = (await stats()).subscribers;
      it.pass(5 * MINUTE + 1000);
      await it.manager.until("it is pruned", async () => (await stats()).subscribers === 0);
      return before;
    },
    1,
  ],
  [
    "14. Memory cleanup single source: cleanupSessionState",
    async () => {
      const session = await it.working();
      const before = (await call<string[]>("getActiveSessionIds")).includes(session.id);
      await call("cleanupSessionState", session.id);
      const { processes, sessionMeta, sessionTimeouts, stableTimers } = await stats();
      await it.gsv("session", "stop", session.id);
      return [before, processes, sessionMeta, sessionTimeouts, stableTimers];
    },
    [true, 0, 0, 0, 0],
  ],
];

const EXAMPLES: readonly Row<null>[] = [
  [
    "Scenario: Start a new session with persona and skills",
    () => played.persona(),
    { asked: contains("calm"), tools: ["Edit", "Search", "Write"] },
  ],
  [
    "Scenario: Resume a session with message history",
    async () => (await played.history()).asked,
    /conversation_history.*new question/,
  ],
  ["Scenario: Context reset after many turns", () => played.reset(), { asked: contains("another message") }],
  [
    "Scenario: AlgoChat session crashes and auto-restarts: after 5 s, then 15 s",
    async () => (await played.restarts()).waits.slice(0, 2),
    [5000, 15_000],
  ],
  [
    "Scenario: API outage pauses and auto-resumes",
    () => played.outage(),
    { paused: true, running: false, status: "paused", minutes: 5, after: false, last: "session_exited" },
  ],
  [
    "Scenario: Credit exhaustion mid-session",
    () => played.exhausted(),
    { types: ["credits_exhausted", "system", "session_stopped"] },
  ],
];

const ERRORS: readonly Row<null>[] = [
  [
    "Project not found: error event of type not_found, process not started",
    () => refused({ projectId: "gone" }, "not_found"),
    [["not_found"], false, "error", null],
  ],
  [
    "Spawn fails: status error, error event emitted",
    () => refused({ agentId: "nobody" }, "spawn_error"),
    [["spawn_error"], false, "error", null],
  ],
  [
    "Resume of nonexistent process: starts a fresh process with resume prompt",
    async () => {
      const session = await it.talked();
      await it.gsv("kill", "-9", (await it.process(session)).pid);
      await call("resumeProcess", session, "still there?");
      await it.manager.seen(session.id, "session_exited", 2);
      return it.asked;
    },
    /conversation_history.*hello.*still there/,
  ],
  ["sendMessage to non-running session returns false", () => call("sendMessage", "unknown", "x"), false],
  ["resumeSession for non-paused session returns false", () => call("resumeSession", "unknown"), false],
  [
    "Max restarts exceeded (3): left in error state, no more retries",
    () => played.restarts(),
    { status: "error", started: 5, running: [false, false, false] },
  ],
  [
    "Auto-resume max attempts exceeded (10): error, auto_resume_exhausted",
    () => played.givenUp(),
    { status: "error", paused: false, exhausted: 1, askedLater: 0 },
  ],
];

const CONSTANTS: readonly Row<null>[] = [
  ["AGENT_TIMEOUT_MS 1800000", () => setting("run.timeoutMs"), 1_800_000],
  ["COUNCIL_MODEL (none)", () => setting("council.model"), ""],
  ["MAX_RESTARTS 3", async () => (await played.restarts()).attempts, ["1/3", "2/3", "3/3"]],
  ["BACKOFF_BASE_MS 5000", async () => (await played.restarts()).waits[0], 5000],
  ["STABLE_PERIOD_MS 600000", () => played.stable(), [5, 15, 5].map((seconds) => seconds * 1000)],
  [
    "ORPHAN_PRUNE_INTERVAL_MS 300000",
    async () => {
      await call("subscribe", "nobody");
      it.pass(4 * MINUTE + 55_000);
      const early = (await stats()).subscribers;
      it.pass(10 * MINUTE);
      await it.manager.until("it is pruned", async () => (await stats()).subscribers === 0);
      return early;
    },
    1,
  ],
  ["AUTO_RESUME_BASE_MS 300000", async () => (await played.givenUp()).minutes[0], 5],
  [
    "AUTO_RESUME_MULTIPLIER 3",
    async () => (await played.givenUp()).minutes.slice(0, 3).map((minutes) => minutes / 5),
    [1, 3, 9],
  ],
  ["AUTO_RESUME_CAP_MS 3600000", async () => Math.max(...(await played.givenUp()).minutes), 60],
  ["AUTO_RESUME_MAX_ATTEMPTS 10", async () => (await played.givenUp()).minutes.length, 10],
  ["MAX_TURNS_BEFORE_CONTEXT_RESET 8", () => played.reset(), { early: 0, stopped: 1 }],
];

const CONSTRUCTED: readonly Row<null>[] = [
  [
    "Resets stale sessions (running -> idle) from previous server instance; adopts those at work",
    async () => {
      const session = await it.working();
      const later = new ManagerProgram(it.home);
      await later.call("settled");
      const running = await later.call("getActiveSessionIds");
      await later.ended();
      await call("stopProcess", session.id);
      await it.manager.seen(session.id, "session_stopped");
      const idle = new ManagerProgram(it.home);
      await idle.call("settled");
      const none = await idle.call("getActiveSessionIds");
      await idle.ended();
      return [(running as string[]).length, none];
    },
    [1, []],
  ],
];

table([...INVARIANTS, ...EXAMPLES, ...ERRORS, ...CONSTANTS, ...CONSTRUCTED], () => null);
