// Keeps other gits from collecting garbage during a change: `git gc --prune=now` would delete the objects of a commit that no branch
// contains yet. Uses git's own lock, gc.pid, which names a running process.

import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { SysError } from "../abi/errno.ts";
import type { Clock } from "../lib/clock.ts";
import { diskNow, isStale } from "./locks.ts";

const TRIES_MAX = 12;
const RETRY_MS = 80;
/** Git ignores an older lock. */
const GC_STALE_MS = 12 * 60 * 60 * 1000;

/** Waits for a running gc. Call the result after the change. */
export async function holdOffGc(gitDir: string, clock: Clock): Promise<() => void> {
  const lock = join(gitDir, "gc.pid");
  const own = `${process.pid} ${hostname()}`;
  for (let attempt = 1; attempt <= TRIES_MAX; attempt++) {
    const taken = take(gitDir, lock, own);
    if (taken === "unable") return () => {};
    if (taken === "held")
      return () => {
        if (holderOf(lock) === own) rmSync(lock, { force: true });
      };
    await clock.sleep(RETRY_MS);
  }
  throw new SysError("EAGAIN", "another git is running in this repository", ["try again when it is done"]);
}

/** "unable": the disk is full or read-only, and the change will say so. */
function take(gitDir: string, lock: string, own: string): "held" | "busy" | "unable" {
  const draft = `${lock}.lock`;
  try {
    writeFileSync(draft, own, { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") return "unable";
    if (isStale(draft, diskNow(gitDir))) rmSync(draft, { force: true });
    return "busy";
  }
  if (isLive(gitDir, lock, own)) {
    rmSync(draft, { force: true });
    return "busy";
  }
  renameSync(draft, lock);
  return "held";
}

function isLive(gitDir: string, lock: string, own: string): boolean {
  const holder = holderOf(lock);
  if (holder === null || holder === own) return false;
  const changedAt = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (diskNow(gitDir) - changedAt >= GC_STALE_MS) return false;
  const [pid, host] = holder.split(" ");
  if (host !== hostname()) return true;
  try {
    return process.kill(Number(pid), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Null if there is no lock that git would respect. */
function holderOf(lock: string): string | null {
  try {
    return /^\d+ \S+/.exec(readFileSync(lock, "latin1"))?.[0] ?? null;
  } catch {
    return null;
  }
}
