// The 20 methods of seed-002 and what its constructor sets off, through the socket of the kernel of the program as it is built: the manager is
// given the database and nothing else.

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect } from "bun:test";
import { uuidv7 } from "../../src/abi/ids.ts";
import { ORPHAN_SWEEP_MS } from "../../src/abi/process/lifecycle.ts";
import type { ClaudeStreamEvent } from "../../src/process/manager/events.ts";
import { ProcessManager } from "../../src/process/manager/manager.ts";
import type { Session } from "../../src/process/manager/session.ts";
import type { SettingInfo } from "../../src/syscalls/services.ts";
import { TestHome } from "../support/home.ts";
import { seeded } from "../support/random.ts";
import { type Row, table } from "./table.ts";

const { bytes } = seeded(7);
const home = new TestHome();
const sys = () => home.sys({ seed: 3 });
let manager: ProcessManager;
let database: Database;
let events: { readonly id: string; readonly event: ClaudeStreamEvent }[] = [];

beforeAll(async () => {
  // The program makes the home and runs its kernel, which is found by the database alone.
  expect((await home.gsv(["kernel", "start"])).status).toBe(0);
  home.refuseToStart = true;
  const script = await home.file("script.jsonl", [{ text: "done", repeat: 1000 }]);
  await sys().call("config.set", { key: "ai.model", value: `script:${script}` });
  database = new Database(home.paths.kernelDb, { readonly: true });
  manager = new ProcessManager(database);
  manager.subscribeAll((id, event) => events.push({ id, event }));
  await manager.settled();
});
afterAll(async () => {
  manager.shutdown();
  await manager.settled();
  database.close();
  await home.dispose();
});

const fresh = (about: Partial<Session> = {}): Session => ({ id: uuidv7(events.length + 1, bytes), ...about });

/** Waits for the end of the session and returns its events. */
async function told(session: Session, start: () => void, type = "session_exited"): Promise<string[]> {
  const ended = new Promise<void>((resolve) => {
    const look = (id: string, event: ClaudeStreamEvent) => {
      if (id !== session.id || event.type !== type) return;
      manager.unsubscribeAll(look);
      resolve();
    };
    manager.subscribeAll(look);
  });
  start();
  await ended;
  await manager.settled();
  return events.flatMap(({ id, event }) => (id === session.id ? [event.type] : []));
}

async function talked(): Promise<Session> {
  const session = fresh();
  await told(session, () => manager.startProcess(session, "hello"));
  return session;
}

const STATS = {
  processes: 0,
  sessionMeta: 0,
  pausedSessions: 0,
  sessionTimeouts: 0,
  stableTimers: 0,
};

