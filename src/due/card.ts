// What the approval card says about a change of schedules: the command, and the next five times.

import { SysError } from "../abi/errno.ts";
import { nextFive, timingOf } from "./timetable.ts";

export function nextTimesText(
  { command, when, tz }: { readonly command: string; readonly when: string | null; readonly tz: string | null },
  { now, zone }: { readonly now: number; readonly zone: string },
): string {
  if (/^(?:on |signal\.)/.test(command)) return `changes a watch: ${command}`;
  if (when === null) return `changes a schedule: ${command}`;
  try {
    const timing = timingOf(when, now, tz ?? zone);
    const next = nextFive(timing, now - 1).map((at) => `${new Date(at).toISOString().slice(0, 16)}Z`);
    return `changes a schedule: ${command}; next: ${next.join(", ")}`;
  } catch (error) {
    // The call will fail with the same reason.
    if (error instanceof SysError) return `changes a schedule: ${command}; ${error.message}`;
    throw error;
  }
}
