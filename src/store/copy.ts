// Consistent copies of the databases of a home in use, without blocking it. Processes are copied before kernel.db, children before
// parents, and again if they were archived meanwhile, so that every message is in a copy or in a copied archive. Damaged databases are
// reported and left out.

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

/** Resets could outrun the copies for ever. */
const ROUNDS_MAX = 20;

export class DatabaseCopies {
  /** Stage of each process at the time of its copy. */
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
        throw new SysError("ECONFIG", "this home has an older format", ["upgrade it: gsv kernel start"]);
    } catch (error) {
      this.kernel.close();
      throw error;
    }
  }

  /** Brings all copies to a consistent state. May be called again. */
  take(): void {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      for (const pid of this.stale(this.kernel)) this.copyProcess(pid);
      rmSync(this.to.kernelDb, { force: true });
      this.kernel.copyTo(this.to.kernelDb);
      if (this.copyIsCurrent()) return;
    }
    throw new SysError("EAGAIN", "no backup: processes are reset faster than they can be copied", ["try again"]);
  }

  /** Current rows of these objects, without deleted ones. */
  rowsNow(keys: readonly string[]): readonly { readonly key: string; readonly sha256: string }[] {
    return keys.flatMap(
      (key) =>
        this.kernel.get<{ key: string; sha256: string }>("SELECT key, sha256 FROM objects WHERE key = ?", key) ?? [],
    );
  }

  /** One line per database that could not be copied. */
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

  /** Processes whose copy is missing or older than their last archive. Children first: an end reported to the parent must be in the
   * child's copy, or it will be reported again. */
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
    // The next kernel creates this process from its row.
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

  // A process killed after its copy is in an archive.
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

/** Youngest first. The stage changes when a process has been created and with every archive. */
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
