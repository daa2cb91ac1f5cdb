// Parses a start time: `today`, `yesterday`, a duration before now such as `2h`, a day or month such as `2026-11-01`, or an instant. Days
// and instants without a zone are in the given time zone. null for anything else. Pure.

import { dayBegan, dayOf } from "./days.ts";
import { durationMs } from "./duration.ts";

export const SINCE_FORMS = "as today, 10m, 2h, 7d, 2026-11-01 or 2026-11-01T12:00:00Z";

/** The error for an invalid time. */
export function noSince(text: string): string {
  return `that is no time to begin at: ${JSON.stringify(text.slice(0, 40).toWellFormed())}`;
}

export function sinceMs(text: string, now: number, zone: string): number | null {
  if (text === "today") return dayBegan(now, zone);
  if (text === "yesterday") return dayBegan(dayBegan(now, zone) - 1, zone);
  const span = durationMs(text);
  if (span !== null) return now - span;
  const [, day, time] =
    /^(\d{4}-\d\d(?:-\d\d)?)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?))?$/.exec(text) ?? [];
  if (day === undefined) return null;
  if (time === undefined) return beginningOf(day.length === 7 ? `${day}-01` : day, zone);
  const at = Date.parse(`${day}T${time}`);
  if (Number.isNaN(at)) return null;
  return /(?:Z|[+-]\d\d:?\d\d)$/.test(time) ? at : onClock(Date.parse(`${day}T${time}Z`), zone);
}

function beginningOf(day: string, zone: string): number | null {
  // Noon in Greenwich may be the day before or after, elsewhere.
  const noon = Date.parse(`${day}T12:00:00Z`);
  for (const at of [noon, noon - 43_200_000, noon + 43_200_000])
    if (!Number.isNaN(at) && dayOf(at, zone) === day) return dayBegan(at, zone);
  return null;
}

/** The instant at which clocks of a zone show `shown`. */
function onClock(shown: number, zone: string): number {
  const first = shown - offsetAt(shown, zone);
  return shown - offsetAt(first, zone);
}

function offsetAt(at: number, zone: string): number {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  } as Intl.DateTimeFormatOptions).formatToParts(at);
  const [year, month, day, hour, minute, second] = ["year", "month", "day", "hour", "minute", "second"].map((type) =>
    Number(parts.find((part) => part.type === type)?.value),
  );
  const wall = Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second);
  return wall - Math.floor(at / 1000) * 1000;
}
