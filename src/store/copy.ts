// Copies of the databases of a home that may be in use, each taken by SQLite as of one instant, without a lock that anyone would feel.
// The order makes them agree: processes before the kernel, children before parents, and again whatever was put away in between, so
// that no copy is without a history that no copied archive has. What cannot be copied because it is damaged is named and left out.

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SysError } from "../abi/errno.ts";
import { isOlder } from "./migrate.ts";
import { KERNEL_SCHEMA } from "./migrations/kernel.ts";
import { Db, StoreCorrupt, StoreUnavailable } from "./open.ts";

export interface DatabasePlaces {
  readonly kernelDb: string;
  readonly procDir: string;
}

/** Resets can outrun the copies only so often. */
const ROUNDS_MAX = 20;

export class DatabaseCopies {
  /** What was archived of each process when its copy was taken. */
  private readonly copied = new Map<string, string | undefined>();
  private readonly damaged = new Map<string, string>();
  private readonly kernel: Db;

  constructor(
    private readonly from: DatabasePlaces,
    private readonly to: DatabasePlaces,
  ) {
    this.kernel = new Db(from.kernelDb, { mode: "read" });
    try {
      if (isOlder(this.kernel, KERNEL_SCHEMA))
        throw new SysError("ECONFIG", "this home was written by an older gsv", [
          "gsv kernel start brings it up to date",
        ]);
    } catch (error) {
      this.kernel.close();
      throw error;
    }
  }

  /** Brings all copies to a state that agrees; may be asked again, for a later one. */
  take(): void {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      for (const pid of this.stale(this.kernel)) this.copyProcess(pid);
      rmSync(this.to.kernelDb, { force: true });
      this.kernel.copyTo(this.to.kernelDb);
      if (this.copyIsCurrent()) return;
    }
    throw new SysError("EAGAIN", "no backup: processes are reset faster than they can be copied", ["try again"]);
  }

  /** What could not be copied, a line each. */
  get faults(): readonly string[] {
    return [...this.damaged].map(([pid, why]) => `${pid}: ${why}`);
  }

  close(): void {
    this.kernel.close();
  }

  private copyIsCurrent(): boolean {
    const copy = new Db(this.to.kernelDb, { mode: "read" });
    try {
      if (this.stale(copy).length > 0) return false;
      this.dropGone(copy);
      return true;
    } finally {
      copy.close();
    }
  }

  /** Processes without a copy, or with one from before an archive was made of them. Children come first: an end that a parent was
   * told of is in the child's copy, or will be told again. */
  private stale(kernel: Db): string[] {
    const archived = archivedOf(kernel);
    return pidsOf(kernel).filter((pid) => !this.copied.has(pid) || this.copied.get(pid) !== archived.get(pid));
  }

  private copyProcess(pid: string): void {
    const target = join(this.to.procDir, `${pid}.db`);
    const source = join(this.from.procDir, `${pid}.db`);
    const archived = archivedOf(this.kernel).get(pid);
    rmSync(target, { force: true });
    this.copied.set(pid, archived);
    this.damaged.delete(pid);
    // Killed meanwhile, or only just being made; the copy of the registry will say which.
    if (!existsSync(source)) return;
    try {
      const db = new Db(source, { mode: "read" });
      try {
        db.copyTo(target);
      } finally {
        db.close();
      }
    } catch (error) {
      rmSync(target, { force: true });
      if (error instanceof StoreCorrupt) this.damaged.set(pid, error.message);
      else if (!(error instanceof StoreUnavailable) || existsSync(source)) throw error;
    }
  }

  // A process that was killed after it was copied is in an archive by now.
  private dropGone(kernel: Db): void {
    const there = new Set(pidsOf(kernel));
    for (const pid of this.copied.keys()) {
      if (there.has(pid)) continue;
      rmSync(join(this.to.procDir, `${pid}.db`), { force: true });
      this.copied.delete(pid);
      this.damaged.delete(pid);
    }
  }
}

function pidsOf(kernel: Db): string[] {
  return kernel
    .all<{ pid: string }>("SELECT process_id AS pid FROM processes ORDER BY created_at DESC, process_id DESC")
    .map(({ pid }) => pid);
}

/** Something that is another after each archive of a process. */
function archivedOf(kernel: Db): ReadonlyMap<string, string> {
  const rows = kernel.all<{ pid: string; state: string }>(
    "SELECT process_id AS pid, count(*) || ' ' || max(archive_id) AS state FROM archives GROUP BY process_id",
  );
  return new Map(rows.map(({ pid, state }) => [pid, state]));
}
