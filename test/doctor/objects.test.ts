// Doctor and fsck on archives and the bytes of files: damaged, lost and unknown ones are found, unknown ones are moved to quarantine,
// and nothing is ever deleted.

import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { Bed } from "../support/patient.ts";

let bed: Bed;
let archive = "";
let note = "";

beforeEach(async () => {
  bed = await Bed.make();
  const files = readdirSync(bed.paths.objectsDir, { recursive: true }).map((name) =>
    join(bed.paths.objectsDir, String(name)),
  );
  archive = files.find((name) => /\/var\/sessions\/.*\.jsonl\.gz$/.test(name)) ?? "";
  note = files.find((name) => name.endsWith("/note")) ?? "";
});
afterEach(() => bed[Symbol.dispose]());

const problems = (found: readonly string[]) => found.filter((line) => line.startsWith("problem"));

test("a changed, truncated or missing archive is found by doctor and by fsck", async () => {
  const whole = readFileSync(archive);
  expect(await bed.look("archives")).toEqual(["ok archives: the newest 1 read to their end"]);
  writeFileSync(archive, gzipSync('{"id":1}\n'));
  expect((await bed.look("archives"))[0]).toMatch(
    /^problem archives: archive .* of init:1000 is damaged: checksum mismatch/,
  );
  writeFileSync(archive, whole);
  truncateSync(archive, whole.length - 9);
  expect((await bed.look("archives"))[0]).toContain("is damaged: ");
  rmSync(archive);
  expect((await bed.look("archives"))[0]).toContain("is damaged: ");
  expect(problems(await bed.fsck()).map((line) => line.split(" ")[1])).toEqual(["archives:", "objects:"]);
  mkdirSync(archive);
  expect(problems(await bed.look([]))).toHaveLength(2);
  rmSync(archive, { recursive: true });
  writeFileSync(archive, whole, { mode: 0o600 });
  expect(problems(await bed.fsck())).toEqual([]);
});

test("an archive with a wrong number of records is found", async () => {
  bed.sql("kernel.db", "UPDATE archives SET lines = lines + 1");
  expect((await bed.look("archives"))[0]).toMatch(/it has \d+ records, not \d+$/);
});

test("doctor reads a few of the newest archives, fsck reads all", async () => {
  const columns = "process_id, owner_uid, object_key, reason, messages, lines, undelivered, bytes, sha256";
  for (let n = 0; n < 7; n++)
    bed.sql(
      "kernel.db",
      `INSERT INTO archives (archive_id, ${columns}, created_at) SELECT '${n}', ${columns}, ${n} FROM archives LIMIT 1`,
    );
  expect(await bed.look("archives")).toEqual(["ok archives: the newest 5 read to their end"]);
  expect(await bed.fsck()).toContain("ok archives: all 8 read to their end");
});

test("a file with changed or missing content is found by fsck, and no repair changes it", async () => {
  const key = note.slice(bed.paths.objectsDir.length);
  writeFileSync(note, "b note");
  expect(problems(await bed.fsck(true))).toEqual([`problem objects: ${key}: the content is damaged`]);
  expect(readFileSync(note, "utf8")).toBe("b note");
  rmSync(note);
  expect(problems(await bed.fsck(true))).toEqual([`problem objects: ${key}: the content is missing`]);
  writeFileSync(note, "a note");
  expect(problems(await bed.fsck())).toEqual([]);
});

test("content without an object is moved to quarantine with its path, links too", async () => {
  const { objectsDir, quarantineDir } = bed.paths;
  mkdirSync(join(objectsDir, "home", "lost"), { recursive: true });
  writeFileSync(join(objectsDir, "home", "lost", "found"), "somebody's");
  symlinkSync("/etc/passwd", join(objectsDir, "link"));
  expect(problems(await bed.fsck()).sort()).toEqual([
    "problem objects: objects/home/lost/found belongs to no object",
    "problem objects: objects/link belongs to no object",
  ]);
  const mended = await bed.fsck(true);
  expect([mended.filter((line) => line.startsWith("fixed")).length, problems(mended)]).toEqual([2, []]);
  const kept = readdirSync(quarantineDir, { recursive: true }).map(String);
  const found = kept.find((name) => name.endsWith("home/lost/found")) ?? "";
  expect(readFileSync(join(quarantineDir, found), "utf8")).toBe("somebody's");
  expect(existsSync(join(objectsDir, "link"))).toBe(false);
});

test("content that was being moved when a kernel died is left to the next one", async () => {
  const [id, key] = ["01a1f9f1-b089-7884-ad6a-dd5482e5598b", "home/moved"];
  const intent = JSON.stringify({ id, kind: "rename", from: note.slice(bed.paths.objectsDir.length + 1), to: key });
  bed.sql("kernel.db", `INSERT INTO object_intents VALUES ('${id}', 'rename', '${intent}')`);
  mkdirSync(join(bed.paths.objectsDir, "home"), { recursive: true });
  renameSync(note, join(bed.paths.objectsDir, key));
  expect(problems(await bed.fsck(true))).toEqual([]);
  await bed.visit();
  expect(problems(await bed.fsck())).toEqual([]);
  expect(readFileSync(join(bed.paths.objectsDir, key), "utf8")).toBe("a note");
});
