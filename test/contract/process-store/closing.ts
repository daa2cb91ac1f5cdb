// Reset and kill: a cut; everything before it is archived and removed, later messages wait and then continue.

import { expect } from "bun:test";
import { DONE, granted } from "../../support/process-subject.ts";
import type { Claims } from "./claims.ts";

export const CLOSING: Claims = {
  async "a cut ends the run in flight, its absorbed messages and the queue, each once"(subject) {
    const run = await subject.running();
    const absorbed = await subject.send("absorbed");
    await subject.boundary(run);
    const waiting = await subject.send("waiting");
    await subject.note("quiet");
    const { ends, closing } = await subject.cut();
    expect(ends.map(({ runId, status, reason, mergedInto }) => ({ runId, status, reason, mergedInto }))).toEqual([
      { runId: run.runId, status: "aborted", reason: "process.reset", mergedInto: null },
      { runId: absorbed, status: "aborted", reason: "process.reset", mergedInto: run.runId },
      { runId: waiting, status: "aborted", reason: "process.reset", mergedInto: null },
    ]);
    expect(closing).toMatchObject({ reason: "reset", cutSeq: 2, generation: 1 });
    expect(await subject.store.head(subject.pid)).toMatchObject({ generation: 2, queued: 0, state: "idle" });
  },

  async "the closing generation is read whole: messages by number, then a person's undelivered messages"(subject) {
    const run = await subject.running("one");
    const call = subject.call("Write");
    await subject.turn(run, { text: "I write", calls: [call] });
    await subject.carryOut(run, call);
    await subject.send("waits");
    await subject.note("quiet");
    await subject.cut();
    const { records, messages, undelivered } = await subject.closingRecords();
    expect({ messages, undelivered }).toEqual({ messages: 3, undelivered: 1 });
    expect(records.map(({ id, role, generation, undelivered: late }) => ({ id, role, generation, late }))).toEqual([
      { id: 1, role: "user", generation: 1, late: undefined },
      { id: 2, role: "assistant", generation: 1, late: undefined },
      { id: 3, role: "toolResult", generation: 1, late: undefined },
      { id: null, role: "user", generation: 1, late: true },
      { id: null, role: "system", generation: 1, late: true },
    ]);
  },

  async "the pages of a closing generation are the same for every page size"(subject) {
    for (let round = 0; round < 3; round++) await subject.turn(await subject.running(), { finish: DONE });
    await subject.send("waits");
    await subject.send("waits too");
    await subject.cut();
    const whole = await subject.closingRecords(100);
    expect(whole.records).toHaveLength(8);
    for (const limit of [1, 2, 3, 6, 7, 8]) expect(await subject.closingRecords(limit)).toEqual(whole);
  },

  async "a message sent while the process is closing waits, and belongs to the next generation"(subject) {
    await subject.running("before");
    await subject.cut();
    await subject.send("after");
    expect(await subject.claim()).toBeNull();
    expect((await subject.closingRecords()).records).toHaveLength(1);
    await subject.seal();
    const run = await subject.claimed();
    expect(run).toMatchObject({ generation: 2, entered: [{ id: 2, content: "after" }] });
  },

  async "numbers never restart"(subject) {
    await subject.turn(await subject.running(), { finish: DONE });
    await subject.cut();
    await subject.seal();
    await subject.turn(await subject.running("after"), { finish: DONE });
    expect((await subject.messages()).map((message) => message.id)).toEqual([3, 4]);
    await subject.cut();
    await subject.seal();
    expect(await subject.messages()).toEqual([]);
    expect((await subject.running("again")).entered).toMatchObject([{ id: 5 }]);
  },

  async "a seal removes everything before the cut, and nothing is removed earlier"(subject) {
    await subject.turn(await subject.running(), { finish: DONE });
    await subject.send("waits");
    await subject.cut();
    expect(await subject.messages()).toHaveLength(2);
    await subject.seal();
    expect(await subject.messages()).toEqual([]);
    expect(await subject.store.context(subject.pid)).toEqual([]);
    expect((await subject.closingRecords()).records).toEqual([]);
    expect((await subject.store.head(subject.pid)).closing).toBeNull();
    await subject.cut();
    expect((await subject.closingRecords()).records).toEqual([]);
  },

  async "the outcome of runs is still known after the seal"(subject) {
    const run = await subject.running();
    const waiting = await subject.send("waiting");
    await subject.cut();
    await subject.seal();
    expect(await subject.store.runEnd(subject.pid, run.runId)).toMatchObject({ status: "aborted" });
    expect(await subject.store.runEnd(subject.pid, waiting)).toMatchObject({ status: "aborted" });
  },

  async "a repeated reset continues the one under way"(subject) {
    await subject.running();
    const first = await subject.cut("reset", "key-reset");
    const again = await subject.cut("reset", "key-other");
    expect(again).toEqual({ closing: first.closing, ends: [], withdrawn: [] });
    expect((await subject.store.head(subject.pid)).generation).toBe(2);
  },

  async "a later kernel continues a reset where it stopped"(subject) {
    await subject.running();
    const first = await subject.cut("reset", "key-reset");
    await subject.send("after");
    await subject.nextKernel();
    expect((await subject.store.head(subject.pid)).closing).toEqual(first.closing);
    expect(await subject.claim()).toBeNull();
    expect((await subject.closingRecords()).messages).toBe(1);
    await subject.seal();
    expect(await subject.claimed()).toMatchObject({ resumed: false });
  },

  async "the answer is kept under the key of the request, and a second seal has no effect"(subject) {
    await subject.turn(await subject.running(), { finish: DONE });
    await subject.cut("reset", "key-reset");
    expect(await subject.store.answered(subject.pid, "key-reset")).toBeNull();
    await subject.seal({ archivedMessages: 2 });
    await subject.send("after");
    await subject.seal({ archivedMessages: 0 });
    expect(await subject.store.answered(subject.pid, "key-reset")).toEqual({ archivedMessages: 2 });
    expect((await subject.store.head(subject.pid)).queued).toBe(1);
  },

  async "a process that is being killed takes no messages and no reset"(subject) {
    await subject.running();
    await subject.cut("kill");
    expect(await subject.admit(subject.admission("hello"))).toEqual({ ok: false, why: "no-process" });
    const { pid } = subject;
    const reset = { reason: "reset", archive: true, archiveId: "a", requestKey: "k", now: subject.now() } as const;
    expect(await subject.store.cut(pid, reset)).toEqual({ ok: false, why: "no-process" });
  },

  async "a kill takes over a reset: its cut is later, with the messages in between"(subject) {
    await subject.running("before");
    await subject.cut("reset");
    const between = await subject.send("between");
    const { ends, closing } = await subject.cut("kill");
    expect(ends).toMatchObject([{ runId: between, status: "aborted", reason: "process.kill" }]);
    expect(closing).toMatchObject({ reason: "kill", cutSeq: 1, generation: 2 });
    const { messages, undelivered } = await subject.closingRecords();
    expect({ messages, undelivered }).toEqual({ messages: 1, undelivered: 1 });
  },

  async "a stop survives a reset, a pause does not"(subject) {
    await subject.setStopped(true);
    await subject.store.pause(subject.pid, { kind: "limit", reason: "spent" }, { now: subject.now() });
    await subject.cut();
    await subject.seal();
    expect(await subject.store.head(subject.pid)).toMatchObject({ stopped: true, paused: null, state: "stopped" });
  },

  async "an empty process is closed like any other"(subject) {
    expect(await subject.cut()).toMatchObject({ ends: [], withdrawn: [], closing: { cutSeq: 0 } });
    expect(await subject.closingRecords()).toEqual({ records: [], messages: 0, undelivered: 0 });
    await subject.seal();
    expect(await subject.state()).toBe("idle");
  },

  async "removed messages are not found by their key either"(subject) {
    await subject.store.remove(subject.pid);
    expect(await subject.store.exists(subject.pid)).toBe(false);
    expect(await subject.store.answered(subject.pid, "key")).toBeNull();
    await subject.store.create(subject.pid, { profile: "task", identity: {}, now: subject.now() });
    granted(await subject.admit(subject.admission("hello")));
    expect((await subject.claimed()).entered).toMatchObject([{ id: 1 }]);
  },
};
