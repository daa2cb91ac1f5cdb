// Opens kernel.db for its owner: creates or migrates it, with a backup before the first migration.

import { type MigrateOptions, migrate } from "../migrate.ts";
import { KERNEL_SCHEMA } from "../migrations/kernel.ts";
import { Db } from "../open.ts";
import { KernelDb } from "./db.ts";

export interface OpenOptions extends Omit<MigrateOptions, "backup"> {
  readonly backupDir?: string;
}

/** Requires the kernel lock. */
export function openKernelDb(path: string, { backupDir, ...options }: OpenOptions): KernelDb {
  const db = new Db(path, { mode: "create" });
  // VACUUM INTO: a plain file copy may be torn, and opening the file would drop our locks.
  const backup = (from: number) =>
    db.script(`VACUUM INTO '${`${backupDir}/kernel-${from}-${options.now}.db`.replaceAll("'", "''")}'`);
  try {
    migrate(db, KERNEL_SCHEMA, backupDir === undefined ? options : { ...options, backup });
    return new KernelDb(db);
  } catch (error) {
    db.close();
    throw error;
  }
}
