import { beforeEach, describe, expect, test } from "bun:test";
import { EVENT_TYPES, eventSchema, toEvent } from "../../commands/events.ts";
import { SysError } from "../../src/abi/errno.ts";
import { APPROVAL_WAIT, Chat, PID, RUN, said, waited } from "../support/chat.ts";
import { checkEvent } from "../support/chat-events.ts";
import { runs } from "../support/io.ts";

let chat: Chat;
beforeEach(() => {
  chat = new Chat();
});

function checkAll(): string[] {
  for (const event of chat.events) {
    expect(checkEvent(event)).toBeNull();
  }
  expect(chat.events[0]?.type).toBe("init");
  expect(chat.events.at(-1)?.type).toBe("result");
  return chat.events.map(({ type }) => type);
}

describe("gsv chat --json", () => {
  test("init comes first, result last, everything between in order, all valid by the schema", async () => {
    const { exit } = await chat.begin("--json", "hi");
    await chat.play(
      said.start(),
      said.delta("x"),
      said.call("Read", { path: "x" }),
      said.result(true, "y"),
      said.restart(),
    );
    await chat.play(said.hil(), said.closed(), said.text("hello", { thinking: "hm" }));
    const usage = { input: 10, output: 2, cacheRead: 1, cacheWrite: 0, costUsd: 0.5 };
    await chat.play(said.complete("ok", "hello", { usage }));
    expect(await exit).toBe(0);
    const types = [
      "init",
      "tool.start",
      "tool.end",
      "retry",
      "approval.request",
      "approval.resolved",
      "message",
      "result",
    ];
    expect(checkAll()).toEqual(types);
    expect(chat.events[0]).toEqual({ type: "init", pid: PID, parent: null, run: RUN, v: 1, model: "script" });
    expect(chat.events.at(-1)).toEqual({
      type: "result",
      pid: PID,
      parent: null,
      run: RUN,
      status: "ok",
      exit: 0,
      text: "hello",
      error: null,
      model: "script",
      mergedInto: null,
      usage: { input: 10, output: 2, cacheRead: 1, cacheWrite: 0 },
      costUsd: 0.5,
    });
    expect(chat.err).toBe("");
  });

  test("deltas only with --stream", async () => {
    const { exit } = await chat.begin("--json", "--stream", "hi");
    await chat.play(said.start(), said.delta("x"), said.text("x"), said.complete("ok", "x"));
    await exit;
    expect(checkAll()).toEqual(["init", "message.delta", "message", "result"]);
  });

  test("a queued message is reported at once, without a model", async () => {
    chat.io.fakeSys.answer("proc.send", () => ({ pid: PID, runId: RUN, status: "started", queued: true }));
    const { exit } = await chat.begin("--json", "hi");
    expect(chat.events.map(({ type }) => type)).toEqual(["init", "warning"]);
    await chat.play(said.start(), said.text("x"), said.complete("ok", "x"));
    await exit;
    expect(checkAll()).toEqual(["init", "warning", "message", "result"]);
    expect(chat.events[0]).toMatchObject({ run: RUN, model: null });
    expect(chat.events.at(-1)?.model).toBe("script");
  });

  test("events before the run are sent after init", async () => {
    chat.io.fakeSys.answer("proc.spawn", () => ({ pid: PID }));
    const { exit } = await chat.begin("--json", "--new", "hi");
    expect(chat.out).toBe("");
    await chat.play(said.start(), said.complete("ok", "x"));
    await exit;
    expect(checkAll()).toEqual(["init", "result"]);
    expect(chat.err).toBe("");
  });

  test("a refused message still has a result, and the error is JSON too", async () => {
    chat.io.fakeSys.answer("proc.send", () => {
      throw new SysError("ESRCH", "no such process: task:gone00");
    });
    expect(await runs(chat.io, "chat", "--json", "--pid", "task:gone00", "hi")).toBe(3);
    expect(checkAll()).toEqual(["init", "result"]);
    expect(chat.events.at(-1)).toMatchObject({ pid: "task:gone00", run: null, status: "error", exit: 3 });
    expect(JSON.parse(chat.err)).toMatchObject({ code: "ESRCH", exit: 3 });
  });

  const endings: [string, number, (chat: Chat) => Promise<void>][] = [
    [
      "blocked",
      5,
      async (it) => it.wait.resolve({ results: [waited({ status: "held", exit: 5, waitsFor: APPROVAL_WAIT })] }),
    ],
    ["detached", 143, async (it) => it.io.interrupt("TERM")],
    ["timeout", 124, (it) => it.settle(3000)],
    ["limit", 6, (it) => it.play(said.complete("limit"))],
    ["unavailable", 75, async (it) => it.wait.reject(new SysError("EAGAIN", "stopped"))],
  ];
  test.each(endings)("a conversation that ends %s reports it with exit %d", async (status, code, end) => {
    chat.io.fakeSys.answer("hil.list", () => ({ approvals: [] }));
    const { exit } = await chat.begin("--json", "--timeout", "3", "hi");
    await end(chat);
    await chat.settle(200);
    expect(await exit).toBe(code);
    checkAll();
    expect(chat.events.at(-1)).toMatchObject({ status, exit: code, run: RUN });
  });

  test("--output json is only the result; status stays on stderr", async () => {
    const { exit } = await chat.begin("--output", "json", "hi");
    await chat.play(said.start(), said.text("x"), said.complete("error", null, { error: "no luck" }));
    expect(await exit).toBe(1);
    expect(chat.events).toHaveLength(1);
    expect(checkEvent(chat.events[0])).toBeNull();
    expect(chat.err).toBe("gsv: the run failed: no luck\n");
  });
});

