// Seed-002 through the program as it is built: `gsv manager`, its kernel and a model server on a socket. What takes minutes is tried in
// manager-promises.test.ts, over a kernel with a clock of the test's own.

import { afterAll, beforeAll, expect, test } from "bun:test";
import type { ProcessInfo } from "../../src/abi/process/process.ts";
import type { SessionLine } from "../../src/syscalls/session/session-service.ts";
import { jsonLines, TestHome } from "../support/home.ts";
import { ManagerProgram } from "../support/manager-program.ts";
import { WIRES } from "../support/wire-bytes.ts";
import { type WireReply, WireServer } from "../support/wire-server.ts";
import { type Row, table } from "./table.ts";

const CHAT = WIRES["openai chat completions"]!;
const says = (text: string): WireReply => ({ type: CHAT.type, body: CHAT.body({ text: [text] }) });
/** An answer that never ends. */
const HELD: WireReply = { type: CHAT.type, body: ": wait\n\n", hangs: true };
const GARBLED: WireReply = { type: CHAT.type, body: "data: {no\n\n" };
const MINUTE = 60_000;

let usual = says("done");
const server = new WireServer((request) => (request.path.endsWith(CHAT.path) ? usual : { status: 404 }));
const home = new TestHome({
  env: {
    OPENAI_API_KEY: "sk-of-the-tests-0123456789",
    OPENAI_BASE_URL: `${server.url}/v1`,
    GSV_MODEL: "openai/some-model",
    GSV_KERNEL_MODEL_RETRIES: "0",
  },
});
let it: ManagerProgram;
let made = 0;

beforeAll(async () => {
  await gsv("kernel", "start");
  it = new ManagerProgram(home);
  await it.call("settled");
});
afterAll(async () => {
  await it[Symbol.asyncDispose]();
  await home.dispose();
  server.stop();
});

async function gsv(...words: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await home.gsv(words);
  if (status !== 0) throw new Error(`gsv ${words.join(" ")}: ${status} ${stderr}`);
  return stdout.trim();
}

const sessionOf = (about: object = {}) => ({
  id: `0192f0c1-0000-7000-8000-${String(++made).padStart(12, "0")}`,
  ...about,
});
const info = async ({ id }: { readonly id: string }) =>
  jsonLines<SessionLine>(await gsv("session", "get", id, "--json"))[0]!;
const processOf = async (session: { readonly id: string }) => {
  const { pid } = await info(session);
  return jsonLines<ProcessInfo>(await gsv("ps", "--json")).find((each) => each.pid === pid)!;
};
const asked = () => JSON.stringify(server.requests.at(-1)?.json ?? null);
const requests = () => server.requests.length;

/** A session with one answer behind it. */
async function talked(about: object = {}) {
  const session = sessionOf(about);
  await it.call("startProcess", session, "hello");
  await it.seen(session.id, "session_exited");
  return session;
}

/** The same, at work on an answer that never ends. */
async function working(about: object = {}) {
  const session = await talked(about);
  const before = requests();
  server.will(HELD);
  await it.call("resumeProcess", session, "and now");
  await it.until("the model is asked", () => requests() > before);
  return session;
}

async function resetAfterEight(): Promise<string> {
  const session = await working();
  for (let turn = 1; turn <= 7; turn++) expect(await it.call("sendMessage", session.id, `more ${turn}`)).toBe(true);
  await it.call("resumeProcess", session, "the eighth");
  await it.call("resumeProcess", session, "another message");
  await it.seen(session.id, "session_exited", 2);
  return asked();
}

async function resumedWithHistory(): Promise<string> {
  const session = await talked();
  const { pid } = await processOf(session);
  for (let turn = 2; turn <= 12; turn++) await gsv("chat", "--pid", pid, `message ${turn} ${"x".repeat(2100)}`);
  await it.until("the last answer is over", async () => !(await it.call("isRunning", session.id)));
  await it.call("resumeProcess", session, "new question");
  await it.until("the model is asked the new question", () => asked().includes("new question"));
  const lines = asked().match(/\[(?:User|Assistant)\]: [a-z]+ ?\d*/g) ?? [];
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([20, "[User]: message 3", "[Assistant]: done"]);
  return asked();
}

