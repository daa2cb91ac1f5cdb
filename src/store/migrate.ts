// Forward-only migrations. Each is one transaction that also raises user_version, so a crash leaves the old schema or the new one. A
// new database gets all in one. Newer databases are refused untouched; an applied migration that was edited later is an error.

import { SysError } from "../abi/errno.ts";
import { sha256Hex } from "../lib/hash.ts";
import { type Edition, foreign, pragma, refuseNewer, schemaVersion } from "./edition.ts";
import { type Db, StoreCorrupt } from "./open.ts";

export interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
}

export interface Schema extends Omit<Edition, "version"> {
  readonly migrations: readonly Migration[];
}

export function editionOf({ component, applicationId, migrations }: Schema): Edition {
  return { component, applicationId, version: migrations.length };
}

const BOOK = `CREATE TABLE IF NOT EXISTS _gsv_schema_migrations (
  component TEXT NOT NULL, id INTEGER NOT NULL, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at INTEGER NOT NULL,
  PRIMARY KEY (component, id)
) STRICT`;

export interface MigrateOptions {
  readonly now: number;
  /** Called once before the first change to an existing database. */
  readonly backup?: (fromVersion: number) => void;
  /** The file must not be new: a truncated database opens as an empty one. */
  readonly expectExisting?: boolean;
}

/** Returns the version before. */
export function migrate(db: Db, schema: Schema, options: MigrateOptions): number {
  const version = schemaVersion(db);
  const applicationId = pragma(db, "application_id");
  const fresh = version === 0 && applicationId === 0 && isEmpty(db);
  if (fresh && options.expectExisting) throw new StoreCorrupt(`the database ${db.path} is empty although it held data`);
  if (!fresh && applicationId !== schema.applicationId) throw foreign(db, schema.component);
  refuseNewer(db, editionOf(schema), version);
  checkApplied(db, schema, version);
  db.writeAhead();
  if (version < schema.migrations.length && !fresh) options.backup?.(version);
  const go = () => {
    for (let id = version + 1; id <= schema.migrations.length; id++) apply(db, schema, id, options.now);
  };
  // One transaction for a new database: each commit waits for the disk.
  if (fresh) db.write("full", go);
  else go();
  return version;
}

// A foreign database may have version and application id 0.
function isEmpty(db: Db): boolean {
  return db.get("SELECT 1 AS one FROM sqlite_schema LIMIT 1") === null;
}

function apply(db: Db, schema: Schema, id: number, now: number): void {
  const migration = schema.migrations[id - 1];
  if (migration === undefined) throw new Error(`no migration ${id} of ${schema.component}`);
  db.write("full", () => {
    db.script(BOOK);
    for (const statement of migration.statements) db.script(statement);
    db.run(
      "INSERT INTO _gsv_schema_migrations (component, id, name, checksum, applied_at) VALUES (?, ?, ?, ?, ?)",
      schema.component,
      id,
      migration.name,
      checksum(migration),
      now,
    );
    db.script(`PRAGMA application_id = ${schema.applicationId}`);
    db.script(`PRAGMA user_version = ${id}`);
  });
}

/** For a copy of a migrated database: it has its schema from now on. */
export function stampMigrations(db: Db, now: number): void {
  db.run("UPDATE _gsv_schema_migrations SET applied_at = ?", now);
}

function checkApplied(db: Db, schema: Schema, version: number): void {
  if (version === 0) return;
  for (const row of db.all<{ id: number; checksum: string }>(
    "SELECT id, checksum FROM _gsv_schema_migrations WHERE component = ?",
    schema.component,
  )) {
    const migration = schema.migrations[row.id - 1];
    if (migration !== undefined && checksum(migration) !== row.checksum) {
      throw new SysError(
        "ECONFIG",
        `${db.path}: migration ${row.id} (${migration.name}) is not the one that was applied`,
      );
    }
  }
}

function checksum(migration: Migration): string {
  return sha256Hex(migration.statements.join("\n;\n"));
}
