// STOP holds a process at its next safe point and CONT resumes it; requests wait in between.

import { expect, test } from "bun:test";
import type { Approval } from "../../src/abi/process/process.ts";
import type { Signalled } from "../../src/syscalls/services.ts";
import { INIT, TestKernel } from "../support/kernel.ts";

const VERSION = { name: "Read", args: { path: "/proc/version" } };

function signal(home: TestKernel, name: string, pid = INIT): Promise<Signalled> {
  return home.sys.call("proc.signal", { pid, signal: name });
}

test("a stopped process keeps its messages and answers them in order after CONT", async () => {
  await using home = await TestKernel.boot();
  expect(await signal(home, "STOP")).toEqual({ pid: INIT, signal: "STOP", state: "stopped" });
  const first = await home.send("one");
  const second = await home.send("two");
  await home.quiet();
  expect(await home.get(INIT)).toMatchObject({ state: "stopped", queued: 2, waitsFor: { kind: "person" } });
  expect(home.model.requests).toEqual([]);
  expect((await signal(home, "CONT")).state).toBe("queued");
  await home.ended(first.runId);
  await home.ended(second.runId);
  expect(await home.outline(INIT)).toEqual(["user: one", "assistant: done", "user: two", "assistant: done"]);
});

test("STOP lets the model finish its turn, holds before the tools run, and CONT resumes the run there", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { text: "looking", calls: [VERSION], hold: true }, { text: "seen" });
  const { runId } = await home.send("look");
  await home.holding();
  expect((await signal(home, "STOP")).state).toBe("running");
  home.model.release();
  const held = await home.inState(INIT, "stopped");
  expect(held.activeRunId).toBe(runId);
  expect(await home.outline(INIT)).toEqual(["user: look", "assistant: looking [Read]"]);
  await signal(home, "CONT");
  expect(await home.ended(runId)).toMatchObject({ status: "ok", text: "seen" });
  expect(await home.outline(INIT)).toEqual([
    "user: look",
    "assistant: looking [Read]",
    "Read: completed",
    "assistant: seen",
  ]);
  expect(home.model.requests).toHaveLength(2);
});

test("STOP during the last turn of a run holds the next run", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { text: "said", hold: true });
  const first = await home.send("one");
  await home.holding();
  const second = await home.send("two");
  await signal(home, "STOP");
  home.model.release();
  expect(await home.ended(first.runId)).toMatchObject({ status: "ok", text: "said" });
  expect(await home.inState(INIT, "stopped")).toMatchObject({ queued: 1, activeRunId: null });
  await signal(home, "CONT");
  expect(await home.ended(second.runId)).toMatchObject({ status: "ok" });
});

test("CONT before the safe point leaves no trace", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { calls: [VERSION], hold: true }, { text: "seen" });
  const { runId } = await home.send("look");
  await home.holding();
  await signal(home, "STOP");
  await signal(home, "CONT");
  home.model.release();
  expect(await home.ended(runId)).toMatchObject({ status: "ok", text: "seen" });
  expect(home.heard("process.state").map((each) => each.state)).not.toContain("stopped");
});

test("a stopped process stays stopped across kernels, with its run", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { calls: [VERSION], hold: true }, { text: "seen" });
  const { runId } = await home.send("look");
  await home.holding();
  await signal(home, "STOP");
  home.model.release();
  await home.inState(INIT, "stopped");
  await home.restart();
  await home.quiet();
  expect(await home.get(INIT)).toMatchObject({ state: "stopped", activeRunId: runId });
  expect(home.model.requests).toHaveLength(1);
  await signal(home, "CONT");
  expect(await home.ended(runId)).toMatchObject({ status: "ok", text: "seen" });
});

test("a process that died with its kernel before its stop is stopped at the next one", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { text: "never said", hold: true }, { text: "said later" });
  const { runId } = await home.send("look");
  await home.holding();
  await signal(home, "STOP");
  await home.restart();
  await home.inState(INIT, "stopped");
  await signal(home, "CONT");
  expect(await home.ended(runId)).toMatchObject({ status: "ok", text: "said later" });
});

test("an approval for a stopped process takes effect after CONT", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("fs.write", { path: "~/a", content: "x" });
  home.model.will(INIT, { calls: [{ name: "Delete", args: { path: "~/a" } }] });
  const { runId } = await home.send("delete a");
  await home.inState(INIT, "waiting_hil");
  expect((await signal(home, "STOP")).state).toBe("stopped");
  const [asked] = (await home.sys.call<{ approvals: Approval[] }>("hil.list", {})).approvals;
  await home.sys.call("hil.answer", { id: asked?.id, decision: "approve" });
  await home.quiet();
  expect((await home.get(INIT)).state).toBe("stopped");
  expect(await home.sys.call<object>("fs.read", { path: "~/a" })).toMatchObject({ kind: "file" });
  await signal(home, "CONT");
  expect(await home.ended(runId)).toMatchObject({ status: "ok" });
  expect((await home.refusal("fs.read", { path: "~/a" })).code).toBe("ENOENT");
});

test("CONT to a running process, and a second STOP, change nothing", async () => {
  await using home = await TestKernel.boot();
  expect((await signal(home, "CONT")).state).toBe("idle");
  await signal(home, "STOP");
  const before = home.heard("process.state").length;
  expect((await signal(home, "STOP")).state).toBe("stopped");
  expect(home.heard("process.state")).toHaveLength(before);
  expect((await signal(home, "CONT")).state).toBe("idle");
});
