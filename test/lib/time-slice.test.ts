// Long work shares the event loop: also many short pieces that start at once.

import { expect, test } from "bun:test";
import { TimeSlice } from "../../src/lib/clock.ts";

const WORKS = 20;
const STEPS = 5;
const STEP_MS = 1;

function busy(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test("other work gets a turn between the steps of many works, though each work is shorter than a slice", async () => {
  let turns = 0;
  let isOver = false;
  const others = () => {
    turns++;
    if (!isOver) setImmediate(others);
  };
  setImmediate(others);
  const work = async () => {
    const slice = new TimeSlice();
    for (let step = 0; step < STEPS; step++) {
      await slice.step();
      busy(STEP_MS);
    }
  };
  await Promise.all(Array.from({ length: WORKS }, work));
  isOver = true;
  expect(turns).toBeGreaterThanOrEqual(WORKS / 2);
});
