// What gsv made in the home: ours, ours alone, and ours to use. Modes are looked at and set by name; nothing is opened. Only gsv's own files
// and directories are gone through, and only where a kernel has lived: what else a wrong GSV_HOME holds is not gsv's to change. Links are
// not followed, but for gsv's own directories, which a person may keep on another disk.

import { chmodSync, lstatSync, readdirSync, type Stats, statSync } from "node:fs";
import { join, relative } from "node:path";
import { quoted } from "../../lib/text/quote.ts";
import { type Check, counted, type Found, ok, problem, some } from "../check.ts";
import type { Patient } from "../patient.ts";
import { isLivedIn } from "./home.ts";

export const permissions: Check = {
  name: "permissions",
  needsHome: true,
  look(patient) {
    if (!isLivedIn(patient)) return [];
    const seen = walked(patient);
    const found = [...loose(patient, seen), ...shut(patient, seen), ...foreign(patient, seen)];
    return found.length > 0 ? found : [ok(`all ${seen.entries} files and directories are yours alone`)];
  },
};

interface Seen {
  entries: number;
  readonly loose: Entry[];
  readonly shut: Entry[];
  readonly foreign: Entry[];
}

interface Entry {
  readonly path: string;
  readonly stat: Stats;
}

/** Everything that gsv makes in a home, and no other name. */
const DIRECTORIES: readonly string[] = [
  "proc",
  "apps",
  "objects",
  "repos",
  "run",
  "log",
  "spool",
  "crash",
  "backup",
  "quarantine",
  "hooks.d",
  "secrets",
];
const FILES = /^(?:kernel|index)\.db(?:-wal|-shm)?$/;

/** What people edit beside gsv has the modes of their editor; the directory it lies in lets nobody else through. */
const EDITED = /^(?:repos\/[^/]+\/home\/.|hooks\.d(?:\/|$))/;

function walked(patient: Patient): Seen {
  const { home } = patient.paths;
  const seen: Seen = { entries: 0, loose: [], shut: [], foreign: [] };
  const own = namesIn(home).filter((name) => FILES.test(name) || DIRECTORIES.includes(name));
  const waiting = own.map((name) => join(home, name));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const stat = look(path, DIRECTORIES.includes(relative(home, path)));
    if (stat === null) continue;
    judge(patient, { path, stat }, seen);
    if (stat.isDirectory()) waiting.push(...namesIn(path).map((name) => join(path as string, name)));
  }
  return seen;
}

// What cannot be listed was reported by its mode, or by its owner.
function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** Null for links, and for what went away meanwhile. */
function look(path: string, follow: boolean): Stats | null {
  try {
    const stat = lstatSync(path);
    if (!stat.isSymbolicLink()) return stat;
    return follow && statSync(path).isDirectory() ? statSync(path) : null;
  } catch {
    return null;
  }
}

function judge({ uid, paths }: Patient, entry: Entry, seen: Seen): void {
  const { path, stat } = entry;
  seen.entries++;
  if (stat.uid !== uid) return void seen.foreign.push(entry);
  if ((stat.mode & 0o077) !== 0 && !EDITED.test(relative(paths.home, path))) seen.loose.push(entry);
  if ((stat.mode & needed(path, stat)) !== needed(path, stat)) seen.shut.push(entry);
}

// Some files are only ever read once they are written.
function needed(path: string, stat: Stats): number {
  if (stat.isDirectory()) return 0o700;
  return /\.(?:db|db-wal|db-shm|lock)$/.test(path) ? 0o600 : 0o400;
}

function loose(patient: Patient, seen: Seen): Found[] {
  if (seen.loose.length === 0) return [];
  return [
    problem(`others can reach ${listed(patient, seen.loose)}`, {
      fix: "gsv doctor --fix permissions",
      repair: () => setModes(seen.loose, (mode) => mode & 0o700),
    }),
  ];
}

function shut(patient: Patient, seen: Seen): Found[] {
  if (seen.shut.length === 0) return [];
  return [
    problem(`you cannot use ${listed(patient, seen.shut)}`, {
      fix: "gsv doctor --fix permissions",
      repair: () => setModes(seen.shut, (mode, entry) => (mode & 0o700) | needed(entry.path, entry.stat)),
    }),
  ];
}

function foreign(patient: Patient, seen: Seen): Found[] {
  const { home } = patient.paths;
  if (seen.foreign.length === 0) return [];
  return [
    problem(`not yours: ${listed(patient, seen.foreign)}`, {
      fix: `sudo chown -R ${patient.uid} ${quoted(home)}`,
    }),
  ];
}

function listed({ paths }: Patient, entries: readonly Entry[]): string {
  return some(entries.map(({ path }) => relative(paths.home, path)));
}

async function setModes(entries: readonly Entry[], modeOf: (mode: number, entry: Entry) => number): Promise<string> {
  for (const entry of entries) chmodSync(entry.path, modeOf(statSync(entry.path).mode & 0o777, entry));
  return `${counted(entries.length, "mode")} set right`;
}
