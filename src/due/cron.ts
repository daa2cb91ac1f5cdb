// Five-field cron expressions in a time zone. Bun's parser finds the matching minutes. Two of its results are corrected: an occurrence that
// clocks skip comes at the first instant after the gap, and an expression for every hour has none there.
//
// When clocks are set back, an occurrence with a fixed hour and minute comes once, in the first pass. With `*` in one of them it comes in both.

import { SysError } from "../abi/errno.ts";
import { transitionAfter, type WallTime, wallAt, zoneNamed } from "./zone.ts";

export interface Cron {
  /** As given, with single spaces. */
  readonly expr: string;
  readonly zone: string;
  /** For Bun: without ranges that wrap around. */
  readonly plain: string;
  readonly fields: readonly Field[];
}

interface Field {
  readonly values: ReadonlySet<number>;
  /** A bare `*`. */
  readonly isAny: boolean;
}

interface FieldRule {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names for values from `min` on. */
  readonly names: readonly string[];
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const LONG_NAMES: { readonly [name: string]: string } = Object.fromEntries(
  [
    ...["january", "february", "march", "april", "june", "july", "august", "september", "october", "november"],
    ...["december", "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"],
  ].map((name) => [name, name.slice(0, 3)]),
);

const RULES: readonly FieldRule[] = [
  { name: "minute", min: 0, max: 59, names: [] },
  { name: "hour", min: 0, max: 23, names: [] },
  { name: "day of month", min: 1, max: 31, names: [] },
  { name: "month", min: 1, max: 12, names: MONTHS },
  { name: "weekday", min: 0, max: 7, names: WEEKDAYS },
];

const MACROS: { readonly [name: string]: string } = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

const MACRO_NAMES: readonly string[] = Object.keys(MACROS);

const EXPR_CHARS_MAX = 500;
const HINT = "a cron expression has five fields: minute hour day month weekday, such as 0 9 * * mon-fri";

/** Throws if the expression is invalid, or matches no date. */
export function cronOf(text: string, zone: string): Cron {
  if (text.length > EXPR_CHARS_MAX)
    throw new SysError("EINVAL", `the cron expression has ${text.length} characters, the limit is ${EXPR_CHARS_MAX}`);
  const expr = text.trim().replace(/\s+/g, " ");
  const words = (expr.startsWith("@") ? macroOf(expr) : expr).split(" ");
  if (words.length !== RULES.length)
    throw new SysError("EINVAL", `not a cron expression: ${quoted(expr)} has ${words.length} fields`, [HINT]);
  const read = words.map((word, index) => readField(word, RULES[index]!));
  const plain = read.map(({ plain: field }) => field).join(" ");
  const cron = { expr, zone: zoneNamed(zone), plain, fields: read.map(({ field }) => field) };
  if (nextByBun(cron, 0) === null)
    throw new SysError("EINVAL", `the cron expression never matches a date: ${quoted(expr)}`);
  return cron;
}

function macroOf(expr: string): string {
  const fields = MACROS[expr.toLowerCase()];
  if (fields !== undefined) return fields;
  throw new SysError("EINVAL", `unknown cron expression: ${quoted(expr)}`, [`known: ${MACRO_NAMES.join(" ")}`]);
}

function readField(word: string, rule: FieldRule): { readonly field: Field; readonly plain: string } {
  const values = new Set<number>();
  const plain: string[] = [];
  for (const part of word.split(",")) {
    const [range = "", step, ...more] = part.split("/");
    if (more.length > 0) throw badField(rule, word);
    const each = step === undefined ? 1 : numberIn(step, { ...rule, min: 1, max: 999, names: [] }, word);
    if (step !== undefined && each > rule.max - rule.min)
      throw new SysError("EINVAL", `${rule.name} ${quoted(word)}: the step is larger than the field`, [HINT]);
    const [from, to] = boundsOf(range, rule, { word, isOpen: step !== undefined });
    const spans = from <= to ? [[from, to] as const] : wrapped(from, to, rule);
    let skip = 0;
    for (const [start, end] of spans) {
      const first = start + skip;
      for (let value = first; value <= end; value += each) values.add(value);
      if (first <= end) plain.push(range === "*" ? part : each === 1 ? `${first}-${end}` : `${first}-${end}/${each}`);
      skip = (each - ((end - start + 1 - skip) % each)) % each;
    }
  }
  if (rule.name === "weekday" && values.delete(7)) values.add(0);
  return { field: { values, isAny: word === "*" }, plain: plain.join(",") };
}

/** `fri-mon` as two ranges. */
function wrapped(from: number, to: number, rule: FieldRule): readonly (readonly [number, number])[] {
  const max = rule.name === "weekday" ? 6 : rule.max;
  return [
    [from, max],
    [rule.min, to],
  ];
}

function boundsOf(
  range: string,
  rule: FieldRule,
  { word, isOpen }: { readonly word: string; readonly isOpen: boolean },
): readonly [number, number] {
  const max = rule.name === "weekday" ? 6 : rule.max;
  if (range === "*") return [rule.min, max];
  const ends = range.split("-");
  if (ends.length > 2) throw badField(rule, word);
  const [from, to] = ends.map((end) => numberIn(end, rule, word));
  if (from === undefined) throw badField(rule, word);
  if (to !== undefined) return [from, to];
  return [from, isOpen ? Math.max(from, max) : from];
}

function numberIn(text: string, rule: FieldRule, word: string): number {
  const name = text.toLowerCase();
  const named = rule.names.indexOf(LONG_NAMES[name] ?? name);
  if (named !== -1) return named + rule.min;
  if (!/^\d{1,3}$/.test(text)) throw badField(rule, word);
  const value = Number(text);
  if (value < rule.min || value > rule.max) throw badField(rule, word);
  return value;
}

function badField({ name, min, max, names }: FieldRule, word: string): SysError {
  const also = names.length === 0 ? "" : ` or ${names[0]} to ${names.at(-1)}`;
  return new SysError("EINVAL", `${name} ${quoted(word)}: must be ${min} to ${max}${also}`, [HINT]);
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 60).toWellFormed());
}

