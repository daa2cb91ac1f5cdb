// Calls that do not wait: the process goes on, and the reply or the timeout comes as a message. And what a deadline leaves behind.

import { expect, test } from "bun:test";
import { INIT, TestKernel } from "../support/kernel.ts";
import { rejection } from "../support/refusal.ts";

const call = (pid: string, message: string, more: object = {}) => ({ name: "Call", args: { pid, message, ...more } });

async function texts(home: TestKernel, pid: string): Promise<string[]> {
  return (await home.messages(pid)).map((message) => {
    const text = message.role === "assistant" ? message.content.text : message.content;
    return `${message.role}: ${typeof text === "string" ? text : ""}`;
  });
}

test("a call in the background is answered at once; the reply is a message that starts a run, once", async () => {
  await using home = await TestKernel.boot();
  const [asker, other] = [await home.task(), await home.task()];
  home.model.will(asker, { calls: [call(other, "How many?", { background: true })] }, { text: "I go on." });
  home.model.will(other, { text: "42", hold: true });
  const { runId } = await home.send("Ask it.", { pid: asker });
  expect((await home.ended(runId)).text).toBe("I go on.");
  const [result] = (await home.messages(asker)).filter(({ role }) => role === "toolResult");
  expect(JSON.stringify(result?.content)).toMatch(
    /call \w{8}: task:\w{6} is asked\. Its reply comes to you as a message/,
  );
  await home.holding();
  expect((await home.inState(asker, "idle")).waitsFor).toBeNull();
  home.model.will(asker, { text: "So 42 it is." });
  home.model.release();
  await home.until(
    "the reply has started a run",
    async () => (await texts(home, asker)).at(-1) === "assistant: So 42 it is.",
  );
  const replies = (await texts(home, asker)).filter((text) => text.includes("the reply of"));
  expect(replies).toEqual([expect.stringMatching(/^system: Call \w{8}: the reply of task:\w{6}:\n42$/)]);
  expect(home.heard("ipc.reply")).toHaveLength(1);
});

test("a call in the background that nobody answers in time says so in a message", async () => {
  await using home = await TestKernel.boot();
  const [asker, other] = [await home.task(), await home.task()];
  const asked = call(other, "Hello?", { background: true, timeoutMs: 5000 });
  home.model.will(asker, { calls: [asked] }, { text: "I go on." }, { text: "Nobody there." });
  home.model.will(other, { hold: true });
  const { runId } = await home.send("Ask it.", { pid: asker });
  await home.ended(runId);
  await home.holding();
  await home.clock.advance(5000);
  await home.until(
    "the timeout has started a run",
    async () => (await texts(home, asker)).at(-1) === "assistant: Nobody there.",
  );
  expect((await texts(home, asker)).at(-2)).toMatch(/^system: Call \w{8}: no reply of task:\w{6} by its deadline\.$/);
  home.model.release();
});

test("two processes may ask each other in the background, and a person may not", async () => {
  await using home = await TestKernel.boot();
  const [one, two] = [await home.task(), await home.task()];
  home.model.will(one, { calls: [call(two, "?", { background: true })] }, { text: "asked" }, { text: "thanks" });
  home.model.will(two, { calls: [call(one, "?", { background: true })] }, { text: "first" }, { text: "done" });
  home.model.will(one, { text: "second" });
  await home.send("Ask it.", { pid: one });
  await home.until("both have replied", () => home.heard("ipc.reply").length === 2);
  expect(home.heard("ipc.reply").map(({ ok }) => ok)).toEqual([true, true]);
  const refusal = await rejection(home.sys.call("proc.ipc.call", { pid: INIT, message: "?", background: true }));
  expect(refusal).toMatchObject({ code: "EINVAL", message: "only a process gets a reply as a message" });
});

test("at the deadline the message is withdrawn if the other process has not begun it", async () => {
  await using home = await TestKernel.boot();
  const [asker, other] = [await home.task(), await home.task()];
  home.model.will(other, { text: "the long work", hold: true });
  const { runId: busy } = await home.send("Work for long.", { pid: other });
  await home.holding();
  home.model.will(asker, { calls: [call(other, "Are you there?", { timeoutMs: 5000 })] }, { text: "busy, it seems" });
  const { runId } = await home.send("Ask it.", { pid: asker });
  const queued = async () => (await home.stores.processes.projection(other)).queued;
  await home.until("it waits in the queue", async () => (await queued()) === 1);
  await home.clock.advance(5000);
  expect((await home.ended(runId)).text).toBe("busy, it seems");
  await home.until("it is withdrawn", async () => (await queued()) === 0);
  home.model.release();
  expect((await home.ended(busy)).text).toBe("the long work");
  expect((await texts(home, other)).join()).not.toContain("Are you there?");
});

test("a run that has begun the message goes on after the deadline", async () => {
  await using home = await TestKernel.boot();
  const [asker, other] = [await home.task(), await home.task()];
  home.model.will(other, { text: "late, but here", hold: true });
  home.model.will(asker, { calls: [call(other, "Are you there?", { timeoutMs: 5000 })] }, { text: "no" });
  const { runId } = await home.send("Ask it.", { pid: asker });
  await home.holding();
  await home.clock.advance(5000);
  await home.ended(runId);
  home.model.release();
  await home.until("it has ended", async () => (await texts(home, other)).at(-1) === "assistant: late, but here");
});
