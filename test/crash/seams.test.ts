// kill -9 at every seam: before and after each store verb of a short life. Whatever the point, the next kernels complete
// the life, and the home is as sound as without accidents.

import { expect, test } from "bun:test";
import { isLook, linesOf } from "../support/crash.ts";
import { withHome } from "../support/home.ts";
import { seeded } from "../support/random.ts";
import { SEED, samples } from "../support/soak.ts";
import { faultsAfter, live, prepare } from "./life.ts";

const SAMPLE = 8;
const AT_ONCE = 2;
const DEATHS_PER_HOME = 10;
const TRIES = 4;

/** The seams in the order in which a life without accidents first passes them, one chapter after the other. */
async function seamsOfALife(): Promise<string[]> {
  const seams = new Set<string>();
  await withHome(async (home) => {
    const trace = home.beside("trace");
    const stored = home.beside("stored");
    home.plan = () => ({ trace, stored, chapter: home.beside("chapter") });
    const life = await live(await prepare(home), (name) => home.file("chapter", [name]));
    await home.stop();
    expect(faultsAfter(home, life, stored)).toEqual([]);
    expect([life.reset.archivedMessages, life.killed.archivedMessages].every((count) => count > 0)).toBe(true);
    for (const seam of linesOf(trace)) seams.add(seam);
  });
  return [...seams];
}

/** A life with kernels that die one after the other, each at the next of these seams. Returns the seams that were never reached. */
async function liveThrough(seams: readonly string[]): Promise<string[]> {
  let died: string[] = [];
  await withHome(async (home) => {
    const stored = home.beside("stored");
    const book = home.beside("died");
    home.plan = () => ({ stored, die: { at: seams, book }, chapter: home.beside("chapter") });
    const life = await live(await prepare(home), (name) => home.file("chapter", [name]));
    await home.stop();
    died = linesOf(book);
    expect({ died, faults: faultsAfter(home, life, stored) }).toEqual({ died, faults: [] });
  });
  return seams.slice(died.length);
}

test(
  `seed ${SEED}: kill -9 at any seam of a life loses nothing, repeats no effect and leaves nothing half done`,
  async () => {
    const all = await seamsOfALife();
    expect(all.length).toBeGreaterThan(100);
    const seams = samples(0, 1) === 0 ? sampled(all.filter((seam) => !isLook(seam))) : all;
    expect(seams.length).toBeGreaterThanOrEqual(SAMPLE);
    const rounds = [...Map.groupBy(seams, chapterOf).values()].flatMap(spread);
    let unreached = await liveThroughAll(rounds);
    // An earlier death can lead around a seam: then it gets a home of its own. Cleaning up after a chapter may come too late for it.
    for (let tries = 0; tries < TRIES && unreached.length > 0; tries++)
      unreached = await liveThroughAll(unreached.map((seam) => [seam]));
    expect(unreached).toEqual([]);
  },
  samples(120_000, 1_800_000),
);

/** A sample drawn with the seed, in order. */
function sampled(seams: readonly string[]): string[] {
  const random = seeded(SEED);
  const left = [...seams];
  while (left.length > SAMPLE) left.splice(random.int(left.length), 1);
  return left;
}

/** A seam is reached before the end of its chapter or never. */
function chapterOf(seam: string): string {
  return /^\w+(?=:\w+:)/.exec(seam)?.[0] ?? "";
}

/** A home takes several deaths, far apart; in full, each death has a home of its own. */
function spread(seams: readonly string[]): string[][] {
  const homes = samples(Math.ceil(seams.length / DEATHS_PER_HOME), seams.length);
  return Array.from({ length: homes }, (_, home) => seams.filter((_, at) => at % homes === home));
}

async function liveThroughAll(rounds: readonly (readonly string[])[]): Promise<string[]> {
  const left = [...rounds];
  const unreached: string[] = [];
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (let round = left.pop(); round !== undefined; round = left.pop()) unreached.push(...(await liveThrough(round)));
  });
  for (const worker of await Promise.allSettled(workers)) if (worker.status === "rejected") throw worker.reason;
  return unreached;
}
