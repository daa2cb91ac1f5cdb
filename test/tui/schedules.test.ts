// Schedules in the terminal: /sched lists them, and top shows what is due next.

import { expect, test } from "bun:test";
import type { ScheduleInfo } from "../../src/abi/schedule.ts";
import { topLines } from "../../tui/draw/top.ts";
import { NEW_TOP } from "../../tui/views/top.ts";
import { Played } from "../support/played.ts";
import { plain, text } from "../support/view.ts";

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);

function schedule(name: string, more: Partial<ScheduleInfo>): ScheduleInfo {
  const last = { scheduledAt: 0, startedAt: 0, finishedAt: 0, error: null, result: {} };
  return {
    ...{ name, owner: "sam", creator: "sam", timing: { kind: "every", everyMs: 600_000, anchor: 0 } },
    ...{ target: { kind: "exec", text: "df -h", target: "gsv" }, enabled: true, pausedWhy: null },
    ...{ rules: { overlap: "skip", catchUp: "one", jitterMs: 0, failuresMax: 3 }, nextAt: NOW + 300_000 },
    ...{ last: { ...last, state: "ok" }, runs: 3, costMicros: 0, createdAt: 0, file: null },
    ...more,
  } as ScheduleInfo;
}

test("/sched lists the schedules with their last outcome; enter shows one, alt-enter its history", async () => {
  const failed = { ...schedule("x", {}).last!, state: "error" as const };
  const played = await Played.open({
    prepare: (io) =>
      io.fakeSys.answer("sched.list", () => ({
        schedules: [schedule("disk", {}), schedule("news", { enabled: false, nextAt: null, last: failed })],
        next: null,
      })),
  });
  await played.type("/sched\r");
  await played.until(/disk +✓ +every 10m, next in \d:\d\d +\$ df -h/);
  await played.until(/news +✗ +every 10m, paused/);
  await played.until(/enter show {2}alt-enter history/);
  await played.type("news\r");
  await played.until(/^\$ sched show news *\n.*sched\.get/m);
  await played.type("/sched\r");
  await played.until(/alt-enter history/);
  await played.type("\x1b\r");
  await played.until(/^\$ sched history disk/m);
  await played.leave();
});

test("top shows what is due next, and drops it first on a narrow screen", () => {
  const due = { kind: "schedule", what: "news\x1b]0;x\x07", at: 310_000 } as const;
  const lines = (columns: number) =>
    text(topLines({ top: { ...NEW_TOP, due }, asks: [], notice: "", theme: plain, now: 10_000, columns, rows: 20 }));
  expect(lines(100)).toMatch(/next news.* in 5:00 {2}by age$/m);
  expect(lines(100)).not.toContain("\x1b]");
  expect(lines(40)).not.toContain("next news");
});
