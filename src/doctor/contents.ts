// Checks of what a home contains: half-written files, unfinished steps, crashes, secrets, hooks, workspaces, the bucket.

import { chmodSync, existsSync, lstatSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { SETTINGS } from "../abi/config/config.ts";
import { type KeyWritten, keyWritten } from "../abi/config/config-key.ts";
import { closingFailuresKey } from "../abi/process/lifecycle.ts";
import { listDirectory } from "../lib/directories.ts";
import type { Registered } from "../store/inspect.ts";
import { type Check, type CheckResult, counted, faultFound, notice, ok, problem, readable, some } from "./check.ts";
import type { Patient } from "./patient.ts";

export const leftovers: Check = {
  name: "leftovers",
  needsHome: true,
  look(patient) {
    if (patient.lock.isHeld()) return [];
    const left = halfWritten(patient);
    if (left.length === 0) return [ok("no half-written files")];
    const names = left.map((path) => relative(patient.paths.home, path));
    return [
      notice(`half-written files: ${some(names)}`, {
        fix: "gsv doctor --fix removes them",
        repair: () => patient.lock.hold(async () => removed(patient)),
      }),
    ];
  },
};

function halfWritten({ paths, socketPath }: Patient): string[] {
  const temporaries = join(paths.objectsDir, ".tmp");
  const found = listDirectory(temporaries).map((name) => join(temporaries, name));
  for (const path of [paths.kernelInfo, socketPathOf(socketPath) ?? paths.socket]) {
    const fresh = `${path}.new`;
    if (listDirectory(dirname(fresh)).includes(basename(fresh))) found.push(fresh);
  }
  return found;
}

function socketPathOf(socketPath: () => string): string | null {
  try {
    return socketPath();
  } catch {
    return null;
  }
}

function removed(patient: Patient): string {
  const left = halfWritten(patient);
  for (const path of left) rmSync(path, { force: true });
  return `removed ${counted(left.length, "half-written file")}`;
}

/** A kernel stays for what is due within this time. */
const KERNEL_STAYS_MS = 24 * 60 * 60 * 1000;

export const schedules: Check = {
  name: "schedules",
  needsHome: true,
  async look({ databases, paths, lock, clock, wakeTimer }) {
    const rows = existsSync(paths.kernelDb) ? readable(() => databases.schedules()) : null;
    if (rows === null) return [];
    const paused = rows.filter(({ nextAt }) => nextAt === null);
    const found = paused.map(({ name, pausedWhy }) =>
      notice(`schedule ${name} is paused: ${pausedWhy ?? "it failed"}`, { fix: `gsv sched resume ${name}` }),
    );
    const [first] = rows;
    if (first === undefined || first.nextAt === null) return found;
    const isOver = first.nextAt <= clock.now();
    const due = `schedule ${first.name} ${isOver ? "was" : "is"} due at ${new Date(first.nextAt).toISOString()}`;
    const stays = lock.isHeld() && first.nextAt - clock.now() <= KERNEL_STAYS_MS;
    if (stays) return [...found, ok(due)];
    const { on, fault } = wakeTimer.isOn() ? await wakeTimer.status() : { on: false, fault: null };
    if (on && fault === null) return [...found, ok(`${due}; a timer starts gsv`)];
    const why = fault === null ? "nothing would start gsv" : `its timer does not work: ${fault}`;
    return [...found, notice(`${due}, and ${why}`, { fix: "gsv sched wake on" })];
  },
};

/** Archiving a very long history takes minutes. */
const STUCK_MS = 5 * 60 * 1000;
const BEGUN = { creating: "spawn", killing: "kill" } as const;

export const unfinished: Check = {
  name: "unfinished",
  needsHome: true,
  look(patient) {
    const rows = registeredIn(patient);
    if (rows === null) return [];
    const steps = rows.flatMap((row) => stepOf(patient, row) ?? []);
    const resting = patient.lock.isHeld() ? 0 : rows.filter((row) => row.dirty && row.phase === "live").length;
    const found = steps.map((step) => judgedStep(patient, step));
    if (resting > steps.filter((step) => step.what === "reset").length)
      found.push(
        notice(`${counted(resting, "process was", "processes were")} interrupted`, {
          fix: "gsv kernel start resumes the work",
        }),
      );
    return found.length > 0 ? found : [ok("no unfinished spawn, reset or kill")];
  },
};

interface Step {
  readonly pid: string;
  readonly what: "spawn" | "reset" | "kill";
  /** null if unknown. */
  readonly sinceMs: number | null;
  /** Failed tries so far. */
  readonly failures: { readonly failed: number; readonly error: string } | null;
}

function registeredIn({ databases, paths }: Patient): readonly Registered[] | null {
  return existsSync(paths.kernelDb) ? readable(() => databases.registered()) : null;
}

function stepOf(patient: Patient, row: Registered): Step | null {
  const { pid, phase } = row;
  if (phase === "creating") return { pid, what: BEGUN.creating, sinceMs: row.createdAt, failures: null };
  if (phase === "live" && !row.dirty) return null;
  const closing = readable(() => patient.databases.processState(pid).closing);
  if (phase !== "killing" && closing === null) return null;
  const what = phase === "killing" ? BEGUN.killing : (closing?.reason ?? "reset");
  return { pid, what, sinceMs: closing?.startedAt ?? null, failures: failuresOf(patient, pid) };
}

function failuresOf({ databases }: Patient, pid: string): Step["failures"] {
  const row = databases.settings().find(({ key }) => key === closingFailuresKey(pid));
  return row === undefined ? null : (JSON.parse(row.value) as Step["failures"]);
}

function judgedStep({ lock, clock }: Patient, { pid, what, sinceMs, failures }: Step): CheckResult {
  if (failures !== null) {
    const tries = counted(failures.failed, "time", "times");
    return problem(`the ${what} of ${pid} failed ${tries}: ${failures.error}`, {
      fix: lock.isHeld() ? "the kernel retries it; see also log/kernel.log" : "gsv kernel start retries it",
    });
  }
  if (!lock.isHeld()) return notice(`the ${what} of ${pid} is unfinished`, { fix: "gsv kernel start finishes it" });
  const minutes = sinceMs === null ? 0 : Math.floor((clock.now() - sinceMs) / 60_000);
  if (sinceMs === null || clock.now() - sinceMs < STUCK_MS) return ok(`the ${what} of ${pid} is in progress`);
  return problem(`the ${what} of ${pid} has been in progress for ${minutes} minutes`, {
    fix: "gsv kernel restart retries it; see also log/kernel.log",
  });
}

export const crashes: Check = {
  name: "crashes",
  needsHome: true,
  look({ cores }) {
    const instants = cores();
    const [newest] = instants;
    if (newest === undefined) return [ok("no crash files")];
    const when = new Date(newest).toISOString();
    const runs = counted(instants.length, "failed run");
    return [notice(`${runs} left a crash file, the newest at ${when}`, { fix: "gsv debug shows why" })];
  },
};

export const secrets: Check = {
  name: "secrets",
  needsHome: true,
  async look(patient) {
    const stored = storedSecrets(patient);
    const found: CheckResult[] = [];
    for (const { key, value, written } of stored) {
      if ((await patient.holdsSecret(key, value)) !== false) continue;
      const whose = written.uid === null ? " of the whole home" : ownerIn(patient, written.uid);
      found.push(
        notice(`the value of the secret ${written.name}${whose} is missing`, { fix: fixFor(patient, written) }),
      );
    }
    return found.length > 0 || stored.length === 0 ? found : [ok("all secrets have a value")];
  },
};

interface StoredSecret {
  readonly key: string;
  readonly value: string;
  readonly written: KeyWritten;
}

function storedSecrets({ databases, paths }: Patient): readonly StoredSecret[] {
  const settings = existsSync(paths.kernelDb) ? readable(() => databases.settings()) : null;
  return (settings ?? []).flatMap(({ key, value }) => {
    const written = keyWritten(key);
    return written === null || SETTINGS[written.name].type !== "secret" ? [] : [{ key, value, written }];
  });
}

function ownerIn({ databases }: Patient, uid: number): string {
  const account = databases.accounts().find((each) => each.uid === uid);
  return ` of ${account?.username ?? `account ${uid}`}`;
}

const FIRST_HUMAN_UID = 1000;

function fixFor({ databases }: Patient, { name, uid }: KeyWritten): string {
  if (uid === null) return `gsv config set --system ${name} --user root`;
  const accounts = databases.accounts().filter((each) => each.uid >= FIRST_HUMAN_UID);
  const username = accounts.find((each) => each.uid === uid)?.username;
  return `gsv config set ${name}${username === undefined || accounts[0]?.uid === uid ? "" : ` --user ${username}`}`;
}

const OTHERS_WRITE = 0o022;

export const hooks: Check = {
  name: "hooks",
  needsHome: true,
  async look(patient) {
    const all = await patient.hooks();
    if (all.length === 0) return [];
    const refused = all.filter(({ state }) => state === "refused");
    const waiting = all.filter(({ state }) => state === "new" || state === "changed");
    const found: CheckResult[] = refused.map(({ hook, path, why, fix }) =>
      problem(`the hook ${hook} does not run: ${why ?? "it is refused"}`, {
        fix: fix ?? "gsv hooks list",
        ...(isLoose(path, patient.uid) ? { repair: async () => madePrivate(path) } : {}),
      }),
    );
    if (waiting.length > 0) found.push(undecided(waiting.map(({ hook }) => hook)));
    return found.length > 0 ? found : [ok(`${counted(all.length, "hook")}, all allowed or denied`)];
  },
};

function undecided(names: readonly string[]): CheckResult {
  return notice(`waiting for your decision: ${some(names)}`, {
    fix: `gsv hooks allow ${names[0] ?? ""}, or gsv hooks deny`,
  });
}

function isLoose(path: string, uid: number): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.uid === uid && (stat.mode & OTHERS_WRITE) !== 0;
}

