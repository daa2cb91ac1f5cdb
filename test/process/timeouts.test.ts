// A run is stopped half an hour after it last did something, at its instant and not a moment before; who needs longer gets it, within four
// times that. Waiting for a person does not count, and a kernel that dies in between takes nothing away.

import { expect, test } from "bun:test";
import { INIT, TestKernel } from "../support/kernel.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** A run whose model says nothing until it is let go. */
async function silent(home: TestKernel): Promise<string> {
  home.model.will(INIT, { hold: true, text: "at last" });
  const { runId } = await home.send("hello");
  await home.holding();
  return runId;
}

const extend = (home: TestKernel, seconds: number) =>
  home.sys.call<{ endsAt: number }>("proc.extend", { pid: INIT, seconds });

test("a run is stopped half an hour after its last sign of life, to the second, and is warned a minute before", async () => {
  await using home = await TestKernel.boot();
  const run = await silent(home);
  const began = home.clock.now();
  await home.clock.advance(29 * MINUTE - 1);
  expect(home.heard("process.timeout_warning")).toEqual([]);
  await home.clock.advance(1);
  const [warning] = home.heard("process.timeout_warning", run);
  expect(warning).toMatchObject({ endsAt: began + 30 * MINUTE, latest: began + 120 * MINUTE });
  await home.clock.advance(MINUTE - 1);
  expect(await home.get(INIT)).toMatchObject({ state: "running" });
  await home.clock.advance(1);
  const stopped = await home.inState(INIT, "stopped");
  expect(stopped.waitsFor).toMatchObject({
    kind: "limit",
    reason: `stopped after 30 minutes without activity; to resume: gsv proc resume ${INIT}`,
  });
  expect(await home.wait(INIT, { run })).toMatchObject({ status: "held", exit: 6 });
  expect(home.heard("process.timeout_warning")).toHaveLength(1);
});

test("what was stopped so goes on with gsv proc resume, from its last answer, and with any message", async () => {
  await using home = await TestKernel.boot();
  const run = await silent(home);
  await home.clock.advance(30 * MINUTE);
  await home.inState(INIT, "stopped");
  await home.sys.call("proc.signal", { pid: INIT, signal: "CONT" });
  expect(await home.ended(run)).toMatchObject({ status: "ok", text: "done" });

  const second = await silent(home);
  await home.clock.advance(30 * MINUTE);
  await home.inState(INIT, "stopped");
  await home.send("are you there?");
  expect(await home.ended(second)).toMatchObject({ status: "ok" });
});

test("every word of the model and every tool is a sign of life", async () => {
  await using home = await TestKernel.boot();
  home.model.will(
    INIT,
    { text: "I look", calls: [{ name: "Search", args: { query: "x" } }] },
    { pieces: ["one", "two"], pause: true },
  );
  const { runId } = await home.send("hello");
  await home.holding();
  await home.clock.advance(29 * MINUTE);
  home.model.release();
  expect(await home.ended(runId)).toMatchObject({ status: "ok" });
  expect((await home.get(INIT)).state).toBe("idle");
  await home.clock.advance(120 * MINUTE);
  expect((await home.get(INIT)).state).toBe("idle");
});

test("more time at minute 29 counts from then, never shortens, and ends at four times the usual at most", async () => {
  await using home = await TestKernel.boot();
  await silent(home);
  const began = home.clock.now();
  await home.clock.advance(MINUTE);
  expect((await extend(home, 60)).endsAt).toBe(began + 30 * MINUTE);
  await home.clock.advance(28 * MINUTE);
  expect((await extend(home, 90 * 60)).endsAt).toBe(began + 119 * MINUTE);
  expect((await extend(home, 3 * 3600)).endsAt).toBe(began + 120 * MINUTE);
  await home.clock.advance(91 * MINUTE - 1);
  expect((await home.get(INIT)).state).toBe("running");
  await home.clock.advance(1);
  const { waitsFor } = await home.inState(INIT, "stopped");
  expect(waitsFor).toMatchObject({
    reason: expect.stringContaining("stopped after 120 minutes, the limit for one run"),
  });
  expect(home.heard("process.timeout_warning").map(({ endsAt }) => endsAt - began)).toEqual([
    30 * MINUTE,
    120 * MINUTE,
  ]);
});

test("a process with no run at work cannot be given more time, and is told so", async () => {
  await using home = await TestKernel.boot();
  expect(await home.refusal("proc.extend", { pid: INIT, seconds: 60 })).toMatchObject({ code: "EINVAL" });
  expect(await home.refusal("proc.extend", { pid: "task:zzzzzz", seconds: 60 })).toMatchObject({ code: "ESRCH" });
});

