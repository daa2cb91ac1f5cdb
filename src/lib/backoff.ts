// Waiting times between retries, with jitter so that failures at the same time do not retry at the same time.

const FIRST_MS = 500;
const CAP_MS = 8000;
const MODEL_FIRST_MS = 1000;
const MODEL_CAP_MS = 30_000;
const LATER_FIRST_MS = 5 * 60 * 1000;
const LATER_CAP_MS = 60 * 60 * 1000;

/** Quick retries of one call: up to 0.5 s, 1 s, 2 s … at most 8 s. */
export function quickTryMs(attempt: number, random: (length: number) => Uint8Array): number {
  const ceiling = Math.min(CAP_MS, FIRST_MS * 2 ** (attempt - 1));
  return Math.round(ceiling * share(random));
}

/** Retries of a model that is overloaded or was cut off: about 1, 2, 4, 8, 16, 30, 30 … seconds. */
export function modelRetryMs(attempt: number, random: (length: number) => Uint8Array): number {
  const base = Math.min(MODEL_CAP_MS, MODEL_FIRST_MS * 2 ** (attempt - 1));
  return Math.round(base * (0.8 + 0.2 * share(random)));
}

/** Slow retries of a paused provider: 5, 15, 45 minutes, then every hour. One retry serves all runs, so there is no jitter. */
export function laterMs(before: number): number {
  return Math.min(LATER_CAP_MS, LATER_FIRST_MS * 3 ** before);
}

function share(random: (length: number) => Uint8Array): number {
  return (random(1)[0] ?? 0) / 255;
}
