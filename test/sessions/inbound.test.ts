// Text in messages: commands, directives, and how to escape them.

import { describe, expect, test } from "bun:test";
import { commandIn, directedIn } from "../../src/abi/inbound.ts";
import type { Answered, Sent } from "../../src/syscalls/services.ts";
import { INIT, TestKernel } from "../support/kernel.ts";

describe("a command is a message of its own", () => {
  const commands: readonly (readonly [text: string, command: object])[] = [
    ["/reset", { command: "reset" }],
    [" /NEW ", { command: "reset" }],
    ["/stop", { command: "stop" }],
    ["/status", { command: "status" }],
    ["/help", { command: "help" }],
    ["/?", { command: "help" }],
    ["/compact", { command: "compact", keep: null }],
    ["/compact 5", { command: "compact", keep: 5 }],
    ["/model", { command: "model", model: null }],
    ["/model openai/gpt-4.1", { command: "model", model: "openai/gpt-4.1" }],
    ["/think max", { command: "think", level: "xhigh" }],
    ["/thinking 0", { command: "think", level: "off" }],
    ["/t", { command: "think", level: null }],
  ];
  for (const [text, command] of commands) test(text, () => expect(commandIn(text)).toEqual(command as never));
  for (const text of ["/think lots", "/compact all", "/compact 0"])
    test(`${text} is a wrong command`, () => expect(commandIn(text)).toMatchObject({ command: "wrong" }));
  for (const text of [
    "/etc/passwd",
    "/resetting",
    "/reset the counter",
    "/status\nof what?",
    "//reset",
    "hello",
    "/think hard about it",
    "",
    "/constructor",
  ])
    test(`${JSON.stringify(text)} is no command`, () => expect(commandIn(text)).toBeNull());
});

describe("directives are cut from the message and sent along with it", () => {
  const nothing = { thinking: null, model: null, status: false };
  const cases: readonly (readonly [text: string, left: string, said: object])[] = [
    ["/think:high why?", "why?", { thinking: "high" }],
    ["why? /t:min", "why?", { thinking: "minimal" }],
    ["one /m:openai/gpt-4.1 two", "one two", { model: "openai/gpt-4.1" }],
    ["/t:low /model:x both", "both", { thinking: "low", model: "x" }],
    ["/status how far?", "how far?", { status: true }],
    ["/think:high /status", "", { thinking: "high", status: true }],
    ["/think:high", "", { thinking: "high" }],
    ["a\n/t:low\n  indented", "a\n\n  indented", { thinking: "low" }],
    // Unknown, part of a word, or not at the beginning: part of the message.
    ["/think:lots why?", "/think:lots why?", {}],
    ["see a/think:high", "see a/think:high", {}],
    ["GET /status fails", "GET /status fails", {}],
    ["keep  two   spaces", "keep  two   spaces", {}],
    // Escaped.
    ["//reset", "/reset", {}],
    ["//status is a path", "/status is a path", {}],
    ["use //think:high here", "use /think:high here", {}],
    ["// a comment", "// a comment", {}],
    ["//etc/passwd", "//etc/passwd", {}],
  ];
  for (const [text, left, said] of cases)
    test(JSON.stringify(text), () => expect(directedIn(text)).toEqual({ ...nothing, ...said, text: left } as never));
});

const said = (home: TestKernel, message: string, pid = INIT) =>
  home.sys.call<Sent | Answered>("proc.send", { pid, message });

test("commands act like gsv's commands, and start no run", async () => {
  await using home = await TestKernel.boot();
  await home.say("one");
  expect(await said(home, "/status")).toMatchObject({
    runId: null,
    status: "command",
    response: expect.stringContaining("messages: 2"),
  });
  expect(await said(home, "/compact")).toMatchObject({ response: "no compaction needed (2 messages)" });
  expect(await said(home, "/think high")).toMatchObject({ response: expect.stringContaining("thinking: high") });
  expect(await said(home, "/stop")).toMatchObject({ response: `${INIT} is idle` });
  expect(await said(home, "/help")).toMatchObject({ response: expect.stringContaining("/compact [N]") });
  expect(await said(home, "/new")).toMatchObject({ response: expect.stringContaining("archived 2 messages") });
  expect(await home.messages(INIT)).toEqual([]);
  expect(await home.sys.call("session.get", {})).toMatchObject({
    previousSessions: 1,
    settings: { thinkingLevel: "high" },
  });
  expect((await home.refusal("proc.send", { message: "/think lots" })).message).toContain("levels are");
  expect(home.heard("chat.start")).toHaveLength(1);
});

test("a command repeated under the same request is done once", async () => {
  await using home = await TestKernel.boot();
  await home.say("one");
  const send = () => home.sys.call("proc.send", { message: "/reset" }, { requestId: "again" });
  const first = await send();
  await home.say("two");
  expect(await send()).toEqual(first as never);
  expect(await home.messages(INIT)).toHaveLength(2);
});

test("a message of only directives is acknowledged and not sent; other messages are sent without their directives", async () => {
  await using home = await TestKernel.boot();
  expect(await said(home, "/think:high")).toMatchObject({
    status: "directive-only",
    response: expect.stringContaining("thinking high"),
  });
  const sent = await said(home, "/status how far?");
  expect(sent).toMatchObject({ status: "started", response: expect.stringContaining("messages: 0") });
  await home.ended((sent as Sent).runId);
  await home.say("//reset is a word");
  expect((await home.outline(INIT)).filter((line) => line.startsWith("user"))).toEqual([
    "user: how far?",
    "user: /reset is a word",
  ]);
});

test("commands in a process's message have no effect, and a slash command grants no extra rights", async () => {
  await using home = await TestKernel.boot();
  const task = await home.task();
  await home.say("one");
  const agent = await home.insideOf(task);
  const sent = await agent.call<Sent>("proc.send", { pid: INIT, message: "/reset" });
  await home.ended(sent.runId);
  expect((await home.outline(INIT)).at(-2)).toBe("user: /reset");
  const { kernel } = home.stores;
  const bare = async () => {
    const person = await home.kernel.callers.person(1000, "/");
    return { ...person, capabilities: ["proc.send", "proc.get"] };
  };
  const narrow = home.kernel.sysFor(1000, bare);
  expect((await home.refusal("proc.send", { message: "/reset" }, narrow)).code).toBe("EPERM");
  expect((await home.refusal("proc.send", { message: "/model openai" }, narrow)).code).toBe("EPERM");
  expect(await kernel.audit.list({ limit: 5 } as never)).toBeDefined();
});
