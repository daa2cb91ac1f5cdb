// New databases are copies of an image: equal to migrated ones, independent of each other, and whole or absent after a crash.

import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyKernelDb, openKernelDb } from "../../src/store/kernel/open.ts";
import { migrate, type Schema } from "../../src/store/migrate.ts";
import { PROCESS_EDITION } from "../../src/store/migrations/editions.ts";
import { processImage } from "../../src/store/migrations/images.ts";
import { PROCESS_SCHEMA } from "../../src/store/migrations/process.ts";
import { Db } from "../../src/store/open.ts";
import { ProcessFiles } from "../../src/store/process/files/files.ts";
import { Template } from "../../src/store/template.ts";
import { STEPS } from "../support/copy-child.ts";
import { notesSchema } from "../support/migrating.ts";
import { openStore, PID, send, takeOver } from "../support/store-child.ts";

const CHILD = join(import.meta.dir, "..", "support", "copy-child.ts");
const PRAGMAS = [
  ..."application_id user_version page_size encoding auto_vacuum journal_mode freelist_count page_count".split(" "),
  ..."synchronous foreign_keys trusted_schema secure_delete journal_size_limit busy_timeout cell_size_check".split(" "),
];

let directory = "";
let ms = 0;
const opened: ProcessFiles[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gsv-template-"));
  ms = 0;
});
afterEach(() => {
  for (const files of opened.splice(0)) files.close();
  rmSync(directory, { recursive: true, force: true });
});

function filesIn(place = directory): ProcessFiles {
  mkdirSync(place, { recursive: true });
  const files = new ProcessFiles({
    directory: place,
    quarantine: `${place}/quarantine`,
    mode: "write",
    now: () => ++ms,
  });
  opened.push(files);
  return files;
}

/** All that a database is and holds. */
function contents(db: Db): unknown {
  const objects = db.all<{ type: string; name: string; rootpage: number }>("SELECT * FROM sqlite_schema");
  const tables = objects.filter(({ type }) => type === "table");
  return {
    objects,
    rows: tables.map(({ name }) => [name, db.all(`SELECT * FROM "${name}"`)]),
    pragmas: PRAGMAS.map((name) => [name, Object.values(db.get(`PRAGMA ${name}`) ?? {})]),
    whole: db.get("PRAGMA integrity_check"),
  };
}

async function create(files: ProcessFiles, pid: string): Promise<Db> {
  await files.create(pid, () => {});
  return files.get(pid);
}

const inode = (files: ProcessFiles, pid: string) => statSync(files.path(pid)).ino;

/** The number of databases that were migrated and not copied. */
async function migrations(body: () => Promise<unknown>): Promise<number> {
  const script = spyOn(Db.prototype, "script");
  try {
    await body();
    return script.mock.calls.filter(([sql]) => sql.startsWith("CREATE TABLE process_kv")).length;
  } finally {
    script.mockRestore();
  }
}

test("a copied database equals a migrated one: schema, rows, pragmas, version", async () => {
  const files = filesIn();
  await create(files, "task:first1");
  const copied = await create(files, "task:second");
  expect(await migrations(() => create(files, "task:third1"))).toBe(0);
  const stamped = copied.get<{ at: number }>("SELECT max(applied_at) AS at FROM _gsv_schema_migrations")?.at ?? 0;
  const migrated = new Db(join(directory, "migrated.db"), { mode: "create" });
  try {
    migrate(migrated, PROCESS_SCHEMA, { now: stamped });
    expect(contents(copied)).toEqual(contents(migrated));
    expect(existsSync(`${files.path("task:second")}-wal`)).toBe(true);
  } finally {
    migrated.close();
  }
});

test("each copy has its own first rows only, and one that fails leaves nothing for the next", async () => {
  const files = filesIn();
  const row = (key: string) => (db: Db) => db.run("INSERT INTO process_kv (key, value) VALUES (?, '1')", key);
  const keys: unknown[] = [];
  for (const pid of ["task:first1", "task:second", "task:third1", "task:fourth"]) {
    await files.create(pid, row(pid));
    keys.push(files.get(pid).all("SELECT key FROM process_kv"));
    expect(files.check(pid)).toBeNull();
    const fails = (db: Db) => {
      row("lost")(db);
      throw new Error("no first rows");
    };
    expect(await files.create(`${pid}x`, fails).catch(String)).toContain("no first rows");
  }
  expect(keys).toEqual([["task:first1"], ["task:second"], ["task:third1"], ["task:fourth"]].map(([key]) => [{ key }]));
});

test("each copy has the instant of its own creation", async () => {
  const files = filesIn();
  const instants: boolean[] = [];
  for (const pid of ["task:first1", "task:second", "task:third1"]) {
    const before = ms;
    const applied = (await create(files, pid)).all<{ at: number }>(
      "SELECT applied_at AS at FROM _gsv_schema_migrations",
    );
    instants.push(
      applied.length === PROCESS_SCHEMA.migrations.length && applied.every(({ at }) => at > before && at <= ms),
    );
  }
  expect(instants).toEqual([true, true, true]);
});

