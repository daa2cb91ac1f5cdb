// Check: each repository is usable: HEAD names a commit (of a home: on main), the index is readable, and no lock is stale. The quick check
// reads a few small files; fsck runs git over all commits.

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
    return [ok(states.length === 0 ? "none yet" : `${counted(states.length, "repository", "repositories")}: readable`)];
  },
};

function judged({ repositories: { freeLocks } }: Patient, state: RepoState): Found[] {
  const { name, gitDir, headFault, isAway, isIndexBroken, locks } = state;
  const found: Found[] = [];
  if (headFault !== null)
    found.push(problem(`${name} is damaged: ${headFault}`, { fix: `restore ${gitDir} from a backup` }));
  else if (isAway)
    found.push(
      problem(`HEAD of ${name} is not on main: gsv does not write to it`, { fix: `git switch main in ${gitDir}/..` }),
    );
  if (isIndexBroken) found.push(notice(`the index of ${name} is damaged`, { fix: "the next write rebuilds it" }));
  const stale = locks.filter(({ isStale }) => isStale).map((lock) => lock.name);
  if (stale.length > 0)
    found.push(
      problem(`${name} has a stale lock: ${some(stale)}`, {
        fix: "gsv doctor --fix removes the locks of a git that is gone",
        repair: async () => `removed ${some(freeLocks(gitDir))} of ${name}`,
      }),
    );
  else if (locks.length > 0) found.push(notice(`git is working in ${name}, or was just killed`));
  return found;
}

async function followed({ repositories: { follow } }: Patient, { name, gitDir }: RepoState): Promise<Found[]> {
  const fault = await follow(gitDir).catch(faultLine);
  return fault === null ? [] : [problem(`${name}: ${fault}`, { fix: `restore ${gitDir} from a backup` })];
}
