// Backup, restore and disk usage of a home. A backup needs no kernel and disturbs none. A restore holds the lock of the home while it
// replaces it.

import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import type { HomeKeeping } from "../abi/backup.ts";
import { SysError } from "../abi/errno.ts";
import { type RandomBytes, uuidv7 } from "../abi/ids.ts";
import { noteBackup } from "../backup/last.ts";
import { makeBackup } from "../backup/make.ts";
import { type Take, takeFrom } from "../backup/objects.ts";
import { decideRestore, finishRestore, isOccupied, isRestoreUnfinished, neededBy } from "../backup/swap.ts";
import { unpack } from "../backup/unpack.ts";
import { usageOf } from "../backup/usage.ts";
import { bytesOfHome } from "../kernel/storage/drivers.ts";
import type { Clock } from "../lib/clock.ts";
import { diskBytes } from "../objects/disk-bytes.ts";
import { writeDurably } from "../objects/host.ts";
import { pieces } from "../objects/move.ts";
import type { Bytes } from "../objects/objects.ts";
import { type HomePaths, prepareHome } from "../paths.ts";
import { inspector } from "../store/inspect.ts";
import { acquireLock, isHeld, type Lock } from "../store/lock.ts";
import { objectSums } from "../store/sums.ts";
import { VERSION } from "../version.ts";
import { keychainOf } from "./keychain.ts";

export interface KeepMachine {
  readonly paths: HomePaths;
  readonly uid: number;
  readonly cwd: string;
  readonly clock: Clock;
  readonly random: RandomBytes;
}

const STAGING = ".staging-";

export function homeKeeping(machine: KeepMachine): HomeKeeping {
  const { paths, uid, cwd, clock } = machine;
  return {
    backup: (file, { force }) =>
      inStaging(machine, async (staging) => {
        if (isRestoreUnfinished(paths))
          throw new SysError("EAGAIN", "a restore was interrupted", ["finish it: gsv kernel start"]);
        const { kernelDb, procDir, reposDir } = paths;
        const target = { file: resolve(cwd, file), force };
        const places = { kernelDb, procDir, reposDir, taker: () => taker(machine), staging };
        const made = await makeBackup({ ...places, ...target, gsv: VERSION, now: clock.now() });
        noteBackup(paths, made.file);
        return made;
      }),

    restore: (file, { force }) =>
      inStaging(machine, async (staging, name) => {
        if (isHeld(paths.lockFile)) throw inUse();
        mayReplace(paths, force);
        const { madeAt, counts, faults } = await unpack(resolve(cwd, file), staging);
        const lock = acquireLock(paths.lockFile);
        if (lock === null) throw inUse();
        try {
          await finishRestore(paths);
          mayReplace(paths, force);
          const aside = `replaced-${name.slice(STAGING.length)}`;
          const replaced = isOccupied(paths) ? join(paths.backupDir, aside) : null;
          await decideRestore(paths, { from: name, aside });
          await finishRestore(paths);
          return { home: paths.home, madeAt, counts, faults, replaced };
        } finally {
          lock.release();
        }
      }),

    async usage() {
      prepareHome(paths, uid);
      if ((await bytesIn(machine)).driver === "s3") return usageOf({ ...paths, leftDir: paths.objectsDir }, []);
      return usageOf(paths, Bun.file(paths.kernelDb).size > 0 ? objectSums(paths.kernelDb) : []);
    },
  };
}

async function bytesIn({ paths, clock, random }: KeepMachine): Promise<Bytes> {
  if (Bun.file(paths.kernelDb).size === 0) return diskBytes(paths.objectsDir);
  const keychain = keychainOf(paths.home, clock);
  return bytesOfHome({ paths, clock, random, keychain }, inspector(paths));
}

/** On disk a hard link is as good as a copy. Content elsewhere is downloaded. */
async function taker(machine: KeepMachine): Promise<Take> {
  const bytes = await bytesIn(machine);
  if (bytes.driver === "disk") return takeFrom(machine.paths.objectsDir);
  return async (wanted, path) => {
    if (!(await bytes.has(wanted))) return false;
    try {
      await writeDurably(path, pieces(bytes, wanted));
      return true;
    } catch (error) {
      // Removed meanwhile.
      if (await bytes.has(wanted)) throw error;
      return false;
    }
  };
}

/** One backup at a time. Removes leftovers of a killed one first. */
async function inStaging<T>(
  { paths, uid, clock, random }: KeepMachine,
  work: (directory: string, name: string) => Promise<T>,
): Promise<T> {
  prepareHome(paths, uid);
  const lock = keepLock(paths);
  const name = `${STAGING}${uuidv7(clock.now(), random)}`;
  const directory = join(paths.backupDir, name);
  try {
    sweepStagings(paths);
    mkdirSync(directory, { mode: 0o700 });
    return await work(directory, name);
  } finally {
    if (neededBy(paths) !== name) rmSync(directory, { recursive: true, force: true });
    lock.release();
  }
}

function keepLock({ keepLock: file }: HomePaths): Lock {
  const lock = acquireLock(file);
  if (lock === null)
    throw new SysError("EAGAIN", "another backup or restore of this home is running", ["try again when it is done"]);
  return lock;
}

function sweepStagings(paths: HomePaths): void {
  const needed = neededBy(paths);
  for (const name of readdirSync(paths.backupDir)) {
    if (name.startsWith(STAGING) && name !== needed) rmSync(join(paths.backupDir, name), { recursive: true });
  }
}

function mayReplace(paths: HomePaths, force: boolean): void {
  if (force || !isOccupied(paths)) return;
  throw new SysError("EEXIST", `${paths.home} is not empty`, [
    "--force replaces it and moves the old home to its backup/ directory",
  ]);
}

function inUse(): SysError {
  return new SysError("EAGAIN", "not restored: a kernel is using this home", ["stop it first: gsv kernel stop"]);
}
