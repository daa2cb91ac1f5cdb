// Checks of the home: its directory, the modes of its files, the versions, and the lock. Modes are read and set by path; no file is opened.
// Links are not followed, except gsv's own directories, which may be on another disk.

import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  readdirSync,
  rmSync,
  type Stats,
  statSync,
} from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { listDirectory } from "../lib/directories.ts";
import { isStopped } from "../lib/stopped.ts";
import { quoted } from "../lib/text/quote.ts";
import { type Check, type CheckResult, counted, faultLine, notice, ok, problem, some } from "./check.ts";
import type { Answer, Patient } from "./patient.ts";

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
        problem(`${paths.home} is unreadable: ${faultLine(error)}`, { fix: "set GSV_HOME to a directory of your own" }),
      ];
    }
    if (stat === undefined)
      return [notice(`${paths.home} does not exist yet`, { fix: "the first command creates it" })];
    return [
      judgedHome(patient, stat),
      ...(stat.isDirectory() ? [...readOnly(patient), ...notDirectories(patient)] : []),
    ];
  },
};

export function isThere({ homeFault, paths }: Patient): boolean {
  if (homeFault !== null) return false;
  try {
    return statSync(paths.home).isDirectory();
  } catch {
    return false;
  }
}

/** Whether a kernel has run here. Nothing else in a directory that GSV_HOME names by mistake may be changed. */
function isLivedIn({ paths }: Patient): boolean {
  return existsSync(paths.kernelDb) || existsSync(paths.lockFile);
}

export const writable: Check = { name: "home", needsHome: true, look: readOnly };

/** By its mount: the check of its mode reports the rest. */
function readOnly({ paths }: Patient): CheckResult[] {
  try {
    accessSync(paths.home, constants.W_OK);
    return [];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EROFS") return [];
    return [
      problem(`${paths.home} is on a read-only file system: commands that only read work, all others fail`, {
        fix: "mount it writable, or set GSV_HOME to a writable directory",
      }),
    ];
  }
}

// A kernel cannot start if one of its directories is something else.
function notDirectories({ paths }: Patient): CheckResult[] {
  const { procDir, objectsDir, spoolDir, crashDir, backupDir, quarantineDir, secretsDir, runDir, logDir } = paths;
  return [procDir, objectsDir, spoolDir, crashDir, backupDir, quarantineDir, secretsDir, runDir, logDir]
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === false)
    .map((path) => problem(`${path} is not a directory`, { fix: `mv ${quoted(path)} ${quoted(`${path}.old`)}` }));
}

function judgedHome(patient: Patient, stat: Stats): CheckResult {
  const { paths, uid } = patient;
  const at = quoted(paths.home);
  if (!stat.isDirectory())
    return problem(`${paths.home} is not a directory`, { fix: "set GSV_HOME to a directory of your own" });
  if (stat.uid !== uid)
    return problem(`${paths.home} belongs to uid ${stat.uid}, not to you (uid ${uid})`, {
      fix: "set GSV_HOME to a directory of your own",
    });
  if ((stat.mode & 0o777) === 0o700) return ok(`${paths.home}: private`);
  const mode = (stat.mode & 0o777).toString(8).padStart(3, "0");
  const why = (stat.mode & 0o077) === 0 ? "you have no access" : "others have access";
  const what = `${paths.home} has mode ${mode}: ${why}`;
  if (!isLivedIn(patient) && readdirSync(paths.home).length > 0)
    return problem(`${what}, and it contains files that are not gsv's`, {
      fix: "set GSV_HOME to a directory of its own",
    });
  return problem(what, {
    fix: `chmod 700 ${at}`,
    repair: async () => {
      chmodSync(paths.home, 0o700);
      return `set mode 700 on ${paths.home}`;
    },
  });
}

