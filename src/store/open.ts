// How a SQLite file is opened and written: one place for pragmas, durability and the translation of SQLite's errors.
// A write is one IMMEDIATE transaction of synchronous code. `full` means on disk before it returns, so only what has been
// acknowledged to someone needs it; `normal` survives kill -9 but perhaps not a power cut. Nothing but SQLite may open these files.

import { constants, Database, type SQLQueryBindings } from "bun:sqlite";
import { statSync } from "node:fs";
import { messageOf, SysError } from "../abi/errno.ts";

export type Durability = "full" | "normal";

/** Thrown when nobody can know whether a write happened: ask again with the same key. Carries why, for those who can wait it out. */
export class StoreUnavailable extends SysError {
  readonly trouble: "disk" | "busy" | "io";

  constructor(trouble: "disk" | "busy" | "io", message: string) {
    super(trouble === "disk" ? "ENOSPC" : "EAGAIN", message, [
      trouble === "disk" ? "free some disk space; gsv goes on by itself" : "try again",
    ]);
    this.trouble = trouble;
  }
}

/** The file is not what it should be; it is left as it is. */
export class StoreCorrupt extends SysError {
  constructor(message: string) {
    super("EIO", message, ["gsv doctor says what can be done about it"]);
  }
}

type Mode = "create" | "write" | "read" | "look";

export type Row = { readonly [column: string]: unknown };

// Statements are compiled once a connection. One turn takes about sixty of them in turn: the usual twenty would all be compiled anew.
Database.MAX_QUERY_CACHE_SIZE = 160;

export class Db {
  private readonly sqlite: Database;
  private durability: Durability = "full";
  /** A transaction inside a transaction joins it. */
  private depth = 0;

  constructor(
    readonly path: string,
    /** `look` does not even put a log into the file when it is the last to close it: for files that may be damaged. */
    private readonly options: { readonly mode: Mode; readonly onWrite?: () => void },
  ) {
    this.sqlite = translated(path, () => {
      const { mode } = options;
      const sqlite = opened(path, mode);
      sqlite.run("PRAGMA busy_timeout = 5000");
      sqlite.run("PRAGMA foreign_keys = ON");
      sqlite.run("PRAGMA trusted_schema = OFF");
      sqlite.run("PRAGMA cell_size_check = ON");
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
    return translated(this.path, () => this.sqlite.query<R, SQLQueryBindings[]>(sql).get(...values));
  }

  all<R extends Row = Row>(sql: string, ...values: SQLQueryBindings[]): R[] {
    return translated(this.path, () => this.sqlite.query<R, SQLQueryBindings[]>(sql).all(...values));
  }

  /** Returns how many rows changed. */
  run(sql: string, ...values: SQLQueryBindings[]): number {
    return translated(this.path, () => this.sqlite.query(sql).run(...values).changes);
  }

  /** DDL and pragmas: not cached, may hold several statements. */
  script(sql: string): void {
    translated(this.path, () => this.sqlite.run(sql));
  }

  /** Changes the header of the file, so only once it is known to be ours. */
  writeAhead(): void {
    if (this.options.mode === "create" || this.options.mode === "write") this.script("PRAGMA journal_mode = WAL");
  }

  write<T>(durability: Durability, body: () => T): T {
    if (this.depth > 0) return body();
    this.options.onWrite?.();
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
        // SQLite rolls back by itself when the disk is full.
        if (this.sqlite.inTransaction) this.sqlite.run("ROLLBACK");
        throw error;
      } finally {
        this.depth--;
      }
    });
  }

  /** One consistent view over several reads. */
  snapshot<T>(body: () => T): T {
    if (this.depth > 0) return body();
    return translated(this.path, () => this.sqlite.transaction(body).deferred());
  }

  /** A whole copy, as of one instant, in a new file; the database itself is not changed, whoever else writes to it meanwhile. */
  copyTo(path: string): void {
    translated(this.path, () => {
      // It would keep the copy from being written, too.
      if (this.options.mode === "read") this.sqlite.run("PRAGMA query_only = OFF");
      try {
        this.sqlite.query("VACUUM INTO ?").run(path);
      } finally {
        if (this.options.mode === "read") this.sqlite.run("PRAGMA query_only = ON");
      }
    });
  }

  close(): void {
    this.sqlite.close(false);
  }
}

function opened(path: string, mode: Mode): Database {
  const how = mode === "look" ? { readonly: true } : { create: mode === "create", readwrite: true };
  const sqlite = new Database(path, { ...how, strict: true });
  if (mode === "create" || mode === "write" || !lacksLog(sqlite)) return sqlite;
  sqlite.close();
  if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0)
    throw new SysError(
      "ECONFIG",
      `cannot read ${path} where nothing may be written: its last changes are not in it yet`,
      ["make its directory writable; the next command takes them in"],
    );
  // Nobody changes what nobody can write to, so it is read without a log and without locks.
  const name = path.split("/").map(encodeURIComponent).join("/");
  return new Database(`file:${name}?immutable=1`, constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI);
}

/** SQLite wants to make a log beside the file even for reading, and cannot: the home is read-only. */
function lacksLog(sqlite: Database): boolean {
  try {
    sqlite.query("SELECT 1 FROM sqlite_schema LIMIT 1").get();
    return false;
  } catch (error) {
    // Whatever else is wrong with the file is told to whoever asks it something.
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
