// Files for the programs of a command line: uploads in pieces, pages of a directory, and changes that are not repeated when an answer is
// lost.

import { describe, expect, test } from "bun:test";
import { readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { piecesOf } from "../../commands/files/copy/gsv-side.ts";
import { LIMITS } from "../../src/abi/config/limits.ts";
import type { Sys } from "../../src/abi/sys.ts";
import { Uploads } from "../../src/kernel/files/uploads.ts";
import { realClock } from "../../src/lib/clock.ts";
import type { EntryPage, FileStat, Piece } from "../../src/syscalls/fs/fs-tree.ts";
import { sam } from "../support/caller.ts";
import { FakeClock } from "../support/clock.ts";
import { answerAfterDeath, Dying } from "../support/dying.ts";
import { stdinOf } from "../support/io.ts";
import { TestKernel } from "../support/kernel.ts";
import { rejection } from "../support/refusal.ts";
import { begin, type } from "../support/shell.ts";

const UPLOAD = "0190a1b2-0000-7000-8000-000000000001";
const b64 = (text: string) => Buffer.from(text).toString("base64");

async function content(home: TestKernel, path: string): Promise<string> {
  return Buffer.from((await home.sys.call<Piece>("fs.get", { path })).data, "base64").toString();
}

test("reading, editing or appending to a file with missing bytes fails and reports the bytes that exist", async () => {
  await using home = await TestKernel.boot({ realTime: true });
  await home.sys.call("fs.put", { path: "~/a", data: b64("0123456789") });
  const bytes = join(home.paths.objectsDir, "home/sam/a");
  truncateSync(bytes, 3);
  const damaged = { code: "EIO", message: "/home/sam/a: damaged: only 3 of 10 bytes" };
  for (const offset of [0, 3, 5]) expect(await home.refusal("fs.get", { path: "~/a", offset })).toMatchObject(damaged);
  expect(await home.refusal("fs.read", { path: "~/a" })).toMatchObject(damaged);
  expect(await home.refusal("fs.edit", { path: "~/a", oldString: "0", newString: "1" })).toMatchObject(damaged);
  expect(await home.refusal("fs.search", { path: "~/a", query: "9" })).toMatchObject(damaged);
  expect(await home.refusal("fs.put", { path: "~/a", data: b64("x"), at: "end" })).toMatchObject(damaged);
  expect(readFileSync(bytes, "utf8")).toBe("012");
  const cat = await type(home, "cat", "~/a");
  expect([cat.status, cat.stdout]).toEqual([1, ""]);
  expect(cat.stderr).toStartWith(
    "gsv: cat: /home/sam/a: damaged: only 3 of 10 bytes\n  check all files: gsv storage verify",
  );
  const script = await (await begin(home, ["sh", "-c", "cat ~/a"], stdinOf("none"), { clock: realClock })).ended;
  expect([script.status, script.stdout, script.stderr]).toEqual([1, "", expect.stringContaining("cat: ")]);
  await home.sys.call("fs.put", { path: "~/a", data: b64("whole") });
  expect(await content(home, "~/a")).toBe("whole");
});

test("a reader does not wait for a kernel that sends neither bytes nor the end", async () => {
  const nothing = {
    call: async () => ({ data: "", eof: false, version: "1" }),
    on: () => () => {},
    close: async () => {},
  };
  const reading = (async () => {
    for await (const _ of piecesOf(nothing as unknown as Sys, "/a"));
  })();
  expect((await rejection(reading)).code).toBe("EIO");
});

describe("an upload", () => {
  test("is invisible until it is put, and then complete", async () => {
    await using home = await TestKernel.boot();
    await home.sys.call("fs.put", { path: "~/a", data: b64("old") });
    await home.sys.call("fs.stage", { upload: UPLOAD, offset: 0, data: b64("one ") });
    await home.sys.call("fs.stage", { upload: UPLOAD, offset: 4, data: b64("two") });
    // A piece is sent again because its answer was lost.
    expect(await home.sys.call<object>("fs.stage", { upload: UPLOAD, offset: 4, data: b64("two") })).toEqual({
      size: 7,
    });
    expect(await content(home, "~/a")).toBe("old");
    expect(await home.sys.call<object>("fs.put", { path: "~/a", upload: UPLOAD })).toEqual({
      path: "/home/sam/a",
      size: 7,
    });
    expect(await content(home, "~/a")).toBe("one two");
    expect(await home.refusal("fs.put", { path: "~/b", upload: UPLOAD })).toMatchObject({ code: "EAGAIN" });
  });

  test("belongs to its creator, has no holes, and ends with its kernel", async () => {
    await using home = await TestKernel.boot();
    await home.sys.call("fs.stage", { upload: UPLOAD, offset: 0, data: b64("one") });
    const root = home.person(0).call("fs.put", { path: "/etc/x", upload: UPLOAD });
    expect(await rejection(root)).toMatchObject({ code: "EAGAIN" });
    const hole = { upload: UPLOAD, offset: 5, data: b64("x") };
    expect(await home.refusal("fs.stage", hole)).toMatchObject({ code: "EINVAL" });
    await home.restart();
    expect(await home.refusal("fs.stage", { ...hole, offset: 3 })).toMatchObject({ code: "EAGAIN" });
  });

  // Calls the upload store directly, since sending that much text would take too long. All pieces share one buffer.
  const MIB = 1024 * 1024;
  const piece = new Uint8Array(MIB);
  const fill = (uploads: Uploads, upload: string, mebibytes: number) => {
    for (let at = 0; at < mebibytes; at++) uploads.stage(sam, { upload, offset: at * MIB, piece });
  };

  test("is dropped when it stalls and others need its space; an upload beyond the limit is refused", async () => {
    const clock = new FakeClock();
    const uploads = new Uploads(clock);
    const more = () => uploads.stage(sam, { upload: "first", offset: 60 * MIB, piece });
    fill(uploads, "first", 60);
    fill(uploads, "second", 60);
    expect(() => fill(uploads, "third", 60)).toThrow(expect.objectContaining({ code: "EAGAIN" }));
    await clock.advance(LIMITS.uploadIdleMs + 1000);
    fill(uploads, "fourth", 60);
    expect(more).toThrow(expect.objectContaining({ code: "EAGAIN" }));
    expect(uploads.content(sam, "fourth").size).toBe(60 * MIB);
  });

  test("has the size limit of a file", () => {
    const uploads = new Uploads(new FakeClock());
    fill(uploads, "long", LIMITS.fileBytesMax / MIB);
    const more = () => uploads.stage(sam, { upload: "long", offset: LIMITS.fileBytesMax, piece: piece.subarray(0, 1) });
    expect(more).toThrow(expect.objectContaining({ code: "EFBIG" }));
  });
});

test("a put follows its conditions", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("fs.put", { path: "~/a", data: b64("1"), mode: "0604" });
  const { version, mode } = await home.sys.call<FileStat>("fs.stat", { path: "~/a" });
  expect(mode).toBe("0604");
  expect(await home.refusal("fs.put", { path: "~/a", data: "", exclusive: true })).toMatchObject({ code: "EEXIST" });
  await home.sys.call("fs.put", { path: "~/a", data: b64("2"), ifVersion: version, at: "end" });
  expect(await home.refusal("fs.put", { path: "~/a", data: "", ifVersion: version })).toMatchObject({
    code: "ECONFLICT",
  });
  expect(await content(home, "~/a")).toBe("12");
  for (const wrong of [{}, { data: "", upload: UPLOAD }, { data: "?" }, { data: "", mode: "9" }])
    expect(await home.refusal("fs.put", { path: "~/a", ...wrong })).toMatchObject({ code: "EINVAL" });
});

