// Gives memory back after work. The runtime collects garbage while it works, and then leaves what the last work held until the next.

import type { Clock } from "../../lib/clock.ts";

export interface FreeMemoryPorts {
  /** Calls back after each change of a process. */
  readonly watch: (changed: () => void) => () => void;
  readonly isWorking: () => boolean;
  readonly clock: Pick<Clock, "mono" | "after">;
  /** True if much is left. */
  readonly free: () => boolean;
}

/** After the last change: once its garbage is complete, and if much is left, once more when idle databases are closed. */
const FREE_AFTER_MS = [2000, 10_000] as const;

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
      step = free() ? step + 1 : FREE_AFTER_MS.length;
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