test("databases share nothing: what one process stores is in no other, nor in later copies", async () => {
  const files = filesIn();
  const first = await create(files, "task:first1");
  const second = await create(files, "task:second");
  first.run("INSERT INTO process_kv (key, value) VALUES ('a', '1')");
  second.run("INSERT INTO process_kv (key, value) VALUES ('b', '2')");
  const third = await create(files, "task:third1");
  const keys = [first, second, third].map((db) => db.all("SELECT key FROM process_kv"));
  expect(keys).toEqual([[{ key: "a" }], [{ key: "b" }], []]);
  expect(new Set(["task:first1", "task:second", "task:third1"].map((pid) => inode(files, pid))).size).toBe(3);
});

function bytesOf(schema: Schema): Uint8Array {
  const db = new Db(":memory:", { mode: "write" });
  try {
    migrate(db, schema, { now: 1 });
    return db.bytes();
  } finally {
    db.close();
  }
}

function damaged(bytes: Uint8Array, from: number): Uint8Array {
  return new Uint8Array(bytes).fill(0xaa, from, from + 2000);
}

const BAD: readonly [string, (bytes: Uint8Array) => Uint8Array][] = [
  ["that cannot be written", () => ({}) as Uint8Array],
  ["without bytes", () => new Uint8Array()],
  ["with a damaged first page", (bytes) => damaged(bytes, 0)],
  ["with a damaged table", (bytes) => damaged(bytes, 8 * 4096)],
  ["cut off", (bytes) => bytes.slice(0, 12 * 4096)],
  ["of another schema", () => bytesOf(notesSchema(3))],
];

for (const [what, spoil] of BAD) {
  test(`an image ${what} is not copied`, async () => {
    const copied = (image: Uint8Array, name: string) =>
      new Template(PROCESS_EDITION, async () => image).copyTo(join(directory, name), () => {});
    expect(await copied(spoil(processImage()), "bad.db")).toBe(false);
    expect(readdirSync(directory)).toEqual([]);
    expect(await copied(processImage(), "good.db")).toBe(true);
  });
}

test("a kernel.db that is copied equals a migrated one", async () => {
  const [copied, migrated] = ["copied", "migrated"].map((name) => join(directory, `${name}.db`)) as [string, string];
  await copyKernelDb(copied, 7);
  expect(statSync(copied).mode & 0o777).toBe(0o600);
  const read = (path: string) => {
    const kernel = openKernelDb(path, { now: 7 });
    try {
      return contents(kernel.db);
    } finally {
      kernel.close();
    }
  };
  expect(read(copied)).toEqual(read(migrated));
});

test("a kernel.db that exists is not replaced, and neither is one whose log is left", async () => {
  const path = join(directory, "kernel.db");
  openKernelDb(path, { now: 1 }).close();
  const before = statSync(path).ino;
  await copyKernelDb(path, 2);
  expect(statSync(path).ino).toBe(before);
  const other = join(directory, "other.db");
  writeFileSync(`${other}-wal`, "a log");
  await copyKernelDb(other, 2);
  expect(existsSync(other)).toBe(false);
});

test("a leftover log or an empty file at the path is not mixed with a copy", async () => {
  const files = filesIn();
  (await create(files, "task:first1")).run("INSERT INTO process_kv (key, value) VALUES ('secret', '1')");
  writeFileSync(`${files.path("task:second")}-wal`, "a log that nobody can read");
  writeFileSync(files.path("task:third1"), "");
  for (const pid of ["task:second", "task:third1"]) {
    let rows: unknown;
    const made = async () => (rows = (await create(files, pid)).all("SELECT * FROM process_kv"));
    expect(await migrations(made)).toBe(1);
    expect(rows).toEqual([]);
    expect(files.check(pid)).toBeNull();
  }
});

test("two creations of one process at once make one database", async () => {
  const files = filesIn();
  await create(files, "task:first1");
  const row = (db: Db) => db.run("INSERT INTO process_kv (key, value) VALUES ('made', '1') ON CONFLICT DO NOTHING");
  await Promise.all([files.create("task:second", row), files.create("task:second", row)]);
  expect(files.get("task:second").all("SELECT key FROM process_kv")).toEqual([{ key: "made" }]);
  expect(files.check("task:second")).toBeNull();
});

function checked(path: string): unknown {
  const db = new Db(path, { mode: "read" });
  try {
    return db.get("PRAGMA integrity_check");
  } finally {
    db.close();
  }
}

for (const step of STEPS) {
  test(`kill -9 while copying (${step}) leaves no half database, and the next kernel finishes the creation`, async () => {
    const child = Bun.spawnSync([process.execPath, CHILD, directory, step], { env: {} });
    expect(child.signalCode).toBe("SIGKILL");
    const path = join(directory, `${PID}.db`);
    expect(existsSync(path)).toBe(step === "renamed");
    if (step === "renamed") expect(checked(path)).toEqual({ integrity_check: "ok" });
    const store = openStore(directory, 2);
    try {
      await takeOver(store);
      await send(store, "hello");
      expect(await store.claim(PID, { now: 3 })).toMatchObject({ entered: [{ id: 1 }] });
      expect(await store.check(PID)).toBeNull();
      expect(readdirSync(directory).filter((name) => name.endsWith(".new"))).toEqual([]);
      await store.remove(PID);
      expect(readdirSync(directory).filter((name) => name.startsWith(PID))).toEqual([]);
    } finally {
      await store.close();
    }
  });
}
