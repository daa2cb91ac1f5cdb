// Sessions as callers use them: addresses that lead to processes, conversations in sequence, the same state by both names.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { ArchiveInfo, Closed } from "../../src/syscalls/services.ts";
import type {
  SessionAddress,
  SessionHistory,
  SessionInfo,
  SessionLine,
  SessionReset,
  SessionRestored,
  SessionStats,
} from "../../src/syscalls/session/session-service.ts";
import { INIT, TestKernel } from "../support/kernel.ts";

const MAIN = "agent:main:cli:dm:main";
const ALICE = "agent:main:cli:dm:alice";

function sessions(home: TestKernel, sys = home.sys) {
  const call = <Result>(verb: string, args: object = {}) => sys.call<Result>(`session.${verb}`, args);
  return {
    list: async () => (await call<{ sessions: readonly SessionLine[] }>("list")).sessions,
    get: (key = MAIN) => call<SessionInfo>("get", { key }),
    stats: (key = MAIN) => call<SessionStats>("stats", { key }),
    history: (key = MAIN) => call<SessionHistory>("history", { key }),
    open: (key: string) => call<SessionAddress & { readonly pid: string }>("open", { key }),
    reset: (key = MAIN) => call<SessionReset>("reset", { key }),
    restore: (id: string) => call<SessionRestored>("restore", { id }),
    set: (path: string, value: unknown, key = MAIN) =>
      call<{ readonly value: unknown; readonly note?: string }>("set", { key, path, value: JSON.stringify(value) }),
    route: (party: object) => call<SessionAddress>("route", party),
  };
}

test("the owner's own session is their init, from the start and under each of its names", async () => {
  await using home = await TestKernel.boot();
  const { get, list } = sessions(home);
  const own = await get();
  expect(own).toMatchObject({ key: MAIN, pid: INIT, messages: 0, previousSessions: 0, owner: "sam" });
  for (const name of ["main", "agent:main:main", "agent:main:cli:dm:sam", own.id, own.sessionId ?? ""])
    expect(await get(name)).toEqual(own);
  expect((await list()).map(({ key }) => key)).toEqual([MAIN]);
});

test("a home without sessions gets its init's session at the next start", async () => {
  await using home = await TestKernel.boot();
  await home.say("hello");
  const { id } = await sessions(home).get();
  await home.stores.kernel.sessions.remove(id);
  expect(await sessions(home).list()).toEqual([]);
  await home.restart();
  expect(await sessions(home).get()).toMatchObject({ key: MAIN, pid: INIT, messages: 2, previousSessions: 0 });
});

test("resetting a session resets its process, and the reverse", async () => {
  await using home = await TestKernel.boot();
  const { get, reset, history } = sessions(home);
  const first = (await get()).sessionId;
  await home.say("one");
  const bySession = await reset();
  expect(bySession).toMatchObject({ pid: INIT, oldSessionId: first, archivedMessages: 2 });
  expect(await home.messages(INIT)).toEqual([]);
  await home.say("two");
  const byProcess = await home.sys.call<Closed>("proc.reset", { pid: INIT });
  const now = await get();
  expect(now).toMatchObject({ messages: 0, previousSessions: 2 });
  const { current, previous, count } = await history();
  expect(current?.sessionId).toBe(now.sessionId ?? "");
  expect(count).toBe(2);
  expect(previous.map(({ sessionId, archiveId, messages }) => [sessionId, archiveId, messages])).toEqual([
    [bySession.newSessionId, byProcess.archiveId, 2],
    [first, expect.any(String), 2],
  ]);
});

test("the archive of a conversation also has a path by session: the same bytes, for its owner alone", async () => {
  await using home = await TestKernel.boot();
  await home.say("nutmeg");
  const { archivedTo, oldSessionId } = await sessions(home).reset();
  expect(archivedTo).toBe(`/agents/main/sessions/${oldSessionId}.jsonl.gz`);
  const { archives } = await home.sys.call<{ archives: readonly ArchiveInfo[] }>("archive.list", {});
  // In its stored form, `main` is the personal agent.
  const bytes = (path: string) => Bun.file(join(home.paths.objectsDir, path.replace("/main/", "/friday/"))).bytes();
  expect(await bytes(archivedTo ?? "")).toEqual(await bytes(archives[0]?.path ?? ""));
  expect(gunzipSync(await bytes(archivedTo ?? "")).toString()).toContain("nutmeg");
  const stat = await home.sys.call<{ mode: number }>("fs.stat", { path: archivedTo });
  expect(stat).toMatchObject({ owner: "sam", mode: "0600" });
  expect((await home.refusal("fs.read", { path: archivedTo }, await home.insideOf(INIT))).code).toMatch(/EACCES|EPERM/);
});

