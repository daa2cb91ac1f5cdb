// Cron expressions against a table that is made by another method: every minute of a year, shown by Intl in its zone.

import { describe, expect, test } from "bun:test";
import { type Cron, cronOf, nextOfCron } from "../../src/due/cron.ts";

const HOUR = 3_600_000;

interface Minute {
  readonly at: number;
  /** Minutes since the epoch as the clock of the zone shows them. */
  readonly wall: number;
}

/** The minutes of 2027 in a zone, in order. */
function minutesOf(zone: string): Minute[] {
  const format = new Intl.DateTimeFormat("en-GB", {
    ...{ timeZone: zone, hourCycle: "h23", year: "numeric", month: "2-digit", day: "2-digit" },
    ...{ hour: "2-digit", minute: "2-digit" },
  } as Intl.DateTimeFormatOptions);
  const from = Date.UTC(2026, 11, 30);
  const minutes: Minute[] = [];
  // Offsets change only at full quarters.
  for (let at = from; at < Date.UTC(2028, 0, 3); at += 15 * 60_000) {
    const [day, month, year, hour, minute] = (format.format(at).match(/\d+/g) ?? []).map(Number) as number[];
    const wall = Date.UTC(year!, month! - 1, day, hour, minute) / 60_000;
    for (let more = 0; more < 15; more++) {
      const shown = new Date((wall + more) * 60_000);
      if (shown.getUTCFullYear() === 2027) minutes.push({ at: at + more * 60_000, wall: wall + more });
    }
  }
  return minutes;
}

interface Line {
  readonly expr: string;
  readonly isMinute: (minute: number) => boolean;
  readonly isHour: (hour: number) => boolean;
  readonly kind: "every" | "fixed";
}

const isEvery = () => true;
const LINES: readonly Line[] = [
  { expr: "*/5 * * * *", isMinute: (minute) => minute % 5 === 0, isHour: isEvery, kind: "every" },
  { expr: "0 * * * *", isMinute: (minute) => minute === 0, isHour: isEvery, kind: "every" },
  {
    ...{ expr: "*/30 1-3 * * *", kind: "fixed" },
    ...{ isMinute: (minute: number) => minute % 30 === 0, isHour: (hour: number) => hour >= 1 && hour <= 3 },
  } as Line,
  { expr: "30 2 * * *", isMinute: (minute) => minute === 30, isHour: (hour) => hour === 2, kind: "fixed" },
  { expr: "30 1 * * *", isMinute: (minute) => minute === 30, isHour: (hour) => hour === 1, kind: "fixed" },
  { expr: "15 2 * * *", isMinute: (minute) => minute === 15, isHour: (hour) => hour === 2, kind: "fixed" },
  { expr: "45 1 * * *", isMinute: (minute) => minute === 45, isHour: (hour) => hour === 1, kind: "fixed" },
];

function tableOf({ isMinute, isHour, kind }: Line, minutes: readonly Minute[]): number[] {
  const due = (wall: number) => isMinute(wall % 60) && isHour(Math.floor(wall / 60) % 24);
  const instants = new Set<number>();
  const shown = new Set<number>();
  let last = minutes[0]!.wall - 1;
  for (const { at, wall } of minutes) {
    for (let skipped = last + 1; skipped < wall; skipped++) if (kind === "fixed" && due(skipped)) instants.add(at);
    if (due(wall) && !(kind === "fixed" && shown.has(wall))) instants.add(at);
    shown.add(wall);
    last = wall;
  }
  return [...instants].sort((one, other) => one - other);
}

function instantsOf(cron: Cron, from: number, until: number): number[] {
  const found: number[] = [];
  for (let at = nextOfCron(cron, from - 1); at !== null && at <= until; at = nextOfCron(cron, at)) found.push(at);
  return found;
}

describe("a year of a cron expression", () => {
  for (const zone of ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe"]) {
    const minutes = minutesOf(zone);
    test.each(LINES.map((line) => [line.expr, line] as const))(`%s in ${zone}`, (expr, line) => {
      const expected = tableOf(line, minutes);
      const found = instantsOf(cronOf(expr, zone), minutes[0]!.at, minutes.at(-1)!.at);
      expect(found.length).toBe(expected.length);
      expect(found).toEqual(expected);
    });
  }

  test("the independent table knows the days on which clocks change", () => {
    const [berlin, lordHowe] = [minutesOf("Europe/Berlin"), minutesOf("Australia/Lord_Howe")];
    const half = LINES.find(({ expr }) => expr === "30 2 * * *")!;
    const instants = tableOf(half, berlin);
    expect(instants.length).toBe(365);
    // Skipped on 28 March: at 03:00 summer time. Repeated on 31 October: the first 02:30.
    expect(instants).toContain(Date.UTC(2027, 2, 28, 1, 0));
    expect(instants).toContain(Date.UTC(2027, 9, 31, 0, 30));
    expect(tableOf(LINES[0]!, lordHowe).length).toBe(105_120);
    expect(tableOf(LINES[1]!, lordHowe).length).toBe(8759);
  });
});

