// Lock files that a git left when it was killed: nothing is written to a repository while one is there. One that nobody has touched for a
// while is taken away, unless a git is still at work there; a person may have an editor open over a commit.

import { lstatSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const STALE_MS = 10_000;
const NAMES = ["index.lock", "HEAD.lock", "config.lock", "packed-refs.lock", "shallow.lock"];
const REFS_MAX = 10_000;

/** The disk's own time, whatever clock this kernel goes by. The directory is one that may be written to. */
export function diskNow(directory: string): number {
  const probe = join(directory, "now");
  writeFileSync(probe, "");
  const { mtimeMs } = lstatSync(probe);
  rmSync(probe);
  return mtimeMs;
}

/** Those that are there, from the git directory. */
export function locksIn(gitDir: string): string[] {
  const there = NAMES.filter((name) => changedAt(join(gitDir, name)) !== null);
  return [...there, ...refLocks(gitDir, "refs", { left: REFS_MAX })];
}

/** Takes away the locks that their writers left for good; which. */
export function dropStaleLocks(gitDir: string): string[] {
  const locks = locksIn(gitDir);
  if (locks.length === 0) return [];
  const now = diskNow(gitDir);
  const stale = locks.filter((name) => isStale(join(gitDir, name), now));
  if (stale.length === 0 || isGitAt(gitDir.replace(/\/\.git$/, ""))) return [];
  for (const name of stale) rmSync(join(gitDir, name), { force: true });
  return stale;
}

/** Nobody has touched it for a while. */
export function isStale(lock: string, now: number): boolean {
  return now - (changedAt(lock) ?? now) >= STALE_MS;
}

function refLocks(gitDir: string, below: string, budget: { left: number }): string[] {
  const found: string[] = [];
  for (const entry of entriesOf(join(gitDir, below))) {
    if (--budget.left < 0) break;
    const path = `${below}/${entry.name}`;
    if (entry.isDirectory()) found.push(...refLocks(gitDir, path, budget));
    else if (entry.name.endsWith(".lock")) found.push(path);
  }
  return found;
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

function changedAt(path: string): number | null {
  return lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null;
}

/** Whether a git works in that directory, where the system shows it in /proc; elsewhere a lock's age alone says so. */
function isGitAt(directory: string): boolean {
  return entriesOf("/proc").some(({ name }) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      if (!readFileSync(`/proc/${name}/comm`, "utf8").startsWith("git")) return false;
      return `${readlinkSync(`/proc/${name}/cwd`)}/`.startsWith(`${directory}/`);
    } catch {
      return false;
    }
  });
}
