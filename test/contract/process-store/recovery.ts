// After the death of a kernel: a later one finds runs, resumes them or gives them up; and the outbox brings kernel.db up to date.

import { expect } from "bun:test";
import { DONE } from "../../support/process-subject.ts";
import type { Claims } from "./claims.ts";

export const RECOVERY: Claims = {
  async "a run with a dead kernel resumes with everything it had committed"(subject) {
    const run = await subject.running();
    await subject.turn(run);
    await subject.nextKernel();
    const again = await subject.claimed();
    expect(again).toMatchObject({ resumed: true, runId: run.runId, turn: 1, entered: [] });
    expect(again.epoch).toBeGreaterThan(run.epoch);
    await subject.turn(again, { finish: DONE });
    expect((await subject.messages()).map((message) => message.id)).toEqual([1, 2, 3]);
  },

  async "an interrupted read is repeated, an effect is not: its outcome is unknown"(subject) {
    const run = await subject.running();
    const calls = [subject.call("Read", "read"), subject.call("Write"), subject.call("Edit")];
    await subject.turn(run, { calls });
    await subject.begin(run, calls[0]!);
    await subject.begin(run, calls[1]!);
    await subject.nextKernel();
    const again = await subject.claimed();
    const open = await subject.store.openCalls(subject.pid, again.runId);
    expect(open.map(({ callId, status }) => ({ callId, status }))).toEqual([
      { callId: calls[0]!.callId, status: "approved" },
      { callId: calls[2]!.callId, status: "registered" },
    ]);
    expect((await subject.lines()).at(-1)).toBe(`3 toolResult: unknown ${calls[1]!.callId}`);
    expect(await subject.begin(again, calls[1]!)).toEqual({ ok: false, why: "fenced" });
  },

  async "a call that was approved and not started keeps its approval"(subject) {
    const run = await subject.running();
    const call = subject.call("Delete");
    await subject.turn(run, { calls: [call] });
    await subject.asks(run, call);
    await subject.answer("approve");
    await subject.nextKernel();
    const again = await subject.claimed();
    expect(await subject.store.openCalls(subject.pid, again.runId)).toMatchObject([{ status: "approved" }]);
  },

  async "a run in flight at three deaths of a kernel without a commit between is given up"(subject) {
    const run = await subject.running();
    const waiting = await subject.send("next");
    const call = subject.call("Write");
    await subject.turn(run, { calls: [call] });
    for (let death = 1; death <= 2; death++) {
      expect((await subject.nextKernel()).ends).toEqual([]);
      await subject.claimed();
    }
    const { ends } = await subject.nextKernel();
    expect(ends).toMatchObject([{ runId: run.runId, status: "error", reason: "kernel.deaths" }]);
    expect((await subject.lines()).at(-1)).toBe(`3 toolResult: cancelled ${call.callId}`);
    expect(await subject.claimed()).toMatchObject({ resumed: false, runId: waiting });
  },

  async "a commit between two deaths is progress: the count restarts"(subject) {
    await subject.running();
    for (let death = 0; death < 8; death++) {
      expect((await subject.nextKernel()).ends).toEqual([]);
      const again = await subject.claimed();
      if (death % 2 === 1) await subject.turn(again);
    }
  },

  async "the result of a call is progress too"(subject) {
    const run = await subject.running();
    const calls = Array.from({ length: 6 }, () => subject.call("Write"));
    await subject.turn(run, { calls });
    for (const call of calls) {
      expect((await subject.nextKernel()).ends).toEqual([]);
      await subject.carryOut(await subject.claimed(), call);
    }
  },

  async "a queue and its quiet events survive the kernel"(subject) {
    await subject.note("quiet");
    await subject.send("one");
    await subject.nextKernel();
    expect((await subject.claimed()).entered.map((message) => message.content)).toEqual(["quiet", "one"]);
  },

  async "a second adoption has no effect"(subject) {
    await subject.running();
    for (let again = 0; again < 5; again++) {
      expect((await subject.store.adopt(subject.pid, { now: subject.now() })).ends).toEqual([]);
    }
    expect(await subject.claimed()).toMatchObject({ resumed: true });
  },

  async "creating an existing process changes nothing"(subject) {
    await subject.running();
    const before = await subject.store.head(subject.pid);
    await subject.store.create(subject.pid, { profile: "init", identity: {}, now: subject.now() });
    expect(await subject.store.head(subject.pid)).toEqual(before);
  },

  async "every visible change goes out once, in order, and stays until it is cleared"(subject) {
    await subject.turn(await subject.running(), { finish: DONE });
    const rows = await subject.store.outbox(subject.pid);
    expect(rows.map((row) => row.projection.state)).toEqual(["queued", "running", "idle"]);
    expect(rows.map((row) => row.seq)).toEqual(rows.map((row) => row.seq).toSorted((a, b) => a - b));
    expect(await subject.store.outbox(subject.pid)).toEqual(rows);
    await subject.store.clearOutbox(subject.pid, rows[1]!.seq);
    expect(await subject.store.outbox(subject.pid)).toEqual(rows.slice(2));
    expect(await subject.store.projection(subject.pid)).toEqual(rows[2]!.projection);
  },

  async "numbers of the outbox only rise: under a later kernel, and in a replacement of a damaged database"(subject) {
    await subject.send("one");
    const first = (await subject.latest())?.seq ?? 0;
    await subject.nextKernel();
    await subject.send("two");
    const second = (await subject.latest())?.seq ?? 0;
    await subject.store.quarantine(subject.pid, subject.now());
    await subject.store.create(subject.pid, { profile: "task", identity: {}, now: subject.now() });
    await subject.store.fail(subject.pid);
    const third = (await subject.latest())?.seq ?? 0;
    expect(second).toBeGreaterThan(first);
    expect(third).toBeGreaterThan(second);
    expect(Number.isSafeInteger(third)).toBe(true);
  },

  async "a verb without a visible change sends nothing"(subject) {
    const run = await subject.running();
    const rows = await subject.store.outbox(subject.pid);
    await subject.boundary(run, false);
    await subject.store.logCall(subject.pid, { at: 1, call: "fs.read", args: "{}", outcome: "ok", ms: 1 });
    await subject.store.adopt(subject.pid, { now: subject.now() });
    expect(await subject.store.outbox(subject.pid)).toEqual(rows);
  },
};
