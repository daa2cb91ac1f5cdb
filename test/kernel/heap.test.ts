// The live heap of a kernel does not grow with the tasks that have ended. GSV_SOAK=1: 400 tasks against 40.

import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { TestKernel } from "../support/kernel.ts";

const CALLS = 20;
const TEXT = "word ".repeat(5000);
const isLong = process.env.GSV_SOAK === "1";
const FIRST_TASKS = isLong ? 40 : 20;
const MORE_TASKS = isLong ? 360 : 20;
/** A task leaves a few rows in tables of the kernel. Its calls alone are 20 objects. */
const LEFT_OBJECTS = 60;

async function work(home: TestKernel, tasks: number): Promise<void> {
  for (let done = 0; done < tasks; done++) {
    const pid = await home.task();
    const calls = Array.from({ length: CALLS }, (_, at) => ({
      name: "Read",
      args: { path: "~/big.txt", limit: 100 - at },
    }));
    home.model.will(pid, { calls }, { text: TEXT });
    expect((await home.say("go", { pid })).status).toBe("ok");
    await home.clock.advance(60_000);
  }
  // What the test itself keeps.
  home.model.requests.length = 0;
  home.signals.length = 0;
}

function live(): { readonly bytes: number; readonly objects: number } {
  Bun.gc(true);
  Bun.gc(true);
  const { heapSize, objectCount } = heapStats();
  return { bytes: heapSize, objects: objectCount };
}

test("tasks that have ended leave nothing of their messages, calls and contexts", async () => {
  await using home = await TestKernel.boot();
  const content = Array.from({ length: 100 }, (_, line) => `line ${line} ${"x".repeat(43)}`).join("\n");
  await home.sys.call("fs.write", { path: "~/big.txt", content });
  // Code is compiled while it is new.
  await work(home, FIRST_TASKS);
  const before = live();
  await work(home, MORE_TASKS);
  const after = live();
  expect(after.bytes / before.bytes).toBeLessThan(1.1);
  expect((after.objects - before.objects) / MORE_TASKS).toBeLessThan(LEFT_OBJECTS);
}, 600_000);
