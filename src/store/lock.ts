// The election: whoever holds an exclusive SQLite transaction on this file is the kernel of the home, until it lets go or dies; the
// operating system frees it at kill -9. The file is opened here and nowhere else, and never by other means: opening and closing it
// any other way in this process would drop the lock. Asking whether it is still ours only stats.

import { Database } from "bun:sqlite";
import { chmodSync, statSync } from "node:fs";
import { messageOf, SysError } from "../abi/errno.ts";
import { sameFile } from "../lib/same-file.ts";

export interface Lock {
  /** False once the file was removed or replaced: then somebody else may hold the home. */
  stillOurs(): boolean;
  release(): void;
}

/** Null when somebody else holds it. */
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
    // ENOENT: it was removed under our hands; a lock on a file without a name excludes nobody.
    if (code === "SQLITE_BUSY" || code === "ENOENT") return null;
    if (!(error instanceof Error)) throw error;
    if (code === "SQLITE_FULL")
      throw new SysError("ENOSPC", `cannot lock ${file}: the disk is full`, ["free some disk space and try again"]);
    throw new SysError("ECONFIG", `cannot lock ${file}: ${error.message}`, [
      code === "SQLITE_NOTADB" ? `remove it: rm ${file}` : "gsv needs a local disk that it may write to",
    ]);
  }
}

/** Whether somebody holds it now. What else may be wrong with the file is told to whoever wants to take it. */
export function isHeld(file: string): boolean {
  return lookAt(file)?.code === "SQLITE_BUSY";
}

/** What keeps a file that is there from being a lock at all, or null. */
export function lockFault(file: string): string | null {
  const trouble = lookAt(file);
  return trouble === null || trouble.code === "SQLITE_BUSY" ? null : trouble.message;
}

function lookAt(file: string): { readonly code: unknown; readonly message: string } | null {
  let database: Database | undefined;
  try {
    // SQLite would wait for whoever writes into a pipe.
    if (!statSync(file).isFile()) return { code: null, message: "it is no file" };
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