test("hours that a run waits for a person do not count, and it has its time again after the answer", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { calls: [{ name: "Delete", args: { path: "~/x" } }] }, { hold: true });
  await home.send("hello");
  const { waitsFor } = await home.inState(INIT, "waiting_hil");
  await home.clock.advance(300 * MINUTE);
  expect((await home.get(INIT)).state).toBe("waiting_hil");
  const id = waitsFor?.kind === "approval" ? waitsFor.id : "";
  await home.sys.call("hil.answer", { id, decision: "deny" });
  await home.holding();
  await home.clock.advance(30 * MINUTE - 1);
  expect((await home.get(INIT)).state).toBe("running");
  await home.clock.advance(1);
  await home.inState(INIT, "stopped");
});

test("a stop at a safe point does not count either: the bound of the whole run moves with it", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { hold: true, calls: [{ name: "Search", args: { query: "x" } }] }, { hold: true });
  await home.send("hello");
  await home.holding();
  await home.clock.advance(10 * MINUTE);
  await home.sys.call("proc.signal", { pid: INIT, signal: "STOP" });
  home.model.release();
  await home.inState(INIT, "stopped");
  await home.clock.advance(600 * MINUTE);
  await home.sys.call("proc.signal", { pid: INIT, signal: "CONT" });
  await home.holding();
  expect(((await extend(home, 36_000)).endsAt - home.clock.now()) / MINUTE).toBe(110);
  home.model.release();
});

test("the next kernel goes on with the bound of the run, and not with a new one", async () => {
  await using home = await TestKernel.boot();
  await silent(home);
  await home.clock.advance(20 * MINUTE);
  await extend(home, 60);
  home.model.will(INIT, { hold: true });
  await home.clock.advance(5 * MINUTE);
  await home.restart();
  await home.holding();
  // Half an hour from here on, and the bound is what was left of it when it was last seen.
  const { endsAt } = await extend(home, 10 * 3600);
  expect((endsAt - home.clock.now()) / MINUTE).toBe(100);
});

test("a late answer of what was stopped changes nothing", async () => {
  await using home = await TestKernel.boot();
  const run = await silent(home);
  const seen = (await home.messages(INIT)).length;
  await home.clock.advance(30 * MINUTE);
  await home.inState(INIT, "stopped");
  home.model.release();
  await home.quiet();
  expect(await home.messages(INIT)).toHaveLength(seen);
  expect(home.heard("chat.complete", run)).toEqual([]);
});

test("run.timeoutMs and AGENT_TIMEOUT_MS say how long, 0 for as long as it likes", async () => {
  await using home = await TestKernel.boot({ env: { AGENT_TIMEOUT_MS: "120000" } });
  await silent(home);
  await home.clock.advance(2 * MINUTE);
  await home.inState(INIT, "stopped");
  await home.sys.call("proc.abort", { pid: INIT });

  await using other = await TestKernel.boot();
  await other.sys.call("config.set", { key: "run.timeoutMs", value: "0" });
  await silent(other);
  await other.clock.advance(600 * MINUTE);
  expect((await other.get(INIT)).state).toBe("running");
  other.model.release();
});

async function stoppedByCap(home: TestKernel): Promise<string> {
  const run = await silent(home);
  await extend(home, 10 * 3600);
  await home.clock.advance(120 * MINUTE);
  await home.inState(INIT, "stopped");
  return run;
}

test.each([
  ["gsv proc resume", (home: TestKernel) => home.sys.call("proc.signal", { pid: INIT, signal: "CONT" })],
  ["a new message", (home: TestKernel) => home.send("go on")],
])(
  "after the cap %s begins a new one: the run has four times its time again, and proc extend moves its end",
  async (_, resume) => {
    await using home = await TestKernel.boot();
    const run = await stoppedByCap(home);
    home.model.will(INIT, { hold: true, text: "at last" });
    await resume(home);
    await home.holding();
    const began = home.clock.now();
    expect((await extend(home, 60)).endsAt).toBe(began + 30 * MINUTE);
    expect((await extend(home, 10 * 3600)).endsAt).toBe(began + 120 * MINUTE);
    await home.clock.advance(119 * MINUTE);
    expect((await home.get(INIT)).state).toBe("running");
    home.model.release();
    expect(await home.ended(run)).toMatchObject({ status: "ok", text: "at last" });
  },
);

test("the message names the limit that was in force: of a short one its seconds, also when the setting has changed since", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("config.set", { key: "run.timeoutMs", value: "3000" });
  await silent(home);
  await extend(home, 60);
  await home.sys.call("config.set", { key: "run.timeoutMs", value: "1800000" });
  home.model.will(INIT, { hold: true });
  await home.clock.advance(5 * SECOND);
  await home.restart();
  await home.holding();
  await home.clock.advance(12 * SECOND);
  const { waitsFor } = await home.inState(INIT, "stopped");
  expect(waitsFor).toMatchObject({
    reason: expect.stringContaining("stopped after 12 seconds, the limit for one run"),
  });
});
