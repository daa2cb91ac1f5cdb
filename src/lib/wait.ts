// Waiting for work no longer than a deadline. What the work does after that is ignored, failures included.

import type { Clock } from "./clock.ts";

/** What came of the work, or null if it takes longer than `ms`. Rejects if the work fails in time. */
export async function waitAtMost<T>(
  clock: Clock,
  ms: number,
  work: Promise<T>,
  signal?: AbortSignal,
): Promise<{ readonly value: T } | null> {
  const done = new AbortController();
  const late = clock.sleep(ms, either(done.signal, signal));
  try {
    return await Promise.race([work.then((value) => ({ value })), late.then(() => null)]);
  } finally {
    done.abort();
  }
}

/** Aborts with the first of both. */
export function either(signal: AbortSignal, other: AbortSignal | undefined): AbortSignal {
  return other === undefined ? signal : AbortSignal.any([signal, other]);
}

/** Runs work with a signal that aborts after `ms`. */
export async function abortAfter<T>(clock: Clock, ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController();
  const cancel = clock.after(ms, () => late.abort());
  try {
    return await work(late.signal);
  } finally {
    cancel();
  }
}
