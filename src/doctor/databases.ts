// Check: each database exists, passes SQLite's own check and has a known schema. Damaged files are left alone: a kernel moves a damaged
// process database to quarantine when it opens it, and only a backup has a copy of kernel.db.

import { existsSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { listDirectory } from "../lib/directories.ts";
import { quoted } from "../lib/text/quote.ts";
import type { Registered } from "../store/inspect.ts";
import { type Check, type CheckResult, counted, type Depth, faultLine, notice, ok, problem, some } from "./check.ts";
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
    const how = depth === "full" ? "checked page by page" : "checked";
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

export function databasesIn({ paths }: Patient): string[] {
  return listDirectory(paths.procDir)
    .filter((name) => name.endsWith(".db"))
    .map((name) => name.slice(0, -".db".length))
    .sort();
}

function kernelDatabase(patient: Patient, depth: Depth, expected: boolean): CheckResult[] {
  const { kernelDb } = patient.paths;
  const restore = restoreFrom(patient);
  if (!existsSync(kernelDb))
    return expected ? [problem("kernel.db is missing, but there are processes", { fix: restore })] : [];
  const fault = patient.databases.fault(kernelDb, depth);
  if (fault === null) return [];
  const more = isOfIndexes(fault) ? reindexed(patient, kernelDb, depth) : { fix: restore };
  return [problem(`kernel.db: ${inShort(fault)}`, more)];
}

function processDatabase(patient: Patient, depth: Depth, pid: string): CheckResult[] {
  const path = join(patient.paths.procDir, `${pid}.db`);
  const fault = patient.databases.fault(path, depth);
  if (fault === null) return [...schema(patient, pid), ...emptied(patient, pid)];
  // The process ended meanwhile.
  if (!existsSync(path)) return [];
  const row = registeredProcess(patient, pid);
  // A new database is empty at first. The check of agreement reports one without a process.
  if (row !== "unknown" && row?.phase !== "live") return [];
  // It may have been created between the two reads.
  if (patient.databases.fault(path, depth) === null) return schema(patient, pid);
  if (row !== "unknown" && row.dirty)
    return [
      notice(`${pid}.db: ${inShort(fault)}; the next kernel moves it to quarantine/`, { fix: "gsv kernel restart" }),
    ];
  const fix = `${startOver(pid)} and moves the damaged file to quarantine/; ${goBack(patient)}`;
  const more = isOfIndexes(fault) ? reindexed(patient, path, depth) : { fix, ...marked(patient, depth, pid) };
  return [problem(`${pid}.db: ${inShort(fault)}`, more)];
}

/** A process with a quarantined database is empty until a person decides. */
function emptied(patient: Patient, pid: string): CheckResult[] {
  const row = registeredProcess(patient, pid);
  if (row === null || row === "unknown" || row.state !== "error") return [];
  const { quarantineDir } = patient.paths;
  const places = listDirectory(quarantineDir).filter(
    (name) => /^-\d+$/.test(name.slice(pid.length)) && name.startsWith(pid),
  );
  const place = places.sort().at(-1);
  const where = place === undefined ? "" : `; its files are in ${join(quarantineDir, place)}`;
  return [
    problem(`${pid} has lost its history: its database was damaged${where}`, {
      fix: `${startOver(pid)}; ${goBack(patient)}`,
    }),
  ];
}

function startOver(pid: string): string {
  return `gsv proc reset --pid ${quoted(pid)} starts it over`;
}

function goBack(patient: Patient): string {
  return `or go back to a backup: ${restoreFrom(patient)}`;
}

// The index is derived data: a kernel rebuilds it.
function indexDatabase({ paths, databases: inspector }: Patient, depth: Depth): CheckResult[] {
  const fault = existsSync(paths.indexDb) ? inspector.fault(paths.indexDb, depth) : null;
  if (fault === null || !existsSync(paths.indexDb)) return [];
  return [notice(`index.db: ${inShort(fault)}; the next search rebuilds it`, { fix: "gsv history search WORD" })];
}

function registeredProcess({ databases: inspector }: Patient, pid: string): Registered | null | "unknown" {
  try {
    return inspector.registeredProcess(pid);
  } catch {
    return "unknown";
  }
}

function schema({ databases: inspector, paths }: Patient, pid: string): CheckResult[] {
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

/** How to restore kernel.db: from the newest known backup, or from any other. */
function restoreFrom({ paths, lastBackup }: Patient): string {
  const [backup] = newestFirst([...tarsIn(paths), ...[lastBackup()].flatMap((file) => file ?? [])]);
  if (backup !== undefined) return `gsv restore --force ${quoted(backup)}`;
  const copies = listDirectory(paths.backupDir).filter((name) => /^kernel-.*\.db$/.test(name));
  const [copy] = newestFirst(copies.map((name) => join(paths.backupDir, name)));
  const known = copy === undefined ? "" : `; the newest copy of kernel.db alone is ${copy}`;
  return `gsv restore --force FILE, with a backup you have${known}`;
}

function tarsIn({ backupDir }: Patient["paths"]): string[] {
  return listDirectory(backupDir).flatMap((name) =>
    /\.(?:tar|tar\.gz|tgz)$/.test(name) ? [join(backupDir, name)] : [],
  );
}

/** Files only; a restore leaves directories there. */
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

// Indexes can be rebuilt from the rows, unless something else is wrong.
function isOfIndexes(fault: string): boolean {
  return fault.split("; ").every((word) => /\bindex\b/.test(word));
}

function reindexed(patient: Patient, path: string, depth: Depth): Pick<CheckResult, "fix" | "repair"> {
  const fix = "gsv kernel stop; gsv fsck --repair";
  if (depth === "quick") return { fix };
  return {
    fix,
    repair: async () => {
      patient.repairs.reindex(path);
      return `rebuilt the indexes of ${basename(path)}`;
    },
  };
}

function marked(patient: Patient, depth: Depth, pid: string): Pick<CheckResult, "repair"> {
  if (depth === "quick") return {};
  return {
    repair: async () => {
      patient.repairs.mark(pid);
      return `marked ${pid}: the next kernel moves its database to quarantine/`;
    },
  };
}

function setAside({ paths }: Patient): CheckResult[] {
  const kept = listDirectory(paths.quarantineDir).length;
  if (kept === 0) return [];
  return [
    notice(`${counted(kept, "damaged file")} in ${paths.quarantineDir}`, {
      fix: "delete them when you no longer need them",
    }),
  ];
}
