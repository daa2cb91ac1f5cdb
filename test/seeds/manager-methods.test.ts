// The methods of seed-002 through the program as it is built: `gsv manager`, its kernel, and a model server. Each is called and its effect is
// seen. Those that take functions are in manager-services.test.ts.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { HELD, ManagedHome, ManagerProgram, OVERLOADED } from "../support/manager-program.ts";
import { type Row, table } from "./table.ts";

const MINUTE = 60_000;
let it: ManagedHome;
const call = <Result = unknown>(method: string, ...args: readonly unknown[]) =>
  it.manager.call<Result>(method, ...args);

beforeAll(async () => {
  it = await ManagedHome.boot();
});
afterAll(() => it[Symbol.asyncDispose]());

/** Types of the lines about a session, from a start to its end. */
async function started(id: string): Promise<string[]> {
  await call("startProcess", { id }, "hello");
  await it.manager.until("it is over", async () => !(await call("isRunning", id)));
  await call("settled");
  return it.manager.types(id);
}

const STARTED = /^\["session_started",.*"assistant","result","session_exited"\]$/;

const ROWS: readonly Row<null>[] = [
  ["startProcess: start a new agent process", () => started(it.session().id), STARTED],
  [
    "resumeProcess: resume an existing session",
    async () => {
      const session = await it.talked();
      await call("resumeProcess", session, "new question");
      await it.manager.seen(session.id, "session_exited", 2);
      return [it.manager.types(session.id).filter((type) => type === "session_started"), it.asked];
    },
    /^\[\["session_started","session_started"\].*hello.*new question/,
  ],
  [
    "stopProcess: kill process, set status to stopped, emit session_stopped, clean up state",
    async () => {
      const session = await it.working();
      await call("stopProcess", session.id);
      await it.manager.seen(session.id, "session_stopped");
      await call("settled");
      return [
        (await it.info(session)).status,
        it.manager.types(session.id).at(-1),
        await call("isRunning", session.id),
      ];
    },
    ["stopped", "session_stopped", false],
  ],
  [
    "cleanupSessionState: remove all in-memory state for a session (idempotent)",
    async () => {
      const session = await it.working();
      await call("subscribe", session.id);
      for (let time = 0; time < 2; time++) await call("cleanupSessionState", session.id);
      const { processes, subscribers, sessionMeta } = await call<{ [name: string]: number }>("getMemoryStats");
      await it.gsv("session", "stop", session.id);
      return [processes, subscribers, sessionMeta];
    },
    [0, 0, 0],
  ],
  [
    "getMemoryStats: snapshot of in-memory map sizes",
    async () => {
      const session = await it.working();
      await call("subscribe", session.id);
      const stats = await call("getMemoryStats");
      await call("stopProcess", session.id);
      await call("settled");
      return [stats, await call("getMemoryStats")];
    },
    [
      {
        processes: 1,
        subscribers: 1,
        sessionMeta: 1,
        pausedSessions: 0,
        sessionTimeouts: 1,
        stableTimers: 1,
        globalSubscribers: 1,
      },
      {
        processes: 0,
        subscribers: 0,
        sessionMeta: 0,
        pausedSessions: 0,
        sessionTimeouts: 0,
        stableTimers: 0,
        globalSubscribers: 1,
      },
    ],
  ],
  [
    "sendMessage: send a message to a running process; persists to DB, tracks turns",
    async () => {
      const session = await it.talked();
      const early = await call("sendMessage", session.id, "not running");
      const before = it.server.requests.length;
      it.server.will(HELD);
      await call("resumeProcess", session, "and now");
      // Stopped before that, it would leave this answer to the next request.
      await it.asking(before);
      const late = await call("sendMessage", session.id, "one thing more");
      await call("settled");
      await call("stopProcess", session.id);
      await call("resumeProcess", session);
      await it.manager.seen(session.id, "session_exited", 2);
      return [early, late, it.asked.includes("one thing more")];
    },
    [false, true, true],
  ],
  [
    "isRunning: check if a process is active",
    async () => {
      const before = await call("isRunning", "0192f0c1-0000-7000-8000-ffffffffffff");
      const session = await it.working();
      const during = await call("isRunning", session.id);
      await call("stopProcess", session.id);
      return [before, during, await call("isRunning", session.id)];
    },
    [false, true, false],
  ],
  [
    "subscribe: subscribe to session events (replays thinking state for late subscribers)",
    async () => {
      await call("unsubscribeAll");
      const [session, other] = [await it.session(), it.session()];
      it.server.will(HELD);
      const before = it.server.requests.length;
      await call("startProcess", session, "hello");
      await it.asking(before);
      const unheard = it.manager.types(session.id);
      await call("subscribe", session.id);
      const replayed = it.manager.events(session.id);
      await call("stopProcess", session.id);
      await it.manager.seen(session.id, "session_stopped");
      const silent = await started(other.id);
      await call("subscribeAll");
      return [unheard, replayed, silent];
    },
    [[], [{ type: "thinking", thinking: true }], []],
  ],
  [
    "unsubscribe: unsubscribe from session events",
    async () => {
      const { id } = it.session();
      await call("unsubscribeAll");
      await call("subscribe", id);
      await call("unsubscribe", id);
      const types = await started(id);
      await call("subscribeAll");
      return types;
    },
    [],
  ],
  [
    "subscribeAll: subscribe to events from all sessions",
    async () => {
      await call("unsubscribeAll");
      await call("subscribeAll");
      return await started(it.session().id);
    },
    STARTED,
  ],
  [
    "unsubscribeAll: unsubscribe from global events",
    async () => {
      await call("unsubscribeAll");
      const types = await started(it.session().id);
      const { globalSubscribers } = await call<{ globalSubscribers: number }>("getMemoryStats");
      await call("subscribeAll");
      return [types, globalSubscribers];
    },
    [[], 0],
  ],
  [
    "getActiveSessionIds: list all sessions with running processes",
    async () => {
      const session = await it.working();
      const during = (await call<string[]>("getActiveSessionIds")).includes(session.id);
      await call("stopProcess", session.id);
      return [during, await call("getActiveSessionIds")];
    },
    [true, []],
  ],
  [
    "resumeSession: resume a paused session (from API outage); isPaused, getPausedSessionIds",
    async () => {
      const session = await it.resumed({}, OVERLOADED);
      await it.manager.seen(session.id, "api_outage");
      const paused = [await call("isPaused", session.id), await call("getPausedSessionIds")];
      const resumed = [await call("resumeSession", session.id), await call("resumeSession", "unknown")];
      await it.manager.seen(session.id, "session_exited", 2);
      const after = [await call("isPaused", session.id), await call("getPausedSessionIds")];
      return [...resumed, paused[0], (paused[1] as string[]).length, ...after];
    },
    [true, false, true, 1, false, []],
  ],
  [
    "extendTimeout: extend a session's timeout (capped at 4x default)",
    async () => {
      await it.gsv("config", "set", "run.timeoutMs", "20000");
      const session = await it.working();
      await it.gsv("config", "unset", "run.timeoutMs");
      const extended = [await call("extendTimeout", session.id, 1000 * MINUTE), await call("extendTimeout", "none", 1)];
      await call("settled");
      it.pass(70_000);
      await it.gsv("ps");
      const before = await call("isRunning", session.id);
      it.pass(11_000);
      await it.manager.seen(session.id, "session_stopped");
      return [...extended, before, (await it.info(session)).status];
    },
    [true, false, true, "stopped"],
  ],
  [
    "shutdown: stop all processes, clear all timers and state",
    async () => {
      const other = new ManagerProgram(it.home);
      await other.call("settled");
      const session = it.session();
      const before = it.server.requests.length;
      it.server.will(HELD);
      await other.call("startProcess", session, "hello");
      await it.asking(before);
      for (let time = 0; time < 2; time++) await other.call("shutdown");
      await other.call("settled");
      const { processes, sessionMeta, subscribers } = await other.call<{ [name: string]: number }>("getMemoryStats");
      expect(await other.ended()).toBe(0);
      return [processes, sessionMeta, subscribers, (await it.info(session)).status];
    },
    [0, 0, 0, "stopped"],
  ],
];

table(ROWS, () => null);

test("a line that is no call gets an error with its id, and the manager goes on", async () => {
  expect((await it.manager.answer(9001, '{"id":9001,"call":"noSuch"}')).error).toStartWith(
    "no such method: noSuch; methods: ",
  );
  for (const line of ["not json", "[]", "null", "7", '{"id":null}', '{"args":[1]}'])
    expect((await it.manager.answer(line.includes("id") ? (null as never) : undefined, line)).error).toStartWith(
      "a line is",
    );
  expect((await it.manager.answer(9002, '{"id":9002,"call":"startProcess","args":7}')).error).toStartWith("a line is");
  expect(await it.manager.call("isRunning", "x")).toBe(false);
});

test("gsv manager ends with its input and leaves the sessions at work", async () => {
  const other = new ManagerProgram(it.home);
  const session = it.session();
  const before = it.server.requests.length;
  it.server.will(HELD);
  await other.call("startProcess", session, "hello");
  await it.asking(before);
  expect(await other.ended()).toBe(0);
  expect((await it.info(session)).status).toBe("running");
  await call("settled");
  await it.gsv("session", "stop", session.id);
});

test("gsv help and the manual name every method", async () => {
  expect(await it.gsv("help", "topics")).toMatch(/^ +manager +\S/m);
  const { error = "" } = await it.manager.answer(9003, '{"id":9003,"call":"noSuch"}');
  const page = await it.gsv("man", "seeds");
  for (const method of error.split("methods: ")[1]!.split(", ")) expect(page).toContain(method);
});