const ROWS: readonly Row<ProcessManager>[] = [
  ["setBroadcast: inject WebSocket broadcast function", (it) => it.setBroadcast(() => {}) ?? null, null],
  [
    "setOwnerCheck: inject owner check for credit exemption",
    async (it) => {
      it.setOwnerCheck((address) => address === "WALLET7");
      const session = fresh({ source: "algochat", sender: "WALLET7" });
      await told(session, () => it.startProcess(session, "hello"));
      const { value } = await sys().call<SettingInfo>("config.get", { key: "credits.owners" });
      const { balances } = await sys().call<{ balances: unknown[] }>("credits.balance", {});
      return [value, balances];
    },
    [["WALLET7"], []],
  ],
  [
    "setMcpServices: register all MCP-related services",
    async (it) => {
      const tool = { name: "calendar_add", description: "Adds.", parameters: { type: "object" } };
      it.setMcpServices({ tools: [tool], call: async () => "added" });
      const types = await talked().then(({ id }) => events.filter((each) => each.id === id).length > 0);
      it.setMcpServices();
      return types;
    },
    true,
  ],
  [
    "startProcess: start a new agent process",
    async (it) => {
      const session = fresh();
      return await told(session, () => it.startProcess(session, "hello"));
    },
    /^\["session_started".*"assistant".*"result","session_exited"\]$/,
  ],
  [
    "resumeProcess: resume an existing session",
    async (it) => {
      const session = await talked();
      events = [];
      return await told(session, () => it.resumeProcess(session, "new question"));
    },
    /"session_started".*"session_exited"/,
  ],
  [
    "stopProcess: kill process, set status to stopped, emit session_stopped",
    async (it) => {
      const session = await talked();
      events = [];
      return await told(
        session,
        () => {
          it.startProcess(session, "hello");
          it.stopProcess(session.id);
        },
        "session_stopped",
      );
    },
    /session_stopped/,
  ],
  [
    "cleanupSessionState: remove all in-memory state for a session (idempotent)",
    async (it) => {
      const { id } = await talked();
      it.subscribe(id, () => {});
      for (let time = 0; time < 2; time++) it.cleanupSessionState(id);
      return it.getMemoryStats().subscribers;
    },
    0,
  ],
  ["getMemoryStats: snapshot of in-memory map sizes", (it) => it.getMemoryStats(), STATS],
  [
    "sendMessage: send a message to a running process",
    async (it) => {
      const session = await talked();
      const first = it.sendMessage(session.id, "not running");
      let second = false;
      await told(session, () => {
        it.startProcess(session, "hello");
        second = it.sendMessage(session.id, "more");
      });
      return [first, second];
    },
    [false, true],
  ],
  [
    "isRunning: check if a process is active",
    async (it) => {
      const session = fresh();
      const seen: boolean[] = [it.isRunning(session.id)];
      await told(session, () => {
        it.startProcess(session, "hello");
        seen.push(it.isRunning(session.id));
      });
      return [...seen, it.isRunning(session.id)];
    },
    [false, true, false],
  ],
  [
    "subscribe: subscribe to session events (replays thinking state for late subscribers)",
    async (it) => {
      const [session, heard] = [fresh(), [] as string[]];
      await told(session, () => {
        it.startProcess(session, "hello");
        it.subscribe(session.id, (_, { type }) => heard.push(type));
      });
      return heard;
    },
    /^\["thinking".*"session_exited"\]$/,
  ],
  [
    "unsubscribe: unsubscribe from session events",
    async (it) => {
      const [session, heard] = [fresh(), [] as string[]];
      const listener = (_: string, { type }: ClaudeStreamEvent) => void heard.push(type);
      it.subscribe(session.id, listener);
      it.unsubscribe(session.id, listener);
      await told(session, () => it.startProcess(session, "hello"));
      return heard;
    },
    [],
  ],
  ["subscribeAll: subscribe to events from all sessions", () => talked().then(() => events.length > 0), true],
  [
    "unsubscribeAll: unsubscribe from global events",
    (it) => {
      const listener = () => {};
      it.subscribeAll(listener);
      it.unsubscribeAll(listener);
      return it.getMemoryStats().globalSubscribers;
    },
    1,
  ],
  [
    "getActiveSessionIds: list all sessions with running processes",
    async (it) => {
      const session = fresh();
      let active: readonly string[] = [];
      await told(session, () => {
        it.startProcess(session, "hello");
        active = it.getActiveSessionIds();
      });
      return active.includes(session.id) && it.getActiveSessionIds().length === 0;
    },
    true,
  ],
  ["resumeSession: returns false if not paused", (it) => it.resumeSession("unknown"), false],
  ["isPaused: check if a session is paused", (it) => it.isPaused("unknown"), false],
  ["getPausedSessionIds: list all paused session IDs", (it) => it.getPausedSessionIds(), []],
  [
    "extendTimeout: extend a session's timeout; false if it does not run",
    (it) => it.extendTimeout("none", 1000),
    false,
  ],
  [
    "shutdown: stop all processes, clear all timers and state",
    async () => {
      const other = new ProcessManager(database);
      other.shutdown();
      other.shutdown();
      await other.settled();
      return other.getMemoryStats();
    },
    { ...STATS, globalSubscribers: 0 },
  ],
  [
    "Creates ApprovalManager and OwnerQuestionManager",
    (it) => [it.approvalManager.getPendingForSession("x"), it.ownerQuestionManager.getPendingForSession("x")],
    [[], []],
  ],
  [
    "Resets stale sessions from previous server instance",
    async () => {
      const later = new ProcessManager(database);
      await later.settled();
      const running = later.getActiveSessionIds();
      later.shutdown();
      return running;
    },
    [],
  ],
  ["Starts timeout checker interval", () => sys().call("config.get", { key: "run.timeoutMs" }), { value: 1_800_000 }],
  ["Starts auto-resume checker interval", () => sys().call("ai.outages", {}), { outages: [] }],
  ["Starts orphan pruner interval (5min)", () => ORPHAN_SWEEP_MS, 300_000],
];

table(ROWS, () => manager);
