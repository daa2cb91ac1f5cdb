// A message that arrives after its session is due for renewal starts a new conversation and belongs to it. The old conversation is archived
// whole, even if the kernel dies in between.

import { describe, expect, test } from "bun:test";
import type { Ports } from "../../src/boot/core.ts";
import type { ArchivePage } from "../../src/syscalls/services.ts";
import type { SessionHistory, SessionInfo } from "../../src/syscalls/session/session-service.ts";
import { INIT, TestKernel } from "../support/kernel.ts";

const MAIN = "agent:main:cli:dm:main";
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const info = (home: TestKernel, key = MAIN) => home.sys.call<SessionInfo>("session.get", { key });
const history = (home: TestKernel, key = MAIN) => home.sys.call<SessionHistory>("session.history", { key });

/** Only the wall clock counts. */
function later(home: TestKernel, ms: number): void {
  home.clock.setWall(home.clock.now() + ms);
}

async function policy(home: TestKernel, settings: { readonly [path: string]: unknown }, key = MAIN): Promise<void> {
  for (const [path, value] of Object.entries(settings))
    await home.sys.call("session.set", { key, path: `resetPolicy.${path}`, value: JSON.stringify(value) });
}

async function archivedTexts(home: TestKernel, id: string): Promise<unknown[]> {
  const { records } = await home.sys.call<ArchivePage>("archive.show", { id });
  return records.map((record) => (record as { content: unknown }).content);
}

test("idle: the first message after the idle time starts a new conversation, and the next ones continue it", async () => {
  await using home = await TestKernel.boot();
  await policy(home, { mode: "idle", idleMinutes: 30 });
  await home.say("one");
  later(home, 30 * MINUTE);
  await home.say("still here");
  later(home, 30 * MINUTE + 1);
  await home.say("back again");
  later(home, MINUTE);
  expect(await home.send("and more")).not.toHaveProperty("renewed");
  await home.inState(INIT, "idle");
  expect(await home.outline(INIT)).toEqual([
    "user: back again",
    "assistant: done",
    "user: and more",
    "assistant: done",
  ]);
  const { previous, count } = await history(home);
  expect(count).toBe(1);
  expect(await archivedTexts(home, previous[0]?.archiveId ?? "")).toEqual(["one", "done", "still here", "done"]);
  expect(home.heard("process.reset")).toHaveLength(1);
});

test("daily: a conversation renews at the set hour in the home's time zone, also across clock changes", async () => {
  await using home = await TestKernel.boot();
  await home.person(0).call("config.set", { key: "server.timezone", value: "Europe/Berlin", system: true });
  await policy(home, { mode: "daily", atHour: 4 });
  const until = (text: string) => home.clock.setWall(Date.parse(text));
  const count = async () => (await info(home)).previousSessions;
  until("2026-03-28T22:00Z");
  await home.say("saturday evening");
  // 3:59 in summer time, an hour earlier than the day before.
  until("2026-03-29T01:59Z");
  await home.say("still the night");
  expect(await count()).toBe(0);
  until("2026-03-29T02:00Z");
  await home.say("sunday");
  expect(await count()).toBe(1);
  until("2026-10-25T02:30Z");
  await home.say("the long night");
  until("2026-10-25T02:59Z");
  await home.say("nearly four");
  expect(await count()).toBe(2);
  until("2026-10-25T03:00Z");
  await home.say("four");
  expect(await count()).toBe(3);
});

test("new sessions copy the current default; a later default does not change them", async () => {
  await using home = await TestKernel.boot();
  const set = (key: string, value: string) => home.sys.call("config.set", { key, value });
  await set("session.defaultResetPolicy.mode", "daily");
  await set("session.defaultResetPolicy.atHour", "5");
  expect((await info(home)).resetPolicy).toMatchObject({ mode: "daily", atHour: 5 });
  await home.say("begins now");
  await set("session.defaultResetPolicy.mode", "idle");
  expect((await info(home)).resetPolicy).toMatchObject({ mode: "daily", atHour: 5 });
  await home.sys.call("session.open", { key: "agent:main:cli:dm:alice" });
  expect((await info(home, "agent:main:cli:dm:alice")).resetPolicy).toMatchObject({ mode: "idle", idleMinutes: 60 });
  await policy(home, { mode: "manual" });
  expect((await info(home)).resetPolicy).toEqual({ mode: "manual", atHour: 5, idleMinutes: 60 });
});

