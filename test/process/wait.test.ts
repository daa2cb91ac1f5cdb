// `wait`: it answers when a process has nothing left that ends by itself, with the outcome or the obstacle.

import { expect, test } from "bun:test";
import type { Approval } from "../../src/abi/process/process.ts";
import type { WaitResult } from "../../src/syscalls/services.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { rejection } from "../support/refusal.ts";

const DELETE = { calls: [{ name: "Delete", args: { path: "~/a" } }] };
const OTHER_RUN = "0190a1b2-0000-7000-8000-000000000001";

/** The progress of a wait without time passing. */
async function isOver(home: TestKernel, waiting: Promise<unknown>): Promise<boolean> {
  let over = false;
  void waiting.finally(() => {
    over = true;
  });
  await home.quiet();
  return over;
}

async function approve(home: TestKernel, decision = "approve"): Promise<void> {
  const [asked] = (await home.sys.call<{ approvals: Approval[] }>("hil.list", {})).approvals;
  await home.sys.call("hil.answer", { id: asked?.id, decision });
}

test("a process that never ran is done: 0", async () => {
  await using home = await TestKernel.boot();
  const pid = await home.task();
  expect(await home.wait(pid)).toEqual({
    pid,
    runId: null,
    status: "none",
    exit: 0,
    text: null,
    inPart: false,
    error: null,
    waitsFor: null,
    usage: null,
  });
});

test("wait lasts until the last run has ended and exits like it: ok 0, aborted 130", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { text: "first", hold: true }, { text: "second", hold: true });
  await home.send("one");
  await home.holding();
  const waiting = home.wait(INIT);
  const second = await home.send("two");
  home.model.release();
  await home.holding();
  expect(await isOver(home, waiting)).toBe(false);
  home.model.release();
  expect(await waiting).toMatchObject({ status: "ok", exit: 0, runId: second.runId, text: "second" });

  home.model.will(INIT, { text: "never said", hold: true });
  const third = await home.send("three");
  await home.holding();
  const aborted = home.wait(INIT);
  await home.sys.call("proc.abort", { pid: INIT });
  expect(await aborted).toMatchObject({ status: "aborted", exit: 130, runId: third.runId });
});

test("a kill ends the wait with 137, also a wait for a run", async () => {
  await using home = await TestKernel.boot();
  const pid = await home.task();
  home.model.will(pid, { hold: true });
  const { runId } = await home.send("work", { pid });
  await home.holding();
  const waits = [home.wait(pid), home.wait(pid, { wait: true }), home.wait(pid, { run: runId })];
  await home.quiet();
  await home.sys.call("proc.kill", { pid });
  for (const result of await Promise.all(waits)) expect(result).toMatchObject({ status: "killed", exit: 137 });
  expect(await home.wait(pid, { run: runId })).toMatchObject({ status: "killed", exit: 137 });
});

test("a process that needs approval is held: 5, with the request", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, DELETE);
  const { runId } = await home.send("delete a");
  expect(await home.wait(INIT)).toMatchObject({
    status: "held",
    exit: 5,
    waitsFor: { kind: "approval", tool: "Delete", summary: "delete /home/sam/a" },
  });
  expect(await home.wait(INIT, { run: runId })).toMatchObject({ status: "held", exit: 5, runId });
});

test("a patient wait continues through an approval until the run ends", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, DELETE, { text: "as you wish" });
  await home.send("delete a");
  await home.inState(INIT, "waiting_hil");
  const waiting = home.wait(INIT, { wait: true });
  expect(await isOver(home, waiting)).toBe(false);
  await approve(home, "deny");
  expect(await waiting).toMatchObject({ status: "ok", exit: 0, text: "as you wish" });
});

test("a wait for a stopped process continues; a wait for a run returns the obstacle", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("proc.signal", { pid: INIT, signal: "STOP" });
  const { runId } = await home.send("hello");
  const waiting = home.wait(INIT);
  expect(await isOver(home, waiting)).toBe(false);
  expect(await home.wait(INIT, { run: runId })).toMatchObject({
    status: "held",
    exit: 5,
    waitsFor: { kind: "person" },
  });
  const patient = home.wait(INIT, { run: runId, wait: true });
  expect(await isOver(home, patient)).toBe(false);
  await home.sys.call("proc.signal", { pid: INIT, signal: "CONT" });
  expect(await waiting).toMatchObject({ status: "ok", runId });
  expect(await patient).toMatchObject({ status: "ok", runId });
});

test("a wait for a stopped idle process continues until it is resumed", async () => {
  await using home = await TestKernel.boot();
  await home.say("hello");
  await home.sys.call("proc.signal", { pid: INIT, signal: "STOP" });
  const waiting = home.wait(INIT);
  expect(await isOver(home, waiting)).toBe(false);
  await home.sys.call("proc.signal", { pid: INIT, signal: "CONT" });
  expect(await waiting).toMatchObject({ status: "ok", exit: 0 });
});

test("a wait for one run ends with that run, however busy the process is; an old one is answered at once", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { text: "first", hold: true }, { text: "second", hold: true });
  const first = await home.send("one");
  await home.holding();
  const second = await home.send("two");
  const waiting = home.wait(INIT, { run: first.runId });
  home.model.release();
  expect(await waiting).toMatchObject({ status: "ok", text: "first", runId: first.runId });
  await home.holding();
  const later = home.wait(INIT, { run: second.runId });
  expect(await isOver(home, later)).toBe(false);
  home.model.release();
  expect(await later).toMatchObject({ text: "second" });
  await home.restart();
  expect(await home.wait(INIT, { run: first.runId })).toMatchObject({ status: "ok", text: "first" });
});

test("several pids are answered together, in the order they were named", async () => {
  await using home = await TestKernel.boot();
  const pids = [await home.task(), await home.task(), await home.task()];
  const [one = "", two = "", three = ""] = pids;
  home.model.will(one, { text: "one", hold: true });
  home.model.will(two, { error: { class: "request", message: "no such model" } });
  for (const pid of [one, two]) await home.send("go", { pid });
  const waiting = home.sys.call<{ results: WaitResult[] }>("proc.wait", { pids });
  await home.holding();
  expect(await isOver(home, waiting)).toBe(false);
  home.model.release();
  const { results } = await waiting;
  expect(results.map(({ pid, status, exit }) => [pid, status, exit])).toEqual([
    [one, "ok", 0],
    [two, "error", 1],
    [three, "none", 0],
  ]);
});

test("invalid waits are refused: an unknown run, a run with several pids, an unknown pid", async () => {
  await using home = await TestKernel.boot();
  const other = await home.task();
  const unknown = await home.refusal("proc.wait", { pids: [INIT], run: OTHER_RUN });
  expect([unknown.code, unknown.message]).toEqual(["ESRCH", `no such run of ${INIT}: ${OTHER_RUN}`]);
  expect((await home.refusal("proc.wait", { pids: [INIT, other], run: OTHER_RUN })).code).toBe("EINVAL");
  expect((await home.refusal("proc.wait", { pids: [INIT, "task:zzzzzz"] })).code).toBe("ESRCH");
});

test("a cancelled wait ends, and one with a client that disconnects too", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { hold: true });
  await home.send("work");
  await home.holding();
  const giveUp = new AbortController();
  const waiting = rejection(home.sys.call("proc.wait", { pids: [INIT] }, { signal: giveUp.signal }));
  const other = await home.client();
  const left = rejection(other.call("proc.wait", { pids: [INIT] }));
  await home.quiet();
  giveUp.abort();
  await other.close();
  expect((await waiting).code).toBe("ECANCELED");
  expect((await left).code).toBe("ECANCELED");
});
