// Check: half-written files that a kernel left when it died. While a kernel runs such files are its own work in progress.

import { readdirSync, rmSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { type Check, counted, notice, ok, some } from "../check.ts";
import type { Patient } from "../patient.ts";

export const leftovers: Check = {
  name: "leftovers",
  needsHome: true,
  look(patient) {
    if (patient.lock.isHeld()) return [];
    const left = leftIn(patient);
    if (left.length === 0) return [ok("no half-written file was left behind")];
    const names = left.map((path) => relative(patient.paths.home, path));
    return [
      notice(`left half-written: ${some(names)}`, {
        fix: "gsv doctor --fix takes them away",
        repair: () => patient.lock.hold(async () => takenAway(patient)),
      }),
    ];
  },
};

function leftIn({ paths, socketPath }: Patient): string[] {
  const temporaries = join(paths.objectsDir, ".tmp");
  const found = namesIn(temporaries).map((name) => join(temporaries, name));
  for (const path of [paths.kernelInfo, placeOf(socketPath) ?? paths.socket]) {
    const fresh = `${path}.new`;
    if (namesIn(dirname(fresh)).includes(basename(fresh))) found.push(fresh);
  }
  return found;
}

function placeOf(socketPath: () => string): string | null {
  try {
    return socketPath();
  } catch {
    return null;
  }
}

function takenAway(patient: Patient): string {
  const left = leftIn(patient);
  for (const path of left) rmSync(path, { force: true });
  return `${counted(left.length, "half-written file")} taken away`;
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
