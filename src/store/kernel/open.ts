// kernel.db as its holder opens it: made when there is none, brought up to date when it is older, with a backup before the first change.

import { type MigrateOptions, migrate } from "../migrate.ts";
import { KERNEL_SCHEMA } from "../migrations/kernel.ts";
import { Db } from "../open.ts";
import { KernelDb } from "./db.ts";

export interface OpenOptions extends Omit<MigrateOptions, "backup"> {
  readonly backupDir?: string;
}

/** Only the holder of the lock may. */
export function openKernelDb(path: string, { backupDir, ...options }: OpenOptions): KernelDb {
  const db = new Db(path, { mode: "create" });
  // By SQLite's own means: a copy of the file taken any other way may be torn, and taking it would drop our locks.
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
