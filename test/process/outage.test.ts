// One process checks an unavailable provider for all that wait, at times that survive kernels; the result applies to all of them.

import { expect, test } from "bun:test";
import type { OutageInfo } from "../../src/syscalls/run/ai.ts";
import type { PlannedAnswer } from "../support/answers.ts";
import { TestKernel } from "../support/kernel.ts";

const MINUTE = 60_000;
/** Each of four quick attempts fails. */
const DOWN: readonly PlannedAnswer[] = Array.from({ length: 4 }, () => ({
  error: { class: "outage", message: "the server is down" },
}));
const [LOOKED] = DOWN as [PlannedAnswer];

async function waiting(home: TestKernel, pid: string, model = "openai/model"): Promise<string> {
  const { runId } = await home.send("hello", { pid, model });
  await home.until(`${pid} is paused`, async () => {
    const { state, waitsFor } = await home.get(pid);
    // No further than its next quick attempt: on a slow machine this must not trigger the checks of the others.
    if (waitsFor?.kind === "model") await home.clock.advance(Math.max(0, waitsFor.until - home.clock.now()));
    return state === "paused";
  });
  return runId;
}

async function nextTry(home: TestKernel, pid: string): Promise<number> {
  const { waitsFor } = await home.get(pid);
  return waitsFor?.kind === "outage" ? waitsFor.until - home.clock.now() : -1;
}

async function outages(home: TestKernel): Promise<readonly OutageInfo[]> {
  return (await home.sys.call<{ outages: readonly OutageInfo[] }>("ai.outages", {})).outages;
}

/** Three tasks that wait for the same provider. */
async function three(home: TestKernel): Promise<readonly [string, string, string]> {
  const pids = [await home.task(), await home.task(), await home.task()] as const;
  for (const pid of pids) {
    home.model.will(pid, ...DOWN);
    await waiting(home, pid);
  }
  return pids;
}

test("one of many waiting processes checks the provider; while it fails, the others wait and show their next retry", async () => {
  await using home = await TestKernel.boot();
  const [first, second, third] = await three(home);
  expect(await nextTry(home, second)).toBe(await nextTry(home, first));
  const before = home.model.requests.length;
  home.model.will(first, LOOKED);
  await home.clock.advance(await nextTry(home, first));
  await home.until("the others were put off", async () => (await nextTry(home, third)) > 14 * MINUTE);
  expect(home.model.requests).toHaveLength(before + 1);
  expect([await nextTry(home, first), await nextTry(home, second)]).toEqual([15 * MINUTE, 15 * MINUTE]);
});

test("the first output of the provider resumes all that wait for it, and no others", async () => {
  await using home = await TestKernel.boot();
  const pids = await three(home);
  const other = await home.task();
  home.model.will(other, ...DOWN);
  await waiting(home, other, "anthropic/model");
  await home.clock.advance(await nextTry(home, pids[0]));
  for (const pid of pids) await home.inState(pid, "idle");
  expect((await home.get(other)).state).toBe("paused");
  expect(await outages(home)).toMatchObject([{ provider: "anthropic", waiting: 1 }]);
});

test("gsv outage shows the provider, its start, attempts, next retry, and the waiting processes", async () => {
  await using home = await TestKernel.boot();
  expect(await outages(home)).toEqual([]);
  const pids = await three(home);
  const [outage, ...more] = await outages(home);
  expect(more).toEqual([]);
  expect(outage).toMatchObject({ provider: "openai", class: "outage", reason: "the server is down", looks: 1 });
  expect(outage).toMatchObject({ waiting: 3, nextTryAt: home.clock.now() + (await nextTry(home, pids[0])) });
  expect(outage?.since).toBeLessThanOrEqual(home.clock.now());
  expect([...(outage?.pids ?? [])].sort()).toEqual([...pids].sort());
});

test("a kernel that starts during an outage keeps its times and counts", async () => {
  await using home = await TestKernel.boot();
  const [first, second, third] = await three(home);
  home.model.will(first, LOOKED);
  await home.clock.advance(await nextTry(home, first));
  await home.until("it was put off", async () => (await nextTry(home, second)) > 14 * MINUTE);
  const [before] = await outages(home);
  await home.restart();
  expect(await outages(home)).toEqual([before!]);
  expect(home.kernel.dueWithinMs()).toBe(15 * MINUTE);
  for (const pid of [first, second, third]) home.model.will(pid, LOOKED);
  const asked = home.model.requests.length;
  await home.clock.advance(15 * MINUTE);
  await home.until("it was looked at once", async () => (await nextTry(home, first)) > 44 * MINUTE);
  expect(home.model.requests).toHaveLength(asked + 1);
});

test("a stop wins: a process stopped while waiting is not retried or ended, and continues when resumed", async () => {
  await using home = await TestKernel.boot();
  const [first, second, third] = await three(home);
  await home.sys.call("proc.signal", { pid: first, signal: "STOP" });
  await home.clock.advance(await nextTry(home, second));
  for (const pid of [second, third]) await home.inState(pid, "idle");
  expect(await home.get(first)).toMatchObject({ state: "stopped", waitsFor: { kind: "person" } });
  await home.clock.advance(60 * MINUTE);
  expect((await home.get(first)).state).toBe("stopped");
  await home.sys.call("proc.signal", { pid: first, signal: "CONT" });
  await home.inState(first, "idle");
});

test("gsv proc resume retries one at once; an extra attempt changes neither the time nor the count", async () => {
  await using home = await TestKernel.boot();
  const [first, second] = await three(home);
  const until = home.clock.now() + (await nextTry(home, first));
  for (let times = 0; times < 12; times++) {
    home.model.will(first, LOOKED);
    const asked = home.model.requests.length;
    await home.sys.call("proc.signal", { pid: first, signal: "CONT" });
    await home.until("it was asked", () => home.model.requests.length === asked + 1);
    await home.inState(first, "paused");
  }
  expect(home.clock.now() + (await nextTry(home, first))).toBe(until);
  expect(await outages(home)).toMatchObject([{ looks: 1, waiting: 3 }]);
  await home.sys.call("proc.signal", { pid: second, signal: "CONT" });
  await home.inState(second, "idle");
  // It answered that one, so it answers the others.
  await home.inState(first, "idle");
});
