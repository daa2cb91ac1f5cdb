// Formats and parses times for awk, always in UTC. Pure.

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = "January February March April May June July August September October November December".split(" ");
const DAY_MS = 24 * 60 * 60 * 1000;

export function timeText(format: string, ms: number): string {
  const at = new Date(ms);
  const two = (number: number) => String(number).padStart(2, "0");
  const [day = "", month = ""] = [DAYS[at.getUTCDay()], MONTHS[at.getUTCMonth()]];
  const hour = at.getUTCHours() % 12 || 12;
  const ofYear = Math.floor((ms - Date.UTC(at.getUTCFullYear(), 0, 1)) / DAY_MS) + 1;
  const parts: { readonly [letter: string]: string } = {
    ...{ Y: String(at.getUTCFullYear()), y: two(at.getUTCFullYear() % 100), m: two(at.getUTCMonth() + 1) },
    ...{ d: two(at.getUTCDate()), e: String(at.getUTCDate()).padStart(2), j: String(ofYear).padStart(3, "0") },
    ...{ H: two(at.getUTCHours()), I: two(hour), M: two(at.getUTCMinutes()), S: two(at.getUTCSeconds()) },
    ...{ A: day, a: day.slice(0, 3), B: month, b: month.slice(0, 3), h: month.slice(0, 3) },
    ...{ p: at.getUTCHours() < 12 ? "AM" : "PM", Z: "UTC", z: "+0000", s: String(Math.floor(ms / 1000)) },
    ...{ u: String(at.getUTCDay() || 7), w: String(at.getUTCDay()), n: "\n", t: "\t", "%": "%" },
  };
  const whole = format
    .replaceAll("%F", "%Y-%m-%d")
    .replaceAll(/%[TX]/g, "%H:%M:%S")
    .replaceAll("%R", "%H:%M")
    .replaceAll(/%[Dx]/g, "%m/%d/%y")
    .replaceAll("%c", "%a %b %e %H:%M:%S %Y");
  return whole.replaceAll(/%(.)/g, (found, letter: string) => parts[letter] ?? found);
}

/** Seconds of `YYYY MM DD HH MM SS`; -1 if invalid. */
export function instant(text: string): number {
  const [year, month, day, hour, minute, second] = text.trim().split(/\s+/).map(Number);
  if (second === undefined || year === undefined || month === undefined) return -1;
  const ms = Date.UTC(year, month - 1, day, hour, minute, second);
  return Number.isNaN(ms) ? -1 : Math.floor(ms / 1000);
}
