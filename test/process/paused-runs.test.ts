// Paused runs of unavailable models: they show their next retry, resume automatically, survive kernels, and give way to newer instructions.

import { expect, test } from "bun:test";
import type { Failure, FailureClass } from "../../src/abi/stream.ts";
import { verdictOn } from "../../src/process/run/retry-plan.ts";
import type { PlannedAnswer } from "../support/answers.ts";
import { INIT, TestKernel } from "../support/kernel.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function failing(name: FailureClass, more: Partial<Failure> = {}): PlannedAnswer {
  return { error: { class: name, message: `it was ${name}`, ...more } };
}

/** A server that asks for a longer wait than a run's limit. */
const LONG = failing("outage", { retryAfterMs: 2 * HOUR });

async function pausedRun(home: TestKernel, message = "hello", more: { readonly model?: string } = {}): Promise<string> {
  const { runId } = await home.send(message, more);
  await home.inState(INIT, "paused");
  return runId;
}

function asked(home: TestKernel): number {
  return home.model.requests.length;
}

test("an outage is retried after 5, 20, 65, 125, ... 485 minutes; then the run ends, once", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, ...Array.from({ length: 20 }, () => failing("outage")));
  const { runId } = await home.send("hello");
  const looks: number[] = [];
  let begun = 0;
  for (let pause = 0; pause < 10; pause++) {
    await home.until("it is paused", async () => {
      if (pause === 0) await home.clock.advance(1000);
      return (await home.get(INIT)).state === "paused";
    });
    const { waitsFor } = await home.get(INIT);
    const ms = waitsFor?.kind === "outage" ? waitsFor.until - home.clock.now() : 0;
    if (pause === 0) begun = home.clock.now();
    looks.push((home.clock.now() + ms - begun) / MINUTE);
    const before = asked(home);
    await home.clock.advance(ms);
    await home.until("it was asked", () => asked(home) === before + 1);
  }
  expect(await home.ended(runId)).toMatchObject({ status: "error", reason: "auto_resume_exhausted" });
  expect(await home.wait(INIT, { run: runId })).toMatchObject({ status: "error", exit: 75 });
  // Four quick attempts, and one for each later retry.
  expect(asked(home)).toBe(14);
  expect(looks.map(Math.round)).toEqual([5, 20, 65, 125, 185, 245, 305, 365, 425, 485]);
  await home.clock.advance(24 * HOUR);
  expect(home.heard("chat.complete", runId)).toHaveLength(1);
  expect(await home.sys.call<object>("ai.outages", {})).toEqual({ outages: [] });
  expect(await home.send("again")).toMatchObject({ status: "started" });
});

test("a machine without a network retries every 30 s, without a limit", async () => {
  await using home = await TestKernel.boot();
  const offline = failing("network", { isOffline: true });
  home.model.will(INIT, ...Array.from({ length: 50 }, () => offline), { text: "at last" });
  const { runId } = await home.send("hello");
  // More often than for an outage of the server.
  await home.until("there is one", async () => {
    await home.clock.advance(5000);
    const { state, waitsFor } = await home.get(INIT);
    if (state === "paused")
      expect(waitsFor?.kind === "outage" && waitsFor.until - home.clock.now()).toBeLessThan(30_001);
    return home.heard("chat.complete", runId).length > 0;
  });
  expect(await home.ended(runId)).toMatchObject({ status: "ok", text: "at last" });
});

test("the next kernel retries at the same time, and is not needed before", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, LONG, { text: "at last" });
  const runId = await pausedRun(home);
  const { waitsFor } = await home.get(INIT);
  await home.clock.advance(HOUR);
  await home.restart();
  expect(await home.get(INIT)).toMatchObject({ state: "paused", waitsFor });
  expect(home.kernel.dueWithinMs()).toBe(HOUR);
  await home.clock.advance(HOUR - 1);
  expect(asked(home)).toBe(1);
  await home.clock.advance(1);
  expect(await home.ended(runId)).toMatchObject({ status: "ok", text: "at last" });
  expect(home.kernel.dueWithinMs()).toBeNull();
});

