// Wall-clock times in a time zone. A time that clocks skip is the first instant after the gap; one that they repeat is the first of the two.

import { SysError } from "../abi/errno.ts";

// Built into Bun; its types are not part of TypeScript's library yet.
interface ZonedTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly offsetNanoseconds: number;
  readonly epochMilliseconds: number;
  getTimeZoneTransition(direction: "next" | "previous"): ZonedTime | null;
}

declare const Temporal: {
  readonly Instant: {
    fromEpochMilliseconds(ms: number): { toZonedDateTimeISO(zone: string): ZonedTime };
  };
};

export interface WallTime {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

/** A change of the clocks: `gapMs` are skipped, or repeated if negative. */
export interface Transition {
  readonly at: number;
  readonly gapMs: number;
}

/** The name as it is spelled, such as `Europe/Berlin` for `europe/berlin`. */
export function zoneNamed(name: string): string {
  try {
    // Offsets such as +02:00 are no zones for cron expressions.
    if (/^[a-z]/i.test(name)) return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    // Handled below.
  }
  throw new SysError("EINVAL", `unknown time zone: ${JSON.stringify(name.slice(0, 60).toWellFormed())}`, [
    "for example: Europe/Berlin, America/New_York, UTC",
  ]);
}

export function wallAt(at: number, zone: string): WallTime {
  const { year, month, day, hour, minute } = zonedAt(at, zone);
  return { year, month, day, hour, minute };
}

function zonedAt(at: number, zone: string): ZonedTime {
  return Temporal.Instant.fromEpochMilliseconds(Math.floor(at)).toZonedDateTimeISO(zone);
}

/** The next change of the clocks after an instant; null if none follows. */
export function transitionAfter(at: number, zone: string): Transition | null {
  const next = zonedAt(at, zone).getTimeZoneTransition("next");
  if (next === null) return null;
  const before = zonedAt(next.epochMilliseconds - 1, zone);
  return { at: next.epochMilliseconds, gapMs: (next.offsetNanoseconds - before.offsetNanoseconds) / 1e6 };
}

/** The instant at which the clocks of the zone show this time. The day may be outside the month. */
export function instantOn({ year, month, day, hour, minute }: WallTime, zone: string): number {
  const wall = Date.UTC(year, month - 1, day, hour, minute);
  // The offsets a day before and after: clocks change at most once in between.
  const offsets = [wall - DAY_MS, wall + DAY_MS].map((at) => zonedAt(at, zone).offsetNanoseconds / 1e6);
  const fits = offsets.map((offset) => wall - offset).filter((at) => isOn(at, wall, zone));
  if (fits.length > 0) return Math.min(...fits);
  return transitionAfter(wall - DAY_MS, zone)?.at ?? wall;
}

function isOn(at: number, wall: number, zone: string): boolean {
  return at + zonedAt(at, zone).offsetNanoseconds / 1e6 === wall;
}

const DAY_MS = 86_400_000;
