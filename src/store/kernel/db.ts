// kernel.db and its generation: every write checks in its transaction that no later kernel has started. A kernel that lost its lock
// changes nothing.

import { SysError } from "../../abi/errno.ts";
import { isOlder } from "../edition.ts";
import { KERNEL_EDITION } from "../migrations/editions.ts";
import { Db, type Durability } from "../open.ts";

/** Cursor of a list in kernel.db: creation time and id of the last row. */
export interface ListCursor {
  readonly createdAt: number;
  readonly id: string;
}

export class KernelDb {
  private generation = 0;
  /** Set while commits wait for one sync. */
  private unsynced: { wrote: boolean } | null = null;

  constructor(readonly db: Db) {}

  /** Read-only. Null if the schema is older than this gsv: a kernel must migrate first. */
  static openForReading(path: string): KernelDb | null {
    const db = new Db(path, { mode: "read" });
    try {
      if (isOlder(db, KERNEL_EDITION)) {
        db.close();
        return null;
      }
      return new KernelDb(db);
    } catch (error) {
      db.close();
      throw error;
    }
  }

  /** Starts a new generation, which refuses all writes of earlier kernels. */
  begin(now: number): { readonly generation: number; readonly afterCrash: boolean } {
    return this.db.write("full", () => {
      const clean = this.db.get<{ ended_cleanly: number }>("SELECT ended_cleanly FROM kernel")?.ended_cleanly === 1;
      this.db.run("UPDATE kernel SET generation = generation + 1, started_at = ?, ended_cleanly = 0", now);
      // What the last kernel claimed and did not finish is due again.
      this.db.run("DELETE FROM due_claims");
      this.generation = this.db.get<{ generation: number }>("SELECT generation FROM kernel")?.generation ?? 0;
      return { generation: this.generation, afterCrash: !clean };
    });
  }

  /** True for the kernel that may write, false for readers of its file. */
  get isWriter(): boolean {
    return this.generation > 0;
  }

  /** Marks a clean shutdown, so the next kernel skips crash handling. */
  end(): void {
    this.write("normal", (db) => db.run("UPDATE kernel SET ended_cleanly = 1"));
  }

  current(): { readonly generation: number; readonly startedAt: number } {
    const row = this.db.get<{ generation: number; started_at: number }>("SELECT generation, started_at FROM kernel");
    return { generation: row?.generation ?? 0, startedAt: row?.started_at ?? 0 };
  }

  /**
   * One sync for all commits of `body`, at its end. For a kernel without clients: after a power cut some of the last commits may be missing,
   * and none of them was acknowledged.
   */
  async syncOnce<T>(body: () => Promise<T>): Promise<T> {
    const unsynced = { wrote: false };
    this.unsynced = unsynced;
    try {
      return await body();
    } finally {
      this.unsynced = null;
      // A transaction without a change would not sync.
      if (unsynced.wrote) this.write("full", (db) => db.run("UPDATE kernel SET generation = generation"));
    }
  }

  write<T>(durability: Durability, body: (db: Db) => T): T {
    const later = durability === "full" ? this.unsynced : null;
    if (later !== null) later.wrote = true;
    return this.db.write(later === null ? durability : "normal", () => {
      if (this.current().generation !== this.generation) {
        throw new SysError("EAGAIN", "not saved: another kernel has taken over this home", ["try again"]);
      }
      return body(this.db);
    });
  }

  close(): void {
    this.db.close();
  }
}
