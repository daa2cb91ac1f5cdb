import { describe, expect, test } from "bun:test";
import {
  amountText,
  budgetStated,
  budgetText,
  budgetWritten,
  changed,
  fits,
  NOTHING,
  narrower,
  reached,
  shareOf,
  UNLIMITED,
  usedText,
} from "../../src/abi/process/budget.ts";
import { seeded } from "../support/random.ts";

const set = (text: string) => budgetStated(text);

describe("a budget in text form", () => {
  test.each([
    ["$2,30m,200k", { micros: 2_000_000, ms: 1_800_000, tokens: 200_000 }],
    ["2usd", { micros: 2_000_000, ms: null, tokens: null }],
    ["0.50$ , 1.5M tokens", { micros: 500_000, ms: null, tokens: 1_500_000 }],
    ["30M", { micros: null, ms: null, tokens: 30_000_000 }],
    ["90s", { micros: null, ms: 90_000, tokens: null }],
    ["2h,1234 tokens", { micros: null, ms: 7_200_000, tokens: 1234 }],
    ["$0.000001", { micros: 1, ms: null, tokens: null }],
  ])("%s", (text, limits) => {
    expect(set(text)).toEqual(limits);
  });

  test.each([
    ...["", "2", "2.00", "$", "$2,,30m", ",30m", "$2,$3", "$0", "0m", "-$2", "$-2", "$1e9", "$2 30m", "1m30s"],
    ...["$9999999999", "$0.0000001", "200K", "lots", "+$1,30m", "none,$2", "$2;30m", "٣m"],
  ])("%p is refused", (text) => {
    expect(() => budgetWritten(text)).toThrow("invalid budget");
  });

  test("a number alone is refused with the same amount as money", () => {
    expect(() => budgetWritten("0.01")).toThrow("0.01 of what? money is '$0.01', in quotes");
    expect(() => budgetWritten("30m,+2")).toThrow("+2 of what? money is '+$2', in quotes");
    expect(() => budgetWritten("2.")).toThrow("is no amount");
  });

  test("a printed budget reads back as the same", () => {
    const random = seeded(3);
    for (let count = 0; count < 300; count++) {
      const limits = {
        micros: random.int(3) === 0 ? null : 1 + random.int(20_000_000),
        tokens: random.int(3) === 0 ? null : 1 + random.int(3_000_000),
        ms: 1000 * (1 + random.int(200_000)),
      };
      expect(set(budgetText(limits))).toEqual(limits);
    }
  });

  test("+ raises bounded amounts only, none removes the budget, and a new budget replaces the old", () => {
    const before = set("$2,30m");
    expect(changed(before, budgetWritten("+$1,+5m"))).toEqual(set("$3,35m"));
    expect(() => changed(before, budgetWritten("+100k"))).toThrow("no budget of tokens to raise");
    expect(() => changed(null, budgetWritten("+$1"))).toThrow("no budget of money to raise");
    expect(changed(before, budgetWritten("none"))).toBeNull();
    expect(changed(before, budgetWritten("200k"))).toEqual(set("200k"));
    expect(() => budgetStated("+$1")).toThrow("nothing to raise");
  });
});

describe("the used share of a budget", () => {
  const limits = set("$2,200k");
  test("is exhausted at the first bound that is reached", () => {
    expect(reached(limits, { ...NOTHING, micros: 1_999_999 })).toBeNull();
    expect(reached(limits, { ...NOTHING, micros: 2_000_000 })).toBe("micros");
    expect(reached(limits, { ...NOTHING, tokens: 200_001 })).toBe("tokens");
    expect(reached(UNLIMITED, { micros: 1e12, tokens: 1e12, ms: 1e12 })).toBeNull();
  });

  test("is that of the nearest bound; a request fits up to the bound itself", () => {
    expect(shareOf(limits, { micros: 1_000_000, tokens: 180_000, ms: 5 })).toBe(0.9);
    expect(fits(limits, NOTHING, { micros: 2_000_000, tokens: 0, ms: 1e9 })).toBe(true);
    expect(fits(limits, { ...NOTHING, micros: 1 }, { micros: 2_000_000, tokens: 0, ms: 0 })).toBe(false);
    expect(fits(limits, NOTHING, { micros: Number.POSITIVE_INFINITY, tokens: 0, ms: 0 })).toBe(false);
  });

  test("follows the tighter of two bounds, for each", () => {
    expect(narrower(set("$2,30m"), set("$3,10k"))).toEqual(set("$2,30m,10k"));
  });

  test("is shown for each bound", () => {
    expect(usedText(limits, { micros: 70_000, tokens: 12_345, ms: 0 })).toBe(
      "$0.07 of $2.00, 12k tokens of 200k tokens",
    );
    expect(amountText("ms", 5_400_000)).toBe("90m");
  });
});
