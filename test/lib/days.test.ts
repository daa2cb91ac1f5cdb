import { expect, test } from "bun:test";
import { dayBegan, dayEnds, dayOf } from "../../src/lib/text/days.ts";

const at = (text: string) => Date.parse(text);
const iso = (ms: number) => new Date(ms).toISOString();

test("a day begins and ends at midnight of its zone, to the millisecond", () => {
  const noon = at("2026-11-22T12:00:00Z");
  expect([dayOf(noon, "UTC"), iso(dayBegan(noon, "UTC")), iso(dayEnds(noon, "UTC"))]).toEqual([
    ...["2026-11-22", "2026-11-22T00:00:00.000Z", "2026-11-23T00:00:00.000Z"],
  ]);
  expect(iso(dayEnds(noon, "America/New_York"))).toBe("2026-11-23T05:00:00.000Z");
  expect(iso(dayBegan(noon, "Asia/Kathmandu"))).toBe("2026-11-21T18:15:00.000Z");
  expect(dayOf(dayEnds(noon, "Asia/Kathmandu") - 1, "Asia/Kathmandu")).toBe("2026-11-22");
  expect(dayBegan(dayBegan(noon, "UTC"), "UTC")).toBe(dayBegan(noon, "UTC"));
});

test("days of 23 and 25 hours have their true length", () => {
  const hours = (text: string, zone: string) => (dayEnds(at(text), zone) - dayBegan(at(text), zone)) / 3_600_000;
  expect(hours("2026-03-29T12:00:00Z", "Europe/Berlin")).toBe(23);
  expect(hours("2026-10-25T12:00:00Z", "Europe/Berlin")).toBe(25);
  // There the clock jumps from 23:59:59 to 01:00:00.
  expect(hours("2026-09-06T15:00:00Z", "America/Santiago")).toBe(23);
});
