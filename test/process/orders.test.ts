// Orders of steps that look interchangeable and are not: each test fails when the two steps are swapped.

import { expect, test } from "bun:test";
import { DueQueue } from "../../src/lib/alarm.ts";
import { type OutagePorts, Outages } from "../../src/process/faults/outage.ts";
import { type BudgetPorts, Budgets, type Reservation } from "../../src/process/limits/budgets.ts";
import { Runners, type RunnersOptions } from "../../src/process/run/runners.ts";
import type { ProcessRow } from "../../src/store/kernel/processes/processes.ts";
import { FakeClock } from "../support/clock.ts";

const PID = "task:aaaaaa";
const ROW = { pid: PID, ownerUid: 1000, phase: "live", state: "running" } as ProcessRow;

/** Steps of promises, not of time. */
async function ticks(count: number): Promise<void> {
  for (let at = 0; at < count; at++) await Promise.resolve();
}

test("an abort that comes while a run is claimed ends that run", async () => {
  const claimed = { runId: "run", epoch: 1, turn: 0, resumed: true, entered: [], retrying: null, model: null };
  const aborted: boolean[] = [];
  let claims = 0;
  const options = {
    processes: { get: async () => ROW },
    store: {
      async claim() {
        if (claims++ > 0) return null;
        // A reset fences the run at this moment.
        runners.interrupt(PID);
        return claimed;
      },
    },
    ledger: {
      write: (_row: unknown, work: () => Promise<unknown>) => work(),
      publish: async () => {},
      wasInterrupted: () => false,
    },
    clock: new FakeClock(),
    timeouts: { begin: async () => {}, leave: async () => {} },
    onFault(error: unknown) {
      throw error;
    },
    ports: {
      clock: new FakeClock(),
      runOver() {},
      resetContext: async () => {},
      toolCalls: {
        async runAll({ signal }: { signal: AbortSignal }) {
          aborted.push(signal.aborted);
          return "left";
        },
      },
    },
  };
  const runners: Runners = new Runners(options as unknown as RunnersOptions);
  runners.wake(PID);
  await runners.quiet(PID, 1000);
  expect(aborted).toEqual([true]);
});

test("a run that waits for reserved money continues at whatever moment the other run settles", async () => {
  const limits = { micros: 100 };
  const used = { micros: 0, tokens: 0, ms: 0 };
  const ports = {
    budgets: { above: async () => [{ id: 1, pid: PID, limits, used }] },
    dayOf: async () => null,
    ledger: { emit() {} },
    clock: new FakeClock(),
    queue: new DueQueue({ clock: new FakeClock(), onFault: () => {} }),
  };
  const { signal } = new AbortController();
  const most = async () => ({ micros: 80, tokens: 0, ms: 0 });
  for (let moment = 0; moment < 40; moment++) {
    const budgets = new Budgets(ports as unknown as BudgetPorts);
    const first = (await budgets.reserve(ROW, { most, signal })) as Reservation;
    let second: Reservation | null | "paused" = null;
    const waiting = budgets.reserve(ROW, { most, signal }).then((reserved) => {
      second = reserved;
    });
    await ticks(moment);
    await budgets.settle(first);
    await ticks(40);
    expect([moment, second]).toEqual([moment, expect.objectContaining({ most: await most() })]);
    await waiting;
  }
});

test("the next probe of a provider is due although the failed one is not stored with the others yet", async () => {
  const clock = new FakeClock();
  const resumed: string[] = [];
  const paused = (pid: string): ProcessRow =>
    ({
      ...ROW,
      pid,
      state: "paused",
      waitsFor: { kind: "outage", model: "anthropic/x", until: clock.now() },
    }) as ProcessRow;
  const ports = {
    clock,
    queue: new DueQueue({ clock, onFault: () => {} }),
    processes: { get: async (pid: string) => paused(pid) },
    // A full disk: nothing is ever written.
    ledger: { write: () => new Promise(() => {}) },
    resume: async ({ pid }: ProcessRow) => void resumed.push(pid),
    onFault(error: unknown) {
      throw error;
    },
  };
  const outages = new Outages(ports as unknown as OutagePorts);
  const { waitsFor } = outages.failed(ROW, "anthropic/x", { class: "outage", message: "529" });
  outages.waits(ROW, waitsFor);
  outages.waits(paused("task:bbbbbb"), waitsFor);
  await clock.advance(waitsFor.until + 5000 - clock.now());
  expect(resumed).toHaveLength(1);
  const [probing = ""] = resumed;
  const next = outages.failed(paused(probing), "anthropic/x", {
    class: "network",
    message: "no route",
    isOffline: true,
  });
  outages.waits(paused(probing), next.waitsFor);
  await clock.advance(next.waitsFor.until + 5000 - clock.now());
  expect(resumed).toHaveLength(2);
  outages.stop();
});
