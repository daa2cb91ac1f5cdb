// Gives memory back after work. The runtime collects garbage while it works, and then leaves what the last work held until the next.

import type { Clock } from "../../lib/clock.ts";

export interface FreeMemoryPorts {
  /** Calls back after each change of a process. */
  readonly watch: (changed: () => void) => () => void;
  readonly isWorking: () => boolean;
  readonly clock: Pick<Clock, "mono" | "after">;
  readonly free: () => void;
}

/** After the last change: once its garbage is complete, and once more when idle databases are closed and idle workers have ended. */
const FREE_AFTER_MS = [2000, 35_000] as const;

/** Returns a function that stops it. */
export function freeAfterWork({ watch, isWorking, clock, free }: FreeMemoryPorts): () => void {
  let cancel: (() => void) | null = null;
  let changedAt = 0;
  let step = 0;
  const arm = () => {
    const ms = FREE_AFTER_MS[step];
    cancel = ms === undefined ? null : clock.after(Math.max(0, changedAt + ms - clock.mono()), ring);
  };
  const ring = () => {
    if (isWorking()) changedAt = clock.mono();
    else if (changedAt + (FREE_AFTER_MS[step] ?? 0) <= clock.mono()) {
      free();
      step++;
    }
    arm();
  };
  const unwatch = watch(() => {
    changedAt = clock.mono();
    if (step > 0) cancel?.();
    if (step === 0 && cancel !== null) return;
    step = 0;
    arm();
  });
  return () => {
    unwatch();
    cancel?.();
  };
}
