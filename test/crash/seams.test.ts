// kill -9 at every seam: before and after each verb of every store that a short life passes. Whatever the point, the next kernels take
// the life to its end, and the home is as sound as if nothing had happened.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { withHome } from "../support/home.ts";
import { samples } from "../support/soak.ts";
import { faultsAfter, live, prepare } from "./life.ts";

const AT_ONCE = 2;

/** The seams in the order in which a life without accidents first passes them, from the first start on. */
async function seamsOfALife(): Promise<string[]> {
  const seams = new Set<string>();
  await withHome(async (home) => {
    const trace = home.beside("trace");
    home.plan = { trace, stored: home.beside("stored") };
    const life = await live(await prepare(home));
    await home.stop();
    expect(faultsAfter(home, life, home.beside("stored"))).toEqual([]);
    expect([life.reset.archivedMessages, life.killed.archivedMessages].every((count) => count > 0)).toBe(true);
    for (const seam of readFileSync(trace, "utf8").trim().split("\n")) seams.add(seam);
  });
  return [...seams];
}

/** A life whose kernels die one after the other, each at the next of these seams. Returns the seams that were never reached. */
async function liveThrough(seams: readonly string[]): Promise<string[]> {
  const left = [...seams];
  await withHome(async (home) => {
    const stored = home.beside("stored");
    const start = home.start.bind(home);
    home.start = (env) => {
      const seam = left[0];
      home.plan = { stored, ...(seam === undefined ? {} : { die: { seam, nth: 1 } }) };
      const kernel = start(env);
      void kernel.ended.then((how) => how === "SIGKILL" && left[0] === seam && left.shift());
      return kernel;
    };
    const life = await live(await prepare(home));
    await home.stop();
    console.log(home.kernels.length, seams.length, left.length);
    expect({ seams, faults: faultsAfter(home, life, stored) }).toEqual({ seams, faults: [] });
  });
  return left;
}

test("kill -9 at any seam of a life loses nothing, repeats no effect and leaves nothing half done", async () => {
  const seams = await seamsOfALife();
  expect(seams.length).toBeGreaterThan(90);
  // A home takes several deaths, far apart; in full, each death has a home of its own.
  const homes = samples(Math.ceil(seams.length / 6), seams.length);
  const rounds = Array.from({ length: homes }, (_, round) => seams.filter((_, at) => at % homes === round));
  const unreached: string[] = [];
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (let round = rounds.pop(); round !== undefined; round = rounds.pop())
      unreached.push(...(await liveThrough(round)));
  });
  await Promise.all(workers);
  console.log("unreached", unreached, "of", seams.length, "homes", homes);
  const never: string[] = [];
  for (const seam of unreached) never.push(...(await liveThrough([seam])));
  expect(never).toEqual([]);
}, 60_000);
