// Messages to a busy process: none is lost, order is kept, and each run id has an end.

import { expect, test } from "bun:test";
import { LIMITS } from "../../src/abi/config/limits.ts";
import { exitStatusOf } from "../../src/abi/errno.ts";
import { INIT, TestKernel } from "../support/kernel.ts";

const VERSION = { name: "Read", args: { path: "/proc/version" } };

test("messages to a busy process wait in order, enter at the next tool boundary under their own run ids, and end with that run", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { text: "looking", calls: [VERSION], hold: true }, { text: "all three" });
  const first = await home.send("one");
  await home.holding();
  const second = await home.send("two");
  const third = await home.send("three");
  expect([first.queued, second.queued, third.queued]).toEqual([false, true, true]);
  expect((await home.get(INIT)).queued).toBe(2);
  home.model.release();
  await home.ended(first.runId);
  expect(await home.ended(third.runId)).toMatchObject({ status: "ok", text: "all three", mergedInto: first.runId });
  expect(await home.wait(INIT, { run: second.runId })).toMatchObject({ status: "ok", exit: 0, text: "all three" });

  expect(await home.outline(INIT)).toEqual([
    "user: one",
    "assistant: looking [Read]",
    "Read: completed",
    "user: two",
    "user: three",
    "assistant: all three",
  ]);
  expect(home.heard("chat.entered", first.runId)).toMatchObject([
    { messages: [second, third].map(({ runId }, at) => ({ run: runId, seq: at + 4 })) },
  ]);
  const runs = (await home.messages(INIT)).map((message) => message.runId);
  expect(runs).toEqual([first, first, first, second, third, first].map((sent) => sent.runId));
});

test("interrupt ends the current run and starts at once, after the messages queued before it", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { text: "never said", hold: true }, { text: "now" });
  const first = await home.send("one");
  await home.holding();
  const second = await home.send("two");
  const third = await home.send("stop that", { interrupt: true });
  expect(third.queued).toBe(false);
  expect(await home.ended(first.runId)).toMatchObject({ status: "aborted", reason: "user.superseded", text: null });
  expect(await home.ended(third.runId)).toMatchObject({ status: "ok", text: "now" });
  expect(await home.ended(second.runId)).toMatchObject({ status: "ok", mergedInto: third.runId });
  expect(await home.outline(INIT)).toEqual(["user: one", "user: two", "user: stop that", "assistant: now"]);
});

test("interrupting an idle process is an ordinary message", async () => {
  await using home = await TestKernel.boot();
  const sent = await home.send("hello", { interrupt: true });
  expect(await home.ended(sent.runId)).toMatchObject({ status: "ok" });
  expect(home.heard("chat.complete")).toHaveLength(1);
});

test("a full queue refuses with 75, reports that nothing was saved, and accepts messages when there is room", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("proc.signal", { pid: INIT, signal: "STOP" });
  await home.send("first");
  for (let number = 1; number < LIMITS.queueRowsMax; number++) {
    const runId = `0190a1b2-0000-7000-8000-${String(number).padStart(12, "0")}`;
    // The last one absorbs all before it.
    const urgent = number === LIMITS.queueRowsMax - 1;
    await home.stores.processes.admit(INIT, { ...ADMISSION, runId, requestKey: `fill:${number}`, wakes: true, urgent });
  }
  const refused = await home.refusal("proc.send", { message: "one too many" });
  expect(exitStatusOf(refused)).toBe(75);
  expect(refused.message).toMatch(/^not saved: the queue of init:1000 is full/);
  await home.sys.call("proc.signal", { pid: INIT, signal: "CONT" });
  await home.until("what waited is answered", () => home.heard("chat.complete").length > 0);
  expect(await home.outline(INIT)).not.toContain("user: one too many");
  const all = (await home.say("there is room again")).status;
  expect(all).toBe("ok");
});

const ADMISSION = {
  kind: "event",
  urgent: false,
  text: "something happened",
  origin: { kind: "kernel" },
  source: null,
  now: 0,
} as const;
