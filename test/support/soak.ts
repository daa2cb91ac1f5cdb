// Big counts run as a seeded sample in `npm test` and in full in `npm run soak`.

import { seeded } from "./random.ts";

/** Another one in each run; `npm test` tells it when something failed, and with `GSV_SEED` the same is drawn again. */
export const SEED = Number(process.env.GSV_SEED ?? Date.now() % 100_000);

/** How often to repeat: few times normally, the full count when soaking. */
export function samples(seededCount: number, fullCount: number): number {
  return process.env.GSV_SOAK === "1" ? fullCount : seededCount;
}

/** So many of these, in their order; another run draws others. All of them when soaking. */
export function drawn<T>(count: number, items: readonly T[]): readonly T[] {
  const { next } = seeded(SEED);
  const places = items.map((_, at) => ({ at, by: next() }));
  const first = places.sort((one, other) => one.by - other.by).slice(0, samples(count, items.length));
  const taken = new Set(first.map(({ at }) => at));
  return items.filter((_, at) => taken.has(at));
}

/** Of many that are alike one in so many, spread out and others each time; all of them when soaking. */
export function oneIn<Item>(every: number, items: readonly Item[], seed = SEED): readonly Item[] {
  return items.filter((_, at) => (at + seed) % samples(every, 1) === 0);
}

type Declare = (title: string, work: () => Promise<void>, deadlineMs?: number) => void;

/** Of tests that each start programs of their own it declares one in so many, others each time; all of them when soaking. */
export function declaredIn(every: number, declare: Declare, seed = SEED): Declare {
  let at = 0;
  return (...test) => {
    if ((at++ + seed) % samples(every, 1) === 0) declare(...test);
  };
}
