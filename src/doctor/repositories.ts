// Check: each repository can be read and written to: HEAD stands at a version that is there, a home's on main, the index is one, and no lock
// of a git that is gone is left. The quick look reads a few small files, fsck has git follow every version.

import { type Check, counted, type Found, faultLine, notice, ok, problem, some } from "./check.ts";
import type { Patient, RepoState } from "./patient.ts";

export const repositories: Check = {
  name: "repositories",
  needsHome: true,
  async look(patient, depth) {
    const states = patient.repositories.states();
    const found: Found[] = [];
    for (const state of states) {
      found.push(...judged(patient, state));
      if (depth === "full" && state.headFault === null) found.push(...(await followed(patient, state)));
    }
    if (found.length > 0) return found;
    return [
      ok(states.length === 0 ? "none yet" : `${counted(states.length, "repository", "repositories")} can be read`),
    ];
  },
};

function judged({ repositories: { freeLocks } }: Patient, state: RepoState): Found[] {
  const { name, gitDir, headFault, isAway, isIndexBroken, locks } = state;
  const found: Found[] = [];
  if (headFault !== null)
    found.push(problem(`${name} is damaged: ${headFault}`, { fix: `bring ${gitDir} back from a backup` }));
  else if (isAway)
    found.push(
      problem(`HEAD of ${name} is not on main: nothing is written there`, { fix: `git switch main in ${gitDir}/..` }),
    );
  if (isIndexBroken)
    found.push(notice(`the index of ${name} is damaged`, { fix: "the next write to it makes it anew" }));
  const stale = locks.filter(({ isStale }) => isStale).map((lock) => lock.name);
  if (stale.length > 0)
    found.push(
      problem(`${name} is locked by a git that is gone, or waits for somebody: ${some(stale)}`, {
        fix: "gsv doctor --fix takes the lock away when its git is gone",
        repair: async () => `${some(freeLocks(gitDir))} of ${name} taken away`,
      }),
    );
  else if (locks.length > 0) found.push(notice(`a git works in ${name}, or was killed there a moment ago`));
  return found;
}

async function followed({ repositories: { follow } }: Patient, { name, gitDir }: RepoState): Promise<Found[]> {
  const fault = await follow(gitDir).catch(faultLine);
  return fault === null ? [] : [problem(`${name}: ${fault}`, { fix: `bring ${gitDir} back from a backup` })];
}
