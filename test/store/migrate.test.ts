// Schemas go forward, whole or not at all, and never over a foreign file.

import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SysError } from "../../src/abi/errno.ts";
import { sha256Hex } from "../../src/lib/hash.ts";
import { schemaVersion } from "../../src/store/edition.ts";
import { KernelDb } from "../../src/store/kernel/db.ts";
import { openKernelDb } from "../../src/store/kernel/open.ts";
import { migrate, type Schema } from "../../src/store/migrate.ts";
import { KERNEL_SCHEMA } from "../../src/store/migrations/kernel.ts";
import { PROCESS_SCHEMA } from "../../src/store/migrations/process.ts";
import { Db } from "../../src/store/open.ts";
import { notesSchema, SCHEMAS, stepsOfMigrating } from "../support/migrating.ts";
import { seeded } from "../support/random.ts";
import { refusal } from "../support/refusal.ts";
import { drawn, SEED, samples } from "../support/soak.ts";

const CHILD = join(import.meta.dir, "..", "support", "migrating.ts");
/** Number of schema versions in which each run crashes. */
const STARTS_EACH_RUN = 8;
/** Number of steps of a migration after which to crash. */
const DEATHS_EACH = 3;

let directory = "";
let file = "";

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gsv-migrate-"));
  file = join(directory, "a.db");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function inDb<T>(path: string, body: (db: Db) => T, mode: "create" | "write" | "read" = "create"): T {
  const db = new Db(path, { mode });
  try {
    return body(db);
  } finally {
    db.close();
  }
}

function migrated(path: string, schema: Schema): void {
  inDb(path, (db) => migrate(db, schema, { now: 1 }));
}

/** The whole content of a database, with its table of migrations. */
function contents(path: string): unknown {
  return inDb(path, (db) => {
    const tables = db.all<{ name: string; sql: string }>("SELECT name, sql FROM sqlite_schema ORDER BY name");
    const named = tables.filter(({ sql }) => sql?.startsWith("CREATE TABLE"));
    const rows = named.map(({ name }) => [name, db.all(`SELECT * FROM "${name}"`)]);
    return { version: schemaVersion(db), tables, rows, whole: db.get("PRAGMA integrity_check") };
  });
}

// Only closed files: reading a live one here would drop its locks.
function fingerprint(): string[] {
  return readdirSync(directory)
    .toSorted()
    .map(
      (name) => `${name} ${new Bun.CryptoHasher("sha256").update(readFileSync(join(directory, name))).digest("hex")}`,
    );
}

function killAfter(step: number, name: string, path: string): void {
  const child = Bun.spawnSync([process.execPath, CHILD, name, path, String(step)], { env: {} });
  expect(`step ${step}: ${child.signalCode}`).toBe(`step ${step}: SIGKILL`);
}

/** The steps to crash after: the last, and some drawn with the seed; in a full run, every one. */
function deaths(steps: number): number[] {
  const random = seeded(SEED + steps);
  const left = Array.from({ length: steps }, (_, at) => at + 1);
  const last = left.splice(-1);
  while (left.length >= samples(DEATHS_EACH, steps)) left.splice(random.int(left.length), 1);
  return [...left, ...last];
}

describe("a crash at any step of a migration", () => {
  const starts = Object.entries(SCHEMAS).flatMap(([name, schema]) =>
    [...schema.migrations.keys()].map((from) => ({ name, schema, from })),
  );
  for (const { name, schema, from } of drawn(STARTS_EACH_RUN, starts)) {
    test(`${name} from version ${from}: the next start finds the old or the new, whole, and finishes`, () => {
      const start = join(directory, "start.db");
      if (from > 0) migrated(start, { ...schema, migrations: schema.migrations.slice(0, from) });
      const uncut = join(directory, "uncut.db");
      if (from > 0) copyFileSync(start, uncut);
      migrated(uncut, schema);
      const expected = contents(uncut);
      const counted = join(directory, "counted.db");
      if (from > 0) copyFileSync(start, counted);
      const steps = stepsOfMigrating(counted, schema);
      const statements = schema.migrations.slice(from).flatMap((migration) => migration.statements);
      expect(steps).toBeGreaterThanOrEqual(statements.length);
      for (const step of deaths(steps)) {
        const cut = join(directory, `cut-${step}.db`);
        if (from > 0) copyFileSync(start, cut);
        killAfter(step, name, cut);
        migrated(cut, schema);
        expect({ seed: SEED, step, contents: contents(cut) }).toEqual({ seed: SEED, step, contents: expected });
      }
    }, 60_000);
  }
});

test("a migration that fails leaves everything unchanged", () => {
  migrated(file, notesSchema(1));
  const before = contents(file);
  const broken = { ...notesSchema(2), migrations: [...notesSchema(1).migrations, broken2()] };
  expect(() => migrated(file, broken)).toThrow();
  expect(contents(file)).toEqual(before);
  migrated(file, notesSchema(3));
});

function broken2() {
  return { name: "broken", statements: ["DELETE FROM notes", "CREATE TABLE more (id INTEGER) STRICT", "NONSENSE"] };
}

test("a database of a newer gsv is refused by name and left untouched", () => {
  migrated(file, notesSchema(3));
  const before = fingerprint();
  const error = refusal(() => migrated(file, notesSchema(2)));
  expect(error).toMatchObject({ code: "ECONFIG" });
  expect(error.message).toContain("newer gsv (schema 3; this one knows 2)");
  expect(fingerprint()).toEqual(before);
});