test("any other key creates one task, even with parallel first messages", async () => {
  await using home = await TestKernel.boot();
  const { open, get, list } = sessions(home);
  expect((await home.refusal("session.get", { key: ALICE })).code).toBe("ENOENT");
  const [first, ...others] = await Promise.all(Array.from({ length: 5 }, () => open(ALICE)));
  expect(new Set(others.map(({ pid }) => pid))).toEqual(new Set([first?.pid ?? ""]));
  expect(await get(ALICE)).toMatchObject({ pid: first?.pid, label: "alice", messages: 0, previousSessions: 0 });
  expect(await home.get(first?.pid ?? "")).toMatchObject({ profile: "task", parentPid: INIT, runAs: "friday" });
  await home.clock.advance(5);
  await home.say("hello", { pid: first?.pid ?? "" });
  expect((await list()).map(({ key }) => key)).toEqual([ALICE, MAIN]);
  expect((await home.refusal("session.open", { key: "agent:nobody:cli:dm:x" })).code).toBe("ENOENT");
  const root = home.person(0);
  expect((await home.refusal("session.open", { key: ALICE }, root)).code).toBe("ESRCH");
  expect(await sessions(home, root).list()).toHaveLength(2);
});

test("a session outlives its process: a message after a kill gets a new process, and the old conversation stays", async () => {
  await using home = await TestKernel.boot();
  const { open, get, history } = sessions(home);
  const { pid } = await open(ALICE);
  await home.say("hello", { pid });
  await home.sys.call("proc.kill", { pid, archive: true });
  const left = await get(ALICE);
  expect(left).toMatchObject({ pid: null, sessionId: null, state: "idle", previousSessions: 1 });
  expect((await home.refusal("session.reset", { key: ALICE })).code).toBe("ENOENT");
  const next = await open(ALICE);
  expect(next.pid).not.toBe(pid);
  expect(await get(ALICE)).toMatchObject({ id: left.id, pid: next.pid, messages: 0, previousSessions: 1 });
  expect((await history(ALICE)).previous[0]).toMatchObject({ pid, messages: 2 });
});

test("a session setting applies to its process, and can be read back", async () => {
  await using home = await TestKernel.boot({ realProviders: true });
  const { get, set } = sessions(home);
  expect((await set("model.provider", "openai")).value).toBe("openai");
  expect((await set("model.id", "gpt-4.1")).value).toBe("gpt-4.1");
  await set("thinkingLevel", "high");
  await set("maxTokens", 900);
  await set("settings.systemPrompt", "Speak in rhymes.");
  await set("label", "home");
  await set("resetPolicy.mode", "idle");
  await set("resetPolicy.idleMinutes", 30);
  expect(await get()).toMatchObject({
    label: "home",
    settings: {
      model: { provider: "openai", id: "gpt-4.1" },
      thinkingLevel: "high",
      maxTokens: 900,
      systemPrompt: "Speak in rhymes.",
    },
    resetPolicy: { mode: "idle", atHour: 4, idleMinutes: 30 },
  });
  expect(await home.sys.call("proc.model", { pid: INIT })).toMatchObject({ model: "openai/gpt-4.1" });
  expect(await home.sys.call("proc.think", { pid: INIT })).toMatchObject({ thinking: "high" });
  expect(JSON.stringify(await home.sys.call("proc.prompt", {}))).toContain("Speak in rhymes.");
  expect(await set("model.provider", "anthropic")).toMatchObject({ note: expect.stringContaining("gpt-4.1") });
  for (const path of ["model.provider", "thinkingLevel", "maxTokens", "systemPrompt"]) await set(path, null);
  expect((await get()).settings).toEqual({
    model: { provider: null, id: null },
    thinkingLevel: null,
    maxTokens: null,
    systemPrompt: null,
  });
});

test("an invalid setting is refused with the valid ones", async () => {
  await using home = await TestKernel.boot();
  const refused = async (path: string, value: unknown, sys = home.sys) =>
    await home.refusal("session.set", { key: MAIN, path, value: JSON.stringify(value) }, sys);
  expect((await refused("reset", 1)).hints.join()).toContain("resetPolicy.mode");
  expect((await refused("resetPolicy.mode", "weekly")).message).toContain("manual, daily, idle");
  for (const [path, value] of [
    ["resetPolicy.atHour", 24],
    ["resetPolicy.atHour", "4"],
    ["resetPolicy.idleMinutes", 0],
    ["maxTokens", -1],
    ["thinkingLevel", "very"],
    ["label", ""],
  ] as const)
    expect((await refused(path, value)).code).toBe("EINVAL");
  for (const [path, value, message] of [
    ["resetPolicy.atHour", "24", "resetPolicy.atHour must be a whole number from 0 to 23, not 24"],
    ["resetPolicy.atHour", "", 'resetPolicy.atHour must be a whole number from 0 to 23, not ""'],
    ["maxTokens", "007", "maxTokens must be a whole number from 1 to 1000000000, not 007"],
    ["label", "[1]", "label must be text, not [1]"],
  ] as const)
    expect(await home.refusal("session.set", { key: MAIN, path, value })).toMatchObject({ code: "EINVAL", message });
  expect((await refused("label", "x", await home.insideOf(INIT))).code).toBe("EPERM");
});

