// Which gsv this is, and whether the kernel that runs and the schema of kernel.db are of the same one.

import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { quoted } from "../../lib/text/quote.ts";
import { type Check, type Found, notice, ok, problem } from "../check.ts";
import type { Patient } from "../patient.ts";
import { isThere } from "./home.ts";

export const versions: Check = {
  name: "versions",
  needsHome: false,
  look(patient) {
    const { version, commit, bun } = patient.about;
    const found = [ok(`gsv ${version} (${commit}), bun ${bun}`)];
    return isThere(patient) ? [...found, ...kernelVersion(patient), ...schema(patient)] : found;
  },
};

function kernelVersion({ lock, about }: Patient): Found[] {
  const holder = lock.isHeld() ? lock.holder() : null;
  if (holder === null) return [];
  const { pid, version, exe } = holder;
  const found: Found[] = [];
  if (version === about.version) found.push(ok(`the kernel (pid ${pid}) is of this version`));
  else if (isNewer(version, about.version))
    found.push(
      problem(`the kernel (pid ${pid}) is gsv ${version}, newer than this one`, { fix: `use ${quoted(exe)}` }),
    );
  else
    found.push(
      notice(`the kernel (pid ${pid}) is gsv ${version}, older than this one`, {
        fix: "the next command replaces it; now: gsv kernel restart",
      }),
    );
  if (isAbsolute(exe) && !existsSync(exe))
    found.push(notice(`the program of the kernel (pid ${pid}) is gone: ${exe}`, { fix: "gsv kernel restart" }));
  return found;
}

function isNewer(left: string, right: string): boolean {
  try {
    return Bun.semver.order(left, right) > 0;
  } catch {
    return false; // what is no version is nobody's future
  }
}

function schema({ paths, databases }: Patient): Found[] {
  if (!existsSync(paths.kernelDb)) return [];
  try {
    const { version, known } = databases.kernelSchema();
    if (version > known)
      return [
        problem(`kernel.db was written by a newer gsv (schema ${version}; this one knows ${known})`, {
          fix: "use the newer gsv for this home",
        }),
      ];
    if (version === known) return [ok(`kernel.db has schema ${version}, as this gsv`)];
    return [
      notice(`kernel.db has schema ${version}, this gsv has ${known}`, {
        fix: "the next kernel brings it up to date, after a copy in backup/",
      }),
    ];
  } catch {
    return []; // what is wrong with it is told by the check of the databases
  }
}