export const permissions: Check = {
  name: "permissions",
  needsHome: true,
  look(patient) {
    if (!isLivedIn(patient)) return [];
    const seen = walked(patient);
    const found = [...looseFound(patient, seen), ...shutFound(patient, seen), ...foreignFound(patient, seen)];
    return found.length > 0 ? found : [ok(`all ${seen.entries} files and directories are private`)];
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

/** Everything that gsv creates in a home. */
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

/** Files that people edit have the modes of their editor. Their directory keeps other users out. */
const EDITED = /^(?:repos\/[^/]+\/home\/.|hooks\.d(?:\/|$))/;

function walked(patient: Patient): Seen {
  const { home } = patient.paths;
  const seen: Seen = { entries: 0, loose: [], shut: [], foreign: [] };
  const own = listDirectory(home).filter((name) => FILES.test(name) || DIRECTORIES.includes(name));
  const waiting = own.map((name) => join(home, name));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const stat = lookAt(path, DIRECTORIES.includes(relative(home, path)));
    if (stat === null) continue;
    judgeEntry(patient, { path, stat }, seen);
    if (stat.isDirectory()) waiting.push(...listDirectory(path).map((name) => join(path as string, name)));
  }
  return seen;
}

/** null for links and deleted files. */
function lookAt(path: string, follow: boolean): Stats | null {
  try {
    const stat = lstatSync(path);
    if (!stat.isSymbolicLink()) return stat;
    return follow && statSync(path).isDirectory() ? statSync(path) : null;
  } catch {
    return null;
  }
}

function judgeEntry({ uid, paths }: Patient, entry: Entry, seen: Seen): void {
  const { path, stat } = entry;
  seen.entries++;
  if (stat.uid !== uid) return void seen.foreign.push(entry);
  if ((stat.mode & 0o077) !== 0 && !EDITED.test(relative(paths.home, path))) seen.loose.push(entry);
  if ((stat.mode & needed(path, stat)) !== needed(path, stat)) seen.shut.push(entry);
}

// The modes that gsv needs. Most files are only read after they are written.
function needed(path: string, stat: Stats): number {
  if (stat.isDirectory()) return 0o700;
  return /\.(?:db|db-wal|db-shm|lock)$/.test(path) ? 0o600 : 0o400;
}

function looseFound(patient: Patient, seen: Seen): CheckResult[] {
  if (seen.loose.length === 0) return [];
  return [
    problem(`others have access to ${listed(patient, seen.loose)}`, {
      fix: "gsv doctor --fix permissions",
      repair: () => setModes(seen.loose, (mode) => mode & 0o700),
    }),
  ];
}

function shutFound(patient: Patient, seen: Seen): CheckResult[] {
  if (seen.shut.length === 0) return [];
  return [
    problem(`you have no access to ${listed(patient, seen.shut)}`, {
      fix: "gsv doctor --fix permissions",
      repair: () => setModes(seen.shut, (mode, entry) => (mode & 0o700) | needed(entry.path, entry.stat)),
    }),
  ];
}

function foreignFound(patient: Patient, seen: Seen): CheckResult[] {
  const { home } = patient.paths;
  if (seen.foreign.length === 0) return [];
  return [
    problem(`owned by another user: ${listed(patient, seen.foreign)}`, {
      fix: `sudo chown -R ${patient.uid} ${quoted(home)}`,
    }),
  ];
}

function listed({ paths }: Patient, entries: readonly Entry[]): string {
  return some(entries.map(({ path }) => relative(paths.home, path)));
}

async function setModes(entries: readonly Entry[], modeOf: (mode: number, entry: Entry) => number): Promise<string> {
  for (const entry of entries) chmodSync(entry.path, modeOf(statSync(entry.path).mode & 0o777, entry));
  return `${counted(entries.length, "mode")} corrected`;
}

export const versions: Check = {
  name: "versions",
  needsHome: false,
  look(patient) {
    const { version, commit, bun } = patient.about;
    const found = [ok(`gsv ${version} (${commit}), bun ${bun}`)];
    return isThere(patient) ? [...found, ...kernelVersion(patient), ...schema(patient)] : found;
  },
};

function kernelVersion({ lock, about }: Patient): CheckResult[] {
  const holder = lock.isHeld() ? lock.holder() : null;
  if (holder === null) return [];
  const { pid, version, exe } = holder;
  const found: CheckResult[] = [];
  if (version === about.version) found.push(ok(`the running kernel (pid ${pid}) has this version`));
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
    found.push(notice(`the binary of the running kernel (pid ${pid}) is gone: ${exe}`, { fix: "gsv kernel restart" }));
  return found;
}

function isNewer(left: string, right: string): boolean {
  try {
    return Bun.semver.order(left, right) > 0;
  } catch {
    return false; // an unreadable version is not newer
  }
}

function schema({ paths, databases }: Patient): CheckResult[] {
  if (!existsSync(paths.kernelDb)) return [];
  try {
    const { version, known } = databases.kernelSchema();
    if (version > known)
      return [
        problem(`kernel.db was written by a newer gsv (schema ${version}; this one knows ${known})`, {
          fix: "use the newer gsv for this home",
        }),
      ];
    if (version === known) return [ok(`kernel.db has schema ${version}, the current one`)];
    return [
      notice(`kernel.db has schema ${version}, this gsv has ${known}`, {
        fix: "the next kernel migrates it and keeps a copy in backup/",
      }),
    ];
  } catch {
    return []; // the check of databases reports it
  }
}

export const lock: Check = {
  name: "lock",
  needsHome: true,
  async look(patient) {
    const { paths } = patient;
    if (existsSync(paths.lockFile)) {
      const fault = patient.lock.fault();
      if (fault !== null)
        return [problem(`${paths.lockFile} is not a lock file: ${fault}`, { fix: `rm ${quoted(paths.lockFile)}` })];
      if (patient.lock.isHeld()) return [await heldLock(patient)];
    }
    if (!existsSync(paths.kernelInfo)) return [ok("no kernel is running; one starts when needed")];
    return [staleInfo(patient)];
  },
};

async function heldLock(patient: Patient): Promise<CheckResult> {
  const holder = patient.lock.holder();
  const who = holder === null ? "a kernel" : `the kernel (pid ${holder.pid})`;
  // Where the system tells, do not wait for an answer of a suspended process.
  const isSuspended = () => holder !== null && isStopped(holder.pid) === true;
  const answer: Answer = isSuspended() ? { how: "silent" } : await patient.greet();
  if (answer.how === "ready") return ok(`${who} is running and answers`);
  // The kernel may have exited meanwhile.
  if (!patient.lock.isHeld()) return ok("no kernel is running; one starts when needed");
  if (answer.how === "silent")
    return problem(`${who} is running and does not answer${isSuspended() ? ": it is suspended" : ""}`, {
      fix: holder === null ? "resume the suspended gsv kernel" : `kill -CONT ${holder.pid}`,
    });
  return problem(`${who} is running and cannot be reached at its socket`, {
    fix: holder === null ? "end the gsv kernel that holds it" : `kill ${holder.pid}`,
  });
}

function staleInfo(patient: Patient): CheckResult {
  const { kernelInfo } = patient.paths;
  const pid = patient.lock.holder()?.pid;
  return notice(`run/kernel.json is left from a kernel that is gone${pid === undefined ? "" : ` (pid ${pid})`}`, {
    fix: `rm ${quoted(kernelInfo)}`,
    repair: () =>
      patient.lock.hold(async () => {
        rmSync(kernelInfo, { force: true });
        return "removed run/kernel.json";
      }),
  });
}