async function restarted(): Promise<unknown[]> {
  const session = await talked({ source: "algochat", sender: "peer-restart" });
  usual = GARBLED;
  const restart = async () => {
    const { waitsFor } = await processOf(session);
    return waitsFor?.kind === "restart" ? waitsFor : null;
  };
  try {
    await it.call("resumeProcess", session, "and now");
    await it.until("it waits for its restart", async () => (await restart()) !== null);
  } finally {
    usual = says("done");
  }
  const { attempt, until } = (await restart())!;
  const seconds = (until - Date.now()) / 1000;
  await it.seen(session.id, "session_exited", 2);
  return [attempt, seconds > 1 && seconds <= 5, await it.call("isRunning", session.id)];
}

async function outage(): Promise<unknown[]> {
  const session = await talked({ source: "algochat", sender: "peer-outage" });
  server.will(CHAT.error("overloaded"));
  const since = Date.now();
  await it.call("resumeProcess", session, "and now");
  await it.seen(session.id, "api_outage");
  await it.until("it is paused", async () => await it.call<boolean>("isPaused", session.id));
  const { waitsFor } = await processOf(session);
  const until = waitsFor !== null && "until" in waitsFor ? (waitsFor.until ?? 0) : 0;
  const seen = [
    await it.call("getPausedSessionIds"),
    await it.call("isRunning", session.id),
    (await info(session)).status,
    Math.round((until - since) / MINUTE),
    await it.call("resumeSession", session.id),
  ];
  await it.seen(session.id, "session_exited", 2);
  return [(seen[0] as string[]).includes(session.id), ...seen.slice(1), await it.call("isPaused", session.id)];
}

async function exhausted(): Promise<string[]> {
  await gsv("credits", "rate", "free_credits_on_first_message", "0");
  await gsv("credits", "grant", "W7", "1");
  const session = sessionOf({ source: "algochat", sender: "W7" });
  await it.call("startProcess", session, "hello");
  await it.seen(session.id, "session_exited");
  await it.call("resumeProcess", session, "more");
  await it.seen(session.id, "session_stopped");
  return it.types(session.id).slice(-3);
}

async function withPersona(): Promise<string> {
  const name = `chef${++made}`;
  await gsv("bundle", "create", `own${made}`, "--tools", "Write", "--prompt", "Look twice.");
  await gsv("agent", "create", name, "--traits", "calm", "--bundles", `own${made}`, "--tools", "Search");
  await talked({ agentId: name });
  return asked();
}

const INVARIANTS: readonly Row<null>[] = [
  [
    "1. Session-process 1:1 mapping: startProcess kills any existing process for that session first",
    async () => {
      const session = await working();
      await it.call("startProcess", session, "instead");
      await it.seen(session.id, "session_exited", 2);
      return it.types(session.id).filter((type) => type.startsWith("session_"));
    },
    ["session_started", "session_exited", "session_started", "session_stopped", "session_started", "session_exited"],
  ],
  [
    "2. Stale session cleanup on startup (a run in flight goes on with the next kernel)",
    async () => {
      const session = await working();
      await home.kill();
      await gsv("kernel", "start");
      await it.seen(session.id, "session_exited", 2);
      await it.until("it is forgotten", async () => !(await it.call("isRunning", session.id)));
      return [(await info(session)).status, await it.call("isRunning", session.id)];
    },
    ["idle", false],
  ],
  ["3. Persona/skill prompt injection", withPersona, /calm/],
  ["4. Tool permission resolution chain: agent base permissions, merged with bundle tools", withPersona, /"Write"/],
  ["5. Provider routing", () => gsv("model", "init:1000"), /openai/],
  ["6. Context reset after 8 user messages", resetAfterEight, /conversation_history/],
  [
    "7. Resume prompt construction: the last 20 messages, each truncated to 2000 chars",
    resumedWithHistory,
    /x{1900}\.\.\./,
  ],
  ["8. Auto-restart for AlgoChat: after 5 s", restarted, [1, true, false]],
  ["9. API outage handling: pauses for 5 min, resumed at once", outage, [true, false, "paused", 5, true, false]],
  [
    "10. Timeout enforcement: silence stops, extendTimeout only while it runs",
    async () => {
      const session = await talked();
      const early = await it.call("extendTimeout", session.id, MINUTE);
      await gsv("config", "set", "run.timeoutMs", "1500");
      try {
        server.will(HELD);
        await it.call("resumeProcess", session, "and now");
        await it.call("settled");
        const late = await it.call("extendTimeout", session.id, 1000);
        await it.seen(session.id, "session_stopped");
        return [early, late, (await info(session)).status];
      } finally {
        await gsv("config", "unset", "run.timeoutMs");
      }
    },
    [false, true, "stopped"],
  ],
  ["11. Credit deduction for AlgoChat: stopped if credits exhausted", exhausted, /credits_exhausted.*session_stopped/],
  ["12. Event emission before cleanup", async () => it.types((await talked()).id).at(-1), "session_exited"],
  [
    "14. Memory cleanup single source: cleanupSessionState",
    async () => {
      const session = await working();
      const before = (await it.call<string[]>("getActiveSessionIds")).includes(session.id);
      await it.call("cleanupSessionState", session.id);
      const after = (await it.call<string[]>("getActiveSessionIds")).includes(session.id);
      await gsv("session", "stop", session.id);
      return [before, after];
    },
    [true, false],
  ],
];

