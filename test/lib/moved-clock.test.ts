// The clock that GSV_CLOCK moves: what its file may hold, and when the file is not there.

import { expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { movedClock } from "../../src/client/moved-clock.ts";
import { scratchDirectory } from "../support/scratch.ts";

const HOUR = 3_600_000;
const fail = (line: string): void => {
  throw new Error(line);
};

test("the numbers of the file are added up; lines that are no whole number of ms do not count", () => {
  const file = join(scratchDirectory("clock"), "clock");
  writeFileSync(file, `${HOUR}\nabc\n1e999\n0.5\n\n-1000\n`);
  expect(Math.round((movedClock(file, fail)!.now() - Date.now()) / 1000)).toBe(3599);
});

test("a file that cannot be read is an error at the start, and keeps the time as it is later", async () => {
  const file = join(scratchDirectory("clock"), "clock");
  const lines: string[] = [];
  expect(movedClock(file, (line) => lines.push(line))).toBeNull();
  expect(lines).toEqual([`gsv: GSV_CLOCK: cannot read the file ${file}\n`]);
  writeFileSync(file, `${HOUR}\n`);
  const clock = movedClock(file, fail)!;
  rmSync(file);
  await clock.sleep(30);
  expect(Math.round((clock.now() - Date.now()) / 1000)).toBe(3600);
});
