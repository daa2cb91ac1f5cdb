// A start time as people write it, in their time zone.

import { expect, test } from "bun:test";
import { sinceMs } from "../../src/lib/text/since.ts";

const NOW = Date.parse("2026-11-22T15:04:05Z");
const iso = (text: string, zone = "UTC") => {
  const at = sinceMs(text, NOW, zone);
  return at === null ? null : new Date(at).toISOString();
};

test("a span goes back from now", () => {
  expect(["10m", "2h", "7d"].map((text) => iso(text))).toEqual([
    ...["2026-11-22T14:54:05.000Z", "2026-11-22T13:04:05.000Z", "2026-11-15T15:04:05.000Z"],
  ]);
});

test("today, yesterday, a day and a month begin at midnight of the zone", () => {
  expect(["today", "yesterday", "2026-11-01", "2026-11"].map((text) => iso(text, "America/New_York"))).toEqual([
    ...["2026-11-22T05:00:00.000Z", "2026-11-21T05:00:00.000Z", "2026-11-01T04:00:00.000Z", "2026-11-01T04:00:00.000Z"],
  ]);
});

test("an instant is that instant; without a zone it is local time", () => {
  expect(iso("2026-11-20T12:00:00Z", "Asia/Kathmandu")).toBe("2026-11-20T12:00:00.000Z");
  expect(iso("2026-11-20T12:00:00+01:00")).toBe("2026-11-20T11:00:00.000Z");
  expect(iso("2026-11-20 12:00", "Asia/Kathmandu")).toBe("2026-11-20T06:15:00.000Z");
  expect(iso("2026-07-20T12:00:30.5", "Europe/Berlin")).toBe("2026-07-20T10:00:30.500Z");
});

test("any other text is not a beginning", () => {
  for (const text of ["", "tomorrow", "-1d", "5", "2026-13-40", "2026-11-22T99:00", "noon", "2026-11-22Tx"])
    expect([text, sinceMs(text, NOW, "UTC")]).toEqual([text, null]);
});