const ERRORS: readonly Row<null>[] = [
  [
    "Project not found: error event of type not_found, process not started",
    async () => {
      const session = sessionOf({ projectId: "gone" });
      await it.call("startProcess", session, "hello");
      await it.seen(session.id, "not_found");
      return [it.types(session.id), await it.call("isRunning", session.id)];
    },
    [["not_found"], false],
  ],
  [
    "Spawn fails: status error, error event emitted",
    async () => {
      const session = sessionOf({ agentId: "nobody" });
      await it.call("startProcess", session, "hello");
      await it.seen(session.id, "spawn_error");
      return it.types(session.id);
    },
    ["spawn_error"],
  ],
  [
    "Resume of nonexistent process: starts a fresh process with resume prompt",
    async () => {
      const session = await talked();
      await gsv("kill", "-9", (await processOf(session)).pid);
      await it.call("resumeProcess", session, "still there?");
      await it.seen(session.id, "session_exited", 2);
      return asked();
    },
    /conversation_history.*hello.*still there/,
  ],
  ["sendMessage to non-running session returns false", () => it.call("sendMessage", "unknown", "x"), false],
  ["resumeSession for non-paused session returns false", () => it.call("resumeSession", "unknown"), false],
];

const CONSTANTS: readonly Row<null>[] = [
  ["AGENT_TIMEOUT_MS 1800000", () => gsv("config", "get", "run.timeoutMs"), /1800000/],
  ["COUNCIL_MODEL (none)", () => gsv("config", "get", "council.model", "--json"), /"value":""/],
  ["MAX_TURNS_BEFORE_CONTEXT_RESET 8", () => gsv("config", "get", "session.contextResetTurns"), /8/],
];

table([...INVARIANTS, ...ERRORS, ...CONSTANTS], () => null);

test("a line that is no call gets an error with its id, and the manager goes on", async () => {
  expect((await it.answer(9001, '{"id":9001,"call":"noSuch"}')).error).toStartWith("no such method: noSuch; methods: ");
  for (const line of ["not json", "[]", "null", "7", '{"id":null}', '{"args":[1]}'])
    expect((await it.answer(line.includes("id") ? (null as never) : undefined, line)).error).toStartWith("a line is");
  expect((await it.answer(9002, '{"id":9002,"call":"startProcess","args":7}')).error).toStartWith("a line is");
  expect(await it.call("isRunning", "x")).toBe(false);
});

test("gsv manager ends with its input and leaves the sessions at work", async () => {
  const other = new ManagerProgram(home);
  const session = sessionOf();
  const before = requests();
  server.will(HELD);
  await other.call("startProcess", session, "hello");
  await other.until("the model is asked", () => requests() > before);
  await other.until("the run is stored", async () => (await info(session)).status === "running");
  expect(await other.ended()).toBe(0);
  expect((await info(session)).status).toBe("running");
  await gsv("session", "stop", session.id);
});

test("gsv help and the manual name it, with every method", async () => {
  expect(await gsv("help", "topics")).toMatch(/^ +manager +\S/m);
  expect(await gsv("help", "manager")).toContain("| gsv manager");
  const { error = "" } = await it.answer(9003, '{"id":9003,"call":"noSuch"}');
  const page = await gsv("man", "seeds");
  for (const method of error.split("methods: ")[1]!.split(", ")) expect(page).toContain(method);
});