test("a newer kernel.db and a newer process database are refused, for reading as well", () => {
  for (const schema of [SCHEMAS.kernel, SCHEMAS.process] as Schema[]) {
    const newer = {
      ...schema,
      migrations: [...schema.migrations, { name: "later", statements: ["CREATE TABLE x (a)"] }],
    };
    migrated(join(directory, `${schema.component}.db`), newer);
  }
  const before = fingerprint();
  const kernel = join(directory, "kernel.db");
  expect(refusal(() => openKernelDb(kernel, { now: 1 })).code).toBe("ECONFIG");
  expect(refusal(() => KernelDb.openForReading(kernel)).code).toBe("ECONFIG");
  expect(refusal(() => migrated(join(directory, "process.db"), PROCESS_SCHEMA)).code).toBe("ECONFIG");
  expect(fingerprint()).toEqual(before);
});

test("an older kernel.db is not readable until a kernel migrates it", () => {
  migrated(file, { ...(SCHEMAS.kernel as Schema), migrations: [] });
  expect(KernelDb.openForReading(file)).toBeNull();
});

test("a migration that was changed after it was applied is a build fault", () => {
  migrated(file, notesSchema(2));
  const [first, second] = notesSchema(2).migrations;
  if (first === undefined || second === undefined) throw new Error("two migrations are needed");
  const changed = { ...first, statements: [...first.statements, "INSERT INTO notes VALUES (3, 'three')"] };
  const before = fingerprint();
  const error = refusal(() => migrated(file, { ...notesSchema(2), migrations: [changed, second] }));
  expect(error.code).toBe("ECONFIG");
  expect(error.message).toContain("migration 1 (notes)");
  expect(fingerprint()).toEqual(before);
});

test("a foreign database is refused and left untouched, with numbers of its own and without", () => {
  for (const applicationId of [0, 0x1234]) {
    const path = join(directory, `foreign-${applicationId}.db`);
    const foreign = new Database(path);
    foreign.run("CREATE TABLE theirs (a)");
    foreign.run(`PRAGMA application_id = ${applicationId}`);
    foreign.close();
  }
  const before = fingerprint();
  for (const name of readdirSync(directory)) {
    const error = refusal(() => migrated(join(directory, name), notesSchema(1)));
    expect(error.code).toBe("EIO");
    expect(error.message).toContain("is not a notes database of gsv");
  }
  expect(fingerprint()).toEqual(before);
});

test("a database of another plane is refused", () => {
  migrated(file, SCHEMAS.kernel as Schema);
  expect(refusal(() => migrated(file, PROCESS_SCHEMA)).message).toContain("is not a process database of gsv");
});

test("an empty file in place of data is damage; a new empty file is a new database", () => {
  inDb(file, () => {});
  const expectExisting = true;
  const error = refusal(() => inDb(file, (db) => migrate(db, notesSchema(1), { now: 1, expectExisting })));
  expect(error).toMatchObject({ code: "EIO" });
  migrated(file, notesSchema(1));
  inDb(file, (db) => expect(migrate(db, notesSchema(1), { now: 1, expectExisting })).toBe(1));
});

test("a backup is requested once, before the first change, and only if there is data to lose", () => {
  const asked: { from: number; version: number }[] = [];
  const withBackup = (versions: number) =>
    inDb(file, (db) =>
      migrate(db, notesSchema(versions), {
        now: 1,
        backup: (from) => asked.push({ from, version: schemaVersion(db) }),
      }),
    );
  withBackup(1);
  expect(asked).toEqual([]);
  withBackup(3);
  expect(asked).toEqual([{ from: 1, version: 1 }]);
  withBackup(3);
  expect(asked).toHaveLength(1);
});

test("a backup that fails stops the migration before it starts", () => {
  migrated(file, notesSchema(1));
  const before = contents(file);
  const backup = () => {
    throw new SysError("ENOSPC", "no room for the backup");
  };
  expect(refusal(() => inDb(file, (db) => migrate(db, notesSchema(3), { now: 1, backup }))).code).toBe("ENOSPC");
  expect(contents(file)).toEqual(before);
});

test("migrating an up-to-date database changes no byte", () => {
  migrated(file, notesSchema(3));
  const before = fingerprint();
  migrated(file, notesSchema(3));
  expect(fingerprint()).toEqual(before);
});

test("a restored backup uses write-ahead logging like its source", () => {
  migrated(file, notesSchema(2));
  const copy = join(directory, "copy.db");
  inDb(file, (db) => db.run("VACUUM INTO ?", copy));
  inDb(copy, (db) => {
    expect(migrate(db, notesSchema(3), { now: 1 })).toBe(2);
    expect(db.get("PRAGMA journal_mode")).toEqual({ journal_mode: "wal" });
    expect(db.all("SELECT body FROM lines ORDER BY id")).toEqual([{ body: "ONE" }, { body: "TWO" }]);
  });
});

test("the text of a shipped step never changes, not even its indentation: homes that have it would be refused", () => {
  const textOf = ({ migrations }: Schema, count: number) =>
    sha256Hex(JSON.stringify(migrations.slice(0, count).map(({ statements }) => statements)));
  expect(textOf(KERNEL_SCHEMA, 22)).toBe("c65f49219fbd3dddd5e050b281989bf4994057df13f97c3742f7719666f52b88");
  expect(textOf(PROCESS_SCHEMA, 9)).toBe("71198898c2f7667f4d5212eebc8efd764a3309314d1fff185ff8d9a8937148ed");
});
