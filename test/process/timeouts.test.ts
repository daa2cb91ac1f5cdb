// A run is stopped half an hour after its last activity, exactly on time. It can be extended up to four times that. Waiting for a person
// does not count, and a kernel that dies in between changes nothing.

import { expect, test } from "bun:test";
import { INIT, TestKernel } from "../support/kernel.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** A run with a model that is silent until released. */
async function silent(home: TestKernel): Promise<string> {
  home.model.will(INIT, { hold: true, text: "at last" });
  const { runId } = await home.send("hello");
  await home.holding();
  return runId;
}

const extend = (home: TestKernel, seconds: number) =>
  home.sys.call<{ endsAt: number }>("proc.extend", { pid: INIT, seconds });

test("a run is stopped half an hour after its last activity, to the second, with a warning a minute before", async () => {
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

test("a stopped run resumes with gsv proc resume, from its last answer, and with any message", async () => {
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

test("every piece of model output and every tool call is activity", async () => {
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

test("an extension at minute 29 counts from then, never shortens, and is capped at four times the limit", async () => {
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

test("a process without an active run gets an error instead of more time", async () => {
  await using home = await TestKernel.boot();
  expect(await home.refusal("proc.extend", { pid: INIT, seconds: 60 })).toMatchObject({ code: "EINVAL" });
  expect(await home.refusal("proc.extend", { pid: "task:zzzzzz", seconds: 60 })).toMatchObject({ code: "ESRCH" });
});

test("hours of waiting for a person do not count, and the run has its full time after the answer", async () => {
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

test("a stop at a safe point does not count either: the limit of the whole run moves with it", async () => {
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

test("the next kernel keeps the limit of the run instead of starting a new one", async () => {
  await using home = await TestKernel.boot();
  await silent(home);
  await home.clock.advance(20 * MINUTE);
  await extend(home, 60);
  home.model.will(INIT, { hold: true });
  await home.clock.advance(5 * MINUTE);
  await home.restart();
  await home.holding();
  // Half an hour from now on; the limit is the rest when it was last seen.
  const { endsAt } = await extend(home, 10 * 3600);
  expect((endsAt - home.clock.now()) / MINUTE).toBe(100);
});

test("a late answer to a stopped run changes nothing", async () => {
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

test("run.timeoutMs and AGENT_TIMEOUT_MS set the time, 0 for no limit", async () => {
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
  "after the limit %s starts a new one: the run has four times its time again, and proc extend moves its end",
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

test("the message names the limit in force: a short one in seconds, also after a change of the setting", async () => {
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
