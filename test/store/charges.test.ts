// Usage of answers, charged in kernel.db: once, whatever is copied again.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { NO_USAGE } from "../../src/abi/process/process.ts";
import type { KernelStore } from "../../src/store/kernel/sqlite.ts";
import { KernelPlane, liveProcess, outboxRow } from "../support/kernel-plane.ts";

let plane: KernelPlane;
let store: KernelStore;

beforeEach(() => {
  plane = new KernelPlane();
  store = plane.begin();
});
afterEach(() => plane.dispose());

test("usage is charged once, however often its row is copied, alone or with new ones", async () => {
  await liveProcess(store, "task:aaaaaa");
  const spent = (seq: number, costUsd: number) => ({
    ...outboxRow(seq),
    usage: [
      {
        ...{ id: seq, runId: "run-1", turn: seq, model: "openai/m", ms: 10, priced: true, wasted: false, at: seq },
        usage: { ...NO_USAGE, input: 100, costUsd },
      },
    ],
  });
  const [first, second, third] = [spent(1, 0.25), spent(2, 0.5), spent(3, 1)] as const;
  const total = async () => {
    const [sum] = await store.usage.sums({ by: "account" });
    const row = await store.processes.get("task:aaaaaa");
    return [sum?.turns, sum?.input, sum?.micros, row?.costMicros, row?.tokens];
  };
  await store.processes.project("task:aaaaaa", [first, second]);
  expect(await total()).toEqual([2, 200, 750_000, 750_000, 200]);
  for (const again of [[first], [second], [first, second]]) {
    await store.processes.project("task:aaaaaa", again);
    expect(await total()).toEqual([2, 200, 750_000, 750_000, 200]);
  }
  await store.processes.project("task:aaaaaa", [first, second, third]);
  expect(await total()).toEqual([3, 300, 1_750_000, 1_750_000, 300]);
});
