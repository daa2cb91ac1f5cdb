// After a kernel dies anywhere, the next one leaves a legal state: nothing acknowledged is lost, no effect happens twice, every call has
// exactly one result, and runs continue. Restarted in place, with all files as they are.

import { expect, test } from "bun:test";
import { INIT, TestKernel } from "../support/kernel.ts";

const VERSION = { name: "Read", args: { path: "/proc/version" } };
const WRITE = { name: "Write", args: { path: "~/a", content: "x" } };

/** A kernel with one object that blocks its writes forever, once. */
async function stuckWriting(key: string): Promise<{ home: TestKernel; reached: Promise<void> }> {
  const reached = Promise.withResolvers<void>();
  let stuck = false;
  const home = await TestKernel.boot({
    ports: (ports) => {
      const put: typeof ports.objects.put = async (object, bytes) => {
        if (stuck || object.key !== key) return await ports.objects.put(object, bytes);
        stuck = true;
        reached.resolve();
        return await new Promise(() => {});
      };
      return { ...ports, objects: Object.assign(Object.create(ports.objects), { put }) };
    },
  });
  return { home, reached: reached.promise };
}

test("an acknowledged message that was not started is answered by the next kernel", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { text: "never said", hold: true }, { text: "one" }, { text: "two" });
  const first = await home.send("first");
  await home.holding();
  const second = await home.send("second");
  await home.restart();
  expect(await home.wait(INIT, { run: first.runId })).toMatchObject({ status: "ok", text: "one" });
  expect(await home.wait(INIT, { run: second.runId })).toMatchObject({ status: "ok", text: "two" });
  expect(await home.outline(INIT)).toEqual(["user: first", "assistant: one", "user: second", "assistant: two"]);
});

test("a cut model call is repeated from the last committed turn; nothing of it is kept", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { text: "looking", calls: [VERSION] }, { text: "half an ans", hold: true }, { text: "whole" });
  const { runId } = await home.send("look");
  await home.holding();
  await home.restart();
  expect(await home.wait(INIT, { run: runId })).toMatchObject({ status: "ok", text: "whole" });
  expect(await home.outline(INIT)).toEqual([
    "user: look",
    "assistant: looking [Read]",
    "Read: completed",
    "assistant: whole",
  ]);
  expect(home.heard("chat.complete", runId)).toHaveLength(1);
});

test("a turn committed before the kernel died is not asked again: its tools run", async () => {
  let once = true;
  await using home = await TestKernel.boot({
    ports: (ports) => {
      const openCalls: typeof ports.processes.openCalls = async (pid, run) => {
        const calls = await ports.processes.openCalls(pid, run);
        if (once && calls.length > 0) {
          once = false;
          await new Promise(() => {});
        }
        return calls;
      };
      return { ...ports, processes: { ...ports.processes, openCalls } };
    },
  });
  home.model.will(INIT, { text: "writing", calls: [WRITE] }, { text: "written" });
  const { runId } = await home.send("write");
  await home.until("the turn is committed", async () => (await home.messages(INIT)).length === 2);
  await home.restart();
  expect(await home.wait(INIT, { run: runId })).toMatchObject({ status: "ok", text: "written" });
  expect(await home.outline(INIT)).toEqual([
    "user: write",
    "assistant: writing [Write]",
    "Write: completed",
    "assistant: written",
  ]);
  expect(home.model.requests).toHaveLength(2);
});

test("a cut effect is unknown, is never repeated, and the model is asked to check", async () => {
  const { home, reached } = await stuckWriting("home/sam/a");
  await using _ = home;
  home.model.will(INIT, { calls: [WRITE, VERSION] }, { text: "I looked" });
  const { runId } = await home.send("write");
  await reached;
  await home.restart();
  expect(await home.wait(INIT, { run: runId })).toMatchObject({ status: "ok", text: "I looked" });
  expect(await home.outline(INIT)).toEqual([
    "user: write",
    "assistant:  [Write, Read]",
    "Write: unknown",
    "Read: completed",
    "assistant: I looked",
  ]);
  const result = (await home.messages(INIT))[2];
  expect(result?.content).toMatchObject({
    isError: true,
    output: "Write was interrupted and may have run; check before repeating it.",
  });
  expect((await home.refusal("fs.read", { path: "~/a" })).code).toBe("ENOENT");
});

test("a message that entered another run before the kernel died still has its own end", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { calls: [VERSION], hold: true }, { hold: true }, { text: "both" });
  const first = await home.send("one");
  await home.holding();
  const second = await home.send("two");
  home.model.release();
  await home.until("it has entered", async () => (await home.outline(INIT)).includes("user: two"));
  await home.holding();
  await home.restart();
  expect(await home.wait(INIT, { run: second.runId })).toMatchObject({ status: "ok", text: "both" });
  expect(home.heard("chat.complete", second.runId)).toMatchObject([{ mergedInto: first.runId }]);
});

test("the model's history is legal after any restart: each call is directly followed by its result", async () => {
  const { home, reached } = await stuckWriting("home/sam/a");
  await using _ = home;
  home.model.will(INIT, { calls: [VERSION, WRITE, VERSION], hold: true }, { hold: true }, { text: "end" });
  await home.send("go");
  await home.holding();
  await home.send("and this");
  home.model.release();
  await reached;
  await home.restart();
  await home.holding();
  await home.restart();
  await home.inState(INIT, "idle");
  const messages = home.model.requests.at(-1)?.messages ?? [];
  const open: string[] = [];
  for (const message of messages) {
    if (message.role === "toolResult") expect(open.shift()).toBe(message.content.toolCallId);
    else expect(open).toEqual([]);
    if (message.role === "assistant") open.push(...(message.content.toolCalls ?? []).map((call) => call.id));
  }
  expect(open).toEqual([]);
  expect(messages.map((message) => message.id)).toEqual(messages.map((_message, index) => index + 1));
});
