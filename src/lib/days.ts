// Days as people in a time zone count them: which one an instant belongs to, and when it began and ends. Days of 23 and 25 hours, and those
// that begin at one in the night, are as long as they are. Pure.

const HOUR_MS = 3_600_000;
/** No day is longer, wherever. */
const HOURS_MAX = 49;

const formats = new Map<string, Intl.DateTimeFormat>();

/** As `2026-11-22`. */
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
    if (dayOf(earlier, zone) !== day) return turn(earlier, inside, (each) => dayOf(each, zone) === day);
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
    if (dayOf(later, zone) !== day) return turn(inside, later, (each) => dayOf(each, zone) !== day);
    inside = later;
  }
  return inside;
}

/** The first millisecond that is so, between one that is not and one that is. */
function turn(not: number, is: number, isSo: (at: number) => boolean): number {
  let [low, high] = [not, is];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isSo(middle)) high = middle;
    else low = middle;
  }
  return high;
}