test("tokens and cost are those of the conversation, and restart with it", async () => {
  await using home = await TestKernel.boot();
  const { stats, reset } = sessions(home);
  const usage = { input: 100, output: 20, cacheRead: 5, cacheWrite: 0, costUsd: 0.5 };
  home.model.will(INIT, { text: "a", usage });
  await home.say("hello");
  expect(await stats()).toMatchObject({ messages: 2, tokens: { input: 105, output: 20, total: 125 }, uptimeMs: 0 });
  await home.clock.advance(60_000);
  expect(await reset()).toMatchObject({ tokens: 125 });
  expect(await stats()).toMatchObject({ messages: 0, tokens: { total: 0 }, uptimeMs: 60_000 });
});

test("the history of a session is rows, page by page, without tool output", async () => {
  await using home = await TestKernel.boot();
  const { id } = await sessions(home).get();
  home.model.will(INIT, { text: "look", calls: [{ name: "Read", args: { path: "/proc/version" } }] }, { text: "so" });
  await home.say("which?");
  const rows: object[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page: { messages: object[]; next: number | null } = await home.sys.call("session.messages", {
      after,
      limit: 3,
    });
    rows.push(...page.messages);
    after = page.next;
  }
  expect(rows).toMatchObject([
    { id: 1, sessionId: id, role: "user", content: "which?" },
    { id: 2, sessionId: id, role: "assistant", content: "look" },
    { id: 4, sessionId: id, role: "assistant", content: "so" },
  ]);
});

test("resuming an archived conversation archives the current one", async () => {
  await using home = await TestKernel.boot();
  const { reset, restore, history, get } = sessions(home);
  home.model.will(
    INIT,
    { text: "look", calls: [{ id: "c1", name: "Read", args: { path: "/proc/version" } }] },
    { text: "done" },
  );
  await home.say("remember nutmeg");
  const before = await home.messages(INIT);
  const { oldSessionId } = await reset();
  await home.say("something else");
  const restored = await restore(oldSessionId?.slice(0, 8) ?? "");
  expect(restored).toMatchObject({ restoredFrom: oldSessionId, messages: 4, archivedMessages: 2 });
  const after = await home.messages(INIT);
  expect(after.map(({ role, content }) => ({ role, content }))).toEqual(
    before.map(({ role, content }) => ({ role, content })),
  );
  expect(after.map(({ id }) => id)).toEqual([7, 8, 9, 10]);
  await home.say("which word?");
  expect(JSON.stringify(home.model.requests.at(-1)?.messages)).toContain("nutmeg");
  expect((await history()).current).toMatchObject({ sessionId: (await get()).sessionId, restoredFrom: oldSessionId });
  expect((await home.refusal("session.restore", { id: restored.newSessionId ?? "" })).message).toContain(
    "is the current one",
  );
  expect((await home.refusal("session.restore", { id: "ffffffff" })).code).toBe("ENOENT");
});

test("the scope and the identity links decide the session of a sender", async () => {
  await using home = await TestKernel.boot();
  const { route, open } = sessions(home);
  const told = { peer: "4711", channel: "telegram", account: "bot" };
  expect(await route(told)).toEqual({ key: MAIN, pid: INIT });
  const set = (key: string, value: string) => home.sys.call("config.set", { key, value });
  const keys: string[] = [];
  for (const scope of ["per-peer", "per-channel-peer", "per-account-channel-peer"]) {
    await set("session.dmScope", scope);
    keys.push((await route(told)).key);
    // Your own messages on your own command line.
    expect((await route({ peer: "sam", channel: "cli", account: "default" })).key).toBe(MAIN);
  }
  expect(keys).toEqual(["agent:main:cli:dm:4711", "agent:main:telegram:dm:4711", "agent:main:telegram:bot:dm:4711"]);
  await set("session.dmScope", "per-peer");
  expect((await home.refusal("config.set", { key: "session.identityLinks", value: '{"alice": 7}' })).code).toBe(
    "ECONFIG",
  );
  await set("session.identityLinks", '{"alice": ["telegram:4711", "discord:ali"]}');
  const { pid } = await open((await route(told)).key);
  expect(await route({ peer: "Ali", channel: "discord", account: "x" })).toEqual({ key: ALICE, pid });
});

test("retention deletes an archive under both of its names", async () => {
  await using home = await TestKernel.boot({
    retention: async () => ({ archivesDays: 1, auditDays: 0, runsDays: 0, syscallLogDays: 0 }),
  });
  const { reset, history } = sessions(home);
  await home.say("hello");
  const { archivedTo } = await reset();
  await home.clock.advance(3 * 86_400_000);
  const isGone = async () => !(await Bun.file(join(home.paths.objectsDir, archivedTo ?? "")).exists());
  await home.until("the archive is deleted", isGone);
  await home.until("its row is", async () => (await history()).previous[0]?.archivedTo === null);
});