test("a process without a session, and a busy one, keep their conversation", async () => {
  await using home = await TestKernel.boot();
  const task = await home.task();
  await home.say("one", { pid: task });
  await policy(home, { mode: "idle", idleMinutes: 1 });
  home.model.will(INIT, { text: "slow", hold: true });
  const { runId } = await home.send("work");
  await home.holding();
  later(home, HOUR);
  const second = await home.send("are you there?");
  home.model.release();
  await home.ended(runId);
  await home.ended(second.runId);
  await home.say("two", { pid: task });
  expect(await home.messages(task)).toHaveLength(4);
  expect((await info(home)).previousSessions).toBe(0);
});

test("a picture that comes with the message stays, and those of the old conversation are deleted", async () => {
  await using home = await TestKernel.boot();
  await policy(home, { mode: "idle", idleMinutes: 1 });
  const give = async (text: string) => {
    const data = Buffer.from(text).toString("base64");
    const id = crypto.randomUUID();
    await home.sys.call("proc.media.put", { pid: INIT, id, offset: 0, data, more: false });
    return id;
  };
  const old = await give("old");
  await home.say("one", { media: [old] });
  later(home, HOUR);
  const fresh = await give("fresh");
  await home.say("two", { media: [fresh] });
  const { media } = await home.sys.call<{ media: { id: string }[] }>("proc.media.list", { pid: INIT });
  expect(media.map(({ id }) => id)).toEqual([fresh]);
});

/** The first call through this seam never returns, as if the kernel had died there. */
function dyingAt(group: keyof Ports | "sessions" | "archives", verb: string, when: "before" | "after") {
  const state = { isArmed: false, isDead: false };
  const stuck = () => {
    state.isDead = true;
    return new Promise<never>(() => {});
  };
  const around = <Store extends object>(store: Store): Store =>
    new Proxy(store, {
      get(target, name) {
        const method = target[name as keyof Store];
        if (name !== verb || typeof method !== "function") return method;
        return async (...args: unknown[]) => {
          if (!state.isArmed) return await method.apply(target, args);
          state.isArmed = false;
          if (when === "before") return await stuck();
          await method.apply(target, args);
          return await stuck();
        };
      },
    });
  const ports = (all: Ports): Ports => {
    if (group === "sessions" || group === "archives")
      return { ...all, kernel: { ...all.kernel, [group]: around(all.kernel[group]) } };
    return { ...all, [group]: around(all[group]) };
  };
  return { state, ports };
}

describe("a kernel that dies while a message starts a new conversation", () => {
  const seams: readonly (readonly [Parameters<typeof dyingAt>[0], string, "before" | "after"])[] = [
    ["processes", "admit", "after"],
    ["sessions", "turn", "before"],
    ["sessions", "turn", "after"],
    ["objects", "put", "before"],
    ["objects", "put", "after"],
    ["archives", "add", "before"],
    ["archives", "add", "after"],
    ["sessions", "keep", "before"],
    ["sessions", "keep", "after"],
    ["processes", "seal", "before"],
    ["processes", "seal", "after"],
  ];
  for (const [group, verb, when] of seams)
    test(`${when} ${group}.${verb}: the message is in the new conversation, the old one whole in its archive`, async () => {
      const { state, ports } = dyingAt(group, verb, when);
      await using home = await TestKernel.boot({ ports });
      await policy(home, { mode: "idle", idleMinutes: 1 });
      await home.say("before");
      const old = (await info(home)).sessionId;
      later(home, HOUR);
      state.isArmed = true;
      const requestId = "after-the-silence";
      const send = () => home.sys.call<{ runId: string }>("proc.send", { message: "after" }, { requestId });
      void send().catch(() => {});
      await home.until("the kernel is dead", () => state.isDead);
      await home.restart();
      const { runId } = await send();
      await home.ended(runId);
      expect(await home.outline(INIT)).toEqual(["user: after", "assistant: done"]);
      const { previous, count } = await history(home);
      expect([count, previous[0]?.sessionId]).toEqual([1, old ?? ""]);
      expect(await archivedTexts(home, previous[0]?.archiveId ?? "")).toEqual(["before", "done"]);
      expect(previous[0]?.archivedTo).toBe(`/agents/main/sessions/${old}.jsonl.gz`);
    });
});
