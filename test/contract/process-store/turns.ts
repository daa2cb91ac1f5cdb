// The records of a run: turns, calls with their results, one end for every run id.

import { expect } from "bun:test";
import { NO_USAGE } from "../../../src/abi/process/process.ts";
import { DONE } from "../../support/process-subject.ts";
import type { Claims } from "./claims.ts";

export const TURNS: Claims = {
  async "messages are numbered from 1 without gaps, whatever they are"(subject) {
    const run = await subject.running();
    const calls = [subject.call("Read", "read"), subject.call("Write")];
    await subject.turn(run, { calls });
    for (const call of calls) await subject.carryOut(run, call);
    await subject.turn(run, { finish: DONE });
    const messages = await subject.messages();
    expect(messages.map((message) => message.id)).toEqual([1, 2, 3, 4, 5]);
    expect(messages.map((message) => message.role)).toEqual([
      "user",
      "assistant",
      "toolResult",
      "toolResult",
      "assistant",
    ]);
  },

  async "a turn keeps its text, its thinking and its calls"(subject) {
    const run = await subject.running();
    const call = subject.call("Read", "read");
    await subject.turn(run, { text: "let me see", thinking: "hm", calls: [call] });
    expect((await subject.messages())[1]?.content).toEqual({
      text: "let me see",
      thinking: "hm",
      toolCalls: [{ id: call.callId, name: "Read", args: { path: "/a" } }],
    });
  },

  async "turns are counted within the run, and a resumed run continues the count"(subject) {
    const run = await subject.running();
    expect(await subject.turn(run)).toMatchObject({ turn: 1, seq: 2 });
    const again = await subject.claimed();
    expect(again).toMatchObject({ resumed: true, turn: 1 });
    expect(await subject.turn(again)).toMatchObject({ turn: 2, seq: 3 });
  },

  async "a run ends with its last turn: status, text and the usage of all its turns"(subject) {
    const run = await subject.running();
    await subject.turn(run, { usage: { ...NO_USAGE, input: 100, costUsd: 0.25 } });
    const { ends } = await subject.turn(run, { text: "42", finish: DONE, usage: { ...NO_USAGE, input: 50 } });
    const end = {
      runId: run.runId,
      status: "ok",
      reason: "turn.complete",
      text: "42",
      error: null,
      mergedInto: null,
      usage: { ...NO_USAGE, input: 150, costUsd: 0.25 },
    } as const;
    expect(ends).toEqual([end]);
    expect(await subject.store.runEnd(subject.pid, run.runId)).toEqual(end);
    expect(await subject.store.head(subject.pid)).toMatchObject({
      state: "idle",
      lastRun: run.runId,
      currentRun: null,
    });
  },

  async "a run is open from its admission until it ends, and an unknown run has no state"(subject) {
    const runId = await subject.send("hello");
    expect(await subject.store.runEnd(subject.pid, runId)).toBe("open");
    const run = await subject.claimed();
    expect(await subject.store.runEnd(subject.pid, runId)).toBe("open");
    await subject.turn(run, { finish: DONE });
    expect(await subject.store.runEnd(subject.pid, runId)).toMatchObject({ status: "ok" });
    expect(await subject.store.runEnd(subject.pid, "run-of-nobody")).toBeNull();
  },

  async "the end of the last run is reported once, with its outcome"(subject) {
    await subject.turn(await subject.running(), { text: "all done", finish: DONE });
    const told = (await subject.store.outbox(subject.pid)).flatMap((row) => row.ended ?? []);
    expect(told).toHaveLength(1);
    expect(told[0]?.text).toStartWith("ok");
  },

  async "an end with more work waiting is not reported"(subject) {
    const run = await subject.running();
    await subject.send("more");
    await subject.turn(run, { finish: DONE });
    expect((await subject.store.outbox(subject.pid)).every((row) => row.ended === null)).toBe(true);
    expect(await subject.state()).toBe("queued");
  },

  async "waiting messages enter a run at its boundary, keep their run ids, and each gets exactly one finish"(subject) {
    const run = await subject.running();
    const second = await subject.send("second");
    const third = await subject.send("third");
    const boundary = await subject.boundary(run);
    expect(boundary).toMatchObject({
      ok: true,
      value: { leave: false, entered: [{ runId: second, content: "second" }, { runId: third }] },
    });
    expect(await subject.store.runEnd(subject.pid, second)).toBe("open");
    const { ends } = await subject.turn(run, { text: "to all", finish: DONE });
    expect(ends.map(({ runId, status, mergedInto }) => ({ runId, status, mergedInto }))).toEqual([
      { runId: run.runId, status: "ok", mergedInto: null },
      { runId: second, status: "ok", mergedInto: run.runId },
      { runId: third, status: "ok", mergedInto: run.runId },
    ]);
    expect(await subject.claim()).toBeNull();
    expect(await subject.abort(second)).toMatchObject({ value: { aborted: false } });
    expect(await subject.store.runEnd(subject.pid, second)).toMatchObject({ status: "ok", mergedInto: run.runId });
  },

  async "no message enters between a call and its result"(subject) {
    const run = await subject.running();
    await subject.send("waits");
    expect(await subject.boundary(run, false)).toMatchObject({ value: { entered: [], leave: false } });
    expect((await subject.store.head(subject.pid)).queued).toBe(1);
  },

  async "calls wait in source order until each has its result"(subject) {
    const run = await subject.running();
    const calls = [subject.call("Read", "read"), subject.call("Write"), subject.call("Edit")];
    await subject.turn(run, { calls });
    const open = await subject.store.openCalls(subject.pid, run.runId);
    expect(open).toEqual(calls.map((call) => ({ ...call, status: "registered" })));
    await subject.carryOut(run, calls[0]!);
    await subject.begin(run, calls[1]!);
    const left = await subject.store.openCalls(subject.pid, run.runId);
    expect(left.map((call) => call.status)).toEqual(["dispatched", "registered"]);
    expect(await subject.state()).toBe("waiting_tool");
  },

  async "a call has exactly one result: a second one is refused"(subject) {
    const run = await subject.running();
    const call = subject.call("Write");
    await subject.turn(run, { calls: [call] });
    await subject.carryOut(run, call);
    expect(await subject.tryEnd(run, call, "failed")).toEqual({ ok: false, why: "fenced" });
    expect(await subject.begin(run, call)).toEqual({ ok: false, why: "fenced" });
    expect((await subject.lines()).slice(2)).toEqual([`3 toolResult: completed ${call.callId}`]);
  },

  async "an unfinished call gets its result when the run ends, and an effect under way is unknown, not cancelled"(
    subject,
  ) {
    const ends = ["abort", "finish", "commit"] as const;
    for (const way of ends) {
      const run = await subject.running();
      const calls = [subject.call("Write"), subject.call("Read", "read")];
      await subject.turn(run, { calls });
      await subject.begin(run, calls[0]!);
      const end = { runId: run.runId, ...DONE, note: null, now: subject.now() };
      if (way === "abort") expect(await subject.abort()).toMatchObject({ value: { interruptedToolCalls: 2 } });
      if (way === "finish") await subject.store.finish(subject.pid, run.epoch, end);
      if (way === "commit") await subject.turn(run, { finish: DONE });
      const results = (await subject.lines()).filter((line) => /toolResult: (?:unknown|cancelled)/.test(line));
      const [begun, untouched] = calls.map((call) => call.callId);
      expect(results.slice(-2).map((line) => line.replace(/^\d+ /, ""))).toEqual([
        `toolResult: unknown ${begun}`,
        `toolResult: cancelled ${untouched}`,
      ]);
      expect(await subject.store.openCalls(subject.pid, run.runId)).toEqual([]);
    }
  },

  async "a run that ends with a note has it in history"(subject) {
    const run = await subject.running();
    const failed = { status: "unavailable", reason: "model.outage", error: "no answer" } as const;
    const end = { runId: run.runId, ...failed, note: "Generation failed: no answer", now: subject.now() };
    expect(await subject.store.finish(subject.pid, run.epoch, end)).toMatchObject({ ok: true, value: [failed] });
    expect(await subject.lines()).toEqual(["1 user: hello", "2 system: Generation failed: no answer"]);
  },

  async "an abort returns the run that it ended and the next one"(subject) {
    const run = await subject.running();
    const next = await subject.send("next");
    const aborted = await subject.abort(run.runId, "key-abort");
    expect(aborted).toMatchObject({
      value: { aborted: true, runId: run.runId, nextRunId: next, ends: [{ status: "aborted", reason: "user.abort" }] },
    });
    expect(await subject.abort(run.runId, "key-abort")).toMatchObject({ replay: true, value: { runId: run.runId } });
    expect(await subject.store.runEnd(subject.pid, next)).toBe("open");
  },

  async "an abort of another run, or of none, ends nothing"(subject) {
    expect(await subject.abort()).toMatchObject({ ok: true, value: { aborted: false, ends: [] } });
    const run = await subject.running();
    expect(await subject.abort("run-of-nobody")).toMatchObject({ ok: true, value: { aborted: false } });
    expect(await subject.tryTurn(run, { finish: DONE })).toMatchObject({ ok: true });
  },
};
