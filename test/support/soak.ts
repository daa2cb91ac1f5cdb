// Big counts run as a seeded sample in `npm test` and in full in `npm run soak`.

/** How often to repeat: few times normally, the full count when soaking. */
export function samples(seededCount: number, fullCount: number): number {
  return process.env.GSV_SOAK === "1" ? fullCount : seededCount;
}

/** What a run draws its samples with: another each time, unless one is to be played again. */
export const SEED = Number(process.env.GSV_SEED ?? Date.now() % 100_000);

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
