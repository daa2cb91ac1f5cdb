// What the kernel does when somebody deletes or replaces kernel.db under it. Only the kernel still has the content, including what it has
// acknowledged since; so before it exits it puts the file back. A file that stands in its place by then is not touched.

import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { Core } from "../boot.ts";
import { sameFile } from "../lib/same-file.ts";
import type { HomePaths } from "../paths.ts";
import type { KernelDb } from "../store/kernel/db.ts";

/** Tells whether the database is where it was; at the first time that it is not, it is closed and put back, and the log says so. */
export function standing(database: KernelDb, { machine, onFault }: Pick<Core, "machine" | "onFault">): () => boolean {
  const { paths, clock, log } = machine;
  const isInPlace = sameFile(paths.kernelDb);
  let fell = false;
  return () => {
    if (fell) return false;
    if (isInPlace()) return true;
    fell = true;
    try {
      log(putBack(database, paths, clock.now()));
    } catch (error) {
      onFault(error);
    }
    return false;
  };
}

function putBack(database: KernelDb, { kernelDb, quarantineDir }: HomePaths, now: number): string {
  const copy = join(quarantineDir, `kernel-${now}.db`);
  database.db.copyTo(copy);
  // Closing takes the log along that belongs to the file which is gone.
  database.close();
  if (existsSync(kernelDb)) return `kernel.db was replaced while this kernel ran: what it held is kept in ${copy}`;
  renameSync(copy, kernelDb);
  return "kernel.db was taken away while this kernel ran: it is put back as this kernel had it";
}
