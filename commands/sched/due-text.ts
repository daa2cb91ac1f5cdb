// Schedules and what is due next, as lists of the terminal show them.

import type { DueItem, ScheduleInfo } from "../../src/abi/schedule.ts";
import type { Sys } from "../../src/abi/sys.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { stateText, targetText, timeText } from "../../src/syscalls/due/sched-text.ts";
import { age } from "../proc/process-table.ts";

/** null if nothing is due, or the account may not see schedules. */
export async function nextDue(sys: Sys): Promise<DueItem | null> {
  const found = await sys.call<{ due: readonly DueItem[] }>("sched.due", { limit: 1 }).catch(() => null);
  return found?.due[0] ?? null;
}

/** Such as `news in 5:00`. */
export function dueText({ kind, what, at }: DueItem, now: number): string {
  return `${reveal(kind === "schedule" ? what : `${kind} ${what}`)} in ${age(at - now)}`;
}

export interface ScheduleItem {
  readonly id: string;
  readonly mark: string;
  readonly text: string;
  readonly note: string;
}

export function scheduleItem({ name, target, timing, enabled, nextAt, last }: ScheduleInfo, now: number): ScheduleItem {
  const next = !enabled ? "paused" : nextAt === null ? "over" : `next in ${age(nextAt - now)}`;
  const mark = last === null ? "" : (stateText(last.state).split(" ")[0] ?? "");
  return { id: name, mark, text: `${timeText(timing)}, ${next}`, note: targetText(target) };
}
