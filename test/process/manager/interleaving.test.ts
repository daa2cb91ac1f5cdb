// Random lives of sessions; `npm run soak` plays a thousand of them. A failure prints its seed and steps.

import { test } from "bun:test";
import fc from "fast-check";
import { play, STEPS } from "../../support/interleaving.ts";
import { samples } from "../../support/soak.ts";

const RUNS = samples(4, 1000);
const SEED = samples(20_260_102, Date.now() % 2 ** 31);

test(
  "in any sequence, each session runs at most once, stop is final, and nothing is left at the end",
  async () => {
    await fc.assert(fc.asyncProperty(STEPS, play), { numRuns: RUNS, seed: SEED });
  },
  samples(60_000, 3_600_000),
);
