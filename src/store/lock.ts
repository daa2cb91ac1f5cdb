// The kernel lock: an exclusive SQLite transaction on this file, freed by the operating system on kill -9. No other code may open the
// file: closing it in this process would drop the lock. `stillOurs` only stats.

import { Database } from "bun:sqlite";
import { chmodSync, statSync } from "node:fs";
import { messageOf, SysError } from "../abi/errno.ts";
import { sameFile } from "../lib/same-file.ts";

export interface Lock {
  /** False if the file was removed or replaced: another kernel may hold the home. */
  stillOurs(): boolean;
  release(): void;
}

/** Null if another process holds it. */
export function acquireLock(file: string): Lock | null {
  let database: Database | undefined;
  try {
    database = new Database(file, { create: true, readwrite: true });
    database.run("PRAGMA busy_timeout = 0");
    database.run("PRAGMA locking_mode = EXCLUSIVE");
    database.run("BEGIN EXCLUSIVE");
    chmodSync(file, 0o600);
    return held(database, sameFile(file));
  } catch (error) {
    database?.close();
    const { code } = error as { code?: unknown };
    // ENOENT: the file was removed meanwhile; a lock on an unlinked file excludes no one.
    if (code === "SQLITE_BUSY" || code === "ENOENT") return null;
    if (!(error instanceof Error)) throw error;
    if (code === "SQLITE_FULL")
      throw new SysError("ENOSPC", `cannot lock ${file}: the disk is full`, ["free some disk space and try again"]);
    throw new SysError("ECONFIG", `cannot lock ${file}: ${error.message}`, [
      code === "SQLITE_NOTADB" ? `remove it: rm ${file}` : "gsv needs a writable local disk",
    ]);
  }
}

/** Ignores other faults of the file: acquireLock reports them. */
export function isHeld(file: string): boolean {
  return lookAt(file)?.code === "SQLITE_BUSY";
}

/** Why the file cannot be a lock, or null. */
export function lockFault(file: string): string | null {
  const trouble = lookAt(file);
  return trouble === null || trouble.code === "SQLITE_BUSY" ? null : trouble.message;
}

function lookAt(file: string): { readonly code: unknown; readonly message: string } | null {
  let database: Database | undefined;
  try {
    // Opening a pipe would block.
    if (!statSync(file).isFile()) return { code: null, message: "not a regular file" };
    database = new Database(file, { readonly: true });
    database.run("PRAGMA busy_timeout = 0");
    database.query("SELECT count(*) FROM sqlite_schema").get();
    return null;
  } catch (error) {
    const { code } = error as { code?: unknown };
    return { code, message: messageOf(error) };
  } finally {
    database?.close();
  }
}

function held(database: Database, isOurs: () => boolean): Lock {
  let released = false;
  return {
    stillOurs: () => !released && isOurs(),
    release() {
      if (released) return;
      released = true;
      database.run("ROLLBACK");
      database.close();
    },
  };
}
