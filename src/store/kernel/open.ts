// Opens kernel.db for its owner: creates or migrates it, with a backup before the first migration.

import { type MigrateOptions, migrate, stampMigrations } from "../migrate.ts";
import { KERNEL_EDITION } from "../migrations/editions.ts";
import { KERNEL_SCHEMA } from "../migrations/kernel.ts";
import { Db } from "../open.ts";
import { Template } from "../template.ts";
import { KernelDb } from "./db.ts";

export interface OpenOptions extends Omit<MigrateOptions, "backup"> {
  readonly backupDir?: string;
}

/** Creates kernel.db by copying. If it does nothing, for example because there is a file, `openKernelDb` does the work. Requires the lock. */
export async function copyKernelDb(path: string, now: number): Promise<void> {
  const template = new Template(KERNEL_EDITION, async () => (await import("../migrations/images.ts")).kernelImage());
  await template.copyTo(path, (db) => stampMigrations(db, now));
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
