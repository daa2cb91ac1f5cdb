// Reading archives: listed newest first, shown in pages, and checked for damage.

import { expect, test } from "bun:test";
import { appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { archivesService, pack } from "../../src/process/history/archive.ts";
import type { ArchiveInfo, Closed } from "../../src/syscalls/services.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { rejection } from "../support/refusal.ts";

interface Page {
  readonly records: readonly { readonly id: number; readonly content: string }[];
  readonly next: number | null;
}

async function archive(home: TestKernel, messages: readonly string[]): Promise<{ id: string; file: string }> {
  for (const message of messages) await home.say(message);
  const closed = await home.sys.call<Closed>("proc.reset", {});
  return { id: closed.archiveId ?? "", file: join(home.paths.objectsDir, closed.archivedTo ?? "") };
}

function show(home: TestKernel, args: object): Promise<Page> {
  return home.sys.call("archive.show", args);
}

test("archives are listed newest first, and by process", async () => {
  await using home = await TestKernel.boot();
  const first = await archive(home, ["one"]);
  await home.clock.advance(1000);
  const second = await archive(home, ["two"]);
  await home.clock.advance(1000);
  const pid = await home.task();
  await home.say("three", { pid });
  const third = await home.sys.call<Closed>("proc.kill", { pid });
  const ids = async (args: object) => {
    const { archives } = await home.sys.call<{ archives: ArchiveInfo[] }>("archive.list", args);
    return archives.map((each) => each.id);
  };
  expect(await ids({})).toEqual([third.archiveId ?? "", second.id, first.id]);
  expect(await ids({ pid: INIT })).toEqual([second.id, first.id]);
  expect(await ids({ pid: "task:zzzzzz" })).toEqual([]);
});

test("an archive is shown page by page, every record once and in order", async () => {
  await using home = await TestKernel.boot();
  const { id } = await archive(home, ["one", "two", "three"]);
  const found: number[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page: Page = await show(home, { id, after, limit: 4 });
    found.push(...page.records.map((record) => record.id));
    after = page.next;
  }
  expect(found).toEqual([1, 2, 3, 4, 5, 6]);
  expect(await show(home, { id, after: 6 })).toMatchObject({ records: [], inPart: [], next: null });
  expect(await show(home, { id, after: 1_000_000 })).toMatchObject({ records: [], inPart: [], next: null });
});

test("a whole archive is verified, with its checksum and number of records", async () => {
  await using home = await TestKernel.boot();
  const { id, file } = await archive(home, ["one"]);
  const checked = await home.sys.call<{ archive: ArchiveInfo; ok: boolean }>("archive.verify", { id });
  expect(checked).toMatchObject({ ok: true, fault: null, archive: { id, lines: 2, messages: 2, undelivered: 0 } });
  expect(checked.archive.sha256).toBe(new Bun.CryptoHasher("sha256").update(readFileSync(file)).digest("hex"));
});

const DAMAGE: { readonly [what: string]: (file: string) => void } = {
  "a flipped bit": (file) => {
    const bytes = readFileSync(file);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    writeFileSync(file, bytes);
  },
  "a lost end": (file) => truncateSync(file, readFileSync(file).length - 9),
  "something after the end": (file) => appendFileSync(file, "x"),
  "an empty file": (file) => truncateSync(file, 0),
  "another archive in its place": (file) => writeFileSync(file, gzipSync('{"id":1}\n{"id":2}\n')),
  "as many other records": (file) => writeFileSync(file, gzipSync('{"id":1}\n'.repeat(4))),
  "records that are no JSON": (file) => writeFileSync(file, gzipSync("{\nnot json\n")),
  "no file": (file) => rmSync(file),
};

test("any damage is found and named, and nothing of a damaged archive is shown", async () => {
  await using home = await TestKernel.boot();
  for (const [what, damage] of Object.entries(DAMAGE)) {
    const { id, file } = await archive(home, ["one", "two"]);
    damage(file);
    const refused = await home.refusal("archive.verify", { id });
    expect(`${what}: ${refused.code} ${refused.message}`).toMatch(
      new RegExp(`^${what}: EIO archive /var/sessions/sam/init:1000/${id}\\.jsonl\\.gz is damaged: [^\\n]+$`),
    );
    expect(refused.message.split(id)).toHaveLength(2);
    expect(refused.hints.join()).toContain("gsv restore");
    const shown = await home.refusal("archive.show", { id });
    expect([shown.code, shown.message, shown.hints]).toEqual(["EIO", refused.message, refused.hints]);
  }
});

test("a missing archive is not found", async () => {
  await using home = await TestKernel.boot();
  const id = "0190a1b2-0000-7000-8000-000000000001";
  for (const name of ["archive.show", "archive.verify"]) {
    expect(await home.refusal(name, { id })).toMatchObject({ code: "ENOENT", message: `no such archive: ${id}` });
  }
});

test("no account can change an archive through files, its owner and root included; its owner can read it there", async () => {
  await using home = await TestKernel.boot();
  const { id, file } = await archive(home, ["one"]);
  const bytes = readFileSync(file);
  const path = `/var/sessions/sam/init:1000/${id}.jsonl.gz`;
  for (const sys of [home.sys, home.person(0)]) {
    expect(await home.refusal("fs.write", { path, content: "x" }, sys)).toMatchObject({
      code: "EROFS",
      message: `cannot write ${path}: gsv's own files are read-only`,
    });
    for (const each of [`${path}.more`, "/var/sessions/sam/new", "/var/sessions/new"])
      expect((await home.refusal("fs.write", { path: each, content: "x" }, sys)).code).toMatch(/^(EROFS|EACCES)$/);
    for (const each of [path, "/var/sessions/sam/init:1000", "/var/sessions", "/var"]) {
      const refused = await home.refusal("fs.delete", { path: each }, sys);
      expect(`${each} ${refused.code}`).toMatch(/ (?:EROFS|EBUSY)$/);
    }
  }
  const agent = await home.insideOf(INIT);
  expect((await home.refusal("fs.write", { path, content: "x" }, agent)).code).toBe("EACCES");
  expect(readFileSync(file)).toEqual(bytes);
  expect(await home.sys.call<object>("fs.read", { path: "/var/sessions/sam/init:1000" })).toMatchObject({
    files: [`${id}.jsonl.gz`],
  });
  const verified = await home.sys.call<{ ok: boolean }>("archive.verify", { id });
  expect(verified.ok).toBe(true);
});

test("an archive that is deleted while it is read is reported as missing, not as damaged", async () => {
  await using home = await TestKernel.boot();
  const { kernel, objects } = home.stores;
  let id = "";
  const read: typeof objects.read = async (key, range) => {
    await objects.remove(key).catch(() => {});
    await kernel.archives.remove(id);
    return objects.read(key, range);
  };
  const caller = await home.kernel.callers.person(1000, "/home/sam");
  const archives = archivesService({ kernel, objects: { read } });
  for (const look of ["verify", "show"] as const) {
    ({ id } = await archive(home, ["one"]));
    const looked = look === "verify" ? archives.verify(caller, id) : archives.show(caller, id, { after: 0, limit: 9 });
    expect(await rejection(looked)).toMatchObject({ code: "ENOENT", message: `no such archive: ${id}` });
  }
});

test("other work runs while a page of long records is packed", async () => {
  const content = Array.from({ length: 40_000 }, (_, n) => (n * 7919).toString(36)).join(" ");
  const records = Array.from({ length: 10 }, (_, id) => ({ id, content }));
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  async function* pages() {
    setImmediate(turn);
    yield records;
  }
  const packed: Uint8Array[] = [];
  for await (const bytes of pack(pages()).bytes) packed.push(bytes);
  isOver = true;
  expect(turns).toBeGreaterThan(5);
  const lines = gunzipSync(Buffer.concat(packed)).toString().trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual(records);
});
