// Renewal of a session by the wall clock, which has days of 23 and 25 hours.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { dayOf, hourBegan } from "../../src/lib/text/days.ts";
import { renewsBefore } from "../../src/sessions/renewal.ts";

const DAILY = { mode: "daily", atHour: 4, idleMinutes: 60 } as const;
const BERLIN = "Europe/Berlin";
const at = (text: string) => Date.parse(text);
const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

test("manual: never", () =>
  expect(renewsBefore({ ...DAILY, mode: "manual" }, at("2026-05-05T12:00Z"), "UTC")).toBeNull());

test("idle: after the idle time", () => {
  const policy = { ...DAILY, mode: "idle", idleMinutes: 30 } as const;
  expect(iso(renewsBefore(policy, at("2026-05-05T12:00Z"), BERLIN))).toBe("2026-05-05T11:30:00.000Z");
});

describe("daily: since the last start of the hour", () => {
  const cases: readonly (readonly [zone: string, hour: number, now: string, began: string])[] = [
    ["UTC", 4, "2026-05-05T12:00Z", "2026-05-05T04:00Z"],
    ["UTC", 4, "2026-05-05T04:00Z", "2026-05-05T04:00Z"],
    ["UTC", 4, "2026-05-05T03:59Z", "2026-05-04T04:00Z"],
    ["UTC", 0, "2026-05-05T00:00Z", "2026-05-05T00:00Z"],
    [BERLIN, 4, "2026-01-05T12:00Z", "2026-01-05T03:00Z"],
    [BERLIN, 4, "2026-07-05T12:00Z", "2026-07-05T02:00Z"],
    // The night of 29 March has no hour 2, the morning of 25 October has two.
    [BERLIN, 4, "2026-03-29T01:59Z", "2026-03-28T03:00Z"],
    [BERLIN, 4, "2026-03-29T02:00Z", "2026-03-29T02:00Z"],
    [BERLIN, 2, "2026-03-29T12:00Z", "2026-03-29T01:00Z"],
    [BERLIN, 2, "2026-10-25T12:00Z", "2026-10-25T00:00Z"],
    [BERLIN, 2, "2026-10-25T00:30Z", "2026-10-25T00:00Z"],
    [BERLIN, 4, "2026-10-25T02:59Z", "2026-10-24T02:00Z"],
    [BERLIN, 4, "2026-10-25T03:00Z", "2026-10-25T03:00Z"],
    ["America/New_York", 23, "2026-11-02T03:59Z", "2026-11-01T03:00Z"],
    ["Asia/Kathmandu", 4, "2026-05-05T12:00Z", "2026-05-04T22:15Z"],
    // A day that starts at 1 a.m.
    ["America/Santiago", 0, "2026-09-06T12:00Z", "2026-09-06T04:00Z"],
  ];
  for (const [zone, hour, now, began] of cases)
    test(`at ${hour}:00 in ${zone}, ${now}`, () => {
      expect(iso(renewsBefore({ ...DAILY, atHour: hour }, at(now), zone))).toBe(iso(at(began)));
    });
});

test("the hour began at most 26 hours ago and not in the future, and is the set hour if it exists", () => {
  const zones = ["UTC", BERLIN, "America/New_York", "Australia/Lord_Howe", "America/Santiago", "Asia/Kathmandu"];
  const instant = fc.integer({ min: at("2025-01-01T00:00Z"), max: at("2028-01-01T00:00Z") });
  fc.assert(
    fc.property(instant, fc.integer({ min: 0, max: 23 }), fc.constantFrom(...zones), (now, hour, zone) => {
      const began = hourBegan(now, hour, zone);
      expect(began <= now && now - began <= 26 * 3_600_000).toBe(true);
      expect(hourBegan(began, hour, zone)).toBe(began);
      const local = Number(
        new Intl.DateTimeFormat("en-GB", { timeZone: zone, hour: "2-digit", hourCycle: "h23" }).format(began),
      );
      // Skipped by the clock change: the first instant after it.
      if (local !== hour) expect(local).toBe(hour + 1);
      expect(dayOf(began - 1, zone) === dayOf(began, zone) || hour === 0 || local !== hour).toBe(true);
    }),
    { numRuns: 150 },
  );
});
