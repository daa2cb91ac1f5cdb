// Opening and writing SQLite files: pragmas, durability, translation of SQLite's errors. A write is one IMMEDIATE transaction of
// synchronous code. `full` is on disk before it returns, for what is acknowledged; `normal` survives kill -9 but maybe not a power
// cut. Nothing else may open these files.

import { constants, Database, type SQLQueryBindings } from "bun:sqlite";
import { statSync } from "node:fs";
import { messageOf, SysError } from "../abi/errno.ts";

export type Durability = "full" | "normal";

/** The outcome of a write is unknown: retry with the same key. */
export class StoreUnavailable extends SysError {
  readonly trouble: "disk" | "busy" | "io";

  constructor(trouble: "disk" | "busy" | "io", message: string) {
    super(trouble === "disk" ? "ENOSPC" : "EAGAIN", message, [
      trouble === "disk" ? "free some disk space; gsv continues automatically" : "try again",
    ]);
    this.trouble = trouble;
  }
}

/** The file is damaged or foreign. It is not changed. */
export class StoreCorrupt extends SysError {
  constructor(message: string) {
    super("EIO", message, ["for repair options: gsv doctor"]);
  }
}

type Mode = "create" | "write" | "read" | "look";

export type Row = { readonly [column: string]: unknown };

// Statement cache per connection. One turn uses about 60 statements; with the default of 20 all of them would be recompiled.
Database.MAX_QUERY_CACHE_SIZE = 160;

/** `mono` reads a clock. */
export interface WriteTimer {
  mono(): number;
  wrote(durability: Durability, ms: number): void;
}

const timers = new Set<WriteTimer>();

/** Measures each transaction of any database of this program; the function that it returns ends that. */
export function timeWrites(timer: WriteTimer): () => void {
  timers.add(timer);
  return () => void timers.delete(timer);
}

export class Db {
  private readonly sqlite: Database;
  private durability: Durability = "full";
  /** Nested transactions join the outer one. */
  private depth = 0;

  constructor(
    readonly path: string,
    /** `look` does not checkpoint on close: for files that may be damaged. `image`: the database in memory instead of the file. */
    private readonly options: {
      readonly mode: Mode;
      readonly onWrite?: () => void;
      readonly image?: Uint8Array;
      /** Memory for pages of the file in KiB. */
      readonly pagesKib?: number;
    },
  ) {
    this.sqlite = translated(path, () => {
      const { mode, image, pagesKib } = options;
      // In memory, briefly, with one user: these settings would take as long as adding the rows.
      if (image !== undefined) return Database.deserialize(image);
      const sqlite = opened(path, mode);
      sqlite.run("PRAGMA busy_timeout = 5000");
      sqlite.run("PRAGMA foreign_keys = ON");
      sqlite.run("PRAGMA trusted_schema = OFF");
      sqlite.run("PRAGMA cell_size_check = ON");
      if (pagesKib !== undefined) sqlite.run(`PRAGMA cache_size = -${pagesKib}`);
      if (mode === "read" || mode === "look") sqlite.run("PRAGMA query_only = ON");
      else {
        sqlite.run("PRAGMA synchronous = FULL");
        sqlite.run("PRAGMA journal_size_limit = 16777216");
        sqlite.run("PRAGMA secure_delete = ON");
      }
      return sqlite;
    });
  }

  get<R extends Row = Row>(sql: string, ...values: SQLQueryBindings[]): R | null {
    return translated(this.path, () => this.sqlite.query<R, SQLQueryBindings[]>(planned(sql)).get(...values));
  }

  all<R extends Row = Row>(sql: string, ...values: SQLQueryBindings[]): R[] {
    return translated(this.path, () => this.sqlite.query<R, SQLQueryBindings[]>(planned(sql)).all(...values));
  }

  /** Returns the number of changed rows. */
  run(sql: string, ...values: SQLQueryBindings[]): number {
    return translated(this.path, () => this.sqlite.query(planned(sql)).run(...values).changes);
  }

  /** Columns and values of one new row. */
  insert(
    table: string,
    row: { readonly [column: string]: SQLQueryBindings },
    or: "ABORT" | "REPLACE" | "IGNORE" = "ABORT",
  ): void {
    const columns = Object.keys(row);
    const marks = columns.map(() => "?").join(", ");
    this.run(`INSERT OR ${or} INTO ${table} (${columns.join(", ")}) VALUES (${marks})`, ...Object.values(row));
  }

  /** DDL and pragmas: not cached, several statements allowed. */
  script(sql: string): void {
    translated(this.path, () => this.sqlite.run(sql));
  }

  /** Changes the file header, so call it only on a file known to be ours. */
  writeAhead(): void {
    if (this.options.mode === "create" || this.options.mode === "write") this.script("PRAGMA journal_mode = WAL");
  }

  write<T>(durability: Durability, body: () => T): T {
    if (this.depth > 0) return body();
    this.options.onWrite?.();
    return timers.size === 0 ? this.written(durability, body) : timed(durability, () => this.written(durability, body));
  }

