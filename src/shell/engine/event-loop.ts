// Lets timers and messages run: a script that only passes data between its commands would block them.

import type { Clock } from "../../lib/clock.ts";

const LONG_MS = 10;
let lastMs = 0;

export function hasRunLong(clock: Pick<Clock, "mono">): boolean {
  return clock.mono() - lastMs >= LONG_MS;
}

export async function letEventsIn(clock: Pick<Clock, "mono">): Promise<void> {
  if (!hasRunLong(clock)) return;
  await new Promise((resolve) => setImmediate(resolve));
  lastMs = clock.mono();
}
