// Each database by itself: there, SQLite's own check of it, and a schema this gsv knows. What is damaged is left as it lies: a kernel sets
// a damaged process database aside when it opens it, and kernel.db has no second copy but a backup.

import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { quoted } from "../lib/text/quote.ts";
import type { Registered } from "../store/inspect.ts";
import { type Check, counted, type Depth, type Found, faultLine, notice, ok, problem, some } from "./check.ts";
import type { Patient } from "./patient.ts";

export const databases: Check = {
  name: "databases",
  needsHome: true,
  look(patient, depth) {
    const pids = databasesIn(patient);
    const found = [
      ...kernelDatabase(patient, depth, pids.length > 0),
      ...pids.flatMap((pid) => processDatabase(patient, depth, pid)),
      ...indexDatabase(patient, depth),
    ];
    const how = depth === "full" ? "read to the last page" : "looked through";
    if (found.length === 0)
      found.push(
        ok(
          existsSync(patient.paths.kernelDb)
            ? `kernel.db and ${counted(pids.length, "process database")} ${how}`
            : "none yet",
        ),
      );
    return [...found, ...setAside(patient)];
  },
};

/** The pids that have a database. */
export function databasesIn({ paths }: Patient): string[] {
  return namesIn(paths.procDir)
    .filter((name) => name.endsWith(".db"))
    .map((name) => name.slice(0, -".db".length))
    .sort();
}

// What is no directory is told by the check of the home.
function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function kernelDatabase(patient: Patient, depth: Depth, expected: boolean): Found[] {
  const { kernelDb } = patient.paths;
  const restore = restoreFrom(patient);
  if (!existsSync(kernelDb))
    return expected ? [problem("kernel.db is missing although there are processes", { fix: restore })] : [];
  const fault = patient.databases.fault(kernelDb, depth);
  if (fault === null) return [];
  const more = isOfIndexes(fault) ? reindexed(patient, kernelDb, depth) : { fix: restore };
  return [problem(`kernel.db: ${inShort(fault)}`, more)];
}

function processDatabase(patient: Patient, depth: Depth, pid: string): Found[] {
  const path = join(patient.paths.procDir, `${pid}.db`);
  const fault = patient.databases.fault(path, depth);
  if (fault === null) return schema(patient, pid);
  // It went away with its process meanwhile.
  if (!existsSync(path)) return [];
  const row = registeredProcess(patient, pid);
  // One that is being made is empty at first; one that belongs to nobody is told by the check of the agreement.
  if (row !== "unknown" && row?.phase !== "live") return [];
  // It was made, or made anew, between the two looks.
  if (patient.databases.fault(path, depth) === null) return schema(patient, pid);
  if (row !== "unknown" && row.dirty)
    return [
      notice(`${pid}.db: ${inShort(fault)}; the next kernel keeps it in quarantine/`, { fix: "gsv kernel restart" }),
    ];
  const fix = `gsv proc reset --pid ${quoted(pid)} starts it afresh and keeps the damaged file in quarantine/`;
  const more = isOfIndexes(fault) ? reindexed(patient, path, depth) : { fix, ...marked(patient, depth, pid) };
  return [problem(`${pid}.db: ${inShort(fault)}`, more)];
}

// Derived: nothing is lost with it, and a kernel makes it anew by itself.
function indexDatabase({ paths, databases: inspector }: Patient, depth: Depth): Found[] {
  const fault = existsSync(paths.indexDb) ? inspector.fault(paths.indexDb, depth) : null;
  if (fault === null || !existsSync(paths.indexDb)) return [];
  return [notice(`index.db: ${inShort(fault)}; the next search makes it anew`, { fix: "gsv history search WORD" })];
}

function registeredProcess({ databases: inspector }: Patient, pid: string): Registered | null | "unknown" {
  try {
    return inspector.registeredProcess(pid);
  } catch {
    return "unknown";
  }
}

function schema({ databases: inspector, paths }: Patient, pid: string): Found[] {
  try {
    const { version, known } = inspector.processSchema(pid);
    if (version <= known) return [];
    return [
      problem(`${pid}.db was written by a newer gsv (schema ${version}; this one knows ${known})`, {
        fix: "use the newer gsv for this home",
      }),
    ];
  } catch (error) {
    return existsSync(join(paths.procDir, `${pid}.db`)) ? [problem(`${pid}.db: ${faultLine(error)}`)] : [];
  }
}

/** How kernel.db comes back: from the newest backup that is known, or from whichever there is. */
function restoreFrom({ paths, lastBackup }: Patient): string {
  const [backup] = newestFirst([...tarsIn(paths), ...[lastBackup()].flatMap((file) => file ?? [])]);
  if (backup !== undefined) return `gsv restore --force ${quoted(backup)}`;
  const copies = namesIn(paths.backupDir).filter((name) => /^kernel-.*\.db$/.test(name));
  const [copy] = newestFirst(copies.map((name) => join(paths.backupDir, name)));
  const known = copy === undefined ? "" : `; the newest copy of kernel.db alone is ${copy}`;
  return `gsv restore --force FILE, with a backup you have${known}`;
}

function tarsIn({ backupDir }: Patient["paths"]): string[] {
  return namesIn(backupDir).flatMap((name) => (/\.(?:tar|tar\.gz|tgz)$/.test(name) ? [join(backupDir, name)] : []));
}

/** Plain files only: what a restore has put aside are directories. */
function newestFirst(files: readonly string[]): string[] {
  return files
    .flatMap((file) => {
      const stats = statSync(file, { throwIfNoEntry: false });
      return stats?.isFile() ? [{ file, at: stats.mtimeMs }] : [];
    })
    .sort((left, right) => right.at - left.at)
    .map(({ file }) => file);
}

function inShort(fault: string): string {
  return some(fault.split("; "), 2);
}

// Indexes are derived from the rows and can be made anew, so long as nothing else is wrong.
function isOfIndexes(fault: string): boolean {
  return fault.split("; ").every((word) => /\bindex\b/.test(word));
}

function reindexed(patient: Patient, path: string, depth: Depth): Pick<Found, "fix" | "repair"> {
  const fix = "gsv kernel stop; gsv fsck --repair";
  if (depth === "quick") return { fix };
  return {
    fix,
    repair: async () => {
      patient.mend.reindex(path);
      return `the indexes of ${basename(path)} are made anew`;
    },
  };
}

function marked(patient: Patient, depth: Depth, pid: string): Pick<Found, "repair"> {
  if (depth === "quick") return {};
  return {
    repair: async () => {
      patient.mend.mark(pid);
      return `${pid} is marked: the next kernel keeps its database in quarantine/`;
    },
  };
}

function setAside({ paths }: Patient): Found[] {
  const kept = namesIn(paths.quarantineDir).length;
  if (kept === 0) return [];
  return [
    notice(`${kept} damaged ${kept === 1 ? "thing is" : "things are"} kept in ${paths.quarantineDir}`, {
      fix: "look at them; take them away when you need them no more",
    }),
  ];
}
