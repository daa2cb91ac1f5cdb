// An empty process database, as bytes. A kernel migrates its first new process database and copies it for the others: a copy takes a
// fraction of the 37 statements of the schema. Only memory holds the bytes, so they always have the schema of this kernel.

import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type Db, StoreCorrupt } from "../../open.ts";

export class Template {
  private bytes: Uint8Array | null = null;
  private isChecked = false;

  /** Call after the migration, before the first row. */
  take(db: Db): void {
    this.bytes = db.bytes();
    this.isChecked = false;
  }

  /** Returns false without a template, or if files are left at the path, or if the copy fails. Then migrate. */
  copyTo(path: string): boolean {
    const draft = draftOf(path);
    rmSync(draft, { recursive: true, force: true });
    // SQLite would apply a leftover log to the copy.
    if (this.bytes === null || [path, `${path}-wal`, `${path}-shm`].some((each) => existsSync(each))) return false;
    try {
      write(draft, this.bytes);
      renameSync(draft, path);
      syncDirectory(dirname(path));
      return true;
    } catch {
      // The migration reports what is wrong, for example a full disk.
      rmSync(draft, { force: true });
      return false;
    }
  }

  /** Opens a copy. null if the template is damaged: then the copy and the template are gone. */
  opened(path: string, open: () => Db): Db | null {
    let db: Db | null = null;
    try {
      db = open();
      if (!this.isChecked) requireWhole(db);
      this.isChecked = true;
      return db;
    } catch (error) {
      db?.close();
      if (!(error instanceof StoreCorrupt)) throw error;
      this.bytes = null;
      for (const each of [path, `${path}-wal`, `${path}-shm`]) rmSync(each, { force: true });
      return null;
    }
  }
}

/** A crash while copying leaves this file. The next kernel removes it when it completes the spawn. */
export function draftOf(path: string): string {
  return `${path}.new`;
}

function requireWhole(db: Db): void {
  const row = db.get<{ integrity_check: string }>("PRAGMA integrity_check(1)");
  if (row?.integrity_check !== "ok") throw new StoreCorrupt(`the database ${db.path} is damaged`);
}

function write(path: string, bytes: Uint8Array): void {
  const descriptor = openSync(path, "wx", 0o600);
  try {
    writeFileSync(descriptor, bytes);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function syncDirectory(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
