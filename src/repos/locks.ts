// Lock files left by a killed git, which block all writes. A lock that is old enough is removed, unless a git is still running there (a
// person may have an editor open on a commit).

import { lstatSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listEntries } from "../lib/directories.ts";

const STALE_MS = 10_000;
const NAMES = ["index.lock", "HEAD.lock", "config.lock", "packed-refs.lock", "shallow.lock"];
const REFS_MAX = 10_000;

/** Time of the disk, whatever this kernel's clock says. The directory must be writable. */
export function diskNow(directory: string): number {
  const probe = join(directory, "now");
  writeFileSync(probe, "");
  const { mtimeMs } = lstatSync(probe);
  rmSync(probe);
  return mtimeMs;
}

/** Lock files, relative to the git directory. */
export function locksIn(gitDir: string): string[] {
  const there = NAMES.filter((name) => changedAt(join(gitDir, name)) !== null);
  return [...there, ...refLocks(gitDir, "refs", { left: REFS_MAX })];
}

/** Removes abandoned locks and returns their names. */
export function dropStaleLocks(gitDir: string): string[] {
  const locks = locksIn(gitDir);
  if (locks.length === 0) return [];
  const now = diskNow(gitDir);
  const stale = locks.filter((name) => isStale(join(gitDir, name), now));
  if (stale.length === 0 || isGitAt(gitDir.replace(/\/\.git$/, ""))) return [];
  for (const name of stale) rmSync(join(gitDir, name), { force: true });
  return stale;
}

export function isStale(lock: string, now: number): boolean {
  return now - (changedAt(lock) ?? now) >= STALE_MS;
}

function refLocks(gitDir: string, below: string, budget: { left: number }): string[] {
  const found: string[] = [];
  for (const entry of listEntries(join(gitDir, below))) {
    if (--budget.left < 0) break;
    const path = `${below}/${entry.name}`;
    if (entry.isDirectory()) found.push(...refLocks(gitDir, path, budget));
    else if (entry.name.endsWith(".lock")) found.push(path);
  }
  return found;
}

function changedAt(path: string): number | null {
  return lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null;
}

/** True if a git runs in the directory. Needs /proc; elsewhere only a lock's age counts. */
function isGitAt(directory: string): boolean {
  return listEntries("/proc").some(({ name }) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      if (!readFileSync(`/proc/${name}/comm`, "utf8").startsWith("git")) return false;
      return `${readlinkSync(`/proc/${name}/cwd`)}/`.startsWith(`${directory}/`);
    } catch {
      return false;
    }
  });
}
