// Handles a kernel.db that was deleted or replaced while the kernel runs. Only the kernel still has the content, with everything acknowledged
// since, so it puts the file back before it exits. A file that stands there by then is left alone.

import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../lib/clock.ts";
import { sameFile } from "../../lib/same-file.ts";
import type { KernelDb } from "../../store/kernel/db.ts";

export interface RescuePorts {
  readonly kernelDb: string;
  readonly quarantineDir: string;
  readonly clock: Clock;
  readonly log: (line: string) => void;
  readonly onFault: (error: unknown) => void;
}

/** Returns a check that the database is still in its place. The first time it is not, closes it, puts it back and logs that. */
export function rescuer(database: KernelDb, ports: RescuePorts): () => boolean {
  const isInPlace = sameFile(ports.kernelDb);
  let fell = false;
  return () => {
    if (fell) return false;
    if (isInPlace()) return true;
    fell = true;
    try {
      ports.log(putBack(database, ports));
    } catch (error) {
      ports.onFault(error);
    }
    return false;
  };
}

function putBack(database: KernelDb, { kernelDb, quarantineDir, clock }: RescuePorts): string {
  const copy = join(quarantineDir, `kernel-${clock.now()}.db`);
  database.db.copyTo(copy);
  // Closing also removes the WAL of the deleted file.
  database.close();
  if (existsSync(kernelDb)) return `kernel.db was replaced while this kernel ran: its content is saved in ${copy}`;
  renameSync(copy, kernelDb);
  return "kernel.db was deleted while this kernel ran: the kernel has put it back";
}
