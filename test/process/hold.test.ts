// STOP holds a process at its next safe point and CONT resumes it; requests wait in between.

import { expect, test } from "bun:test";
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
