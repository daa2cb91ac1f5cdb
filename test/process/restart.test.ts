// A run that ends by a fault is restarted if the process has that rule: 5, 15 and 45 seconds later, at most three times. A stop wins over
// that, and a kernel that dies in between changes nothing.

import { expect, test } from "bun:test";
import type { RestartRule } from "../../src/abi/process/process.ts";
import { nextRestart } from "../../src/process/faults/restart.ts";
import type { PlannedAnswer } from "../support/answers.ts";
import { TestKernel } from "../support/kernel.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const FAULT: PlannedAnswer = { fault: "broken" };
/** Attempts within one run before they count as one fault. */
const NONSENSE: readonly PlannedAnswer[] = Array.from({ length: 3 }, () => ({
  error: { class: "protocol", message: "the answer is no answer" },
}));

async function booted(restart?: RestartRule): Promise<{ home: TestKernel; pid: string } & AsyncDisposable> {
  const home = await TestKernel.boot();
  const pid = await home.task(restart === undefined ? {} : { restart });

  return { home, pid, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}

/** Until the process is paused, in ms. */
async function restartIn(home: TestKernel, pid: string): Promise<number> {
  const { waitsFor } = await home.inState(pid, "paused");
  return waitsFor?.kind === "restart" ? waitsFor.until - home.clock.now() : -1;
}

test("a run with repeated faults is restarted after 5, 15 and 45 seconds, and then it ends, once", async () => {
  await using it = await booted("on-failure");
  const { home, pid } = it;
  home.model.will(pid, FAULT, FAULT, FAULT, FAULT);
  const { runId } = await home.send("hello", { pid });
  const waits: number[] = [];
  for (let turn = 0; turn < 3; turn++) {
    const ms = await restartIn(home, pid);
    waits.push(ms);
    await home.clock.advance(ms);
    await home.until("it was taken up", () => home.model.asked(pid).length === turn + 2);
  }
  expect(waits).toEqual([5 * SECOND, 15 * SECOND, 45 * SECOND]);
  expect(await home.ended(runId)).toMatchObject({ status: "error", reason: "fault" });
  await home.clock.advance(MINUTE);
  expect(home.model.asked(pid)).toHaveLength(4);
  expect(home.heard("chat.complete", runId)).toHaveLength(1);
  expect(home.heard("process.restart").map(({ attempt, of, run }) => [attempt, of, run])).toEqual([
    [1, 3, runId],
    [2, 3, runId],
    [3, 3, runId],
  ]);
  home.faults.splice(0);
});

test("effects before the fault are not repeated: the run continues from its last answer", async () => {
  await using it = await booted("on-failure");
  const { home, pid } = it;
  home.model.will(pid, { calls: [{ name: "Search", args: { query: "x" } }] }, FAULT, { text: "all the same" });
  const { runId } = await home.send("hello", { pid });
  await home.clock.advance(await restartIn(home, pid));
  expect(await home.ended(runId)).toMatchObject({ status: "ok", text: "all the same" });
  const outline = await home.outline(pid);
  expect(outline.filter((line) => line.startsWith("Search:"))).toHaveLength(1);
  home.faults.splice(0);
});

test("a broken protocol of the model is a fault; an outage, a refusal and a limit are not", async () => {
  await using it = await booted("on-failure");
  const { home, pid } = it;
  home.model.will(pid, ...NONSENSE, { text: "sense" });
  const { runId } = await home.send("hello", { pid });
  await home.until("it is paused", async () => {
    const { state, waitsFor } = await home.get(pid);
    if (waitsFor?.kind === "model") await home.clock.advance(Math.max(0, waitsFor.until - home.clock.now()));
    return state === "paused";
  });
  await home.clock.advance(await restartIn(home, pid));
  expect(await home.ended(runId)).toMatchObject({ status: "ok", text: "sense" });
  for (const failure of ["content", "quota", "request"] as const) {
    home.model.will(pid, { error: { class: failure, message: failure } });
    expect(await home.say("again", { pid })).toMatchObject({ reason: `model.${failure}` });
  }
  expect(home.heard("process.restart")).toHaveLength(1);
});

test("a terminal process, or one with the rule never, is not restarted", async () => {
  await using it = await booted();
  const { home, pid } = it;
  home.model.will(pid, FAULT, FAULT);
  expect(await home.say("hello", { pid })).toMatchObject({ status: "error", reason: "fault" });
  await home.sys.call("proc.restart", { pid, rule: "never" });
  expect(await home.say("hello", { pid })).toMatchObject({ status: "error", reason: "fault" });
  expect(await home.get(pid)).toMatchObject({ restart: "never" });
  home.faults.splice(0);
});

test("ten minutes without a fault reset the count, and a moment less does not", () => {
  const first = nextRestart(null, 0);
  expect(first).toMatchObject({ count: 1, until: 5 * SECOND });
  const third = { count: 3, at: 1_000_000 };
  expect(nextRestart(third, 1_000_000 + 10 * MINUTE - 1)).toBeNull();
  expect(nextRestart(third, 1_000_000 + 10 * MINUTE)).toMatchObject({ count: 1 });
});

test("the next kernel restarts the run at the same time and continues the count", async () => {
  await using it = await booted("on-failure");
  const { home, pid } = it;
  home.model.will(pid, FAULT, FAULT, { text: "at last" });
  const { runId } = await home.send("hello", { pid });
  await home.clock.advance(await restartIn(home, pid));
  expect(await restartIn(home, pid)).toBe(15 * SECOND);
  home.faults.splice(0);
  await home.clock.advance(5 * SECOND);
  await home.restart();
  expect(await restartIn(home, pid)).toBe(10 * SECOND);
  expect(home.kernel.dueWithinMs()).toBe(10 * SECOND);
  await home.clock.advance(10 * SECOND);
  expect(await home.ended(runId)).toMatchObject({ status: "ok", text: "at last" });
});

test("a stop wins over a pending restart; resuming it restarts the run at once", async () => {
  await using it = await booted("on-failure");
  const { home, pid } = it;
  home.model.will(pid, FAULT, { text: "fine" });
  const { runId } = await home.send("hello", { pid });
  await restartIn(home, pid);
  await home.sys.call("proc.signal", { pid, signal: "STOP" });
  await home.clock.advance(MINUTE);
  expect(await home.get(pid)).toMatchObject({ state: "stopped" });
  expect(home.model.asked(pid)).toHaveLength(1);
  await home.sys.call("proc.signal", { pid, signal: "CONT" });
  expect(await home.ended(runId)).toMatchObject({ status: "ok", text: "fine" });
  home.faults.splice(0);
});

test("an abort during a pending restart ends the run, without a restart", async () => {
  await using it = await booted("on-failure");
  const { home, pid } = it;
  home.model.will(pid, FAULT);
  const { runId } = await home.send("hello", { pid });
  await restartIn(home, pid);
  await home.sys.call("proc.abort", { pid });
  expect(await home.ended(runId)).toMatchObject({ status: "aborted" });
  await home.clock.advance(MINUTE);
  expect(await home.get(pid)).toMatchObject({ state: "idle", waitsFor: null });
  expect(home.model.asked(pid)).toHaveLength(1);
  home.faults.splice(0);
});

test("status, /proc and wait show the rule, the attempt and the time", async () => {
  await using it = await booted("on-failure");
  const { home, pid } = it;
  home.model.will(pid, FAULT);
  const { runId: run } = await home.send("hello", { pid });
  await restartIn(home, pid);
  expect(await home.get(pid)).toMatchObject({ restart: "on-failure", waitsFor: { kind: "restart", attempt: 1 } });
  const { content } = await home.sys.call<{ content: string }>("fs.read", { path: `/proc/${pid}/status` });
  expect(content).toContain("Restart:\ton-failure\n");
  expect(content).toContain("restarting (1 of 3)");
  expect(await home.wait(pid, { run })).toMatchObject({ status: "held", exit: 75 });
  home.faults.splice(0);
});

test("only a person sets the restart rule and the time limit of a run", async () => {
  await using it = await booted();
  const { home, pid } = it;
  const inside = await home.insideOf(pid);
  for (const [call, more] of [
    ["proc.restart", { rule: "on-failure" }],
    ["proc.extend", { seconds: 60 }],
  ] as const)
    expect(await home.refusal(call, { pid, ...more }, inside)).toMatchObject({ code: "EPERM" });
});
