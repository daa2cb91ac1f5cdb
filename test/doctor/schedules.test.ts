// Doctor on schedules: what is due when no kernel may be there, and what gsv has paused.

import { expect, test } from "bun:test";
import { acquireLock } from "../../src/store/lock.ts";
import { Bed } from "../support/patient.ts";

const DAY = 86_400_000;

function add(bed: Bed, name: string, about: { readonly nextAt: number | null; readonly pausedWhy?: string }): void {
  const { nextAt, pausedWhy } = about;
  const paused = pausedWhy === undefined ? "1, NULL" : `0, '${pausedWhy}'`;
  bed.sql(
    "kernel.db",
    `INSERT INTO schedules (schedule_id, owner_uid, name, creator_json, enabled, paused_why, expression_json, target_json, rules_json, next_run_at, failures, created_at, updated_at)
     VALUES ('${name}', 1000, '${name}', '{}', ${paused}, '{}', '{}', '{}', ${nextAt}, ${pausedWhy === undefined ? 0 : 3}, 1, 1)`,
  );
}

test("a home without schedules has no finding about them", async () => {
  using bed = await Bed.make();
  expect(await bed.look("schedules")).toEqual([]);
});

test("a schedule that is due with no kernel is a notice; with a kernel it is not, unless it is far away", async () => {
  using bed = await Bed.make();
  const at = Date.now() + 3_600_000;
  const iso = new Date(at).toISOString();
  add(bed, "news", { nextAt: at });
  add(bed, "later", { nextAt: at + DAY });
  expect(await bed.look("schedules")).toEqual([
    `notice schedules: schedule news is due at ${iso}, and nothing would start gsv`,
  ]);
  const lock = acquireLock(bed.paths.lockFile);
  expect(await bed.look("schedules")).toEqual([`ok schedules: schedule news is due at ${iso}`]);
  bed.sql("kernel.db", "DELETE FROM schedules WHERE name = 'news'");
  expect((await bed.look("schedules"))[0]).toContain("notice schedules: schedule later is due at");
  lock?.release();
});

test("an overdue one says so, and a paused one says why", async () => {
  using bed = await Bed.make();
  add(bed, "news", { nextAt: 1_000 });
  add(bed, "build", { nextAt: null, pausedWhy: "3 failures in a row; the last: exit status 1" });
  expect(await bed.look("schedules")).toEqual([
    "notice schedules: schedule build is paused: 3 failures in a row; the last: exit status 1",
    "notice schedules: schedule news was due at 1970-01-01T00:00:01.000Z, and nothing would start gsv",
  ]);
});
