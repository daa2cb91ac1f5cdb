// Parses relative dates of `date -d`: a day or time with an offset. Pure. Other forms are left to the program itself.

const MS: { readonly [unit: string]: number } = {
  ...{ sec: 1000, second: 1000, min: 60_000, minute: 60_000, hour: 3_600_000 },
};
const DAYS: { readonly [unit: string]: number } = { day: 1, week: 7, fortnight: 14 };
const MONTHS: { readonly [unit: string]: number } = { month: 1, year: 12 };
const WORDS: { readonly [word: string]: string } = { yesterday: "-1 day", tomorrow: "+1 day", today: "", now: "" };
const STEP = /^\s*(?:(next|last)|([-+]?)\s*(\d*))\s*([a-z]+?)s?(?:\s+(ago))?(?=\s|$|[-+])/i;

/** The base and the offsets; null without offsets. */
export function parseRelativeDate(text: string): { readonly base: string; readonly move: (from: Date) => Date } | null {
  const day = /^\s*(?:\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?Z?)?|\d\d:\d\d(?::\d\d)?)?/.exec(text)?.[0] ?? "";
  const words = text
    .slice(day.length)
    .replace(/\b(?:yesterday|tomorrow|today|now)\b/gi, (word) => WORDS[word.toLowerCase()] ?? "");
  // After a time, a signed number is the zone.
  if (day.includes(":") && /^\s*[-+]\d/.test(words)) return null;
  const moves: ((date: Date) => void)[] = [];
  for (let left = words; left.trim() !== ""; ) {
    const [whole, direction, sign, digits = "", unit = "", ago] = STEP.exec(left) ?? [];
    if (whole === undefined) return null;
    const size = direction === undefined ? Number(digits || 1) : 1;
    const isBack = (sign === "-") !== (ago !== undefined) || direction?.toLowerCase() === "last";
    const move = moveOf(unit.toLowerCase(), isBack ? -size : size);
    if (move === null) return null;
    moves.push(move);
    left = left.slice(whole.length);
  }
  if (moves.length === 0) return null;
  return { base: day.trim() === "" ? "now" : day.trim(), move: (from) => moves.reduce(moved, from) };
}

function moved(from: Date, move: (date: Date) => void): Date {
  const date = new Date(from);
  move(date);
  return date;
}

function moveOf(unit: string, count: number): ((date: Date) => void) | null {
  const [ms, days, months] = [MS[unit], DAYS[unit], MONTHS[unit]];
  if (ms !== undefined) return (date) => date.setTime(date.getTime() + count * ms);
  if (days !== undefined) return (date) => date.setUTCDate(date.getUTCDate() + count * days);
  return months === undefined ? null : (date) => date.setUTCMonth(date.getUTCMonth() + count * months);
}
