// 10,000 schedules: the most that an account has, listed in pages, and one of them costs one claim.

import { afterAll, beforeAll, expect, test } from "bun:test";
import type { ScheduleInfo } from "../../src/abi/schedule.ts";
import { TestKernel } from "../support/kernel.ts";
import { inKernelDb } from "../support/people.ts";

const COUNT = 10_000;
const HOUR = 3_600_000;

let home: TestKernel;

beforeAll(async () => {
  home = await TestKernel.boot();
  await home.sys.call("sched.add", { when: "every 1h", text: "echo hello", exec: true, name: "s0" });
  inKernelDb(home, (db) =>
    db.run(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${COUNT - 1})
       INSERT INTO schedules (schedule_id, owner_uid, name, creator_json, enabled, expression_json, target_json,
         rules_json, nominal_at, next_run_at, created_at, updated_at)
       SELECT 'id' || i, owner_uid, 's' || i, creator_json, 1, expression_json, target_json, rules_json,
         nominal_at + ${1000 * HOUR}, next_run_at + ${1000 * HOUR}, created_at, updated_at FROM n, schedules`,
    ),
  );
});
afterAll(() => home[Symbol.asyncDispose]());

test("another one is refused with the limit and what to do", async () => {
  const refusal = await home.refusal("sched.add", { when: "@daily", text: "hello" });
  expect([refusal.code, refusal.message]).toEqual(["ELIMIT", "this account already has 10000 schedules"]);
  expect(refusal.hints.join()).toContain("gsv sched rm");
});

test("all are listed, page by page, each once", async () => {
  const names = new Set<string>();
  for (let after: string | null = ""; after !== null; ) {
    const page: { schedules: ScheduleInfo[]; next: string | null } = await home.sys.call("sched.list", {
      ...(after !== "" && { after }),
      limit: 1000,
    });
    for (const { name } of page.schedules) names.add(name);
    after = page.next;
  }
  expect(names.size).toBe(COUNT);
});

test("the one that is due starts, and no other; the next one is shown without the rest", async () => {
  const { due } = await home.sys.call<{ due: { what: string }[] }>("sched.due", { limit: 2 });
  expect(due.map(({ what }) => what)).toEqual(["s0", "s1"]);
  await home.clock.advance(HOUR);
  const history = () => home.stores.kernel.occurrences.history({ limit: 10 });
  await home.until("it ends", async () => (await history())[0]?.finishedAt != null);
  expect((await history()).map(({ schedule, state }) => [schedule, state])).toEqual([["s0", "ok"]]);
});
