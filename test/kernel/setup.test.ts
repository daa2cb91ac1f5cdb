// The first account of a home is named after the person at the machine, as far as such a name can be an account's.

import { expect, test } from "bun:test";
import { humanName } from "../../src/kernel/setup.ts";

const NAMES: readonly (readonly [string, string])[] = [
  ["sam", "sam"],
  ["Sam.Smith", "sam_smith"],
  ["EXAMPLE\\sam", "example_sam"],
  ["zoë", "zo_"],
  ["root", "me"],
  ["ROOT", "me"],
  ["users", "me"],
  ["Drivers", "me"],
  ["services", "me"],
  ["friday", "me"],
  ["ada", "me"],
  ["", "me"],
  ["7of9", "me"],
  ["---", "me"],
  ["../..", "me"],
  ["木村", "me"],
  ["a".repeat(40), "a".repeat(32)],
];

test.each(NAMES)("the person %p of the machine is %p in gsv", (osUser, name) => {
  expect(humanName(osUser)).toBe(name);
});