describe("the schema", () => {
  test("is printed, and rejects an event without one of its keys", async () => {
    expect(await runs(chat.io, "schema", "events", "--json")).toBe(0);
    expect(JSON.parse(chat.out)).toEqual(JSON.parse(JSON.stringify(eventSchema())));
    const whole = { type: "warning", pid: null, parent: null, run: null, message: "x" };
    expect(checkEvent(whole)).toBeNull();
    const { message: _, ...less } = whole;
    expect(checkEvent(less)).not.toBeNull();
  });

  test("every event of a signal matches it, and names process, parent and run", () => {
    const signals = [
      said.delta("x"),
      said.text("x"),
      said.call("Read", {}),
      said.result(true, "x"),
      said.hil(),
      said.closed(),
    ];
    for (const signal of [...signals, said.restart()]) {
      const event = toEvent(signal);
      expect(checkEvent(event)).toBeNull();
      expect(event).toMatchObject({ pid: PID, parent: null, run: RUN });
    }
    for (const signal of [said.start(), said.complete("ok"), said.state("idle"), said.resync(1)]) {
      expect(toEvent(signal)).toBeNull();
    }
  });

  test("keys are camelCase", () => {
    for (const keys of Object.values(EVENT_TYPES)) {
      for (const key of Object.keys(keys)) expect(key).toMatch(/^[a-z][a-zA-Z]*$/);
    }
  });

  const common = { pid: PID, parent: null, run: RUN };
  const wrong: [title: string, unknown][] = [
    ["an event is an object", []],
    ["type is missing", {}],
    ["init: model is missing", { type: "init", ...common, v: 1 }],
    ["init: v is not of kind int", { type: "init", ...common, v: "1", model: null }],
    ["warning: run is missing", { type: "warning", pid: null, parent: null, message: "x" }],
    ["approval.resolved: decision", { type: "approval.resolved", ...common, id: "x", decision: "maybe", by: "sam" }],
  ];
  test.each(wrong)("no event: %s", (_title, value) => {
    expect(checkEvent(value)).not.toBeNull();
  });

  test("fields of a later version are no error", () => {
    expect(checkEvent({ type: "warning", ...common, message: "x", more: 1 })).toBeNull();
  });
});
