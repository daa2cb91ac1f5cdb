// Check: the machine's clock is not before gsv existed nor before what was already written, and its time zone exists.

import { readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { type Check, type Found, ok, problem } from "../check.ts";
import { isThere } from "../home/home.ts";
import type { Patient } from "../patient.ts";

/** Clocks of machines that share a disk differ by this much. */
const FUTURE_MS = 2 * 60 * 1000;
const EARLIEST = Date.UTC(2025, 0, 1);
const SET_IT = "set the machine's clock, as in: sudo timedatectl set-ntp true";

export const clock: Check = {
  name: "clock",
  needsHome: false,
  look(patient) {
    const found = [...standing(patient), ...zone(patient)];
    if (found.length > 0) return found;
    return [ok(`${new Date(patient.clock.now()).toISOString()}${patient.env.TZ ? `, TZ ${patient.env.TZ}` : ""}`)];
  },
};

function standing(patient: Patient): Found[] {
  const now = patient.clock.now();
  if (now < EARLIEST) return [problem(`the clock says ${new Date(now).toISOString()}`, { fix: SET_IT })];
  const newest = isThere(patient) ? newestIn(patient) : null;
  if (newest === null || newest.at <= now + FUTURE_MS) return [];
  const minutes = Math.round((newest.at - now) / 60_000);
  return [
    problem(`${newest.name} was written ${minutes} minutes in the future: the clock was set back`, {
      fix: `${SET_IT}; if it is right: touch the file`,
    }),
  ];
}

/** Of what gsv itself writes all the time. */
function newestIn({ paths }: Patient): { readonly name: string; readonly at: number } | null {
  const { home, procDir, runDir, logDir } = paths;
  const files = [home, procDir, runDir, logDir].flatMap((directory) =>
    namesIn(directory).map((name) => join(directory, name)),
  );
  let newest: { name: string; at: number } | null = null;
  for (const path of files) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined || stat.isDirectory()) continue;
    if (newest === null || stat.mtimeMs > newest.at) newest = { name: relative(home, path), at: stat.mtimeMs };
  }
  return newest;
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function zone({ env }: Patient): Found[] {
  const { TZ = "" } = env;
  // A colon in front is allowed, as is the path of a zone file.
  const name = TZ.replace(/^:/, "");
  if (name === "" || name.startsWith("/")) return [];
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return [];
  } catch {
    return [problem(`TZ is ${TZ}, which is no time zone`, { fix: "export TZ=Europe/Amsterdam, or unset TZ" })];
  }
}
