// Abort ends only the current run: the process and its queue stay.

import { expect, test } from "bun:test";
import type { Aborted } from "../../src/syscalls/services.ts";
import { INIT, TestKernel } from "../support/kernel.ts";

function abort(home: TestKernel, args: object): Promise<Aborted> {
  return home.sys.call("proc.abort", { pid: INIT, ...args });
}

test("abort ends the current run as aborted, and the next message is answered", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { text: "never said", hold: true }, { text: "second answer" });
  const first = await home.send("one");
  await home.holding();
  const second = await home.send("two");
  expect(await abort(home, {})).toEqual({
    pid: INIT,
    aborted: true,
    runId: first.runId,
    interruptedToolCalls: 0,
    continuedQueuedRunId: second.runId,
  });
  expect(await home.ended(first.runId)).toMatchObject({ status: "aborted", reason: "user.abort", queued: 1 });
  expect(await home.ended(second.runId)).toMatchObject({ status: "ok", text: "second answer" });
  expect(await home.wait(INIT, { run: first.runId })).toMatchObject({ status: "aborted", exit: 130 });
});

test("a queued message is cancelled by its run id: its run ends unanswered, and the current run continues", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { text: "said after all", hold: true });
  const first = await home.send("one");
  await home.holding();
  const second = await home.send("two");
  expect(await abort(home, { runId: second.runId })).toMatchObject({ aborted: true, runId: second.runId });
  expect(await home.ended(second.runId)).toMatchObject({ status: "aborted", reason: "user.withdrawn" });
  home.model.release();
  expect(await home.ended(first.runId)).toMatchObject({ status: "ok", text: "said after all" });
  await home.quiet();
  const { messages } = await home.sys.call<{ messages: { content: unknown }[] }>("proc.history", { pid: INIT });
  expect(JSON.stringify(messages)).not.toContain("two");
  expect(home.signals.findLast(({ name }) => name === "process.state")).toMatchObject({ state: "idle", queued: 0 });
});

test("an effect that is running at an abort is unknown; its late end changes nothing", async () => {
  const gate = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  await using home = await TestKernel.boot({
    ports: (ports) => {
      const put: typeof ports.objects.put = async (object, bytes) => {
        if (object.key.endsWith("slow.txt")) {
          reached.resolve();
          await gate.promise;
        }
        return await ports.objects.put(object, bytes);
      };
      return { ...ports, objects: Object.assign(Object.create(ports.objects), { put }) };
    },
  });
  home.model.will(INIT, { calls: [{ name: "Write", args: { path: "~/slow.txt", content: "x" } }] });
  const { runId } = await home.send("write it");
  await reached.promise;
  expect((await home.get(INIT)).state).toBe("waiting_tool");
  expect(await abort(home, {})).toMatchObject({ aborted: true, runId, interruptedToolCalls: 1 });
  gate.resolve();
  await home.ended(runId);
  expect((await home.say("and now?")).text).toBe("done");
  expect(await home.outline(INIT)).toEqual([
    "user: write it",
    "assistant:  [Write]",
    "Write: unknown",
    "user: and now?",
    "assistant: done",
  ]);
});
