import { expect, test } from "bun:test";
import { CacheBudget } from "../../../src/lib/memory/cache-budget.ts";

function cache(name: string, held: number, inUse = 0) {
  const is = { held };
  return {
    is,
    cache: {
      name,
      bytes: () => is.held,
      shrink: (bytesMax: number) => {
        is.held = Math.max(inUse, Math.min(is.held, bytesMax));
      },
    },
  };
}

function budgetOf(...caches: ReturnType<typeof cache>[]) {
  const budget = new CacheBudget();
  for (const each of caches) budget.add(each.cache);
  return budget;
}

test("nothing shrinks below the limit; above it the last cache gives first, and only as much as needed", () => {
  const [first, last] = [cache("databases", 60), cache("outputs", 30)];
  const budget = budgetOf(first, last);
  budget.limit(96);
  expect([first.is.held, last.is.held]).toEqual([60, 30]);
  last.is.held = 50;
  budget.fit();
  expect([first.is.held, last.is.held]).toEqual([60, 36]);
  budget.limit(20);
  expect([first.is.held, last.is.held]).toEqual([20, 0]);
});

test("what is in use stays, and the next cache gives the rest", () => {
  const [first, last] = [cache("databases", 60), cache("outputs", 30, 25)];
  const budget = budgetOf(first, last);
  budget.limit(40);
  expect([first.is.held, last.is.held, budget.used]).toEqual([15, 25, 40]);
});