test("a directory is listed in pages with owner names, and stat works with and without following the link", async () => {
  await using home = await TestKernel.boot();
  for (const name of ["c", "a", "b"]) await home.sys.call("fs.put", { path: `~/${name}`, data: "" });
  await home.sys.call("fs.link", { path: "~/l", target: "a" });
  const first = await home.sys.call<EntryPage>("fs.list", { path: "~", limit: 2 });
  const second = await home.sys.call<EntryPage>("fs.list", { path: "~", limit: 2, after: first.next });
  const named = ({ entries }: EntryPage) => entries.map(({ name, owner, group }) => `${name} ${owner} ${group}`);
  expect([...named(first), ...named(second)]).toEqual(["a sam sam", "b sam sam", "c sam sam", "l sam sam"]);
  expect(second.next).toBeNull();
  expect(second.entries[1]).toMatchObject({ kind: "symlink", target: "a" });
  expect(await home.sys.call<object>("fs.stat", { path: "~/l", link: true })).toMatchObject({ kind: "symlink" });
  expect(await home.sys.call<object>("fs.stat", { path: "~/l" })).toMatchObject({ kind: "file", path: "/home/sam/a" });
});

describe("a change is made once, even if its answer or its kernel was lost", () => {
  const CASES: readonly (readonly [name: string, args: object])[] = [
    ["fs.put", { path: "~/new", data: b64("x"), exclusive: true }],
    ["fs.put", { path: "~/a", data: b64("x"), at: "end" }],
    ["fs.mkdir", { path: "~/d" }],
    ["fs.mkdir", { path: "~/d/e/f", parents: true }],
    ["fs.rename", { from: "~/a", to: "~/b" }],
    ["fs.link", { path: "~/l", target: "a" }],
    ["fs.remove", { path: "~/full", recursive: true }],
    ["fs.setattr", { path: "~/a", mode: "0600" }],
  ];

  test.each(CASES)("%s %j", async (name, args) => {
    const dying = new Dying();
    await using home = await TestKernel.boot(dying);
    await home.sys.call("fs.put", { path: "~/a", data: b64("a") });
    await home.sys.call("fs.mkdir", { path: "~/full" });
    await home.sys.call("fs.put", { path: "~/full/a", data: "" });
    const answer = await answerAfterDeath(home, dying, name, args);
    expect(await home.sys.call<object>(name, args, { requestId: "req-1" })).toEqual(answer as object);
    if (name === "fs.put" && "at" in args) expect(await content(home, "~/a")).toBe("ax");
  });
});
