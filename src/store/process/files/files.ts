// Open process databases, an LRU: at most openMax, and fewer after a quiet time, because each takes a megabyte. A damaged file is
// quarantined together with its WAL: neither is useful alone.

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { LIMITS } from "../../../abi/config/limits.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { CacheBudget } from "../../../lib/memory/cache-budget.ts";
import { refuseNewer, schemaVersion } from "../../edition.ts";
import { migrate, stampMigrations } from "../../migrate.ts";
import { PROCESS_EDITION } from "../../migrations/editions.ts";
import { PROCESS_SCHEMA } from "../../migrations/process.ts";
import { Db, StoreCorrupt } from "../../open.ts";
import { draftOf, Template } from "../../template.ts";

export interface ProcessFilesOptions {
  readonly directory: string;
  readonly quarantine: string;
  readonly mode: "write" | "read";
  readonly now: () => number;
  readonly openMax?: number;
  /** Without a clock, idle databases stay open. */
  readonly clock?: Pick<Clock, "mono" | "after">;
  /** May close databases early. */
  readonly budget?: CacheBudget;
}

/** Of each database: the system caches the file, too. With 256, an admission into a long queue reads pages again. */
const PAGES_KIB = 512;
/** Pages and prepared statements. */
const OPEN_BYTES = 1024 * 1024;

interface Open {
  readonly db: Db;
  usedAt: number;
}

export class ProcessFiles {
  /** In order of use: the first is the one to close next. */
  private readonly open = new Map<string, Open>();
  /** Set while more databases are open than may stay open when idle. */
  private cancelRest: (() => void) | null = null;
  /** Tables known to be empty, by pid, until the next write. */
  private readonly without = new Map<string, Set<string>>();
  private readonly template = new Template(
    PROCESS_EDITION,
    async () => (await import("../../migrations/images.ts")).processImage(),
    () => openedEmpty(this.options.now()),
  );
  private readonly creating = new Map<string, Promise<void>>();

  /** Databases quarantined since the start. */
  quarantined = 0;

  constructor(private readonly options: ProcessFilesOptions) {
    options.budget?.add({
      name: "process databases",
      bytes: () => this.open.size * OPEN_BYTES,
      // A verb may use two.
      shrink: (bytesMax) => this.closeOldest(Math.max(LIMITS.restingProcessDatabasesMax, bytesMax / OPEN_BYTES)),
    });
  }

  path(pid: string): string {
    return join(this.options.directory, `${pid}.db`);
  }

  exists(pid: string): boolean {
    return existsSync(this.path(pid));
  }

  /** The database of a process that should exist. */
  get(pid: string): Db {
    const known = this.open.get(pid);
    if (known !== undefined) {
      known.usedAt = this.mono();
      this.open.delete(pid);
      this.open.set(pid, known);
      return known.db;
    }
    if (!this.exists(pid)) throw new StoreCorrupt(`the database of ${pid} is missing (${this.path(pid)})`);
    return this.keep(pid, this.openFile(pid, this.options.mode));
  }

  /**
   * Rows that most processes do not have. Empty results are cached, so that a scan over all processes need not open every database
   * again (SQLite creates two files for each). Only the writer may cache: no one else can add rows.
   */
  rows<T>(pid: string, what: string, read: (db: Db) => readonly T[]): readonly T[] {
    if (this.without.get(pid)?.has(what)) return [];
    const rows = read(this.get(pid));
    if (rows.length > 0 || this.options.mode !== "write") return rows;
    this.without.set(pid, (this.without.get(pid) ?? new Set()).add(what));
    return rows;
  }

  opened(): string[] {
    return [...this.open.keys()];
  }

  /** `begin` stores the first rows, in one transaction. It may run again, on a database that has them. */
  async create(pid: string, begin: (db: Db) => void): Promise<void> {
    while (this.creating.has(pid)) await this.creating.get(pid);
    this.without.delete(pid);
    const creating = this.created(pid, begin).finally(() => this.creating.delete(pid));
    this.creating.set(pid, creating);
    await creating;
  }

