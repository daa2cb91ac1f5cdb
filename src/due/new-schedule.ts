// A new schedule: its default rules, and its first instant.

import type { ScheduleRules } from "../abi/schedule.ts";
import type { Next, ScheduleRow } from "../store/kernel/due/schedules.ts";
import { nextAfter } from "./timetable.ts";

export const DEFAULT_RULES: ScheduleRules = { overlap: "skip", catchUp: "one", jitterMs: 0, failuresMax: 3 };

/** A schedule that begins now. */
export function newRow(
  about: Pick<ScheduleRow, "id" | "ownerUid" | "name" | "creator" | "timing" | "target" | "rules"> & {
    readonly file?: string;
  },
  now: number,
): ScheduleRow {
  return {
    ...{ file: null, enabled: true, pausedWhy: null, failures: 0, runs: 0, costMicros: 0 },
    ...about,
    ...firstOf(about, now),
    ...{ createdAt: now, updatedAt: now },
  };
}

/** An instant may be this one; an interval begins with its first end. */
export function firstOf(about: Parameters<typeof nextAfter>[0], now: number): Next {
  return nextAfter(about, about.timing.kind === "at" ? now - 1 : now);
}
