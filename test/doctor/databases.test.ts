// Doctor and fsck on damaged databases and on a kernel.db that disagrees with the processes: broken on purpose, found, fixed by
// the next kernel, gone.

import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { doctorOf } from "../../src/doctor/examine.ts";
import { acquireLock } from "../../src/store/lock.ts";
import { keepingOf } from "../support/keeping.ts";
import { INIT } from "../support/kernel.ts";
import { Bed } from "../support/patient.ts";

const PAGE_BYTES = 4096;
const OWN = `proc/${INIT}.db`;
let bed: Bed;

beforeEach(async () => {
  bed = await Bed.make();
});
afterEach(() => bed[Symbol.dispose]());

/** Everything after the first page is garbage. */
function damage(path: string): void {
  const file = openSync(path, "r+");
  const rubbish = new Uint8Array(PAGE_BYTES).fill(0xa5);
  for (let at = PAGE_BYTES; at < statSync(path).size; at += PAGE_BYTES) writeSync(file, rubbish, 0, PAGE_BYTES, at);
  closeSync(file);
}

function directoryAt(path: string): void {
  rmSync(path);
  mkdirSync(path, { mode: 0o700 });
}

/** The index has no entries any more, but its table has. */
function emptyIndex(path: string, name: string): void {
  const db = new Database(path);
  const page = db.query<{ rootpage: number }, [string]>("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(name);
  db.close();
  const file = openSync(path, "r+");
  // The header of a leaf page of an index: no free block, no cells, which begin at the end of the page.
  const empty = Uint8Array.of(0x0a, 0, 0, 0, 0, PAGE_BYTES >> 8, 0, 0);
  writeSync(file, empty, 0, empty.length, ((page?.rootpage ?? 0) - 1) * PAGE_BYTES);
  closeSync(file);
}

test("a damaged search index is a notice", async () => {
  writeFileSync(join(bed.paths.home, "index.db"), "this is no database at all");
  const found = await bed.look("databases");
  expect(found.some((line) => line.startsWith("notice databases: index.db: "))).toBe(true);
  expect(problems(found)).toEqual([]);
});

const problems = (found: readonly string[]) => found.filter((line) => line.startsWith("problem"));

describe("a damaged kernel.db", () => {
  test("names the newest backup, among those made here and those in backup/", async () => {
    const kept = join(bed.home.directory, "run", "my gsv.tar");
    await keepingOf(bed.home.directory, bed.home.clock).backup(kept, { force: false });
    damage(bed.paths.kernelDb);
    mkdirSync(join(bed.paths.backupDir, "replaced-1"), { mode: 0o700 });
    mkdirSync(join(bed.paths.backupDir, "directory.tar"), { mode: 0o700 });
    writeFileSync(join(bed.paths.backupDir, "kernel-1-2.db"), "");
    const fix = async () => {
      const found = await doctorOf(await bed.patient()).examine({ checks: ["databases"], fix: false });
      return found.find(({ level }) => level === "problem")?.fix ?? "";
    };
    expect(await fix()).toEndWith(`gsv restore --force '${kept}'`);
    const younger = join(bed.paths.backupDir, "gsv.tgz");
    writeFileSync(younger, "");
    utimesSync(younger, new Date(2090, 1), new Date(2090, 1));
    expect(await fix()).toEndWith(`gsv restore --force ${younger}`);
    rmSync(younger);
    rmSync(kept);
    expect(await fix()).toContain("gsv restore --force FILE");
  });

  test("is reported with the newest copy, breaks no other check, and is not changed", async () => {
    damage(bed.paths.kernelDb);
    writeFileSync(join(bed.paths.backupDir, "kernel-1-2.db"), "");
    mkdirSync(join(bed.paths.backupDir, "replaced-1"), { mode: 0o700 });
    const before = statSync(bed.paths.kernelDb).size;
    const patient = await bed.patient();
    const found = await doctorOf(patient).examine({ checks: [], fix: true });
    const told = found.filter((finding) => finding.level === "problem");
    expect(told.map((finding) => finding.check)).toEqual(["databases"]);
    expect(told[0]?.what).toStartWith("kernel.db: ");
    expect(told[0]?.fix).toEndWith("/backup/kernel-1-2.db");
    expect(statSync(bed.paths.kernelDb).size).toBe(before);
    expect((await bed.fsck(true)).map((line) => line.split(" ")[0])).toContain("problem");
  });

  test.each([
    ["empty", (path: string) => writeFileSync(path, "")],
    ["of another program", (path: string) => writeFileSync(path, "not a database ".repeat(1000))],
    ["a directory", directoryAt],
    ["missing", (path: string) => rmSync(path)],
  ])("that is %s is a problem and no more", async (_, brk) => {
    brk(bed.paths.kernelDb);
    const found = await bed.look([]);
    expect(problems(found)).toHaveLength(1);
    expect(problems(found)[0]).toStartWith("problem databases: kernel.db");
    expect(problems(await bed.fsck()).every((line) => !line.includes("fault in gsv"))).toBe(true);
  });
});

describe("a damaged process database", () => {
  test("is reported with the reset command; fsck marks it, and the next kernel moves it to quarantine", async () => {
    damage(join(bed.paths.home, OWN));
    expect(problems(await bed.look([]))).toHaveLength(1);
    const [finding] = await doctorOf(await bed.patient()).examine({ checks: ["databases"], fix: false });
    expect(finding?.what).toStartWith(`${INIT}.db: the database ${join(bed.paths.home, OWN)} is damaged: `);
    // The two ways out.
    expect(finding?.fix).toMatch(
      /^gsv proc reset --pid init:1000 starts it over .*; or go back .*gsv restore --force /,
    );
    const mended = await bed.fsck(true);
    expect(mended).toContain(`fixed databases: marked ${INIT}: the next kernel moves its database to quarantine/`);
    expect(problems(mended)).toEqual([]);
    await bed.visit();
    expect(readdirSync(bed.paths.quarantineDir)).toHaveLength(1);
    const found = await bed.look(["databases", "agreement"]);
    const place = join(bed.paths.quarantineDir, readdirSync(bed.paths.quarantineDir)[0] ?? "");
    expect(found).toEqual([
      `problem databases: ${INIT} has lost its history: its database was damaged; its files are in ${place}`,
      `notice databases: 1 damaged file in ${bed.paths.quarantineDir}`,
      "ok agreement: kernel.db and 1 process agree",
    ]);
  });

  test("that is missing is reported and marked, and the next kernel shows an error", async () => {
    rmSync(join(bed.paths.home, OWN));
    expect((await bed.look("agreement"))[0]).toBe(`problem agreement: ${INIT} has no database`);
    expect(problems(await bed.fsck(true))).toEqual([]);
    await bed.visit();
    expect(await bed.look("agreement")).toEqual(["ok agreement: kernel.db and 1 process agree"]);
    await bed.home.start();
    expect((await bed.home.get(INIT)).state).toBe("error");
    await bed.rest();
  });

  test("with a broken index gets it rebuilt by fsck", async () => {
    emptyIndex(join(bed.paths.home, OWN), "requests_by_age");
    const [found] = await doctorOf(await bed.patient()).examine({ checks: ["databases"], fix: true });
    expect(found).toMatchObject({ level: "problem", fix: "gsv kernel stop; gsv fsck --repair" });
    expect((await bed.fsck())[0]).toMatch(/^problem databases: init:1000\.db: .*requests_by_age/);
    const mended = await bed.fsck(true);
    expect(mended[0]).toBe(`fixed databases: rebuilt the indexes of ${INIT}.db`);
    expect(problems(mended)).toEqual([]);
  });

  test("that is just being created is not damaged, and one of an unknown process is reported once", async () => {
    bed.sql("kernel.db", "UPDATE processes SET phase = 'creating'");
    writeFileSync(join(bed.paths.home, OWN), "");
    expect(problems(await bed.look([]))).toEqual([]);
    bed.sql("kernel.db", "DELETE FROM processes");
    expect(problems(await bed.look([]))).toEqual([`problem agreement: proc/${INIT}.db belongs to no process`]);
  });

  test("that belongs to no process is moved to quarantine by fsck, with its WAL", async () => {
    for (const name of ["task:lost00.db", "task:lost00.db-wal"]) writeFileSync(join(bed.paths.procDir, name), "");
    chmodSync(join(bed.paths.procDir, "task:lost00.db"), 0o600);
    expect((await bed.look("agreement"))[0]).toBe("problem agreement: proc/task:lost00.db belongs to no process");
    await bed.fsck(true);
    expect(readdirSync(bed.paths.procDir)).toEqual([`${INIT}.db`]);
    const [place = ""] = readdirSync(bed.paths.quarantineDir);
    expect(readdirSync(join(bed.paths.quarantineDir, place)).sort()).toEqual(["task:lost00.db", "task:lost00.db-wal"]);
    expect((await bed.look("agreement"))[0]).toStartWith("ok");
  });
});

describe("kernel.db and the processes", () => {
  test("a different projection is found, and the next kernel copies the state of the process", async () => {
    bed.sql("kernel.db", "UPDATE processes SET state = 'running', queued_count = 7");
    const [found = ""] = await bed.look("agreement");
    expect(found).toContain(`${INIT}: kernel.db shows running with 7 queued`);
    expect(found).toContain("the process is idle with 0 queued");
    expect(await bed.fix("agreement")).toEqual([found]);
    expect((await bed.fsck(true))[1]).toBe(`fixed agreement: marked ${INIT}: the next kernel copies its state`);
    expect(await bed.visit()).toEqual([]);
    expect(await bed.look("agreement")).toEqual(["ok agreement: kernel.db and 1 process agree"]);
    await bed.home.start();
    expect(await bed.home.get(INIT)).toMatchObject({ state: "idle", queued: 0 });
    expect(await bed.home.outline(INIT)).toEqual(["user: again", "assistant: done"]);
    await bed.rest();
  });

  test("an approval without a waiting call is withdrawn, a lost one is listed again", async () => {
    const { home } = bed;
    await home.start();
    home.model.will(INIT, { calls: [{ name: "Delete", args: { path: "~/note" } }] });
    await home.send("delete it");
    await home.inState(INIT, "waiting_hil");
    await bed.rest();
    bed.sql("kernel.db", "UPDATE approvals SET request_id = 'zzzz'");
    expect((await bed.look("agreement"))[0]).toMatch(/kernel\.db lists the approvals zzzz, open are [a-z0-9]{4}$/);
    expect(problems(await bed.fsck(true))).toEqual([]);
    await bed.visit();
    expect(await bed.look("agreement")).toEqual(["ok agreement: kernel.db and 1 process agree"]);
    await home.start();
    const { approvals } = await home.sys.call<{ approvals: { id: string }[] }>("hil.list", {});
    expect(approvals.map((approval) => approval.id === "zzzz")).toEqual([false]);
    await bed.rest();
  });

  test("changes that were never copied and a forgotten reset are found and finished", async () => {
    bed.sql(OWN, `INSERT INTO outbox SELECT 1, '{}'`);
    expect((await bed.look("agreement"))[0]).toContain("1 changes were never copied");
    bed.sql(OWN, "DELETE FROM outbox");
    const closing = {
      reason: "reset",
      archive: true,
      archiveId: "a",
      requestKey: "k",
      cutSeq: 4,
      generation: 2,
      startedAt: 5,
    };
    bed.sql(OWN, `UPDATE process_kv SET value = '${JSON.stringify(closing)}' WHERE key = 'closing'`);
    expect((await bed.look("agreement"))[0]).toContain("a reset was started and never finished");
    expect(problems(await bed.fsck(true))).toEqual([]);
    expect((await bed.look("unfinished"))[0]).toBe(`notice unfinished: the reset of ${INIT} is unfinished`);
    const failures = '{"failed":3,"error":"the disk is full"}';
    bed.sql("kernel.db", `INSERT INTO config_kv VALUES ('processes/${INIT}/closing', '${failures}', 1, 0)`);
    expect((await bed.look("unfinished"))[0]).toBe(
      `problem unfinished: the reset of ${INIT} failed 3 times: the disk is full`,
    );
    await bed.home.start();
    await bed.home.clock.advance(1000);
    await bed.rest();
    expect(await bed.look(["agreement", "unfinished"])).toEqual([
      "ok agreement: kernel.db and 1 process agree",
      "ok unfinished: no unfinished spawn, reset or kill",
    ]);
  });

  test("an unfinished step is a notice without a kernel, in progress with one, and a problem after 5 minutes", async () => {
    bed.sql("kernel.db", `UPDATE processes SET phase = 'creating', created_at = ${Date.now() - 60_000}`);
    expect(await bed.look("unfinished")).toEqual([`notice unfinished: the spawn of ${INIT} is unfinished`]);
    const lock = acquireLock(bed.paths.lockFile);
    expect(await bed.look("unfinished")).toEqual([`ok unfinished: the spawn of ${INIT} is in progress`]);
    bed.sql("kernel.db", `UPDATE processes SET created_at = ${Date.now() - 3_600_000}`);
    expect(await bed.look("unfinished")).toEqual([
      `problem unfinished: the spawn of ${INIT} has been in progress for 60 minutes`,
    ]);
    lock?.release();
  });

  test("a marked process is not compared, because it is being written", async () => {
    bed.sql("kernel.db", "UPDATE processes SET state = 'running', dirty = 1");
    expect(await bed.look(["agreement", "unfinished"])).toEqual([
      "ok agreement: kernel.db and 1 process agree",
      "notice unfinished: 1 process was interrupted",
    ]);
  });
});

test("fsck --repair is refused while a kernel is running, fsck is not", async () => {
  const lock = acquireLock(bed.paths.lockFile);
  const refused = await bed.fsck(true).catch((error) => error);
  expect([refused.code, refused.message, refused.hints]).toEqual([
    "EAGAIN",
    "a kernel is running; this needs it stopped",
    ["gsv kernel stop"],
  ]);
  expect(problems(await bed.fsck())).toEqual([]);
  lock?.release();
});

test("doctor and fsck without --repair change no byte of a home, sound or broken", async () => {
  damage(join(bed.paths.home, OWN));
  const bytes = () =>
    readdirSync(bed.paths.home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/-(?:wal|shm)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => `${path} ${Bun.hash(Bun.spawnSync(["cat", path]).stdout)}`);
  const before = bytes();
  await bed.look([]);
  await bed.fsck();
  expect(bytes()).toEqual(before);
  expect(existsSync(bed.paths.lockFile)).toBe(before.some((line) => line.includes("kernel.lock")));
});
