// Replaces one home by another. The unpacked files are in the home already; one small file, written atomically, commits the restore. After that
// it only goes forward: the next kernel or restore finishes the renames. Nothing is deleted: the old files are moved to a directory in backup/.

import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SysError } from "../abi/errno.ts";
import { syncDirectory } from "../lib/directories.ts";
import { writeDurably } from "../objects/host.ts";
import { discardIndex } from "../store/history-index.ts";

export interface SwapPlaces {
  readonly home: string;
  readonly kernelDb: string;
  readonly indexDb: string;
  readonly procDir: string;
  readonly objectsDir: string;
  readonly reposDir: string;
  readonly backupDir: string;
  readonly restoreInfo: string;
}

interface Decision {
  /** Names of directories in backup/. */
  readonly from: string;
  readonly aside: string;
}

type Move = (from: string, to: string) => void;

const NAME = /^\.?[a-z0-9-]{1,80}$/;

/** Whether a restore would replace anything. */
export function isOccupied({ kernelDb, procDir, objectsDir, reposDir }: SwapPlaces): boolean {
  return (
    existsSync(kernelDb) ||
    [procDir, objectsDir, reposDir].some((path) => existsSync(path) && readdirSync(path).length > 0)
  );
}

/** The caller must hold the lock of the home. */
export async function decideRestore(places: SwapPlaces, decision: Decision): Promise<void> {
  const draft = `${places.restoreInfo}.new`;
  await rm(draft, { force: true });
  await writeDurably(draft, Buffer.from(JSON.stringify(decision)));
  await rename(draft, places.restoreInfo);
  await syncDirectory(dirname(places.restoreInfo));
}

/** The directory in backup/ that an unfinished restore needs. */
export function neededBy({ restoreInfo }: Pick<SwapPlaces, "restoreInfo">): string | null {
  return existsSync(restoreInfo) ? readDecision(restoreInfo).from : null;
}

export function isRestoreUnfinished({ restoreInfo }: Pick<SwapPlaces, "restoreInfo">): boolean {
  return existsSync(restoreInfo);
}

/** The caller must hold the lock of the home. Does nothing without a committed restore. */
export async function finishRestore(places: SwapPlaces, move: Move = renameSync): Promise<void> {
  if (!isRestoreUnfinished(places)) return;
  const { from, aside } = readDecision(places.restoreInfo);
  const [source, old] = [join(places.backupDir, from), join(places.backupDir, aside)];
  mkdirSync(old, { recursive: true, mode: 0o700 });
  // The index is derived from the old home.
  discardIndex(places.indexDb);
  for (const [name, target] of [
    ["objects", places.objectsDir],
    ["repos", places.reposDir],
    ["proc", places.procDir],
    ["kernel.db", places.kernelDb],
  ] as const) {
    // An earlier attempt has done it.
    if (!existsSync(join(source, name))) continue;
    for (const suffix of name === "kernel.db" ? ["-wal", "-shm", ""] : [""])
      moveAside(`${target}${suffix}`, join(old, `${name}${suffix}`), move);
    move(join(source, name), target);
  }
  for (const directory of [places.home, places.backupDir, old]) await syncDirectory(directory);
  await rm(places.restoreInfo);
  await syncDirectory(dirname(places.restoreInfo));
  if (readdirSync(old).length === 0) rmdirSync(old);
  await rm(source, { recursive: true, force: true });
}

function moveAside(path: string, to: string, move: Move): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  // Missing directories are created by the next command.
  if (stats.isDirectory() && readdirSync(path).length === 0) {
    rmdirSync(path);
    return;
  }
  if (existsSync(to))
    throw new SysError("EIO", `cannot finish the restore: ${path} and ${to} are both there`, ["move one of them away"]);
  move(path, to);
}

function readDecision(file: string): Decision {
  const { from, aside } = JSON.parse(readFileSync(file, "utf8")) as Decision;
  if (NAME.test(from) && NAME.test(aside)) return { from, aside };
  throw new SysError("ECONFIG", `${file} is damaged`, ["look at what is in backup/, then remove it"]);
}
