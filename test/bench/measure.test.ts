// The arithmetic of the benchmarks: a wrong median would falsify every row.

import { expect, test } from "bun:test";
import { compared, comparedTable } from "./compare.ts";
import { exponentOf } from "./kernel/growth.ts";
import { median, passes, quantile, rowOf, table, timed } from "./measure.ts";

test("the median of an even count is between the middle two, in any order of samples", () => {
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([9, 1, 5])).toBe(5);
  expect(quantile([...Array(101).keys()], 0.95)).toBe(95);
});

test("warm-up rounds run and are not counted", async () => {
  const seen: number[] = [];
  expect(await timed(10, async (round) => seen.push(round))).toHaveLength(10);
  expect(seen).toEqual([-2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test("a row passes up to its budget, and a row without a budget always passes", () => {
  expect(passes(rowOf("a", [1, 2, 3], { budget: 2 }))).toBe(true);
  expect(passes(rowOf("a", [1, 2.1, 3], { budget: 2 }))).toBe(false);
  expect(passes(rowOf("a", [1000], {}))).toBe(true);
});

test("the table shows median, floor and budget in their unit, and marks rows over budget", () => {
  const text = table([
    rowOf("fast", [1, 2, 3], { floor: { value: 1.5, what: "nothing" }, budget: 2 }),
    rowOf("heavy", [200], { unit: "MB", budget: 120 }),
  ]);
  const [head, fast, heavy] = text.split("\n");
  expect(head).toMatch(/^\s+median\s+p95\s+floor\s+budget\s+the floor is$/);
  expect(fast).toMatch(/^fast\s+2\.00 ms\s+2\.90 ms\s+1\.50 ms\s+2\.00 ms\s+ok\s+nothing$/);
  expect(heavy).toMatch(/^heavy\s+200 MB\s+200 MB\s+-\s+120 MB\s+OVER$/);
});

test("a comparison pairs the rows of both binaries, and leaves out those that one of them lacks", () => {
  const run = (warm: number, extra?: string) => [
    rowOf("warm", [warm], {}),
    ...(extra === undefined ? [] : [rowOf(extra, [1], {})]),
  ];
  const rows = compared([run(10), run(20)], [run(5, "new row"), run(20, "new row")]);
  expect(rows).toEqual([{ name: "warm", unit: "ms", before: 15, after: 12.5, ratio: 0.75, spread: [0.5, 1] }]);
  expect(comparedTable(rows).split("\n")[1]).toMatch(/^warm\s+15\.0 ms\s+12\.5 ms\s+0\.75\s+0\.50-1\.00$/);
});

test("the exponent of a growing cost: 0 for flat, 1 for linear, 2 for quadratic", () => {
  const costs = (ms: (size: number) => number) => new Map([10, 100, 1000].map((size) => [size, ms(size)]));
  expect(exponentOf(costs(() => 7))).toBeCloseTo(0);
  expect(exponentOf(costs((size) => 3 * size))).toBeCloseTo(1);
  expect(exponentOf(costs((size) => size ** 2))).toBeCloseTo(2);
});