describe("clocks that change", () => {
  const gap = Date.UTC(2027, 2, 28, 1, 0);

  test.each([
    ["30 2 * * *", [gap]],
    ["*/10 2 * * *", [gap]],
    // Both: the skipped one, and its own.
    ["30 2,3 * * *", [gap, gap + HOUR / 2]],
    ["0 3 * * *", [gap]],
    ["15,45 1-3 * * *", [gap - 0.75 * HOUR, gap - 0.25 * HOUR, gap, gap + 0.25 * HOUR, gap + 0.75 * HOUR]],
  ])("%s on the day that loses an hour", (expr, instants) => {
    expect(instantsOf(cronOf(expr, "Europe/Berlin"), gap - HOUR, gap + HOUR - 1)).toEqual(instants);
  });

  test("a day that a zone skipped: its occurrence comes at the beginning of the next", () => {
    // Samoa had no 30 December 2011.
    const found = instantsOf(cronOf("0 12 30 12 *", "Pacific/Apia"), Date.UTC(2011, 0, 1), Date.UTC(2012, 0, 31));
    expect(found).toEqual([Date.UTC(2011, 11, 30, 10)]);
  });

  test("29 February", () => {
    expect(nextOfCron(cronOf("0 0 29 2 *", "UTC"), Date.UTC(2096, 2, 1))).toBe(Date.UTC(2104, 1, 29));
  });
});

describe("forms", () => {
  const week = (expr: string) =>
    instantsOf(cronOf(expr, "UTC"), Date.UTC(2027, 0, 3), Date.UTC(2027, 0, 10) - 1).map((at) =>
      new Date(at).getUTCDay(),
    );

  test.each([
    ["0 0 * * mon-fri", [1, 2, 3, 4, 5]],
    ["0 0 * * Monday,WED", [1, 3]],
    ["0 0 * * fri-mon", [0, 1, 5, 6]],
    ["0 0 * * 7", [0]],
    ["0 0 * * 0-7", [0, 1, 2, 3, 4, 5, 6]],
    ["0 0 * * 1-6/2", [1, 3, 5]],
    ["0 0 * * 5-2/2", [0, 2, 5]],
    ["0 0 * jan sun", [0]],
    // One of two restricted days must match.
    ["0 0 4 * wed", [1, 3]],
    ["@daily", [0, 1, 2, 3, 4, 5, 6]],
    ["@WEEKLY", [0]],
  ])("%s", (expr, days) => {
    expect(week(expr)).toEqual(days);
  });

  test("hours and minutes that wrap around", () => {
    const day = instantsOf(cronOf("50-10/10 23-1 * * *", "UTC"), Date.UTC(2027, 0, 1), Date.UTC(2027, 0, 2) - 1);
    expect(day.map((at) => new Date(at).toISOString().slice(11, 16))).toEqual([
      ...["00:00", "00:10", "00:50", "01:00", "01:10", "01:50"],
      ...["23:00", "23:10", "23:50"],
    ]);
  });

  test.each([
    ["30 2 30 2 *", "never matches a date"],
    ["0 0 31 4,6 *", "never matches a date"],
    ["* * * *", "has 4 fields"],
    ["* * * * * *", "has 6 fields"],
    ["60 * * * *", 'minute "60": must be 0 to 59'],
    ["0 24 * * *", 'hour "24": must be 0 to 23'],
    ["0 0 0 * *", "day of month"],
    ["0 0 * 13 *", 'month "13": must be 1 to 12 or jan to dec'],
    ["0 0 * * 8", "weekday"],
    ["0 0 * * L", "weekday"],
    ["*/0 * * * *", "minute"],
    ["*/90 * * * *", "the step is larger than the field"],
    ["*/60 * * * *", "the step is larger than the field"],
    [",5 * * * *", "minute"],
    ["5-10-15 * * * *", "minute"],
    ["*/5/2 * * * *", "minute"],
    ["@reboot", "known: @yearly"],
    ["", "has 1 fields"],
  ])("%s is refused", (expr, why) => {
    expect(() => cronOf(expr, "UTC")).toThrow(expect.objectContaining({ code: "EINVAL" }));
    try {
      cronOf(expr, "UTC");
    } catch (error) {
      const { message, hints } = error as { message: string; hints: readonly string[] };
      expect([message, ...hints].join("\n")).toContain(why);
    }
  });

  test("10 KB are refused", () => {
    expect(() => cronOf(`${"1,".repeat(5000)}1 * * * *`, "UTC")).toThrow("the limit is 500");
  });

  test.each(["", "Z", "+02:00", "UTC+2", "Europe/Nowhere"])("zone %j is refused", (zone) => {
    expect(() => cronOf("@daily", zone)).toThrow("unknown time zone");
  });

  test("a zone in any case", () => {
    expect(cronOf("@daily", "europe/berlin").zone).toBe("Europe/Berlin");
  });
});
