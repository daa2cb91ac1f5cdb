// Doctor on hooks, without a kernel: those that can never run, those without a decision, and its fixes.

import { expect, test } from "bun:test";
import { chmodSync, statSync } from "node:fs";
import { HookBed } from "../support/hooks.ts";
import { Bed } from "../support/patient.ts";

test("a home without hooks has no finding about them", async () => {
  using bed = await Bed.make();
  expect(await bed.look("hooks")).toEqual([]);
});

test("a hook with write access for others is a problem that --fix corrects, an undecided one a notice, an allowed one ok", async () => {
  using bed = await Bed.make();
  const hooks = new HookBed(bed.home);
  await bed.home.start();
  const path = await hooks.allowed("run-end/call", "exit 0");
  await bed.rest();
  expect(await bed.look("hooks")).toEqual(["ok hooks: 1 hook, all allowed or denied"]);
  chmodSync(path, 0o722);
  expect(await bed.look("hooks")).toEqual([
    "problem hooks: the hook run-end/call does not run: others can write to it",
  ]);
  expect(await bed.fix("hooks")).toEqual([
    `fixed hooks: removed the write access of others to ${path}`,
    "ok hooks: 1 hook, all allowed or denied",
  ]);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  hooks.put("tool-before/guard", "exit 2");
  hooks.put("tool-befor/guard", "exit 2");
  expect(await bed.look("hooks")).toEqual([
    "problem hooks: the hook tool-befor/guard does not run: unknown event tool-befor",
    "notice hooks: waiting for your decision: tool-before/guard",
  ]);
});

test("a hook with the modes of an editor is not reported", async () => {
  using bed = await Bed.make();
  new HookBed(bed.home).put("run-end/call", "exit 0", 0o755);
  expect((await bed.look("permissions")).filter((line) => line.includes("hooks.d"))).toEqual([]);
});
