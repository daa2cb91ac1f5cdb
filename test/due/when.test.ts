// Instants as people write them.

import { describe, expect, test } from "bun:test";
import { instantOf, spanMs } from "../../src/due/when.ts";

// Friday, 16:00 in Berlin.
const NOW = Date.UTC(2026, 10, 27, 15, 0);
const at = (text: string, now = NOW, zone = "Europe/Berlin") =>
  new Date(instantOf(text, now, zone)).toISOString().slice(0, 19);

describe("an instant", () => {
  test.each([
    ["17:30", "2026-11-27T16:30:00"],
    ["9:05", "2026-11-28T08:05:00"],
    ["16:00", "2026-11-28T15:00:00"],
    ["5pm", "2026-11-27T16:00:00"],
    ["5:15 pm", "2026-11-27T16:15:00"],
    ["12am", "2026-11-27T23:00:00"],
    ["noon", "2026-11-28T11:00:00"],
    ["midnight", "2026-11-27T23:00:00"],
    ["today 23:59", "2026-11-27T22:59:00"],
    ["tomorrow 9am", "2026-11-28T08:00:00"],
    ["9am tomorrow", "2026-11-28T08:00:00"],
    ["Tomorrow at 17:30", "2026-11-28T16:30:00"],
    ["tomorrow", "2026-11-28T15:00:00"],
    ["monday 8:00", "2026-11-30T07:00:00"],
    ["next Mon 8am", "2026-11-30T07:00:00"],
    ["friday 17:00", "2026-11-27T16:00:00"],
    ["fri 9:00", "2026-12-04T08:00:00"],
    ["in 20 minutes", "2026-11-27T15:20:00"],
    ["in 1h30m", "2026-11-27T16:30:00"],
    ["in 2 days", "2026-11-29T15:00:00"],
    ["in an hour", "2026-11-27T16:00:00"],
    ["+90s", "2026-11-27T15:01:30"],
    ["now + 5 min", "2026-11-27T15:05:00"],
    ["now", "2026-11-27T15:00:00"],
    ["2026-12-01", "2026-11-30T23:00:00"],
    ["2026-12-01 08:00", "2026-12-01T07:00:00"],
    ["2026-12-01T08:00:30", "2026-12-01T07:00:30"],
    ["2026-12-01T08:00Z", "2026-12-01T08:00:00"],
    ["2026-12-01T08:00:00-05:00", "2026-12-01T13:00:00"],
  ])("%s", (text, instant) => {
    expect(at(text)).toBe(instant);
  });

  test("on the days on which clocks change", () => {
    const march = Date.UTC(2027, 2, 27, 12);
    expect(at("tomorrow 2:30", march)).toBe("2027-03-28T01:00:00");
    expect(at("2027-10-31 02:30", march)).toBe("2027-10-31T00:30:00");
    expect(at("tomorrow 2:15", Date.UTC(2027, 9, 2, 2), "Australia/Lord_Howe")).toBe("2027-10-02T15:30:00");
  });

  test.each([
    ...["", "soon", "25:00", "12:60", "13pm", "0am", "17", "today", "in", "in 5", "in -3 hours", "in 5 parsecs"],
    ...[
      "2026-02-30",
      "2026-13-01",
      "2026-12-01 24:01",
      "17:30 18:30",
      "monday tuesday",
      "in 99999999 weeks",
      "5 pm pm",
    ],
  ])("%j is refused, and the error shows valid forms", (text) => {
    expect(() => instantOf(text, NOW, "UTC")).toThrow(
      expect.objectContaining({ code: "EINVAL", hints: [expect.stringContaining("17:30")] }),
    );
  });

  test.each(["2020-01-01", "2026-11-27T14:59:00Z", "today 9:00"])("%s is in the past", (text) => {
    expect(() => instantOf(text, NOW, "UTC")).toThrow("is in the past");
  });
});

test("spans", () => {
  const spans = ["10m", "2s", "1h30m", "1 hour 30 minutes", "2 weeks", "a day", "5", "", "m", "1x", "-1m", "1.5h"];
  expect(spans.map(spanMs)).toEqual([
    ...[600_000, 2000, 5_400_000, 5_400_000, 1_209_600_000, 86_400_000],
    ...[null, null, null, null, null, null],
  ]);
});
