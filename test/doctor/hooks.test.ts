// What the doctor says of hooks, with no kernel: those that can never run, those that wait for a word, and what it mends.

import { expect, test } from "bun:test";
import { chmodSync, statSync } from "node:fs";
import { HookBed } from "../support/hooks.ts";
import { Bed } from "../support/patient.ts";

test("a home without hooks has nothing to say of them", async () => {
  using bed = await Bed.make();
  expect(await bed.look("hooks")).toEqual([]);
});

test("a hook that others can write to is a problem that is mended; one without a word is a notice; one that is allowed is fine", async () => {
  using bed = await Bed.make();
  const hooks = new HookBed(bed.home);
  await bed.home.start();
  const path = await hooks.allowed("run-end/call", "exit 0");
  await bed.rest();
  expect(await bed.look("hooks")).toEqual(["ok hooks: 1 hook, each allowed or denied as it is"]);
  chmodSync(path, 0o722);
  expect(await bed.look("hooks")).toEqual([
    "problem hooks: the hook run-end/call does not run: others can write to it",
  ]);
  expect(await bed.fix("hooks")).toEqual([
    `fixed hooks: nobody else can write to ${path}`,
    "ok hooks: 1 hook, each allowed or denied as it is",
  ]);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  hooks.put("tool-before/guard", "exit 2");
  hooks.put("tool-befor/guard", "exit 2");
  expect(await bed.look("hooks")).toEqual([
    "problem hooks: the hook tool-befor/guard does not run: there is no event tool-befor",
    "notice hooks: nobody has allowed or denied tool-before/guard as it is now",
  ]);
});

test("a hook with the modes of an editor is no file that others can reach", async () => {
  using bed = await Bed.make();
  new HookBed(bed.home).put("run-end/call", "exit 0", 0o755);
  expect((await bed.look("permissions")).filter((line) => line.includes("hooks.d"))).toEqual([]);
});
