import { expect, test } from "bun:test";
import { Heartbeat } from "../../src/rpc/heartbeat.ts";
import { FakeClock } from "../support/clock.ts";

function line({ isBusy = false, answers = true } = {}) {
  const clock = new FakeClock();
  const seen = { pings: 0, deadAt: null as number | null, isBusy, answers };
  const heartbeat = new Heartbeat({
    clock,
    ping() {
      seen.pings++;
      if (seen.answers) clock.after(20, () => heartbeat.heard());
    },
    isBusy: () => seen.isBusy,
    onDead: () => {
      seen.deadAt = clock.mono();
    },
  });
  return { clock, seen, heartbeat };
}

test("an open answer is asked for twice a second, and a line that answers stays", async () => {
  const { clock, seen } = line({ isBusy: true });
  await clock.advance(60_000);
  expect(seen).toMatchObject({ pings: 120, deadAt: null });
});

test("without an open answer it asks each 15 seconds", async () => {
  const { clock, seen } = line();
  await clock.advance(60_000);
  expect(seen).toMatchObject({ pings: 4, deadAt: null });
});

test("a cut shows within two seconds while an answer is open, and within 60 otherwise", async () => {
  const busy = line({ isBusy: true, answers: false });
  await busy.clock.advance(120_000);
  expect(busy.seen.deadAt).toBe(2000);
  const idle = line({ answers: false });
  await idle.clock.advance(120_000);
  expect(idle.seen.deadAt).toBe(55_000);
});

test("a call on a line that was cut while idle notices it within two seconds", async () => {
  const { clock, seen, heartbeat } = line();
  await clock.advance(20_300);
  Object.assign(seen, { isBusy: true, answers: false });
  heartbeat.wake();
  await clock.advance(60_000);
  expect(seen.deadAt).toBe(22_300);
});

test("after sleep the line is dead at once", async () => {
  const { clock, seen } = line();
  await clock.advance(500);
  clock.setWall(clock.now() + 3_600_000);
  await clock.advance(1000);
  expect(seen).toMatchObject({ pings: 0, deadAt: 1000 });
});

test("a stopped heartbeat sets no timer", async () => {
  const { clock, heartbeat } = line();
  heartbeat.stop();
  expect(clock.pending).toBe(0);
});
