// The 40 statements of seed-001, "How to Manage Sessions", each as it is typed.

import { afterAll, beforeAll } from "bun:test";
import type { SessionHistory, SessionInfo, SessionReset } from "../../src/syscalls/session/session-service.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { gsv, type Row, table } from "./table.ts";

const MAIN = "agent:main:cli:dm:main";
const ALICE = "agent:main:cli:dm:alice";
const HOUR = 3_600_000;

let home: TestKernel;
beforeAll(async () => {
  home = await TestKernel.boot();
  await gsv(home, 'chat "hello"');
  await home.clock.advance(60_000);
  await gsv(home, `chat --session ${ALICE} "hi"`);
});
afterAll(async () => {
  await home[Symbol.asyncDispose]();
});

const get = (key = MAIN) => home.sys.call<SessionInfo>("session.get", { key });
const history = (key = MAIN) => home.sys.call<SessionHistory>("session.history", { key });
const reset = (key = MAIN) => home.sys.call<SessionReset>("session.reset", { key });
const route = (peer: string, channel = "telegram", account = "bot") =>
  home.sys.call<{ key: string }>("session.route", { peer, channel, account });

async function set(what: string): Promise<SessionInfo> {
  await gsv(home, `session set ${ALICE} ${what}`);
  return await get(ALICE);
}

async function scoped(scope: string): Promise<string> {
  await gsv(home, `config set session.dmScope "${scope}"`);
  return (await route("alice")).key;
}

/** A message after so long a silence, and the conversation it is in. */
async function renewed(ms: number, policy: object): Promise<boolean> {
  for (const [path, value] of Object.entries(policy))
    await gsv(home, `session set ${MAIN} resetPolicy.${path} ${value}`);
  await home.say("before");
  const before = (await get()).sessionId;
  await home.clock.advance(ms);
  await home.say("after");
  await home.quiet();
  const isNew = (await get()).sessionId !== before;
  await gsv(home, `session set ${MAIN} resetPolicy.mode manual`);
  return isNew;
}

