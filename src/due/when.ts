// Instants as people write them: `17:30`, `tomorrow 9am`, `friday noon`, `in 20 minutes`, `2026-12-01 08:00`. A time without a zone is on the
// clocks of the given zone, and the next one to come.

import { SysError } from "../abi/errno.ts";
import { instantOn, type WallTime, wallAt } from "./zone.ts";

export const WHEN_FORMS = "17:30, tomorrow 9am, friday noon, in 20 minutes, 2026-12-01 08:00";

const UNIT_MS: { readonly [unit: string]: number } = {
  ms: 1,
  ...{ s: 1000, sec: 1000, secs: 1000, second: 1000, seconds: 1000 },
  ...{ m: 60_000, min: 60_000, mins: 60_000, minute: 60_000, minutes: 60_000 },
  ...{ h: 3_600_000, hr: 3_600_000, hrs: 3_600_000, hour: 3_600_000, hours: 3_600_000 },
  ...{ d: 86_400_000, day: 86_400_000, days: 86_400_000, w: 604_800_000, week: 604_800_000, weeks: 604_800_000 },
};
const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const SPAN_MS_MAX = 100 * 366 * 86_400_000;

/** `20 minutes`, `1h30m`, `90s`, `an hour`; null for anything else. */
export function spanMs(text: string): number | null {
  const words = text.trim().toLowerCase().replace(/^an? /, "1 ");
  if (!/^(?:\d{1,9} ?[a-z]+ ?)+$/.test(words)) return null;
  let total = 0;
  for (const [, count, unit = ""] of words.matchAll(/(\d+) ?([a-z]+)/g)) {
    if (!Object.hasOwn(UNIT_MS, unit)) return null;
    total += Number(count) * (UNIT_MS[unit] ?? 0);
  }
  return total <= SPAN_MS_MAX ? total : null;
}

/** Throws if the text is no instant, or one that is over. */
export function instantOf(text: string, now: number, zone: string): number {
  const words = text.trim().toLowerCase().replace(/\s+/g, " ");
  const at = isoInstant(words, zone) ?? laterInstant(words, now) ?? clockInstant(words, now, zone);
  if (at === null) throw new SysError("EINVAL", `not a time: ${quoted(text)}`, [`as ${WHEN_FORMS}`]);
  if (at < now - JUST_MS) throw new SysError("EINVAL", `${quoted(text)} is in the past: ${new Date(at).toISOString()}`);
  return at;
}

/** `now` may be a moment ago when it is read. */
const JUST_MS = 1000;

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 60).toWellFormed());
}

function laterInstant(words: string, now: number): number | null {
  if (words === "now") return now;
  const [, span] = /^(?:in|now \+|\+) ?(.+)$/.exec(words) ?? [];
  const ms = span === undefined ? null : spanMs(span);
  return ms === null ? null : now + ms;
}

function isoInstant(words: string, zone: string): number | null {
  const form = /^(\d{4})-(\d\d)-(\d\d)(?:[t ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(z|[+-]\d\d:?\d\d)?)?$/;
  const [all, year, month, day, hour = "0", minute = "0", second = "0", offset] = form.exec(words) ?? [];
  if (all === undefined) return null;
  const wall = [year, month, day, hour, minute].map(Number) as [number, number, number, number, number];
  const date = { year: wall[0], month: wall[1], day: wall[2] };
  if (!isDate(date)) throw new SysError("EINVAL", `no such date: ${all.slice(0, 10)}`, [`as ${WHEN_FORMS}`]);
  if (wall[3] > 23 || wall[4] > 59 || Number(second) > 59) return null;
  if (offset === undefined) return instantOn({ ...date, hour: wall[3], minute: wall[4] }, zone) + Number(second) * 1000;
  const at = Date.parse(all.toUpperCase());
  return Number.isNaN(at) ? null : at;
}

type Day = Pick<WallTime, "year" | "month" | "day">;

function isDate({ year, month, day }: Day): boolean {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** A day, a time, or both in any order. */
function clockInstant(words: string, now: number, zone: string): number | null {
  const today = wallAt(now, zone);
  let [days, time]: [readonly number[] | null, ReturnType<typeof timeOf>] = [null, null];
  for (const word of words.replace(/(\d) ([ap]m)\b/g, "$1$2").split(" ")) {
    if (word === "at" || word === "on" || word === "next" || word === "this") continue;
    const [day, hour] = [daysFrom(word, today), timeOf(word)];
    if (day !== null && days === null) days = day;
    else if (hour !== null && time === null) time = hour;
    else return null;
  }
  if (time === null && (days === null || days[0] === 0)) return null;
  const { hour, minute } = time ?? today;
  for (const more of days ?? [0, 1]) {
    const at = instantOn({ ...today, day: today.day + more, hour, minute }, zone);
    if (at > now || (days !== null && more === days.at(-1))) return at;
  }
  return null;
}

/** Days from today, the nearest first. */
function daysFrom(word: string, today: Day): readonly number[] | null {
  if (word === "today" || word === "tonight") return [0];
  if (word === "tomorrow") return [1];
  if (word.length < 3) return null;
  const weekday = WEEKDAYS.findIndex((name) => name === word || name.slice(0, 3) === word);
  if (weekday === -1) return null;
  const now = new Date(Date.UTC(today.year, today.month - 1, today.day)).getUTCDay();
  const ahead = (weekday - now + 7) % 7;
  return ahead === 0 ? [0, 7] : [ahead];
}

function timeOf(word: string): Pick<WallTime, "hour" | "minute"> | null {
  if (word === "noon") return { hour: 12, minute: 0 };
  if (word === "midnight") return { hour: 0, minute: 0 };
  const [, hours, minutes, half] = /^(\d{1,2})(?::(\d\d))?(am|pm)?$/.exec(word) ?? [];
  if (hours === undefined || (minutes === undefined && half === undefined)) return null;
  const [hour, minute] = [Number(hours), Number(minutes ?? 0)];
  if (minute > 59 || hour > 23 || (half !== undefined && (hour < 1 || hour > 12))) return null;
  return { hour: half === undefined ? hour : (hour % 12) + (half === "pm" ? 12 : 0), minute };
}
