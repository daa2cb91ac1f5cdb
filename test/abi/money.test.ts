import { describe, expect, test } from "bun:test";
import {
  charged,
  costMicros,
  exactUsd,
  FREE,
  microsOf,
  priceSet,
  pricesFrom,
  usdOf,
  usdText,
} from "../../src/abi/process/money.ts";
import { addUsage, NO_USAGE } from "../../src/abi/process/process.ts";
import { seeded } from "../support/random.ts";

const NANO = { input: 0.05, output: 0.4, cacheRead: 0.005, cacheWrite: 0.05 };
const counts = (input: number, output = 0, cacheRead = 0, cacheWrite = 0) => ({ input, output, cacheRead, cacheWrite });

describe("the cost of an answer", () => {
  test("has a price for each kind of token, to the millionth of a dollar", () => {
    expect(costMicros({ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }, counts(1000, 100, 2000, 400))).toBe(
      3000 + 1500 + 600 + 1500,
    );
    expect(costMicros(NANO, counts(1_000_000, 1_000_000, 1_000_000))).toBe(50_000 + 400_000 + 5000);
  });

  test("is rounded once, at the end, to the nearest", () => {
    // 9 tokens at 0.05: 0.45 of a millionth; 10 are one half, which is rounded up.
    expect([9, 10, 11, 29, 30].map((input) => costMicros(NANO, counts(input)))).toEqual([0, 1, 1, 1, 2]);
    expect(costMicros(NANO, counts(5, 0, 50))).toBe(1);
  });

  test("is exact where floating point is not: a billion tokens at an odd price", () => {
    expect(costMicros({ ...FREE, input: 0.123457 }, counts(1_000_000_001))).toBe(123_457_000);
    expect(costMicros({ ...FREE, output: 75 }, counts(0, 999_999_999))).toBe(74_999_999_925);
  });

  test("sums of any order and grouping are the same", () => {
    const random = seeded(5);
    const rows = Array.from({ length: 500 }, () => usdOf(random.int(3_000_000)));
    const sum = (parts: readonly number[]) =>
      parts.reduce((left, costUsd) => addUsage(left, { ...NO_USAGE, costUsd }), NO_USAGE);
    const halves = addUsage(sum(rows.slice(0, 123)), sum(rows.slice(123)));
    expect(sum(rows.toReversed()).costUsd).toBe(sum(rows).costUsd);
    expect(halves.costUsd).toBe(sum(rows).costUsd);
    expect(microsOf(sum(rows).costUsd)).toBe(rows.reduce((all, usd) => all + microsOf(usd), 0));
  });
});

describe("the price of a model", () => {
  const said = { ...counts(1_000_000), costUsd: 0.25 };
  const known = { ...FREE, input: 2 };
  test("is the configured one, then the server's, then the one gsv knows, else unknown", () => {
    expect(charged({ price: known, isOwn: true }, said)).toMatchObject({ usage: { costUsd: 2 }, priced: true });
    expect(charged({ price: known, isOwn: false }, said)).toMatchObject({ usage: { costUsd: 0.25 }, priced: true });
    expect(charged({ price: known, isOwn: false }, counts(1_000_000))).toMatchObject({ usage: { costUsd: 2 } });
    expect(charged({ price: null, isOwn: false }, counts(1_000_000))).toEqual({
      usage: { ...counts(1_000_000), costUsd: 0 },
      priced: false,
    });
  });

  test("is set for one model or for all of a provider; missing parts are the input price", () => {
    const prices = pricesFrom(
      '{"openai/m": {"input": 1, "output": 2, "cacheRead": 0.1}, "openai/*": {"input": 9, "output": 9}}',
    );
    expect(priceSet(prices, "openai/m")).toEqual({ input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1 });
    expect(priceSet(prices, "openai/other")).toMatchObject({ input: 9 });
    expect(priceSet(prices, "anthropic/m")).toBeNull();
    expect(priceSet(prices, "constructor")).toBeNull();
  });

  test.each([
    '{"m": {"input": 1, "output": 1}}',
    '{"openai/m": 3}',
    '{"openai/m": {"input": 1}}',
    '{"openai/m": {"input": -1, "output": 1}}',
    '{"openai/m": {"input": 1e9, "output": 1}}',
    '{"openai/m": {"input": "1", "output": 1}}',
    '{"openai/m": {"input": 1, "output": 1, "per": 1}}',
  ])("%s is refused with an example", (json) => {
    expect(() => pricesFrom(json)).toThrow("ai.prices");
  });
});

test("amounts parse in the usual notations", () => {
  expect([0, 1, 99, 1234, 70_000, 999_960, 1_000_000, 12_345_678].map(usdText)).toEqual([
    ...["$0", "$0.000001", "$0.000099", "$0.0012", "$0.07", "$1.00", "$1.00", "$12.35"],
  ]);
  expect([0, 1_500_000, 123, 2_000_000].map(exactUsd)).toEqual(["$0.00", "$1.50", "$0.000123", "$2.00"]);
});
