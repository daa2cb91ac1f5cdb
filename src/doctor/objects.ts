// The rows of the objects against their bytes: each row has bytes of its checksum, and each file under objects/ has a row. Bytes that are
// just being moved are left alone. Bytes without a row are only ever set aside, never deleted.

import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Stored } from "../store/inspect.ts";
import { type Check, counted, type Found, messageOf, ok, problem } from "./check.ts";
import type { Patient } from "./patient.ts";

const TEMPORARIES = ".tmp";

export const objects: Check = {
  name: "objects",
  needsHome: true,
  async look(patient) {
    const { paths } = patient;
    if (!existsSync(paths.kernelDb)) return [];
    try {
      const { known, found } = await againstBytes(patient);
      found.push(...strangers(patient, known));
      return found.length > 0
        ? found
        : [ok(`the bytes of ${counted(known.size, "object")} are the ones that were stored`)];
    } catch (error) {
      return [problem(`the objects cannot be looked through: ${messageOf(error)}`)];
    }
  },
};

async function againstBytes(
  patient: Patient,
): Promise<{ readonly known: ReadonlySet<string>; readonly found: Found[] }> {
  const found: Found[] = [];
  const known = new Set<string>();
  for (let after = ""; ; ) {
    const page = patient.databases.objects(after);
    for (const row of page) {
      const fault = await faultOf(patient, row);
      if (fault !== null)
        found.push(problem(`/${row.key}: ${fault}`, { fix: `restore objects/${row.key} from a backup` }));
    }
    for (const { key } of page) known.add(key);
    const last = page.at(-1);
    if (last === undefined) return { known, found };
    after = last.key;
  }
}

async function faultOf(patient: Patient, row: Stored): Promise<string | null> {
  const sha256 = await patient.bytes.sha256(row.key).catch(messageOf);
  if (sha256 === row.sha256) return null;
  // Written or removed since the row was read: the row says otherwise now.
  const now = patient.databases.object(row.key);
  if (now?.sha256 !== row.sha256 || patient.databases.moving().includes(row.key)) return null;
  if (sha256 === null) return "its bytes are missing";
  return /^[0-9a-f]{64}$/.test(sha256) ? "its bytes are not the ones that were stored" : sha256;
}

function strangers(patient: Patient, known: ReadonlySet<string>): Found[] {
  const { objectsDir } = patient.paths;
  const found: Found[] = [];
  for (const path of filesBelow(objectsDir)) {
    const key = relative(objectsDir, path);
    if (known.has(key) || patient.databases.moving().includes(key)) continue;
    // It may have come or gone between the two looks.
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined || patient.databases.object(key) !== null) continue;
    found.push(
      problem(`objects/${key} belongs to no object`, {
        fix: "gsv kernel stop; gsv fsck --repair keeps it in quarantine/",
        repair: async () => setAside(patient, key),
      }),
    );
  }
  return found;
}

function* filesBelow(directory: string): Generator<string> {
  if (!existsSync(directory)) return;
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (!entry.isDirectory()) yield path;
    else if (entry.name !== TEMPORARIES) yield* filesBelow(path);
  }
}

function setAside({ paths, clock }: Patient, key: string): string {
  const place = join(paths.quarantineDir, `objects-${clock.now()}`, key);
  mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
  renameSync(join(paths.objectsDir, key), place);
  return `objects/${key} is in ${place} now`;
}
