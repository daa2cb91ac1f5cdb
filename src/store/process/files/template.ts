// An empty process database, as bytes. A kernel migrates its first new process database and copies it for the others: a copy takes a
// fraction of the 37 statements of the schema. Only memory holds the bytes, so they always have the schema of this kernel. The first rows are
// added in memory, so a new database costs one synced file and no log; the files of many are written at once.

import { existsSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { syncDirectory } from "../../../lib/directories.ts";
import { type Edition, isOlder } from "../../edition.ts";
import { type Db, StoreCorrupt, withRows } from "../../open.ts";

export class Template {
  private bytes: Uint8Array | null = null;
  private isChecked = false;

  constructor(private readonly edition: Edition) {}

  /** Call after the migration, before the first row. */
  take(db: Db): void {
    this.bytes = db.bytes();
    this.isChecked = false;
  }

  /**
   * Writes a copy with the rows that `begin` stores. Returns false without a template, or if files are left at the path, or if the copy
   * fails. Then migrate.
   */
  async copyTo(path: string, begin: (db: Db) => void): Promise<boolean> {
    const draft = draftOf(path);
    await rm(draft, { recursive: true, force: true });
    // SQLite would apply a leftover log to the copy.
    if (this.bytes === null || [path, `${path}-wal`, `${path}-shm`].some((each) => existsSync(each))) return false;
    try {
      await write(
        draft,
        withRows(this.bytes, path, (db) => this.checked(db, begin)),
      );
      await rename(draft, path);
      await syncDirectory(dirname(path));
      return true;
    } catch (error) {
      if (error instanceof StoreCorrupt) this.bytes = null;
      // The migration reports what is wrong, for example a full disk.
      await rm(draft, { force: true });
      return false;
    }
  }

  private checked(db: Db, begin: (db: Db) => void): void {
    if (!this.isChecked) requireWhole(db, this.edition);
    this.isChecked = true;
    begin(db);
  }
}

/** A crash while copying leaves this file. The next kernel removes it when it completes the spawn. */
export function draftOf(path: string): string {
  return `${path}.new`;
}

function requireWhole(db: Db, edition: Edition): void {
  const row = db.get<{ integrity_check: string }>("PRAGMA integrity_check(1)");
  if (row?.integrity_check !== "ok" || isOlder(db, edition))
    throw new StoreCorrupt(`the database ${db.path} is damaged`);
}

async function write(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}
