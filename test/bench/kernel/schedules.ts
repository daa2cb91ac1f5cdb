// 10,000 schedules: the cost of claiming the one that is due, compared with one schedule in all.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { planOf } from "../../../src/due/timetable.ts";
import { openKernelDb } from "../../../src/store/kernel/open.ts";
import { type KernelStore, sqliteKernelStore } from "../../../src/store/kernel/sqlite.ts";
import { scratchDirectory } from "../../support/scratch.ts";
import type { Floor } from "../machine.ts";
import { median, type Row, rowOf, timed } from "../measure.ts";

const SCHEDULES = 10_000;
const HOUR = 3_600_000;
const START = Date.UTC(2027, 0, 1);

export async function scheduleRows(_floor: Floor, rounds: number): Promise<Row[]> {
  const one = await claims(1, rounds);
  const many = await claims(SCHEDULES, rounds);
  return [
    rowOf(`claim of 1 due among ${SCHEDULES.toLocaleString("en")} schedules`, many, {
      floor: { value: median(one), what: "the same with one schedule" },
      budget: 2,
    }),
  ];
}

/** Each round one schedule is due; the others are due years later. */
async function claims(count: number, rounds: number): Promise<readonly number[]> {
  const directory = scratchDirectory("bench");
  const database = openKernelDb(join(directory, "kernel.db"), { now: START });
  database.begin(START);
  const store = sqliteKernelStore(database);
  try {
    for (let number = 0; number < count; number++) await add(store, number);
    let id = 0;
    const claim = async (round: number) => {
      const now = START + (round + 100) * HOUR;
      await store.due.claim({ now, limit: 50 }, (due) => planOf(due, now, () => `o${++id}`));
      await store.due.earliest();
    };
    return await timed(rounds, claim);
  } finally {
    database.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function add({ schedules }: KernelStore, number: number): Promise<void> {
  const everyMs = number === 0 ? HOUR : 100_000 * HOUR;
  const rules = { overlap: "queue", catchUp: "one", jitterMs: 0, failuresMax: 3 } as const;
  await schedules.add({
    ...{
      id: `s${number}`,
      ownerUid: 1000,
      name: `job${number}`,
      creator: { uid: 1000 },
      enabled: true,
      pausedWhy: null,
    },
    ...{
      timing: { kind: "every", everyMs, anchor: START },
      target: { kind: "message", pid: "init:1000", text: "go" },
      rules,
    },
    ...{ nominalAt: START + everyMs, nextAt: START + everyMs, failures: 0, runs: 0, costMicros: 0, file: null },
    ...{ createdAt: START, updatedAt: START },
  });
}
