// Room on the disk of the home, and a disk whose locks can be relied on.

import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { type Check, type Found, faultLine, notice, ok, problem } from "../check.ts";
import type { Patient } from "../patient.ts";

const MIB = 1024 * 1024;
/** Below this SQLite soon cannot write, and processes are held. */
const FREE_BYTES_MIN = 64 * MIB;
const FREE_BYTES_LOW = 1024 * MIB;
const FREE_FILES_MIN = 1000;

export const disk: Check = {
  name: "disk",
  needsHome: false,
  look(patient) {
    if (patient.homeFault !== null) return [];
    try {
      return judged(patient);
    } catch (error) {
      return [notice(`the disk cannot be looked at: ${faultLine(error)}`)];
    }
  },
};

function judged({ paths, disk: look }: Patient): Found[] {
  const { freeBytes, freeFiles, isRemote } = look(nearestThere(paths.home));
  const free = sizeText(freeBytes);
  const found: Found[] = [];
  if (freeBytes < FREE_BYTES_MIN)
    found.push(problem(`only ${free} are free: what needs more is held`, { fix: "free some disk space" }));
  else if (freeBytes < FREE_BYTES_LOW) found.push(notice(`${free} are free`, { fix: "free some disk space soon" }));
  if (freeFiles < FREE_FILES_MIN)
    found.push(problem(`only ${freeFiles} more files can be made`, { fix: "remove files that are no longer needed" }));
  if (isRemote)
    found.push(
      notice("the home is on a disk of another machine, whose locks may not hold", {
        fix: "set GSV_HOME to a directory on a local disk",
      }),
    );
  return found.length > 0 ? found : [ok(`${free} are free`)];
}

/** The home, or where it would be made. */
function nearestThere(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestThere(dirname(path));
}

function sizeText(bytes: number): string {
  const gib = bytes / (1024 * MIB);
  return gib >= 1 ? `${gib.toFixed(1)} GiB` : `${Math.floor(bytes / MIB)} MiB`;
}
