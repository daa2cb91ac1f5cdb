// `a+=(…)` in gsv's shell takes the time of its new elements, not of the array.

import { afterAll, beforeEach, expect, test } from "bun:test";
import { Scripts } from "../support/scripts.ts";

const scripts = new Scripts();
afterAll(() => scripts.close());
beforeEach(() => scripts.reset());

test("ten thousand appends end within the time that copying the array would exceed", async () => {
  const script = `a=(); for i in {1..10000}; do a+=("$i"); done; echo "\${#a[@]} \${a[9999]} \${a[-1]}"`;
  expect(await scripts.run(script, { wallMs: 10_000 })).toEqual({ exit: 0, stdout: "10000 10000 10000\n", stderr: "" });
});