async function madePrivate(path: string): Promise<string> {
  chmodSync(path, lstatSync(path).mode & 0o7777 & ~OTHERS_WRITE);
  return `removed the write access of others to ${path}`;
}

export const workspaces: Check = {
  name: "workspaces",
  needsHome: true,
  look(patient) {
    if (!existsSync(patient.paths.kernelDb)) return [];
    // The kernel.db of an older gsv has no workspaces.
    const rows = readable(() => patient.databases.workspaces());
    if (rows === null || rows.length === 0) return [];
    const found: CheckResult[] = [];
    for (const { id, owner, directory } of rows) {
      const files = directory ?? join(patient.paths.reposDir, owner, id);
      if (statSync(files, { throwIfNoEntry: false })?.isDirectory()) continue;
      found.push(
        directory === null
          ? problem(`the files of workspace ${id} are gone`, { fix: `restore repos/${owner}/${id} from a backup` })
          : notice(`the directory of workspace ${id} is missing: ${directory}`, {
              fix: `mount it again, or: gsv workspace archive ${id}`,
            }),
      );
    }
    return found.length > 0 ? found : [ok(`the files of ${counted(rows.length, "workspace")} are there`)];
  },
};

export const storage: Check = {
  name: "storage",
  needsHome: true,
  async look({ paths, bytes }) {
    if (!existsSync(paths.kernelDb)) return [];
    // The check of databases reports an unreadable kernel.db.
    const where = await bytes.where().catch(() => null);
    if (where === null || where.driver === "disk") return [];
    try {
      await bytes.probe();
      return [ok(`the bucket answers: ${where.place}`)];
    } catch (error) {
      return [faultFound(error)];
    }
  },
};
