// Checks of stored data: objects, archives, repositories. The quick checks read little, fsck reads all.

import { existsSync, mkdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Stored, StoredArchive } from "../store/inspect.ts";
import { type Check, type CheckResult, counted, faultLine, notice, ok, problem, readable, some } from "./check.ts";
import type { Patient, RepoState } from "./patient.ts";

/** Each object has content with its checksum, and no content lacks an object. Content without an object is moved, never deleted. */
export const objects: Check = {
  name: "objects",
  needsHome: true,
  async look(patient) {
    if (!existsSync(patient.paths.kernelDb)) return [];
    try {
      await patient.bytes.probe();
      const { count, found } = await againstBytes(patient);
      found.push(...(await strangers(patient)));
      return found.length > 0 ? found : [ok(`${counted(count, "object")}: checksums match`)];
    } catch (error) {
      return [problem(`cannot read the objects: ${faultLine(error)}`)];
    }
  },
};

async function againstBytes(patient: Patient): Promise<{ readonly count: number; readonly found: CheckResult[] }> {
  const { driver, place } = await patient.bytes.where();
  const found: CheckResult[] = [];
  let count = 0;
  for (let after = ""; ; ) {
    const page = patient.databases.objects(after);
    for (const row of page) {
      const fault = await faultOf(patient, row);
      const from = driver === "disk" ? `objects/${row.key}` : `${row.sha256} in ${place}`;
      if (fault !== null) found.push(problem(`/${row.key}: ${fault}`, { fix: `restore ${from} from a backup` }));
    }
    count += page.length;
    const last = page.at(-1);
    if (last === undefined) return { count, found };
    after = last.key;
  }
}

async function faultOf({ bytes }: Patient, row: Stored): Promise<string | null> {
  try {
    const fault = await bytes.fault(row);
    if (fault === null) return null;
    return fault === "missing" ? "the content is missing" : "the content is damaged";
  } catch (error) {
    return faultLine(error);
  }
}

async function strangers(patient: Patient): Promise<CheckResult[]> {
  const { driver, place } = await patient.bytes.where();
  const found: CheckResult[] = [];
  for await (const { name } of patient.bytes.strays())
    found.push(
      driver === "s3"
        ? notice(`${name} in ${place} belongs to no object`, { fix: "gsv storage gc --user root" })
        : problem(`objects/${name} belongs to no object`, {
            fix: "gsv kernel stop; gsv fsck --repair moves it to quarantine/",
            repair: async () => setAside(patient, name),
          }),
    );
  return found;
}

function setAside({ paths, clock }: Patient, key: string): string {
  const place = join(paths.quarantineDir, `objects-${clock.now()}`, key);
  mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
  renameSync(join(paths.objectsDir, key), place);
  return `moved objects/${key} to ${place}`;
}

const SAMPLE = 5;

/** Each archive has the recorded checksum and number of records. */
export const archives: Check = {
  name: "archives",
  needsHome: true,
  async look(patient, depth) {
    if (!existsSync(patient.paths.kernelDb)) return [];
    const limit = depth === "full" ? -1 : SAMPLE;
    const rows = readable(() => patient.databases.archives(limit));
    if (rows === null) return [];
    // Unreachable archives are not damaged.
    const unreachable = await patient.bytes.probe().then(() => null, faultLine);
    if (unreachable !== null) return [problem(`cannot read archives: ${unreachable}`, { fix: "gsv doctor storage" })];
    const found: CheckResult[] = [];
    for (const archive of rows) {
      const fault = await patient.bytes.archiveFault(archive).catch(faultLine);
      if (fault !== null && isStillThere(patient, archive))
        found.push(
          problem(`archive ${archive.id} of ${archive.pid} is damaged: ${fault}`, {
            fix: `restore objects/${archive.key} from a backup`,
          }),
        );
    }
    if (found.length > 0) return found;
    return [
      ok(
        rows.length === 0 ? "none yet" : `${depth === "full" ? "all" : "the newest"} ${rows.length} read to their end`,
      ),
    ];
  },
};

/** It may have been deleted during the read. The file goes first, then its rows. */
function isStillThere(patient: Patient, { id, key }: StoredArchive): boolean {
  if (patient.databases.object(key) === null) return false;
  return readable(() => patient.databases.archives(-1))?.some((archive) => archive.id === id) ?? false;
}

/** HEAD names a commit (of a home: on main), the index is readable, and no lock is stale. */
export const repositories: Check = {
  name: "repositories",
  needsHome: true,
  async look(patient, depth) {
    const states = patient.repositories.states();
    const found: CheckResult[] = [];
    for (const state of states) {
      found.push(...judged(patient, state));
      if (depth === "full" && state.headFault === null) found.push(...(await followed(patient, state)));
    }
    if (found.length > 0) return found;
    return [ok(states.length === 0 ? "none yet" : `${counted(states.length, "repository", "repositories")}: readable`)];
  },
};

function judged({ repositories: { freeLocks } }: Patient, state: RepoState): CheckResult[] {
  const { name, gitDir, headFault, isAway, isIndexBroken, locks } = state;
  const found: CheckResult[] = [];
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

async function followed({ repositories: { follow } }: Patient, { name, gitDir }: RepoState): Promise<CheckResult[]> {
  const fault = await follow(gitDir).catch(faultLine);
  return fault === null ? [] : [problem(`${name}: ${fault}`, { fix: `restore ${gitDir} from a backup` })];
}