const ROWS: readonly Row<TestKernel>[] = [
  ["gsv session list", () => gsv(home, "session list"), /agent:main:cli:dm:main/],
  ["sorted by last activity", () => gsv(home, "session list"), /dm:alice.*dm:main/s],
  ["gsv session list --limit 10", () => gsv(home, "session list --limit 1"), /^Sessions \(1\):\n.*dm:alice/],
  [
    "Get session info (settings, status, message count)",
    () => gsv(home, `session get ${MAIN}`),
    /State: idle.*Messages: 2.*Reset policy/s,
  ],
  ["gsv session preview", () => gsv(home, `session preview ${MAIN}`), /USER: hello.*ASSISTANT: done/s],
  ["gsv session preview --limit 5", () => gsv(home, `session preview ${MAIN} --limit 1`), /ASSISTANT: done$/],
  ["View token usage statistics: gsv session stats", () => gsv(home, `session stats ${MAIN}`), /Total tokens/],
  [
    "gsv session reset archives the current conversation and clears the message history",
    () => gsv(home, `session reset ${ALICE}`),
    /Archived 2 messages/,
  ],
  ["View previous session IDs: gsv session history", () => history(ALICE), { count: 1, previous: [{ messages: 2 }] }],
  [
    "The agent starts fresh on the next message",
    async () => {
      await gsv(home, `chat --session ${ALICE} "again"`);
      return (await get(ALICE)).messages;
    },
    2,
  ],
  ["for the main CLI session you can simply: gsv session reset", () => gsv(home, "session reset"), /dm:main/],
  [
    "gsv session compact --keep 20",
    async () => {
      for (let turn = 1; turn <= 15; turn++) await home.say(`message ${turn}`);
      return await gsv(home, `session compact ${MAIN} --keep 20`);
    },
    /Trimmed 10 messages, kept 20/,
  ],
  ["Compaction trims to the most recent messages without a full reset", () => get(), { messages: 30, summarized: 10 }],
  [
    "Automatic compaction also runs when the conversation approaches the model's context window limit",
    () => gsv(home, `history policy ${INIT} --json`),
    /auto-compact/,
  ],
  ["gsv config set compaction.enabled true", () => gsv(home, "config set compaction.enabled true"), /true/],
  ["compaction.reserveTokens 20000", () => gsv(home, "config set compaction.reserveTokens 20000"), /20000/],
  ["compaction.keepRecentTokens 20000", () => gsv(home, "config set compaction.keepRecentTokens 20000"), /20000/],
  [
    "When extractMemories is enabled, compaction writes durable observations",
    () => gsv(home, "config get compaction.extractMemories"),
    /true/,
  ],
  [
    'gsv config set session.defaultResetPolicy.mode "daily": the default for all new sessions',
    async () => {
      await gsv(home, 'config set session.defaultResetPolicy.mode "daily"');
      await gsv(home, 'chat --session agent:main:cli:dm:bob "hi"');
      return (await get("agent:main:cli:dm:bob")).resetPolicy;
    },
    { mode: "daily" },
  ],
  [
    "gsv config set session.defaultResetPolicy.atHour 4",
    () => gsv(home, "config set session.defaultResetPolicy.atHour 4"),
    /4/,
  ],
  ["manual: only reset when explicitly requested", () => renewed(100 * HOUR, { mode: "manual" }), false],
  ["daily: reset if the last message was before atHour", () => renewed(25 * HOUR, { mode: "daily" }), true],
  ["atHour: 0-23, default 4", () => get(), { resetPolicy: { atHour: 4 } }],
  ["idle: reset after idleMinutes of inactivity", () => renewed(HOUR, { mode: "idle", idleMinutes: 30 }), true],
  ["idleMinutes: default 60", () => get("agent:main:cli:dm:bob"), { resetPolicy: { idleMinutes: 60 } }],
  [
    'gsv session set resetPolicy.mode "idle": override the policy on a specific session',
    async () => {
      await gsv(home, `session set ${ALICE} resetPolicy.mode "idle"`);
      return [(await get(ALICE)).resetPolicy.mode, (await get("agent:main:cli:dm:bob")).resetPolicy.mode];
    },
    ["idle", "daily"],
  ],
  [
    "gsv session set resetPolicy.idleMinutes 30",
    () => set("resetPolicy.idleMinutes 30"),
    { resetPolicy: { idleMinutes: 30 } },
  ],
  [
    "gsv session set model.provider openai",
    () => set("model.provider openai"),
    { settings: { model: { provider: "openai" } } },
  ],
  [
    "gsv session set model.id gpt-4.1, without affecting the global config",
    async () => {
      await gsv(home, `session set ${ALICE} model.id gpt-4.1`);
      return [(await get(ALICE)).settings.model.id, (await get()).settings.model.id];
    },
    ["gpt-4.1", null],
  ],
  [
    "Session keys follow the pattern: agent:{agentId}:{channel}:{accountId}:dm:{peerId}",
    () => scoped("per-account-channel-peer"),
    "agent:main:telegram:bot:dm:alice",
  ],
  ["For the CLI, the default is agent:main:cli:dm:main", () => get("main"), { key: MAIN, pid: INIT }],
  ["main (default): all DMs collapse into agent:{agentId}:cli:dm:main", () => scoped("main"), MAIN],
  ["per-peer: each peer gets agent:{agentId}:cli:dm:{peerId}", () => scoped("per-peer"), ALICE],
  ["per-channel-peer: per channel per peer", () => scoped("per-channel-peer"), "agent:main:telegram:dm:alice"],
  [
    "per-account-channel-peer: fully isolated",
    async () => (await scoped("per-account-channel-peer")) === (await route("alice", "telegram", "other")).key,
    false,
  ],
  ['gsv config set session.dmScope "per-peer"', () => gsv(home, 'config set session.dmScope "per-peer"'), /per-peer/],
  [
    "each distinct conversation partner gets their own session with independent history and reset policy",
    async () => {
      const [alice, bob] = [await get(ALICE), await get("agent:main:cli:dm:bob")];
      return [alice.pid === bob.pid, alice.resetPolicy.mode === bob.resetPolicy.mode];
    },
    [false, false],
  ],
  [
    "archived as a gzipped JSONL file at agents/{agentId}/sessions/{sessionId}.jsonl.gz",
    async () => {
      await home.say("nutmeg");
      const { archivedTo, oldSessionId } = await reset();
      return archivedTo === `/agents/main/sessions/${oldSessionId}.jsonl.gz`;
    },
    true,
  ],
  [
    "A new session ID is generated",
    async () => {
      const { oldSessionId, newSessionId } = await reset();
      return oldSessionId !== newSessionId && newSessionId !== null;
    },
    true,
  ],
  [
    "The archived session can be retrieved later via the R2 mount",
    async () => {
      const { previous } = await history();
      const path = previous.find(({ archivedTo }) => archivedTo !== null)?.archivedTo;
      return await home.sys.call("fs.stat", { path });
    },
    { kind: "file" },
  ],
];

table(ROWS, () => home);
