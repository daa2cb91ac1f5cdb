// An owner that lost its run writes nothing: every verb with an epoch, after every event that takes a run away.

import { expect } from "bun:test";
import type { Claimed, ProcessStore } from "../../../src/store/process/verbs.ts";
import { SHOWN } from "../../support/asking.ts";
import { DONE, type NewCall, type Subject } from "../../support/process-subject.ts";
import type { Claims } from "./claims.ts";

const FENCED = { ok: false, why: "fenced" } as const;

/** Two calls, one of them in the middle of its work. */
async function midTurn(subject: Subject): Promise<{ run: Claimed; calls: [NewCall, NewCall] }> {
  const run = await subject.running();
  const calls: [NewCall, NewCall] = [subject.call("Write"), subject.call("Read", "read")];
  await subject.turn(run, { calls });
  await subject.begin(run, calls[0]);
  return { run, calls };
}

/** Every verb that the late owner may still try; afterwards the process must be unchanged. */
async function triesEverything(subject: Subject, run: Claimed, calls: [NewCall, NewCall]): Promise<void> {
  const before = await everything(subject);
  expect(await subject.tryTurn(run, { finish: DONE })).toEqual(FENCED);
  expect(await subject.tryTurn(run, { calls: [subject.call("Read")] })).toEqual(FENCED);
  expect(await subject.tryEnd(run, calls[0])).toEqual(FENCED);
  expect(await subject.begin(run, calls[1])).toEqual(FENCED);
  expect(await subject.boundary(run)).toEqual(FENCED);
  const { pid } = subject;
  const request = { ...SHOWN, dispatchId: calls[1].dispatchId, approvalId: "late", why: "?", now: subject.now() };
  expect(await subject.store.ask(pid, run.epoch, [request])).toEqual(FENCED);
  const end = { runId: run.runId, ...DONE, note: "late", now: subject.now() };
  expect(await subject.store.finish(pid, run.epoch, end)).toEqual(FENCED);
  expect(await everything(subject)).toEqual(before);
}

async function everything(subject: Subject) {
  const { pid, store } = subject;
  return {
    head: await store.head(pid),
    messages: await subject.messages(),
    outbox: await store.outbox(pid),
    approval: await store.openApproval(pid),
    trace: await store.trace(pid, { after: 0, limit: 100 }),
  };
}

export const FENCES: Claims = {
  async "after an abort"(subject) {
    const { run, calls } = await midTurn(subject);
    await subject.abort();
    await triesEverything(subject, run, calls);
  },

  async "after an abort and the next claim"(subject) {
    const { run, calls } = await midTurn(subject);
    await subject.send("next");
    await subject.abort();
    await subject.claimed();
    await triesEverything(subject, run, calls);
  },

  async "after a later claim of the same run"(subject) {
    const { run, calls } = await midTurn(subject);
    await subject.claimed();
    await triesEverything(subject, run, calls);
  },

  async "after the run was superseded"(subject) {
    const { run, calls } = await midTurn(subject);
    await subject.send("now!", { urgent: true });
    await triesEverything(subject, run, calls);
  },

  async "after a cut, and after its seal"(subject) {
    const { run, calls } = await midTurn(subject);
    await subject.cut();
    await triesEverything(subject, run, calls);
    await subject.seal();
    await triesEverything(subject, run, calls);
  },

  async "after the run finished, even for the owner that finished it"(subject) {
    const { run, calls } = await midTurn(subject);
    const end = { runId: run.runId, ...DONE, note: null, now: subject.now() };
    await subject.store.finish(subject.pid, run.epoch, end);
    await subject.send("next");
    await triesEverything(subject, run, calls);
  },

  async "after the process failed"(subject) {
    const { run, calls } = await midTurn(subject);
    await subject.store.fail(subject.pid);
    await triesEverything(subject, run, calls);
  },

  async "a kernel that lost the process writes nothing by any verb"(subject) {
    const { run, calls } = await midTurn(subject);
    const { stale } = await subject.nextKernel();
    const before = await everything(subject);
    const late = subject.through(stale);
    expect(await late.tryTurn(run, { finish: DONE })).toEqual(FENCED);
    expect(await late.tryEnd(run, calls[0])).toEqual(FENCED);
    expect(await late.begin(run, calls[1])).toEqual(FENCED);
    expect(await late.admit(late.admission("late"))).toEqual(FENCED);
    expect(await late.setStopped(true)).toEqual(FENCED);
    expect(await late.abort()).toEqual(FENCED);
    expect(await late.answer("approve")).toEqual(FENCED);
    expect(await late.claim()).toBeNull();
    await writesWithoutAnswer(late, stale, run);
    expect(await everything(subject)).toEqual(before);
  },

  async "a kernel that lost the process cannot take it back, and does not report damage"(subject) {
    const { stale } = await subject.nextKernel();
    await expect(stale.adopt(subject.pid, { now: subject.now() })).rejects.toMatchObject({ code: "EAGAIN" });
    expect(await subject.store.check(subject.pid)).toBeNull();
  },
};

async function writesWithoutAnswer(late: Subject, stale: ProcessStore, run: Claimed): Promise<void> {
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, costUsd: 0 };
  const { pid } = late;
  await stale.pause(pid, { kind: "disk", reason: "full" }, { now: late.now() });
  await stale.fail(pid);
  await stale.waste(pid, { runId: run.runId, model: "script", usage, now: late.now() });
  await stale.logCall(pid, { at: late.now(), call: "fs.read", args: "{}", outcome: "ok", ms: 1 });
  await stale.clearOutbox(pid, Number.MAX_SAFE_INTEGER);
  await stale.seal(pid, { answer: {}, now: late.now() });
}
