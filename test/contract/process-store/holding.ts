// Holds of a process and their meaning in every state: a person's stop, the kernel's pause, a database that failed.

import { expect } from "bun:test";
import { DONE, granted, type Subject } from "../../support/process-subject.ts";
import type { Claims } from "./claims.ts";

const DISK = { kind: "disk", reason: "the disk is full" } as const;

const NEXT = { reason: "overloaded", model: "a/b", class: "outage", until: 5000 } as const;
const AGAIN = { kind: "model", ...NEXT } as const;
const OUTAGE = { kind: "outage", ...NEXT } as const;

const pause = (subject: Subject) => subject.store.pause(subject.pid, DISK, { now: subject.now() });
const release = (subject: Subject) => subject.store.pause(subject.pid, null, { now: subject.now() });

async function asking(subject: Subject) {
  const run = await subject.running();
  const call = subject.call("Delete");
  await subject.turn(run, { calls: [call] });
  await subject.asks(run, call);
  return run;
}

export const HOLDING: Claims = {
  async "an idle process that is stopped takes messages and starts none until it continues"(subject) {
    expect(granted(await subject.setStopped(true)).state).toBe("stopped");
    await subject.send("hello");
    expect(await subject.state()).toBe("stopped");
    expect(await subject.claim()).toBeNull();
    expect(granted(await subject.setStopped(false)).state).toBe("queued");
    expect(await subject.claim()).not.toBeNull();
  },

  async "a running process stops at its next safe point and resumes there"(subject) {
    const run = await subject.running();
    await subject.turn(run);
    expect(granted(await subject.setStopped(true)).state).toBe("running");
    expect(await subject.boundary(run)).toMatchObject({ ok: true, value: { entered: [], leave: true } });
    expect(await subject.state()).toBe("stopped");
    expect((await subject.latest())?.projection).toMatchObject({
      state: "stopped",
      activeRunId: run.runId,
      waitsFor: { kind: "person" },
    });
    await subject.setStopped(false);
    expect(await subject.claimed()).toMatchObject({ resumed: true, runId: run.runId, turn: 1 });
  },

  async "a process with a tool at work stops after the tool, and keeps the result"(subject) {
    const run = await subject.running();
    const calls = [subject.call("Write"), subject.call("Write")];
    await subject.turn(run, { calls });
    await subject.begin(run, calls[0]!);
    expect(granted(await subject.setStopped(true)).state).toBe("waiting_tool");
    expect(await subject.tryEnd(run, calls[0]!)).toMatchObject({ ok: true });
    expect(await subject.boundary(run, false)).toMatchObject({ value: { leave: true } });
    await subject.setStopped(false);
    const again = await subject.claimed();
    expect(await subject.store.openCalls(subject.pid, again.runId)).toMatchObject([{ callId: calls[1]!.callId }]);
  },

  async "a stop of an unclaimed run holds at the claim"(subject) {
    await asking(subject);
    await subject.answer("approve");
    await subject.setStopped(true);
    expect(await subject.claim()).toBeNull();
    expect(await subject.state()).toBe("stopped");
  },

  async "a process with an open question can be stopped, answered, and continued"(subject) {
    await asking(subject);
    expect(granted(await subject.setStopped(true)).state).toBe("stopped");
    await subject.answer("approve");
    expect(await subject.state()).toBe("stopped");
    expect(await subject.claim()).toBeNull();
    await subject.setStopped(false);
    expect(await subject.claimed()).toMatchObject({ resumed: true });
  },

  async "a stop before the question holds as well: the process shows as stopped, then as asking"(subject) {
    const run = await subject.running();
    const call = subject.call("Delete");
    await subject.turn(run, { calls: [call] });
    await subject.setStopped(true);
    await subject.asks(run, call);
    expect(await subject.state()).toBe("stopped");
    expect(granted(await subject.setStopped(false)).state).toBe("waiting_hil");
  },

  async "a stop survives the kernel"(subject) {
    const run = await subject.running();
    await subject.setStopped(true);
    await subject.boundary(run);
    await subject.nextKernel();
    expect(await subject.state()).toBe("stopped");
    expect(await subject.claim()).toBeNull();
  },

  async "a stop during the death of a kernel holds at the next start"(subject) {
    await subject.running();
    await subject.setStopped(true);
    await subject.nextKernel();
    expect(await subject.state()).toBe("stopped");
  },

  async "a second stop and a second continue have no effect"(subject) {
    await subject.setStopped(true);
    const rows = (await subject.store.outbox(subject.pid)).length;
    expect(granted(await subject.setStopped(true)).state).toBe("stopped");
    expect(await subject.store.outbox(subject.pid)).toHaveLength(rows);
    await subject.setStopped(false);
    expect(granted(await subject.setStopped(false)).state).toBe("idle");
  },

  async "a paused process names its cause and continues when the pause ends"(subject) {
    expect(granted(await pause(subject))).toMatchObject({ state: "paused", paused: DISK });
    await subject.send("hello");
    expect((await subject.latest())?.projection).toMatchObject({ state: "paused", queued: 1, waitsFor: DISK });
    expect(await subject.claim()).toBeNull();
    expect(granted(await release(subject)).state).toBe("queued");
    expect(await subject.claim()).not.toBeNull();
  },

  async "a run in flight is paused at once and leaves at its next safe point"(subject) {
    const run = await subject.running();
    const call = subject.call("Write");
    await subject.turn(run, { calls: [call] });
    expect(granted(await pause(subject)).state).toBe("paused");
    await subject.carryOut(run, call);
    expect(await subject.boundary(run)).toMatchObject({ ok: true, value: { leave: true } });
    expect(await subject.claim()).toBeNull();
    expect(granted(await release(subject)).state).toBe("running");
    expect(await subject.claimed()).toMatchObject({ resumed: true, runId: run.runId });
  },

  async "a run that waits for a retry shows the reason, and a later kernel continues the wait; its turn ends it"(
    subject,
  ) {
    const run = await subject.running();
    await subject.retry(run, { failed: 2, pauses: 0, waitsFor: AGAIN });
    expect((await subject.latest())?.projection).toMatchObject({ state: "running", waitsFor: AGAIN });
    for (let start = 0; start < 5; start++) expect((await subject.nextKernel()).ends).toEqual([]);
    const again = await subject.claimed();
    expect(again.retrying).toMatchObject({ model: "a/b", failed: 2, waitsFor: AGAIN });
    expect(await subject.tryRetry(run, { failed: 3, pauses: 0, waitsFor: null })).toEqual({ ok: false, why: "fenced" });
    await subject.retry(again, { failed: 3, pauses: 0, waitsFor: null });
    expect((await subject.latest())?.projection.waitsFor).toBeNull();
    await subject.turn(again);
    await subject.nextKernel();
    expect((await subject.claimed()).retrying).toBeNull();
  },

  async "a released run keeps its retry count, and its end also ends the pause"(subject) {
    const run = await subject.running();
    await subject.retry(run, { failed: 0, pauses: 1, waitsFor: OUTAGE }, true);
    expect((await subject.latest())?.projection).toMatchObject({ state: "paused", waitsFor: OUTAGE });
    expect(await subject.claim()).toBeNull();
    await release(subject);
    const again = await subject.claimed();
    expect(again.retrying).toMatchObject({ pauses: 1, waitsFor: null });
    await subject.retry(again, { failed: 0, pauses: 2, waitsFor: OUTAGE }, true);
    await subject.send("next");
    expect(await subject.abort()).toMatchObject({ value: { aborted: true } });
    expect(await subject.state()).toBe("queued");
    expect(await subject.claimed()).toMatchObject({ resumed: false, retrying: null });
  },

  async "a run that is released for another model gets that model, and its failures are forgotten"(subject) {
    const run = await subject.running();
    await subject.retry(run, { failed: 0, pauses: 3, waitsFor: OUTAGE }, true);
    await subject.store.pause(subject.pid, null, { now: subject.now(), model: "c/d" });
    expect(await subject.claimed()).toMatchObject({ resumed: true, model: "c/d", retrying: null });
    expect(await subject.store.head(subject.pid)).toMatchObject({ currentModel: "c/d" });
  },

  async "a person's stop and the kernel's pause are separate: each has its own release"(subject) {
    const run = await subject.running();
    await subject.setStopped(true);
    expect(granted(await pause(subject)).state).toBe("stopped");
    expect(await subject.boundary(run)).toMatchObject({ ok: true, value: { leave: true } });
    expect(granted(await release(subject)).state).toBe("stopped");
    await pause(subject);
    expect(granted(await subject.setStopped(false)).state).toBe("paused");
    expect(granted(await release(subject)).state).toBe("running");
  },

  async "an abort while stopped ends the run and leaves the process stopped"(subject) {
    const run = await subject.running();
    await subject.setStopped(true);
    expect(await subject.abort()).toMatchObject({ value: { aborted: true, runId: run.runId } });
    expect(await subject.state()).toBe("stopped");
    expect(granted(await subject.setStopped(false)).state).toBe("idle");
  },

  async "a paused run is not given up when kernels come and go"(subject) {
    const run = await subject.running();
    await subject.setStopped(true);
    await subject.boundary(run);
    for (let start = 0; start < 5; start++) expect((await subject.nextKernel()).ends).toEqual([]);
    await subject.setStopped(false);
    expect(await subject.claimed()).toMatchObject({ runId: run.runId });
  },

  async "a failed process does nothing on any event until it is reset"(subject) {
    const run = await asking(subject);
    await subject.store.fail(subject.pid);
    await subject.answer("approve");
    await subject.send("hello");
    await subject.send("now!", { urgent: true });
    await subject.setStopped(true);
    await subject.setStopped(false);
    await pause(subject);
    await release(subject);
    await subject.abort();
    await subject.nextKernel();
    expect(await subject.state()).toBe("error");
    expect((await subject.latest())?.projection.waitsFor).toMatchObject({ kind: "repair" });
    expect(await subject.claim()).toBeNull();
    expect(await subject.tryTurn(run, { finish: DONE })).toMatchObject({ ok: false });
    await subject.cut();
    await subject.seal();
    expect(await subject.state()).toBe("idle");
    expect(await subject.running("hello")).toMatchObject({ resumed: false });
  },
};
