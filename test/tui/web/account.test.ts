// Times in the lists of the web console, and the chosen row.

import { expect, test } from "bun:test";
import { chosenOf } from "../../../tui/web/account/chosen.ts";
import { untilText } from "../../../tui/web/account/times.ts";

test.each([
  [-5000, "in 0s"],
  [59_000, "in 59s"],
  [61_000, "in 1m"],
  [7_200_000, "in 2h"],
  [3 * 86_400_000, "in 3d"],
])("%d ms from now is %s", (ms, text) => {
  expect(untilText(1_000_000 + ms, 1_000_000)).toBe(text);
});

test("a row that is gone gives the choice to the first one", () => {
  const chosen = (key: string | null) => chosenOf(["a", "b"], (row) => row, key);
  expect([chosen("b"), chosen("c"), chosen(null), chosenOf([], String, "a")]).toEqual(["b", "a", "a", null]);
});
