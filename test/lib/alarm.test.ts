// Alarms: each key rings once, at its instant, also after a clock change; one timer serves all of them.

import { expect, test } from "bun:test";
import { Alarms, DueQueue } from "../../src/lib/alarm.ts";
import { FakeClock } from "../support/clock.ts";

const MINUTE = 60_000;

function alarms(options: { readonly monotonic?: boolean } = {}) {
  const clock = new FakeClock();
  const rung: string[] = [];
  const faults: unknown[] = [];
  const onFault = (error: unknown) => faults.push(error);
  const ring = async (key: string) => {
    rung.push(key);
    if (key === "broken") throw new Error("broken");
  };
  return {
    clock,
    rung,
    faults,
    alarms: new Alarms<string>({ queue: new DueQueue({ clock, onFault }), ring, ...options }),
  };
}

test("each key rings once at its instant, in the order of the instants, by one timer", async () => {
  const { clock, rung, alarms: all } = alarms();
  const now = clock.now();
  all.set("late", now + 10 * MINUTE);
  all.set("soon", now + 5000);
  all.set("moved", now + 1000);
  all.set("moved", now + 6000);
  expect([clock.pending, all.dueWithinMs()]).toEqual([1, 5000]);
  await clock.advance(4999);
  expect(rung).toEqual([]);
  await clock.advance(1001);
  expect(rung).toEqual(["soon", "moved"]);
  await clock.advance(20 * MINUTE);
  expect(rung).toEqual(["soon", "moved", "late"]);
  expect([clock.pending, all.dueWithinMs()]).toEqual([0, null]);
});

test("a deleted key does not ring, and leaves no timer behind", async () => {
  const { clock, rung, alarms: all } = alarms();
  all.set("a", clock.now() + 1000);
  all.delete("a");
  expect(clock.pending).toBe(0);
  all.set("b", clock.now() + 1000);
  all.clear();
  await clock.advance(MINUTE);
  expect([rung, clock.pending]).toEqual([[], 0]);
});

test("a clock that jumps ahead is noticed within a minute, and one that jumps back does not extend a wait", async () => {
  const { clock, rung, alarms: all } = alarms();
  all.set("tomorrow", clock.now() + 24 * 60 * MINUTE);
  clock.setWall(clock.now() + 25 * 60 * MINUTE);
  await clock.advance(MINUTE);
  expect(rung).toEqual(["tomorrow"]);

  const spans = alarms({ monotonic: true });
  spans.alarms.set("retry", spans.clock.mono() + 1000);
  spans.clock.setWall(spans.clock.now() - 60 * MINUTE);
  await spans.clock.advance(1000);
  expect(spans.rung).toEqual(["retry"]);
});

test("a key that fails is reported and does not stop others from ringing", async () => {
  const { clock, rung, faults, alarms: all } = alarms();
  for (const key of ["broken", "fine"]) all.set(key, clock.now() + 1000);
  await clock.advance(1000);
  expect([rung, faults.length]).toEqual([["broken", "fine"], 1]);
});

test("all parts share one timer and ring in the order of their instants, whatever clock they use", async () => {
  const clock = new FakeClock();
  const queue = new DueQueue({ clock, onFault: () => {} });
  const rung: string[] = [];
  const ring = (key: string) => void rung.push(key);
  const [first, second] = [new Alarms({ queue, ring }), new Alarms({ queue, ring, monotonic: true })];
  first.set("b", clock.now() + 2000);
  second.set("a", clock.mono() + 1000);
  first.set("c", clock.now() + 3000);
  expect([clock.pending, queue.dueWithinMs()]).toEqual([1, 1000]);
  second.clear();
  expect(clock.pending).toBe(1);
  second.set("a", clock.mono() + 1000);
  await clock.advance(5000);
  expect([rung, clock.pending]).toEqual([["a", "b", "c"], 0]);
});

test("after a sleep, what is overdue rings in the order of the instants", async () => {
  const { clock, rung, alarms: all } = alarms();
  for (const [key, minutes] of [
    ["late", 50],
    ["early", 40],
  ] as const)
    all.set(key, clock.now() + minutes * MINUTE);
  clock.setWall(clock.now() + 60 * MINUTE);
  await clock.advance(MINUTE);
  expect(rung).toEqual(["early", "late"]);
});

test("a jump of the clock either way and another time zone are reported once, a correction is not", async () => {
  const clock = new FakeClock();
  let zone = "Europe/Berlin";
  const queue = new DueQueue({ clock, onFault: () => {}, zone: () => zone });
  const jumps: number[] = [];
  queue.onJump((byMs) => jumps.push(byMs));
  new Alarms({ queue, ring: () => {} }).set("far", clock.now() + 20 * 60 * MINUTE);
  clock.setWall(clock.now() + 900);
  await clock.advance(MINUTE);
  expect(jumps).toEqual([]);
  clock.setWall(clock.now() + 5 * MINUTE);
  await clock.advance(2 * MINUTE);
  clock.setWall(clock.now() - 7 * MINUTE);
  await clock.advance(2 * MINUTE);
  zone = "Asia/Tokyo";
  await clock.advance(2 * MINUTE);
  expect(jumps).toEqual([5 * MINUTE, -7 * MINUTE, 0]);
});

test("what is due in weeks is looked at twice an hour", async () => {
  const { clock, alarms: all } = alarms();
  all.set("far", clock.now() + 30 * 24 * 60 * MINUTE);
  expect([clock.isDueWithin(29 * MINUTE), clock.isDueWithin(30 * MINUTE)]).toEqual([false, true]);
});
