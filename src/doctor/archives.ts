// Check: each archive has the recorded checksum and number of records. The quick check reads a few of the newest, fsck reads all.

import { existsSync } from "node:fs";
import type { StoredArchive } from "../store/inspect.ts";
import { type Check, type Found, faultLine, ok, problem } from "./check.ts";
import type { Patient } from "./patient.ts";

const SAMPLE = 5;

export const archives: Check = {
  name: "archives",
  needsHome: true,
  async look(patient, depth) {
    if (!existsSync(patient.paths.kernelDb)) return [];
    const limit = depth === "full" ? -1 : SAMPLE;
    const rows = rowsOf(patient, limit);
    if (rows === null) return [];
    // Unreachable archives are not damaged.
    const unreachable = await patient.bytes.probe().then(() => null, faultLine);
    if (unreachable !== null) return [problem(`cannot read archives: ${unreachable}`, { fix: "gsv doctor storage" })];
    const found: Found[] = [];
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

// The check of databases reports an unreadable kernel.db.
function rowsOf({ databases }: Patient, limit: number) {
  try {
    return databases.archives(limit);
  } catch {
    return null;
  }
}

/** It may have been deleted during the read. The file goes first, then its rows. */
function isStillThere(patient: Patient, { id, key }: StoredArchive): boolean {
  if (patient.databases.object(key) === null) return false;
  return rowsOf(patient, -1)?.some((archive) => archive.id === id) ?? false;
}
