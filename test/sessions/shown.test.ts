// Sessions and settings show the values in force.

import { expect, test } from "bun:test";
import type { SettingInfo } from "../../src/syscalls/services.ts";
import type { SessionHistory, SessionInfo, SessionReset } from "../../src/syscalls/session/session-service.ts";
import { infoText } from "../../src/syscalls/session/session-text.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { typed } from "../support/kernel-io.ts";

const setting = (home: TestKernel, key: string) => home.sys.call<SettingInfo>("config.get", { key });
const get = (home: TestKernel, key = "main") => home.sys.call<SessionInfo>("session.get", { key });

test.each([
  ["compaction.reserveTokens", "a tenth of the window"],
  ["compaction.keepRecentTokens", "the newest 80 messages, at most half of the window"],
  ["session.contextResetTurns", "8 in sessions of other channels, else never"],
])("%s shows its default while it is not set", async (key, holds) => {
  await using home = await TestKernel.boot();
  expect(await setting(home, key)).toMatchObject({ value: null, shown: holds, layer: "default" });
  await home.sys.call("config.set", { key, value: "20000" });
  expect(await setting(home, key)).toMatchObject({ value: 20_000, shown: "20000", layer: "user" });
});

test("after a compaction, session get counts the model's messages: 20 unchanged, 16 summarized", async () => {
  await using home = await TestKernel.boot();
  for (let turn = 1; turn <= 18; turn++) await home.say(`message ${turn}`);
  expect(await get(home)).toMatchObject({ messages: 36, summarized: 0 });
  await home.sys.call("session.compact", { key: "main", keep: 20 });
  const info = await get(home);
  expect(info).toMatchObject({ messages: 36, summarized: 16 });
  expect(infoText(info)).toContain("Messages: 36 (20 as they are, 16 summarized)");
  const context = await home.stores.processes.context(INIT);
  expect(context).toHaveLength(21);
  const preview = async (...more: string[]) => (await typed(home.sys, "session", "preview", "main", ...more))[1];
  const border = "(messages up to here: the model gets a summary)\n";
  expect(await preview()).toMatch(
    new RegExp(`USER: message 8\nASSISTANT: .*\n${RegExp.escape(border)}USER: message 9\n`),
  );
  expect(await preview("--limit", "2")).toMatch(/^Session: .*\nUSER: message 18\nASSISTANT: .*\nSYSTEM: \[compacted\]/);
});

test("the preview of a resumed session counts its messages, not the block that the model gets in their place", async () => {
  await using home = await TestKernel.boot();
  await home.say("hello");
  await home.sys.call("session.resume", { key: "main", prompt: "again" });
  await home.quiet();
  const [, text] = await typed(home.sys, "session", "preview", "main", "--limit", "1");
  expect(text.split("\n").slice(1)).toEqual(["ASSISTANT: done", ""]);
});

test("the archive of a main session is under its key, and under the personal agent's name", async () => {
  await using home = await TestKernel.boot();
  await home.say("hello");
  const { archivedTo, oldSessionId } = await home.sys.call<SessionReset>("session.reset", { key: "main" });
  expect(archivedTo).toBe(`/agents/main/sessions/${oldSessionId}.jsonl.gz`);
  const { previous } = await home.sys.call<SessionHistory>("session.history", { key: "main" });
  expect(previous[0]?.archivedTo).toBe(archivedTo);
  const sizes = await Promise.all(
    [archivedTo ?? "", `/agents/friday/sessions/${oldSessionId}.jsonl.gz`].map((path) =>
      home.sys.call<{ size: number }>("fs.stat", { path }),
    ),
  );
  expect(sizes[0]?.size).toBeGreaterThan(0);
  expect(sizes[0]?.size).toBe(sizes[1]?.size ?? 0);
  const { entries } = await home.sys.call<{ entries: { name: string }[] }>("fs.list", { path: "/agents" });
  expect(entries.map(({ name }) => name).sort()).toEqual(["friday", "main"]);
});

test("session set refuses an unused key, unless it creates the session", async () => {
  await using home = await TestKernel.boot();
  const wish = { key: "agent:main:cli:dm:alcie", path: "label", value: "Alice" };
  const refused = await home.refusal("session.set", wish);
  expect(refused).toMatchObject({ code: "ENOENT", hints: expect.arrayContaining(["to create it: --create"]) });
  expect(await home.refusal("session.get", { key: wish.key })).toMatchObject({ code: "ENOENT" });
  await home.sys.call("session.set", { ...wish, create: true });
  expect(await get(home, wish.key)).toMatchObject({ label: "Alice" });
});

test("the list shows the state of each session", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("fs.write", { path: "~/a.md", content: "x" });
  const key = "agent:main:cli:dm:alice";
  await home.sys.call("session.set", { key, path: "label", value: "Alice", create: true });
  const { pid } = await get(home, key);
  home.model.will(pid ?? "", { calls: [{ name: "Delete", args: { path: "~/a.md" } }] });
  await home.send("delete it", { pid: pid ?? "" });
  await home.inState(pid ?? "", "waiting_hil");
  const [status, text] = await typed(home.sys, "session", "list");
  expect(status).toBe(0);
  expect(text).toMatch(/dm:alice \(Alice\) - last active: \S+ \S+ - waiting_hil\n/);
  expect(text).toMatch(/dm:main \(.*\) - last active: \S+ \S+ - idle\n/);
});

test("a reset counts only messages that a person wrote as unanswered", async () => {
  await using home = await TestKernel.boot();
  const { pid } = await home.spawn({ prompt: "hello" });
  // The child's end is an event in the queue of init, not a message of a person.
  await home.wait(pid);
  home.model.will(INIT, { hold: true });
  await home.send("one");
  await home.holding();
  await home.send("two");
  const { undelivered } = await home.sys.call<{ undelivered: number }>("proc.reset", {});
  expect(undelivered).toBe(1);
});
