// Instants as texts, and days in a time zone: the day of an instant, its beginning and its end. Handles days of 23 and 25 hours, and days
// that begin at 1:00. Pure.

const HOUR_MS = 3_600_000;
/** No day is longer in any zone. */
const HOURS_MAX = 49;

const formats = new Map<string, Intl.DateTimeFormat>();
const hourFormats = new Map<string, Intl.DateTimeFormat>();

/** For example `2026-11-22`. */
export function dayOf(at: number, zone: string): string {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-CA", { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit" });
    formats.set(zone, format);
  }
  return format.format(at);
}

/** The first instant of the day. */
export function dayBegan(at: number, zone: string): number {
  const day = dayOf(at, zone);
  let inside = at;
  for (let hours = 1; hours <= HOURS_MAX; hours++) {
    const earlier = at - hours * HOUR_MS;
    if (dayOf(earlier, zone) !== day) return firstInstant(earlier, inside, (each) => dayOf(each, zone) === day);
    inside = earlier;
  }
  return inside;
}

/** The first instant of the next day. */
export function dayEnds(at: number, zone: string): number {
  const day = dayOf(at, zone);
  let inside = at;
  for (let hours = 1; hours <= HOURS_MAX; hours++) {
    const later = at + hours * HOUR_MS;
    if (dayOf(later, zone) !== day) return firstInstant(inside, later, (each) => dayOf(each, zone) !== day);
    inside = later;
  }
  return inside;
}

/** The last time that the hour began, today or yesterday. If clocks skip it, the first instant after it; if they repeat it, the
 * first of the two. */
export function hourBegan(at: number, hour: number, zone: string): number {
  const today = hourOn(at, hour, zone);
  return today <= at ? today : hourOn(dayBegan(at, zone) - 1, hour, zone);
}

/** The hour on the day of the instant. */
function hourOn(at: number, hour: number, zone: string): number {
  const began = dayBegan(at, zone);
  const isSo = (each: number) => hourOf(each, zone) >= hour || dayOf(each, zone) !== dayOf(at, zone);
  if (isSo(began)) return began;
  let before = began;
  for (let hours = 1; hours <= HOURS_MAX; hours++) {
    const later = began + hours * HOUR_MS;
    if (isSo(later)) return firstInstant(before, later, isSo);
    before = later;
  }
  return before;
}

function hourOf(at: number, zone: string): number {
  let format = hourFormats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-GB", { timeZone: zone, hour: "2-digit", hourCycle: "h23" });
    hourFormats.set(zone, format);
  }
  return Number(format.format(at));
}

/** Binary search for the first millisecond with the property, between one without and one with it. */
function firstInstant(not: number, is: number, isSo: (at: number) => boolean): number {
  let [low, high] = [not, is];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isSo(middle)) high = middle;
    else low = middle;
  }
  return high;
}

export type When = (ms: number) => string;

export const isoTime: When = (ms) => new Date(ms).toISOString();

/** `2026-11-27 12:55:31`, in the time zone of the terminal. */
export const localTime: When = (ms) =>
  isoTime(ms - new Date(ms).getTimezoneOffset() * 60_000)
    .slice(0, 19)
    .replace("T", " ");