test("a kernel that dies during a short wait leaves the time and the count to the next", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, failing("throttle", { retryAfterMs: 5 * MINUTE }), { text: "at last" });
  const { runId } = await home.send("hello");
  await home.until("it waits", async () => (await home.get(INIT)).waitsFor !== null);
  const { waitsFor } = await home.get(INIT);
  for (let death = 0; death < 4; death++) {
    await home.clock.advance(MINUTE);
    await home.restart();
    expect(await home.get(INIT)).toMatchObject({ state: "running", waitsFor });
  }
  await home.clock.advance(MINUTE - 1);
  expect(asked(home)).toBe(1);
  await home.clock.advance(1);
  expect(await home.ended(runId)).toMatchObject({ status: "ok" });
});

test("a waiting run gives way at once to a stop, and to a kernel that ends", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, failing("throttle", { retryAfterMs: 5 * MINUTE }), { text: "at last" });
  const { runId } = await home.send("hello");
  await home.until("it waits", async () => (await home.get(INIT)).waitsFor !== null);
  await home.sys.call("proc.signal", { pid: INIT, signal: "STOP" });
  await home.inState(INIT, "stopped");
  await home.clock.advance(5 * MINUTE);
  await home.sys.call("proc.signal", { pid: INIT, signal: "CONT" });
  expect(await home.ended(runId)).toMatchObject({ status: "ok", text: "at last" });

  home.model.will(INIT, failing("throttle", { retryAfterMs: 5 * MINUTE }));
  await home.send("again");
  await home.until("it waits", async () => (await home.get(INIT)).waitsFor !== null);
  await home.kernel.runners.drain(10 * MINUTE);
  expect(await home.get(INIT)).toMatchObject({ state: "running", waitsFor: { kind: "model" } });
});

test("CONT retries now, and so does a message for the same model: both are answered, in order", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, LONG, LONG, { text: "to one" }, { text: "to two" });
  const one = await pausedRun(home, "one");
  await home.sys.call("proc.signal", { pid: INIT, signal: "CONT" });
  await home.until("it was asked again", () => asked(home) === 2);
  await home.inState(INIT, "paused");
  const two = (await home.send("two")).runId;
  expect(await home.ended(one)).toMatchObject({ text: "to one" });
  expect(await home.ended(two)).toMatchObject({ text: "to two" });
});

test("a message for another model replaces a paused run; an agent's message does not", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, LONG, { text: "from the other" });
  const waiting = await pausedRun(home, "hello", { model: "openai/one" });
  const inside = await home.insideOf(INIT);
  const child = await inside.call<{ pid: string }>("proc.spawn", { label: "child" });
  await (await home.insideOf(child.pid)).call("proc.send", { pid: INIT, message: "from a child" });
  expect(await home.get(INIT)).toMatchObject({ state: "paused", queued: 1 });
  const end = await home.say("again", { model: "openai/two" });
  expect(await home.ended(waiting)).toMatchObject({ status: "aborted", reason: "user.superseded" });
  expect(end).toMatchObject({ status: "ok" });
});

test("the process resumes with another model if one is set", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, LONG, { text: "from the other" });
  const runId = await pausedRun(home, "hello", { model: "openai/one" });
  await home.sys.call("proc.model", { pid: INIT, model: "openai/two" });
  expect(await home.ended(runId)).toMatchObject({ status: "ok", text: "from the other" });
});

test("an abort, an interrupt and a reset end the paused run, and the process is free", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, LONG, LONG, { text: "now" }, LONG);
  const one = await pausedRun(home);
  await home.sys.call("proc.abort", { pid: INIT });
  expect(await home.ended(one)).toMatchObject({ status: "aborted" });
  expect(await home.get(INIT)).toMatchObject({ state: "idle", waitsFor: null });
  await pausedRun(home);
  expect(await home.say("at once", { interrupt: true })).toMatchObject({ status: "ok", text: "now" });
  await pausedRun(home);
  await home.sys.call("proc.reset", { pid: INIT });
  expect(await home.say("afresh")).toMatchObject({ status: "ok" });
  await home.clock.advance(3 * HOUR);
  expect(asked(home)).toBe(5);
});

