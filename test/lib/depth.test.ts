import { expect, test } from "bun:test";
import { isNestedDeeper } from "../../src/lib/depth.ts";

const nested = (levels: number) => `${"[".repeat(levels)}1${"]".repeat(levels)}`;

test("a text is too deep from the first level beyond the bound, whatever kind of brackets", () => {
  for (const depthMax of [0, 1, 5, 200]) {
    expect(isNestedDeeper(nested(depthMax), depthMax)).toBe(false);
    expect(isNestedDeeper(nested(depthMax + 1), depthMax)).toBe(true);
  }
  expect(isNestedDeeper('{"a":[{"b":[]}]}', 4)).toBe(false);
  expect(isNestedDeeper('{"a":[{"b":[]}]}', 3)).toBe(true);
  expect(isNestedDeeper("[".repeat(6), 5)).toBe(true);
});

test("brackets in a string are text, also behind escapes, and levels side by side do not add up", () => {
  expect(isNestedDeeper(JSON.stringify(['"[[[[[[[', "\\[[[[[[[", '\\"{{{{{{{']), 1)).toBe(false);
  expect(isNestedDeeper(`[${"[],".repeat(100)}[]]`, 2)).toBe(false);
});
