// The kernel's own actions on a run: it stops a silent run, resumes one after a fault, and remembers the time limit.

import { expect } from "bun:test";
import { granted, type Subject } from "../../support/process-subject.ts";
import type { Claims } from "./claims.ts";

const WHY = "stopped after 30 minutes without activity";

const halt = (
  subject: Subject,
  more: { readonly atOnce?: boolean; readonly why?: string } = { atOnce: true, why: WHY },
) => subject.store.setStopped(subject.pid, { stopped: true, now: subject.now(), ...more });

export const CARE: Claims = {
  async "an immediate stop of a run fences it where it is, and it resumes with its calls"(subject) {
    const run = await subject.running();
    const call = subject.call("Write");
    await subject.turn(run, { calls: [call] });
    await subject.begin(run, call);
    expect(granted(await halt(subject))).toMatchObject({ state: "stopped", stoppedWhy: WHY, currentRun: run.runId });
    expect(await subject.tryEnd(run, call)).toEqual({ ok: false, why: "fenced" });
    expect((await subject.latest())?.projection).toMatchObject({ state: "stopped", waitsFor: { kind: "limit" } });
    await subject.setStopped(false);
    const again = await subject.claimed();
    expect(again).toMatchObject({ runId: run.runId, resumed: true });
    // Its outcome is unknown, and that is its result.
    expect(await subject.store.openCalls(subject.pid, run.runId)).toEqual([]);
  },

  async "a person's stop stays in force and replaces the kernel's"(subject) {
    await subject.setStopped(true);
    expect(granted(await halt(subject, { why: WHY }))).toMatchObject({ stopped: true, stoppedWhy: null });
    await subject.setStopped(false);
    expect(granted(await halt(subject, { why: WHY }))).toMatchObject({ stoppedWhy: WHY });
    expect(granted(await subject.setStopped(true))).toMatchObject({ stoppedWhy: null });
    expect(granted(await subject.setStopped(false))).toMatchObject({ stopped: false, stoppedWhy: null });
  },

  async "an immediate stop of an idle or broken process changes no more than a stop"(subject) {
    expect(granted(await halt(subject))).toMatchObject({ state: "stopped" });
    await subject.setStopped(false);
    await subject.store.fail(subject.pid);
    expect(granted(await halt(subject))).toMatchObject({ state: "error" });
  },

  async "a run that faulted waits for its instant, counted, across kernels, and continues where it was"(subject) {
    const run = await subject.running();
    await subject.turn(run);
    const waitsFor = { kind: "restart", reason: "a fault", until: 5000, attempt: 1 } as const;
    const options = { runId: run.runId, restarts: { count: 1, at: 5000 }, waitsFor };
    expect(await subject.store.restart(subject.pid, run.epoch, { ...options, runId: "another" })).toMatchObject({
      ok: false,
    });
    expect(await subject.store.restart(subject.pid, run.epoch, options)).toMatchObject({ ok: true });
    expect((await subject.latest())?.projection).toMatchObject({ state: "paused", waitsFor, activeRunId: run.runId });
    expect(await subject.claim()).toBeNull();
    expect((await subject.nextKernel()).ends).toEqual([]);
    await subject.store.pause(subject.pid, null, { now: subject.now() });
    expect(await subject.claimed()).toMatchObject({ runId: run.runId, resumed: true, turn: 1 });
    expect((await subject.store.head(subject.pid)).restarts).toEqual({ count: 1, at: 5000 });
  },

  async "the next kernel knows a run's time limit; a kernel that lost the process changes nothing of it"(subject) {
    const timing = { runId: "a", capAt: 4, endsAt: 3, seenAt: 2 };
    expect(await subject.store.timing(subject.pid)).toBeNull();
    await subject.store.keepTiming(subject.pid, timing);
    const before = subject.store;
    await subject.nextKernel();
    expect(await subject.store.timing(subject.pid)).toEqual(timing);
    await before.keepTiming(subject.pid, { ...timing, endsAt: 9 });
    expect(await subject.store.timing(subject.pid)).toEqual(timing);
  },
};