test("a wait for the process continues while time ends the pause; a wait for the run is answered", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, LONG, { text: "at last" });
  const run = await pausedRun(home);
  expect(await home.wait(INIT, { run })).toMatchObject({ status: "held", exit: 75, waitsFor: { kind: "outage" } });
  const waiting = home.wait(INIT);
  const patient = home.wait(INIT, { run, wait: true });
  await home.clock.advance(2 * HOUR);
  for (const result of [await waiting, await patient])
    expect(result).toMatchObject({ runId: run, status: "ok", exit: 0, text: "at last" });
});

test("ps, /proc and a signal show the class, the reason and the next retry", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, LONG);
  await pausedRun(home);
  const until = new Date(home.clock.now() + 2 * HOUR).toISOString();
  const told = home.heard("process.state").at(-1);
  expect(told).toMatchObject({
    state: "paused",
    waitsFor: { kind: "outage", class: "outage", reason: "it was outage" },
  });
  const { content } = await home.sys.call<{ content: string }>("fs.read", { path: `/proc/${INIT}/status` });
  expect(content).toContain(`NextTry:\t${until}\nFailure:\toutage\n`);
  expect(content).toContain(`it was outage; retrying offline at ${until.slice(0, 19)}Z`);
});

test("each failure has its own consequence, with and without a fallback model", () => {
  const half = () => new Uint8Array([0]);
  const next = (name: FailureClass, retryAfterMs: number | null, hasFallback: boolean, [failed, pauses] = [1, 0]) => {
    const failure = { class: name, message: "", ...(retryAfterMs === null ? {} : { retryAfterMs }) };
    return verdictOn(failure, { failed, pauses, retries: 3, hasFallback }, half).next;
  };
  for (const name of ["outage", "network", "timeout", "throttle"] as const) {
    expect([name, next(name, null, false), next(name, null, false, [9, 0])]).toEqual([name, "retry", "pause"]);
    expect([name, next(name, null, true, [9, 0]), next(name, null, false, [9, 10])]).toEqual([name, "fallback", "end"]);
    expect([name, next(name, MINUTE, false), next(name, MINUTE, true)]).toEqual([name, "retry", "fallback"]);
  }
  expect([next("quota", null, false), next("quota", null, true)]).toEqual(["end", "fallback"]);
  expect([next("auth", null, false), next("auth", null, true)]).toEqual(["ask-person", "fallback"]);
  expect([next("model", null, false), next("model", null, true)]).toEqual(["ask-person", "fallback"]);
  expect([next("config", null, false), next("config", null, true)]).toEqual(["end", "fallback"]);
  expect([next("protocol", null, true), next("protocol", null, true, [3, 0])]).toEqual(["retry", "fallback"]);
  for (const name of ["request", "content", "overflow"] as const)
    expect([name, next(name, null, false), next(name, null, true)]).toEqual([name, "end", "end"]);
  // After minutes of waiting, one attempt is enough.
  expect([next("outage", null, false, [1, 1]), next("throttle", 7000, false, [1, 1])]).toEqual(["pause", "retry"]);
});

test("an overloaded server is asked 14 more times, for about five minutes; Retry-After wins, a fallback comes sooner", () => {
  const most = () => new Uint8Array([255]);
  const failure = { class: "outage", message: "529" } as const;
  const waits: number[] = [];
  for (let failed = 1; ; failed++) {
    const verdict = verdictOn(failure, { failed, pauses: 0, retries: 14, hasFallback: false }, most);
    if (verdict.next !== "retry") break;
    waits.push(verdict.ms / 1000);
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30, 30, 30, 30, 30, 30, 30, 30]);
  const stand = { failed: 1, pauses: 0, retries: 14, hasFallback: true };
  expect(verdictOn({ ...failure, retryAfterMs: 20_000 }, stand, most)).toEqual({ next: "retry", ms: 20_000, of: 4 });
  expect(verdictOn(failure, { ...stand, failed: 4 }, most)).toEqual({ next: "fallback" });
});
