// Check: each object has content with its checksum, and no content lacks an object. Content that is being moved is skipped. Content without
// an object is moved to quarantine, never deleted.

import { existsSync, mkdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Stored } from "../store/inspect.ts";
import { type Check, counted, type Found, faultLine, notice, ok, problem } from "./check.ts";
import type { Patient } from "./patient.ts";

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

async function againstBytes(patient: Patient): Promise<{ readonly count: number; readonly found: Found[] }> {
  const { driver, place } = await patient.bytes.where();
  const found: Found[] = [];
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

async function strangers(patient: Patient): Promise<Found[]> {
  const { driver, place } = await patient.bytes.where();
  const found: Found[] = [];
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
