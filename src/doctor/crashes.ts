// Check: runs that failed and left a core. They trouble nobody now, and somebody may want to know why.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { coreInstant } from "../abi/crash.ts";
import { type Check, counted, notice, ok } from "./check.ts";
import type { Patient } from "./patient.ts";

export const crashes: Check = {
  name: "crashes",
  needsHome: true,
  look(patient) {
    const instants = coresIn(patient).toSorted((left, right) => right - left);
    const [newest] = instants;
    if (newest === undefined) return [ok("no failed run has left a core")];
    const when = new Date(newest).toISOString();
    const runs = counted(instants.length, "failed run");
    return [notice(`${runs} left a core, the last ${when}`, { fix: "gsv debug says why" })];
  },
};

function coresIn({ paths }: Patient): readonly number[] {
  return namesIn(paths.crashDir).flatMap((uid) =>
    namesIn(join(paths.crashDir, uid)).flatMap((name) => coreInstant(name) ?? []),
  );
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
