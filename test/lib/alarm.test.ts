// Alarms: each key rings once, at its instant, also after a clock change; one timer serves all of them.

import { expect, test } from "bun:test";
import { Alarms } from "../../src/lib/alarm.ts";
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
  return { clock, rung, faults, alarms: new Alarms<string>({ clock, ring, onFault, ...options }) };
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
