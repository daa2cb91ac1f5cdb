// A kernel that leaves moves the timer that starts the next one: to the first instant that is due, of any account and kind.

import { expect, test } from "bun:test";
import type { WakeTimer } from "../../src/abi/wake.ts";
import type { Core } from "../../src/boot/core.ts";
import { setWakeTimer } from "../../src/boot/due.ts";
import { TestKernel } from "../support/kernel.ts";
import { addHuman } from "../support/people.ts";

const HOUR = 3_600_000;

async function leaving(home: TestKernel, timer: Pick<WakeTimer, "isOn" | "set">): Promise<unknown[]> {
  const faults: unknown[] = [];
  const onFault = (error: unknown) => void faults.push(error);
  const left = setWakeTimer({
    ...{ kernel: home.stores.kernel, machine: { clock: home.clock, wakeTimer: timer }, onFault },
  } as unknown as Core);
  await home.clock.advance(2000);
  await left;
  return faults;
}

test("to the earliest instant of all accounts; to none if nothing is due", async () => {
  await using home = await TestKernel.boot();
  const bob = await addHuman(home, "bob");
  const set: (number | null)[] = [];
  const timer = { isOn: () => true, set: async (at: number | null) => void set.push(at) };
  await leaving(home, timer);
  await home.sys.call("sched.add", { when: "in 30 hours", text: "hello", name: "mine" });
  await bob.sys.call("sched.add", { when: "in 26 hours", text: "hello" });
  const from = home.clock.now();
  expect(await leaving(home, timer)).toEqual([]);
  expect(set).toEqual([null, from + 26 * HOUR]);
});

test("not at all if it is off; one that fails or hangs is reported and keeps no kernel", async () => {
  await using home = await TestKernel.boot();
  const never = () => Promise.reject(new Error("no session bus"));
  expect(await leaving(home, { isOn: () => false, set: never })).toEqual([]);
  expect(await leaving(home, { isOn: () => true, set: never })).toEqual([new Error("no session bus")]);
  expect(await leaving(home, { isOn: () => true, set: () => new Promise(() => {}) })).toEqual([]);
});
