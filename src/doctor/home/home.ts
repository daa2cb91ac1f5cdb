// The home itself: named, there, a directory, ours, and nobody else's to look into.

import { chmodSync, existsSync, readdirSync, type Stats, statSync } from "node:fs";
import { quoted } from "../../lib/text/quote.ts";
import { type Check, type Found, faultLine, notice, ok, problem } from "../check.ts";
import type { Patient } from "../patient.ts";

export const home: Check = {
  name: "home",
  needsHome: false,
  look(patient) {
    const { homeFault, paths } = patient;
    if (homeFault !== null) return [problem(homeFault.message, { fix: homeFault.hints.join("; ") })];
    let stat: Stats | undefined;
    try {
      stat = statSync(paths.home, { throwIfNoEntry: false });
    } catch (error) {
      return [
        problem(`${paths.home} cannot be looked at: ${faultLine(error)}`, {
          fix: "set GSV_HOME to a directory of your own",
        }),
      ];
    }
    if (stat === undefined) return [notice(`${paths.home} does not exist yet`, { fix: "the first command makes it" })];
    return [judged(patient, stat), ...(stat.isDirectory() ? notDirectories(patient) : [])];
  },
};

/** Whether there is a home that can be looked into. */
export function isThere({ homeFault, paths }: Patient): boolean {
  if (homeFault !== null) return false;
  try {
    return statSync(paths.home).isDirectory();
  } catch {
    return false;
  }
}

/** A kernel has lived here: a directory that GSV_HOME names by mistake is nobody's to change. */
export function isLivedIn({ paths }: Patient): boolean {
  return existsSync(paths.kernelDb) || existsSync(paths.lockFile);
}

// What else stands in the place of one of its directories would keep a kernel from starting.
function notDirectories({ paths }: Patient): Found[] {
  const { procDir, objectsDir, spoolDir, crashDir, backupDir, quarantineDir, secretsDir, runDir, logDir } = paths;
  return [procDir, objectsDir, spoolDir, crashDir, backupDir, quarantineDir, secretsDir, runDir, logDir]
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === false)
    .map((path) => problem(`${path} is not a directory`, { fix: `mv ${quoted(path)} ${quoted(`${path}.old`)}` }));
}

function judged(patient: Patient, stat: Stats): Found {
  const { paths, uid } = patient;
  const at = quoted(paths.home);
  if (!stat.isDirectory())
    return problem(`${paths.home} is not a directory`, { fix: "set GSV_HOME to a directory of your own" });
  if (stat.uid !== uid)
    return problem(`${paths.home} belongs to uid ${stat.uid}, not to you (uid ${uid})`, {
      fix: "set GSV_HOME to a directory of your own",
    });
  if ((stat.mode & 0o777) === 0o700) return ok(`${paths.home}, yours alone`);
  const mode = (stat.mode & 0o777).toString(8).padStart(3, "0");
  const why = (stat.mode & 0o077) === 0 ? "you cannot use it" : "others can reach what it holds";
  const what = `${paths.home} has mode ${mode}: ${why}`;
  if (!isLivedIn(patient) && readdirSync(paths.home).length > 0)
    return problem(`${what}, and that is not gsv's`, { fix: "set GSV_HOME to a directory of its own" });
  return problem(what, {
    fix: `chmod 700 ${at}`,
    repair: async () => {
      chmodSync(paths.home, 0o700);
      return `${paths.home} has mode 700 now`;
    },
  });
}
