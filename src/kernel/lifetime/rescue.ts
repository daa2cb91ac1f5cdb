// Handles a kernel.db that was deleted or replaced while the kernel runs. Only the kernel still has the content, with everything acknowledged
// since, so it puts the file back before it exits. A file that stands there by then is left alone.

import { existsSync, renameSync, rmSync } from "node:fs";
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
  const logs = ["-wal", "-shm"]
    .map((end) => `${ports.kernelDb}${end}`)
    .filter((path) => existsSync(path))
    .map((path) => ({ path, isOurs: sameFile(path) }));
  let fell = false;
  return () => {
    if (fell) return false;
    if (isInPlace()) return true;
    fell = true;
    try {
      ports.log(putBack(database, { ...ports, logs }));
    } catch (error) {
      ports.onFault(error);
    }
    return false;
  };
}

interface Log {
  readonly path: string;
  readonly isOurs: () => boolean;
}

function putBack(
  database: KernelDb,
  { kernelDb, quarantineDir, clock, logs }: RescuePorts & { readonly logs: readonly Log[] },
): string {
  const copy = join(quarantineDir, `kernel-${clock.now()}.db`);
  database.db.copyTo(copy);
  const left = logs.filter(({ isOurs }) => isOurs());
  database.close();
  // SQLite leaves the log of a deleted file, and would apply it to any file in its place.
  for (const { path, isOurs } of left) if (isOurs()) rmSync(path);
  if (existsSync(kernelDb)) return `kernel.db was replaced while this kernel ran: its content is saved in ${copy}`;
  renameSync(copy, kernelDb);
  return "kernel.db was deleted while this kernel ran: the kernel has put it back";
}
