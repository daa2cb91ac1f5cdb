// When schedules are due, and what runs after a time without a kernel.

import { describe, expect, test } from "bun:test";
import type { CatchUp, Overlap, Timing } from "../../src/abi/schedule.ts";
import { nextAfter, nextFive, planOf, timingOf } from "../../src/due/timetable.ts";
import type { OccurrenceRow } from "../../src/store/kernel/due/occurrences.ts";
import type { ScheduleRow } from "../../src/store/kernel/due/schedules.ts";
import { timeText } from "../../src/syscalls/due/sched-text.ts";

const NOW = Date.UTC(2026, 10, 27, 15, 0);
const MINUTE = 60_000;
const DAY = 86_400_000;

function scheduleOf(
  timing: Timing,
  given: Partial<ScheduleRow> & { overlap?: Overlap; catchUp?: CatchUp; jitterMs?: number } = {},
) {
  const { overlap = "skip", catchUp = "one", jitterMs = 0, ...more } = given;
  const row = {
    ...{ id: "s1", ownerUid: 1000, name: "job", creator: { uid: 1000 }, timing, enabled: true, pausedWhy: null },
    ...{ target: { kind: "message", pid: "init:1000", text: "go" }, failures: 0, runs: 0, costMicros: 0, file: null },
    ...{ createdAt: NOW, updatedAt: NOW, rules: { overlap, catchUp, jitterMs, failuresMax: 3 } },
    ...more,
  } as ScheduleRow;
  return { ...row, ...nextAfter(row, NOW) };
}

function plannedAt(now: number, schedule: ScheduleRow, open: readonly OccurrenceRow["state"][] = []) {
  let id = 0;
  const rows = open.map((state) => ({ state }) as OccurrenceRow);
  return planOf({ schedule, open: rows }, now, () => `o${++id}`);
}

describe("the time of a schedule", () => {
  test.each([
    ["every 10m", "every 10m"],
    ["every 90 seconds", "every 90s"],
    ["every hour", "every 1h"],
    ["every 14d", "every 2w"],
    ["@daily", "@daily Europe/Berlin"],
    ["0  9 * * mon-fri", "0 9 * * mon-fri Europe/Berlin"],
    ["tomorrow 9am", "once"],
  ])("%s is %s", (text, shown) => {
    expect(timeText(timingOf(text, NOW, "Europe/Berlin"))).toBe(shown);
  });

  test.each([
    ["every 500", "not an interval"],
    ["every 0s", "interval below one second"],
    ["every now and then", "not an interval"],
    ["yesterday 9am", "not a time"],
    ["0 9 * *", 'not a cron expression: "0 9 * *" has 4 fields'],
    ["0 0 30 2 *", "never matches"],
  ])("%s is refused", (text, why) => {
    expect(() => timingOf(text, NOW, "UTC")).toThrow(why);
  });

  test("an unknown zone is refused, whatever the time", () => {
    expect(() => timingOf("17:30", NOW, "Europe/Nowhere")).toThrow("unknown time zone");
  });

  test("an interval keeps its phase", () => {
    expect(nextFive({ kind: "every", everyMs: 7000, anchor: NOW }, NOW + 20_000)).toEqual(
      [21, 28, 35, 42, 49].map((seconds) => NOW + seconds * 1000),
    );
  });

  test("one instant has no second one", () => {
    expect(nextFive({ kind: "at", at: NOW + 1 }, NOW)).toEqual([NOW + 1]);
  });

  test("jitter delays an occurrence by the same time, at most the limit, and others by another", () => {
    const schedule = scheduleOf({ kind: "every", everyMs: DAY, anchor: NOW }, { jitterMs: 10 * MINUTE });
    const delays = Array.from({ length: 50 }, (_, day) => {
      const { nominalAt, nextAt } = nextAfter(schedule, NOW + day * DAY);
      expect(nextAfter(schedule, NOW + day * DAY)).toEqual({ nominalAt, nextAt });
      return nextAt! - nominalAt!;
    });
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...delays)).toBeLessThanOrEqual(10 * MINUTE);
    expect(new Set(delays).size).toBeGreaterThan(40);
  });
});

describe("a computer that slept for three days", () => {
  const hourly: Timing = { kind: "cron", expr: "0 * * * *", zone: "UTC" };
  const awake = NOW + 3 * DAY + 5 * MINUTE;

  test("catch-up one: the last occurrence runs", () => {
    const { occurrences, next } = plannedAt(awake, scheduleOf(hourly));
    expect(occurrences.map(({ state, scheduledAt }) => [state, scheduledAt])).toEqual([["claimed", NOW + 3 * DAY]]);
    expect(next.nextAt).toBe(NOW + 3 * DAY + 60 * MINUTE);
  });

  test("catch-up none: nothing runs, and the history says so", () => {
    const { occurrences } = plannedAt(awake, scheduleOf(hourly, { catchUp: "none" }));
    expect(occurrences.map(({ state, error }) => [state, error])).toEqual([
      ["skipped", "missed: gsv was not running (more than 24 occurrences)"],
    ]);
  });

  test("catch-up all: the last 24, one after the other", () => {
    const { occurrences } = plannedAt(awake, scheduleOf(hourly, { catchUp: "all" }));
    expect(occurrences.map(({ state }) => state)).toEqual(["claimed", ...Array(23).fill("queued")]);
    expect(occurrences[0]!.scheduledAt).toBe(NOW + 3 * DAY - 23 * 60 * MINUTE);
  });

  test("a schedule of one instant runs late, unless it shall not", () => {
    const once: Timing = { kind: "at", at: NOW + MINUTE };
    expect(plannedAt(awake, scheduleOf(once)).occurrences.map(({ state }) => state)).toEqual(["claimed"]);
    expect(plannedAt(awake, scheduleOf(once)).next).toEqual({ nominalAt: null, nextAt: null });
    const never = plannedAt(awake, scheduleOf(once, { catchUp: "none" }));
    expect(never.occurrences.map(({ state }) => state)).toEqual(["skipped"]);
  });

  test("ten years of a schedule for every second take no time", () => {
    const second = scheduleOf({ kind: "every", everyMs: 1000, anchor: NOW }, { catchUp: "all" });
    const began = performance.now();
    expect(plannedAt(NOW + 3650 * DAY, second).occurrences.length).toBe(24);
    expect(performance.now() - began).toBeLessThan(1000);
  });

  test("an occurrence in time is never missed", () => {
    const { occurrences } = plannedAt(NOW + 60 * MINUTE + 900, scheduleOf(hourly, { catchUp: "none" }));
    expect(occurrences.map(({ state, error }) => [state, error])).toEqual([["claimed", null]]);
  });
});

describe("the previous occurrence has not ended", () => {
  const due = NOW + 10 * MINUTE;
  const planned = (overlap: Overlap, open: readonly OccurrenceRow["state"][]) =>
    plannedAt(due, scheduleOf({ kind: "every", everyMs: 10 * MINUTE, anchor: NOW }, { overlap }), open).occurrences[0]!;

  test.each([
    ["skip", ["running"], "skipped"],
    ["skip", [], "claimed"],
    ["queue", ["running"], "queued"],
    ["queue", ["running", "queued"], "skipped"],
    ["replace", ["blocked"], "queued"],
  ] as const)("overlap %s beside %j: %s", (overlap, open, state) => {
    expect(planned(overlap, open).state).toBe(state);
  });

  test("the skipped one says why", () => {
    expect(planned("skip", ["running"]).error).toBe("the previous occurrence has not ended");
  });
});