  private async created(pid: string, begin: (db: Db) => void): Promise<void> {
    const first = (db: Db) => {
      stampMigrations(db, this.options.now());
      begin(db);
    };
    if (!this.open.has(pid) && (await this.template.copyTo(this.path(pid), first))) return;
    // The file may exist: a crash can leave an empty one.
    const db = this.open.get(pid)?.db ?? this.keep(pid, this.openFile(pid, "create"));
    db.write("full", () => begin(db));
  }

  /** What SQLite finds wrong with the file, or null. */
  check(pid: string): string | null {
    try {
      const row = this.get(pid).get<{ quick_check: string }>("PRAGMA quick_check(1)");
      return row === null || row.quick_check === "ok" ? null : row.quick_check;
    } catch (error) {
      if (error instanceof StoreCorrupt) return error.message;
      throw error;
    }
  }

  quarantine(pid: string): string {
    this.drop(pid);
    this.without.delete(pid);
    this.quarantined++;
    const target = join(this.options.quarantine, `${pid}-${this.options.now()}`);
    mkdirSync(target, { recursive: true, mode: 0o700 });
    for (const name of this.filesOf(pid)) renameSync(join(this.options.directory, name), join(target, name));
    return target;
  }

  remove(pid: string): void {
    this.drop(pid);
    this.without.delete(pid);
    for (const name of this.filesOf(pid)) rmSync(join(this.options.directory, name), { force: true });
  }

  close(): void {
    this.cancelRest?.();
    this.template.close();
    for (const pid of [...this.open.keys()]) this.drop(pid);
  }

  private openFile(pid: string, mode: "create" | "write" | "read"): Db {
    const db = new Db(this.path(pid), { mode, onWrite: () => this.without.delete(pid), pagesKib: PAGES_KIB });
    try {
      if (mode === "read") readable(db);
      else migrate(db, PROCESS_SCHEMA, { now: this.options.now(), expectExisting: mode === "write" });
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  }

  private keep(pid: string, db: Db): Db {
    this.open.set(pid, { db, usedAt: this.mono() });
    this.restLater();
    this.closeOldest(this.options.openMax ?? LIMITS.openProcessDatabasesMax);
    this.options.budget?.fit();
    return db;
  }

  private closeOldest(left: number): void {
    for (const oldest of this.open.keys()) {
      if (this.open.size <= left) return;
      this.drop(oldest);
    }
  }

  private restLater(): void {
    if (this.cancelRest !== null || this.open.size <= LIMITS.restingProcessDatabasesMax) return;
    const rest = () => {
      this.cancelRest = null;
      this.closeQuiet();
      this.restLater();
    };
    this.cancelRest = this.options.clock?.after(LIMITS.processDatabaseRestMs, rest) ?? null;
  }

  private closeQuiet(): void {
    const until = this.mono() - LIMITS.processDatabaseRestMs;
    for (const [pid, { usedAt }] of this.open) {
      if (usedAt > until || this.open.size <= LIMITS.restingProcessDatabasesMax) return;
      this.drop(pid);
    }
  }

  private mono(): number {
    return this.options.clock?.mono() ?? 0;
  }

  private drop(pid: string): void {
    this.open.get(pid)?.db.close();
    this.open.delete(pid);
  }

  // -wal and -shm are renamed and removed with their database, never opened.
  private filesOf(pid: string): string[] {
    const names = new Set([`${pid}.db`, `${pid}.db-wal`, `${pid}.db-shm`, draftOf(`${pid}.db`)]);
    return readdirSync(this.options.directory).filter((name) => names.has(name));
  }
}

export function fileVerbs(files: ProcessFiles) {
  return {
    exists: async (pid: string) => files.exists(pid),
    check: async (pid: string) => files.check(pid),
    quarantine: async (pid: string) => files.quarantine(pid),
    remove: async (pid: string) => files.remove(pid),
    close: async () => files.close(),
  };
}

function readable(db: Db): void {
  const version = schemaVersion(db);
  if (version === 0) throw new StoreCorrupt(`the database ${db.path} is empty although it held data`);
  refuseNewer(db, PROCESS_EDITION, version);
}

function openedEmpty(now: number): Db {
  const db = new Db(":memory:", { mode: "write" });
  try {
    migrate(db, PROCESS_SCHEMA, { now });
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
