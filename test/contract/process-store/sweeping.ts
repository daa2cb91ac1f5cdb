// Clean-up: ended runs and logged calls older than an instant, so many at once, and never the process's last run.

import { expect } from "bun:test";
import { DONE, type Subject } from "../../support/process-subject.ts";
import type { Claims } from "./claims.ts";

async function answered(subject: Subject, text: string): Promise<string> {
  const run = await subject.running(text);
  await subject.turn(run, { text: "done", finish: DONE });
  return run.runId;
}

export const SWEEPING: Claims = {
  async "ended runs older than an instant go, oldest first and so many at once; the messages stay"(subject) {
    const { store, pid } = subject;
    const runs = [await answered(subject, "a"), await answered(subject, "b"), await answered(subject, "c")];
    const runsBefore = subject.now();
    const young = await answered(subject, "d");
    await answered(subject, "e");
    const old = { runsBefore, callsBefore: null, rowsMax: 2 };
    expect(await store.opened()).toEqual([pid]);
    expect(await store.sweep(pid, old)).toBe(2);
    const left = async (ids: readonly string[]) => {
      const ends = await Promise.all(ids.map((id) => store.runEnd(pid, id)));
      return ends.map((end) => end !== null);
    };
    expect(await left([...runs, young])).toEqual([false, false, true, true]);
    expect(await store.sweep(pid, old)).toBe(1);
    expect(await store.sweep(pid, old)).toBe(0);
    expect(await left([...runs, young])).toEqual([false, false, false, true]);
    expect(await subject.messages()).toHaveLength(10);
  },

  async "the last run and one that is active stay, whatever the instant"(subject) {
    const { store, pid } = subject;
    const last = await answered(subject, "a");
    const old = { runsBefore: subject.now() + 1_000_000, callsBefore: null, rowsMax: 100 };
    expect(await store.sweep(pid, old)).toBe(0);
    expect(await store.runEnd(pid, last)).toMatchObject({ status: "ok" });
    const open = await subject.running("b");
    expect(await store.sweep(pid, old)).toBe(0);
    expect(await store.runEnd(pid, open.runId)).toBe("open");
    expect((await store.projection(pid)).lastStatus).toBe("ok");
  },

  async "logged calls older than an instant go, the oldest first"(subject) {
    const { store, pid } = subject;
    for (const at of [1, 2, 3, 4]) await store.logCall(pid, { at, call: "fs.read", args: "{}", outcome: "ok", ms: 1 });
    expect(await store.sweep(pid, { runsBefore: null, callsBefore: 4, rowsMax: 2 })).toBe(2);
    expect((await store.trace(pid, { limit: 10 })).map(({ at }) => at)).toEqual([3, 4]);
    expect(await store.sweep(pid, { runsBefore: null, callsBefore: 4, rowsMax: 2 })).toBe(1);
    expect((await store.trace(pid, { limit: 10 })).map(({ at }) => at)).toEqual([4]);
  },

  async "a kernel that lost the process sweeps nothing"(subject) {
    await subject.store.logCall(subject.pid, { at: 1, call: "fs.read", args: "{}", outcome: "ok", ms: 1 });
    const { stale } = await subject.nextKernel();
    expect(await stale.sweep(subject.pid, { runsBefore: null, callsBefore: 9, rowsMax: 9 })).toBe(0);
    expect(await subject.store.trace(subject.pid, { limit: 10 })).toHaveLength(1);
  },
};
