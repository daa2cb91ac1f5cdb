// A change that is sent again late, to a later kernel.

import { expect, test } from "bun:test";
import { TestKernel } from "../support/kernel.ts";

test.each([
  ["proc.label", "label", "one", "two"],
  ["proc.nice", "nice", "3", "7"],
  ["proc.mode", "mode", "plan", "ask"],
])("%s: an older change that is sent again does not undo a newer one", async (call, field, older, newer) => {
  await using home = await TestKernel.boot();
  const pid = await home.task();
  const change = (value: string, requestId: string) =>
    home.sys.call<object>(call, { pid, [field]: value }, { requestId });
  const first = await change(older, "req-1");
  await change(newer, "req-2");
  await home.restart();
  expect(await change(older, "req-1")).toEqual(first);
  const seen = call === "proc.nice" ? await home.sys.call<object>(call, { pid }) : await home.get(pid);
  expect(String(Object(seen)[field])).toBe(newer);
});
