// Copies of the databases of a home that may be in use, each taken by SQLite as of one instant, without a lock that anyone would feel.
// The order makes them agree: processes before the kernel, children before parents, and again whatever was put away in between, so
// that no copy is without a history that no copied archive has. What cannot be copied because it is damaged is named and left out.

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SysError } from "../abi/errno.ts";
import { isOlder } from "./edition.ts";
import { KERNEL_EDITION } from "./migrations/editions.ts";
import { Db, StoreCorrupt, StoreUnavailable } from "./open.ts";

export interface DatabasePlaces {
  readonly kernelDb: string;
  readonly procDir: string;
}

/** Resets can outrun the copies only so often. */
const ROUNDS_MAX = 20;

export class DatabaseCopies {
  /** How far each process had come when its copy was taken. */
  private readonly copied = new Map<string, string | undefined>();
  private readonly damaged = new Map<string, string>();
  private readonly kernel: Db;

  constructor(
    private readonly from: DatabasePlaces,
    private readonly to: DatabasePlaces,
  ) {
    this.kernel = new Db(from.kernelDb, { mode: "read" });
    try {
      if (isOlder(this.kernel, KERNEL_EDITION))
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

  /** The rows of these objects as they are by now; those that are gone left out. */
  rowsNow(keys: readonly string[]): readonly { readonly key: string; readonly sha256: string }[] {
    return keys.flatMap(
      (key) =>
        this.kernel.get<{ key: string; sha256: string }>("SELECT key, sha256 FROM objects WHERE key = ?", key) ?? [],
    );
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

  /** Processes without a copy, or with one from before they were made or archived. Children come first: an end that a parent was told
   * of is in the child's copy, or will be told again. */
  private stale(kernel: Db): string[] {
    return [...stagesOf(kernel)].filter(([pid, stage]) => this.copied.get(pid) !== stage).map(([pid]) => pid);
  }

  private copyProcess(pid: string): void {
    const target = join(this.to.procDir, `${pid}.db`);
    const source = join(this.from.procDir, `${pid}.db`);
    const stage = stagesOf(this.kernel).get(pid);
    rmSync(target, { force: true });
    this.copied.set(pid, stage);
    this.damaged.delete(pid);
    // Who starts from the copy finishes the making from its row; the file may hold anything up to then.
    if (stage === CREATING || !existsSync(source)) return;
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
    const there = stagesOf(kernel);
    for (const pid of this.copied.keys()) {
      if (there.has(pid)) continue;
      rmSync(join(this.to.procDir, `${pid}.db`), { force: true });
      this.copied.delete(pid);
      this.damaged.delete(pid);
    }
  }
}

const CREATING = "creating";

/** Youngest first: something that is another once a process has been made, and after each archive of it. */
function stagesOf(kernel: Db): ReadonlyMap<string, string> {
  const rows = kernel.all<{ pid: string; stage: string }>(
    `SELECT process_id AS pid,
       CASE phase WHEN '${CREATING}' THEN phase ELSE ifnull(archived, '') END AS stage
     FROM processes LEFT JOIN (
       SELECT process_id AS of, count(*) || ' ' || max(archive_id) AS archived FROM archives GROUP BY process_id
     ) ON of = process_id
     ORDER BY created_at DESC, process_id DESC`,
  );
  return new Map(rows.map(({ pid, stage }) => [pid, stage]));
}
