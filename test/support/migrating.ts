// A schema with a history, and a process that migrates a file to it and kills itself after the n-th step, leaving the file as a
// crash at that point would. Run as `bun migrating.ts <schema> <file> <n>`; it exits 0 if there were fewer steps.
// `stepsOfMigrating` counts them.

import { type Migration, migrate, type Schema } from "../../src/store/migrate.ts";
import { KERNEL_SCHEMA } from "../../src/store/migrations/kernel.ts";
import { PROCESS_SCHEMA } from "../../src/store/migrations/process.ts";
import { Db, type Durability } from "../../src/store/open.ts";

const NOTES: readonly Migration[] = [
  {
    name: "notes",
    statements: [
      "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT",
      "INSERT INTO notes VALUES (1, 'one'), (2, 'two')",
    ],
  },
  {
    name: "notes have a length",
    statements: [
      "ALTER TABLE notes ADD COLUMN length INTEGER NOT NULL DEFAULT 0",
      "UPDATE notes SET length = length(text)",
      "CREATE INDEX notes_by_length ON notes (length)",
    ],
  },
  {
    name: "notes are lines",
    statements: [
      "CREATE TABLE lines (id INTEGER PRIMARY KEY, body TEXT NOT NULL, length INTEGER NOT NULL) STRICT",
      "INSERT INTO lines SELECT id, upper(text), length FROM notes",
      "DROP TABLE notes",
    ],
  },
];

export function notesSchema(versions: number): Schema {
  return { component: "notes", applicationId: 0x67737654, migrations: NOTES.slice(0, versions) };
}

export const SCHEMAS: { readonly [name: string]: Schema } = {
  kernel: KERNEL_SCHEMA,
  process: PROCESS_SCHEMA,
  notes: notesSchema(3),
};

class MortalDb extends Db {
  steps = 0;

  constructor(
    path: string,
    private readonly lastStep: number,
  ) {
    super(path, { mode: "create" });
  }

  override script(sql: string): void {
    super.script(sql);
    this.step();
  }

  override run(...given: Parameters<Db["run"]>): number {
    const changed = super.run(...given);
    this.step();
    return changed;
  }

  override write<T>(durability: Durability, body: () => T): T {
    const result = super.write(durability, body);
    this.step();
    return result;
  }

  private step(): void {
    if (++this.steps === this.lastStep) process.kill(process.pid, "SIGKILL");
  }
}

/** Migrates a file to the schema and returns the number of steps. */
export function stepsOfMigrating(path: string, schema: Schema): number {
  const db = new MortalDb(path, Number.POSITIVE_INFINITY);
  try {
    migrate(db, schema, { now: 1 });
    return db.steps;
  } finally {
    db.close();
  }
}

if (import.meta.main) {
  const [name = "", path = "", lastStep = ""] = process.argv.slice(2);
  const schema = SCHEMAS[name];
  if (schema === undefined) throw new Error(`no schema ${name}`);
  migrate(new MortalDb(path, Number(lastStep)), schema, { now: 1 });
}
