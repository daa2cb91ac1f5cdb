import { expect, test } from "bun:test";
import { freeAfterWork } from "../../src/kernel/lifetime/free-memory.ts";
import { FakeClock } from "../support/clock.ts";

function kernel() {
  const clock = new FakeClock();
  const is = { working: false, large: true };
  const freed: number[] = [];
  let change = () => {};
  const watch = (changed: () => void) => {
    change = changed;
    return () => {
      change = () => {};
    };
  };
  const free = () => {
    freed.push(clock.mono());
    return is.large;
  };
  const stop = freeAfterWork({ watch, isWorking: () => is.working, clock, free });
  return { clock, is, freed, change: () => change(), stop };
}

test("a small kernel frees memory once", async () => {
  const { clock, is, freed, change } = kernel();
  is.large = false;
  change();
  await clock.advance(100_000);
  expect(freed).toEqual([2000]);
  expect(clock.pending).toBe(0);
});

test("a large kernel frees memory 2 s after the last change and once more after 10 s, and then no timer is left", async () => {
  const { clock, freed, change } = kernel();
  for (let at = 0; at < 10; at++) {
    change();
    await clock.advance(1000);
  }
  await clock.advance(3_600_000);
  expect(freed).toEqual([11_000, 19_000]);
  expect(clock.pending).toBe(0);
});

test("a kernel that works frees nothing until it is done", async () => {
  const { clock, is, freed, change } = kernel();
  is.working = true;
  change();
  await clock.advance(10_000);
  expect(freed).toEqual([]);
  is.working = false;
  await clock.advance(3000);
  expect(freed).toHaveLength(1);
});

test("work between the two times begins again, and a kernel that ends has no timer", async () => {
  const { clock, freed, change, stop } = kernel();
  change();
  await clock.advance(5000);
  change();
  await clock.advance(5000);
  expect(freed).toEqual([2000, 7000]);
  stop();
  expect(clock.pending).toBe(0);
});

test("a kernel without a change frees nothing", async () => {
  const { clock, freed } = kernel();
  expect(clock.pending).toBe(0);
  await clock.advance(100_000);
  expect(freed).toEqual([]);
});