/** The first instant after `after`. Null if no date matches within 8 years. */
export function nextOfCron(cron: Cron, after: number): number | null {
  const skipped = skippedAfter(cron, after);
  for (let from = after; ; ) {
    const at = nextByBun(cron, from);
    if (at === null || (skipped !== null && skipped <= at)) return skipped ?? at;
    const { hour, minute } = wallAt(at, cron.zone);
    const [minutes, hours] = cron.fields;
    if (minutes?.values.has(minute) && hours?.values.has(hour)) return at;
    from = at;
  }
}

function nextByBun({ plain, zone }: Cron, from: number): number | null {
  return Bun.cron.parse(plain, from, { tz: zone })?.getTime() ?? null;
}

const LOOK_AHEAD_MS = 400 * 86_400_000;

/** The end of the next gap that contains an occurrence. Null without one in the next year. */
function skippedAfter(cron: Cron, after: number): number | null {
  if (cron.fields[1]?.isAny) return null;
  for (let from = after; from < after + LOOK_AHEAD_MS; ) {
    const next = transitionAfter(from, cron.zone);
    if (next === null) return null;
    if (next.gapMs > 0 && isInGap(cron, next)) return next.at;
    from = next.at;
  }
  return null;
}

function isInGap(cron: Cron, { at, gapMs }: { readonly at: number; readonly gapMs: number }): boolean {
  const { year, month, day, hour, minute } = wallAt(at, cron.zone);
  const ends = Date.UTC(year, month - 1, day, hour, minute);
  for (let wall = ends - gapMs; wall < ends; wall += 60_000) if (matches(cron, wallOf(wall))) return true;
  return false;
}

function wallOf(ms: number): WallTime {
  const date = new Date(ms);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
  };
}

/** If both days are restricted, one of them must match. */
function matches({ fields }: Cron, { year, month, day, hour, minute }: WallTime): boolean {
  const [minutes, hours, days, months, weekdays] = fields as [Field, Field, Field, Field, Field];
  if (!minutes.values.has(minute) || !hours.values.has(hour) || !months.values.has(month)) return false;
  const isDay = days.values.has(day);
  const isWeekday = weekdays.values.has(new Date(Date.UTC(year, month - 1, day)).getUTCDay());
  return days.isAny || weekdays.isAny ? isDay && isWeekday : isDay || isWeekday;
}