  private written<T>(durability: Durability, body: () => T): T {
    return translated(this.path, () => {
      if (durability !== this.durability) {
        this.sqlite.run(durability === "full" ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
        this.durability = durability;
      }
      this.sqlite.run("BEGIN IMMEDIATE");
      this.depth++;
      try {
        const result = body();
        this.sqlite.run("COMMIT");
        return result;
      } catch (error) {
        // On a full disk SQLite has rolled back already.
        if (this.sqlite.inTransaction) this.sqlite.run("ROLLBACK");
        throw error;
      } finally {
        this.depth--;
      }
    });
  }

  /** Within a write: takes back what `body` changed if it throws. */
  attempt<T>(body: () => T): T {
    this.run("SAVEPOINT attempt");
    try {
      const result = body();
      this.run("RELEASE attempt");
      return result;
    } catch (error) {
      // On a full disk SQLite has rolled back everything.
      if (this.sqlite.inTransaction) {
        this.run("ROLLBACK TO attempt");
        this.run("RELEASE attempt");
      }
      throw error;
    }
  }

  /** One consistent view over several reads. */
  snapshot<T>(body: () => T): T {
    if (this.depth > 0) return body();
    return translated(this.path, () => this.sqlite.transaction(body).deferred());
  }

  /** A consistent copy in a new file; the database does not change. */
  copyTo(path: string): void {
    translated(this.path, () => {
      // query_only would apply to the copy, too.
      if (this.options.mode === "read") this.sqlite.run("PRAGMA query_only = OFF");
      try {
        this.sqlite.query("VACUUM INTO ?").run(path);
      } finally {
        if (this.options.mode === "read") this.sqlite.run("PRAGMA query_only = ON");
      }
    });
  }

  /** The whole database as a file would have it, with the changes in its log. */
  bytes(): Uint8Array {
    return translated(this.path, () => this.sqlite.serialize());
  }

  /** In memory: the file that this database would be with what `body` stores, which the database does not keep. */
  fileWith(body: () => void): Uint8Array {
    return translated(this.path, () => {
      this.sqlite.run("BEGIN");
      this.depth++;
      try {
        body();
        const bytes = this.sqlite.serialize();
        journalOf(bytes, WRITE_AHEAD_LOG);
        return bytes;
      } finally {
        this.depth--;
        this.sqlite.run("ROLLBACK");
      }
    });
  }

  close(): void {
    this.sqlite.close(false);
  }
}

const plans = new Map<string, string>();
const PLANS_MAX = 1000;

/**
 * A bare parameter in `= ?` beside an ORDER BY, a minimum or a join, and in `LIMIT ?`, makes SQLite compile the statement again at each
 * run, because a plan may depend on the value: 7 to 20 µs instead of 0.6. For an expression, it plans without the value.
 */
function planned(sql: string): string {
  const known = plans.get(sql);
  if (known !== undefined) return known;
  const plan = sql.replace(/(?<![<>!=])= (?=\?)/g, "= +").replace(/\bLIMIT (\?\d*)/g, "LIMIT $1 + 0");
  if (plans.size >= PLANS_MAX) plans.clear();
  plans.set(sql, plan);
  return plan;
}

/** The bytes of a database with further rows. No file is touched; `path` is for errors. */
export function withRows(bytes: Uint8Array, path: string, add: (db: Db) => void): Uint8Array {
  // Not `slice`: a Buffer would share its memory.
  const image = new Uint8Array(bytes);
  journalOf(image, ROLLBACK_JOURNAL);
  const db = new Db(path, { mode: "write", image });
  try {
    db.write("full", () => add(db));
    const filled = db.bytes();
    journalOf(filled, WRITE_AHEAD_LOG);
    return filled;
  } finally {
    db.close();
  }
}

/** Two bytes of the header name the journal. SQLite opens no database in memory that names a log. */
function journalOf(bytes: Uint8Array, journal: number): void {
  bytes.fill(journal, 18, 20);
}

const ROLLBACK_JOURNAL = 1;
const WRITE_AHEAD_LOG = 2;

function opened(path: string, mode: Mode): Database {
  const how = mode === "look" ? { readonly: true } : { create: mode === "create", readwrite: true };
  const sqlite = new Database(path, { ...how, strict: true });
  if (mode === "create" || mode === "write" || !lacksLog(sqlite)) return sqlite;
  sqlite.close();
  if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0)
    throw new SysError("ECONFIG", `cannot read ${path}: it has unmerged changes and its directory is read-only`, [
      "make the directory writable and run gsv again",
    ]);
  // The directory is read-only, so nothing changes: read without WAL and locks.
  const name = path.split("/").map(encodeURIComponent).join("/");
  return new Database(`file:${name}?immutable=1`, constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI);
}

/** True if SQLite cannot create the WAL files it needs even for reading: the home is read-only. */
function lacksLog(sqlite: Database): boolean {
  try {
    sqlite.query("SELECT 1 FROM sqlite_schema LIMIT 1").get();
    return false;
  } catch (error) {
    // Other faults surface with the first query.
    return /^SQLITE_(?:CANTOPEN|READONLY)/.test(String((error as { code?: unknown }).code));
  }
}

const CORRUPT = /^SQLITE_(?:CORRUPT|NOTADB|FORMAT)/;

function translated<T>(path: string, body: () => T): T {
  try {
    return body();
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    if (error instanceof SysError || typeof code !== "string" || !code.startsWith("SQLITE_")) throw error;
    const text = messageOf(error);
    if (code === "SQLITE_FULL") throw new StoreUnavailable("disk", `not saved: the disk is full (${path})`);
    if (code.startsWith("SQLITE_BUSY") || code === "SQLITE_LOCKED")
      throw new StoreUnavailable("busy", `not saved: the database is busy (${path})`);
    if (CORRUPT.test(code)) throw new StoreCorrupt(`the database ${path} is damaged: ${text}`);
    if (code.startsWith("SQLITE_IOERR") || code.startsWith("SQLITE_CANTOPEN") || code.startsWith("SQLITE_READONLY")) {
      throw new StoreUnavailable("io", `cannot use the database ${path}: ${text}`);
    }
    throw error;
  }
}

function timed<T>(durability: Durability, write: () => T): T {
  const started = [...timers].map((timer) => ({ timer, at: timer.mono() }));
  try {
    return write();
  } finally {
    for (const { timer, at } of started) timer.wrote(durability, timer.mono() - at);
  }
}
