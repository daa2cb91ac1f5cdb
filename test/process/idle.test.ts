// An idle kernel: its cost does not depend on the number of processes.

import { expect, spyOn, test } from "bun:test";
import { LIMITS } from "../../src/abi/config/limits.ts";
import { Db } from "../../src/store/open.ts";
import { TestKernel } from "../support/kernel.ts";

const MANY = LIMITS.restingProcessDatabasesMax + 12;

async function finished(home: TestKernel, count: number): Promise<void> {
  for (let task = 0; task < count; task++) await home.say("hello", { pid: await home.task() });
  await home.clock.advance(2 * LIMITS.processDatabaseRestMs);
}

test("an idle kernel reads and writes no database, whatever the number of finished tasks", async () => {
  await using home = await TestKernel.boot();
  await finished(home, MANY);
  const used = (["get", "all", "run", "script", "write"] as const).map((verb) => spyOn(Db.prototype, verb));
  try {
    await home.clock.advance(60_000);
    expect(used.map(({ mock }) => mock.calls.length)).toEqual([0, 0, 0, 0, 0]);
    // The counters do count.
    await home.sys.call("proc.list", {});
    expect(used.some(({ mock }) => mock.calls.length > 0)).toBe(true);
  } finally {
    for (const each of used) each.mockRestore();
  }
});

test("more finished tasks set no more timers", async () => {
  await using home = await TestKernel.boot();
  await finished(home, 1);
  const few = home.clock.pending;
  await finished(home, MANY);
  expect(home.clock.pending).toBe(few);
});
