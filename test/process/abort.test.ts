// Abort ends only the current run: the process and its queue stay.

import { expect, test } from "bun:test";
import type { Aborted } from "../../src/syscalls/services.ts";
import { INIT, TestKernel } from "../support/kernel.ts";

const OTHER_RUN = "0190a1b2-0000-7000-8000-000000000001";

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

test("abort of another run than the current one changes nothing", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { text: "said after all", hold: true });
  const first = await home.send("one");
  await home.holding();
  const nothing = { aborted: false, runId: null, interruptedToolCalls: 0, continuedQueuedRunId: null };
  expect(await abort(home, { runId: OTHER_RUN })).toMatchObject(nothing);
  home.model.release();
  expect(await home.ended(first.runId)).toMatchObject({ status: "ok", text: "said after all" });
  expect(await abort(home, { runId: first.runId })).toMatchObject(nothing);
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

test("abort of an idle process reports that there is nothing to abort", async () => {
  await using home = await TestKernel.boot();
  expect(await abort(home, {})).toMatchObject({ aborted: false, runId: null });
  expect(home.heard("chat.complete")).toEqual([]);
});

test("abort during an approval withdraws the request and gives every open call a result", async () => {
  await using home = await TestKernel.boot();
  const deletions = ["~/a", "~/b"].map((path) => ({ name: "Delete", args: { path } }));
  home.model.will(INIT, { calls: deletions });
  const { runId } = await home.send("delete both");
  const { waitsFor } = await home.inState(INIT, "waiting_hil");
  expect(await abort(home, { runId })).toMatchObject({ aborted: true, interruptedToolCalls: 2 });
  expect(await home.outline(INIT)).toEqual([
    "user: delete both",
    "assistant:  [Delete, Delete]",
    "Delete: cancelled",
    "Delete: cancelled",
  ]);
  expect((await home.get(INIT)).state).toBe("idle");
  const id = waitsFor?.kind === "approval" ? waitsFor.id : "";
  const late = await home.refusal("hil.answer", { id, decision: "approve" });
  expect([late.code, late.message]).toEqual(["ECONFLICT", `${id} was withdrawn: its run has ended`]);
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

test("the same abort sent twice is carried out once", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { hold: true, text: "a" }, { hold: true, text: "b" });
  const first = await home.send("one");
  await home.holding();
  const second = await home.send("two");
  const once = await home.sys.call<Aborted>("proc.abort", { pid: INIT }, { requestId: "abort-1" });
  await home.holding();
  expect(await home.sys.call<Aborted>("proc.abort", { pid: INIT }, { requestId: "abort-1" })).toEqual(once);
  expect(once.runId).toBe(first.runId);
  home.model.release();
  expect(await home.ended(second.runId)).toMatchObject({ status: "ok", text: "b" });
});
