// How long to wait before trying again. Full jitter, so that many who failed together do not come back together.

const FIRST_MS = 500;
const CAP_MS = 8000;

/** Quick tries of one call: up to 0.5 s, 1 s, 2 s … at most 8 s. */
export function quickTryMs(attempt: number, random: (length: number) => Uint8Array): number {
  const ceiling = Math.min(CAP_MS, FIRST_MS * 2 ** (attempt - 1));
  return Math.round((ceiling * (random(1)[0] ?? 0)) / 255);
}
