// Big counts run as a seeded sample in `npm test` and in full in `npm run soak`.

import { seeded } from "./random.ts";

/** A different one in each run; `npm test` prints it when a test failed, and `GSV_SEED` sets it. */
export const SEED = Number(process.env.GSV_SEED ?? Date.now() % 100_000);

/** Number of repetitions: few normally, the full count in a soak. */
export function samples(seededCount: number, fullCount: number): number {
  return process.env.GSV_SOAK === "1" ? fullCount : seededCount;
}

/** So many of these, in order; another run draws others. All of them in a soak. */
export function drawn<T>(count: number, items: readonly T[]): readonly T[] {
  const { next } = seeded(SEED);
  const places = items.map((_, at) => ({ at, by: next() }));
  const first = places.sort((one, other) => one.by - other.by).slice(0, samples(count, items.length));
  const taken = new Set(first.map(({ at }) => at));
  return items.filter((_, at) => taken.has(at));
}

/** One in so many of similar ones, spread out and different in each run; all of them in a soak. */
export function oneIn<Item>(every: number, items: readonly Item[], seed = SEED): readonly Item[] {
  return items.filter((_, at) => (at + seed) % samples(every, 1) === 0);
}

type Declare = (title: string, work: () => Promise<void>, deadlineMs?: number) => void;

/** Declares one in so many of tests that each start programs of their own, different in each run; all of them in a soak. */
export function declaredIn(every: number, declare: Declare, seed = SEED): Declare {
  let at = 0;
  return (...test) => {
    if ((at++ + seed) % samples(every, 1) === 0) declare(...test);
  };
}
