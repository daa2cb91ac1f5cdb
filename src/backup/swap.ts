// The moment in which one home takes the place of another. What was unpacked lies in the home already; one small file, which appears
// whole or not at all, decides that it is to be used. From then on it only goes forward: whoever holds the home next, a kernel or
// another restore, finishes the renames. Nothing is deleted: what was there lies in a directory of its own afterwards.

import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SysError } from "../abi/errno.ts";
import { syncDirectory, writeDurably } from "../objects/host.ts";
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
  /** Directories in backup/, by name. */
  readonly from: string;
  readonly aside: string;
}

type Move = (from: string, to: string) => void;

const NAME = /^\.?[a-z0-9-]{1,80}$/;

/** Something of a home is there that a restore would take the place of. */
export function isOccupied({ kernelDb, procDir, objectsDir, reposDir }: SwapPlaces): boolean {
  return (
    existsSync(kernelDb) ||
    [procDir, objectsDir, reposDir].some((path) => existsSync(path) && readdirSync(path).length > 0)
  );
}

/** Only for who holds the lock of the home. */
export async function decideRestore(places: SwapPlaces, decision: Decision): Promise<void> {
  const draft = `${places.restoreInfo}.new`;
  await rm(draft, { force: true });
  await writeDurably(draft, Buffer.from(JSON.stringify(decision)));
  await rename(draft, places.restoreInfo);
  await syncDirectory(dirname(places.restoreInfo));
}

/** The directory in backup/ that a decided restore still needs. */
export function neededBy({ restoreInfo }: Pick<SwapPlaces, "restoreInfo">): string | null {
  return existsSync(restoreInfo) ? readDecision(restoreInfo).from : null;
}

export function isRestoreUnfinished({ restoreInfo }: Pick<SwapPlaces, "restoreInfo">): boolean {
  return existsSync(restoreInfo);
}

/** Only for who holds the lock of the home. Does nothing when nothing was decided. */
export async function finishRestore(places: SwapPlaces, move: Move = renameSync): Promise<void> {
  if (!isRestoreUnfinished(places)) return;
  const { from, aside } = readDecision(places.restoreInfo);
  const [source, old] = [join(places.backupDir, from), join(places.backupDir, aside)];
  mkdirSync(old, { recursive: true, mode: 0o700 });
  // Derived from what was there before.
  discardIndex(places.indexDb);
  for (const [name, target] of [
    ["objects", places.objectsDir],
    ["repos", places.reposDir],
    ["proc", places.procDir],
    ["kernel.db", places.kernelDb],
  ] as const) {
    // Placed by an earlier attempt.
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
  // Whoever looks at a home makes the directories that are not there.
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
