// The progress of `gsv storage migrate` on stderr: a rewritten line on a terminal, lines at most every 10 seconds elsewhere, none with --json
// or --quiet; and the counts of a real move into a bucket.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { SysError } from "../../src/abi/errno.ts";
import type { Signal, SignalOf } from "../../src/abi/signal.ts";
import { FakeIo, runs, stdinOf } from "../support/io.ts";
import { TestKernel } from "../support/kernel.ts";
import { type S3Server, startS3 } from "../support/s3.ts";
import { useBucket } from "../support/s3-home.ts";
import { begin, finish } from "../support/shell.ts";

type Progress = SignalOf<"storage.progress">;

const MIB = 1024 * 1024;
const LINE = ["storage", "migrate", "--to", "s3"];
const MOVED = { from: "/a", to: "s3://b", driver: "s3", objects: 4800, found: 0, bytes: 900 * MIB };
const ANSWER = /^moved 4800 objects to s3:\/\/b /;

let server: S3Server;
beforeAll(async () => {
  server = await startS3();
});
afterAll(() => server.stop());

/** The kernel sends the progress every 4 seconds. */
function moving(io: FakeIo, end: () => object = () => MOVED): FakeIo {
  io.fakeSys.answer("storage.migrate", async () => {
    for (const [files, mib] of [
      [0, 0],
      [400, 100],
      [1200, 310],
      [2400, 320.4],
      [4000, 800],
      [4800, 900],
    ] as const) {
      const counts = { files, filesTotal: 4800, bytes: mib * MIB, bytesTotal: 900 * MIB };
      io.fakeSys.emit({ name: "storage.progress", pid: "init:0", uid: 0, parent: null, at: 0, ...counts });
      await io.clock.advance(4000);
    }
    return end();
  });
  return io;
}

test("on a terminal one line is rewritten, and removed before the result", async () => {
  const io = moving(new FakeIo().terminal());
  expect(await runs(io, ...LINE)).toBe(0);
  expect(io.stderr.text.split("\r\x1b[K")).toEqual([
    "",
    "storage: 0 of 4,800 files, 0 of 900 MiB",
    "storage: 400 of 4,800 files, 100 of 900 MiB",
    "storage: 1,200 of 4,800 files, 310 of 900 MiB",
    "storage: 2,400 of 4,800 files, 320 of 900 MiB",
    "storage: 4,000 of 4,800 files, 800 of 900 MiB",
    "storage: 4,800 of 4,800 files, 900 of 900 MiB",
    "",
  ]);
  expect(io.stdout.text).toMatch(ANSWER);
  expect(io.fakeSys.filters).toEqual([]);
});

test("the line never wraps on a narrow terminal, and is gone before an error", async () => {
  const io = moving(new FakeIo().terminal(24), () => {
    throw new SysError("EIO", "not moved");
  });
  expect(await runs(io, ...LINE)).toBe(1);
  const shown = io.stderr.text.split("\r\x1b[K");
  expect(shown.at(-1)).toBe("gsv: not moved\n");
  expect(shown.slice(0, -1).every((line) => line.length < 24 && !line.includes("\n"))).toBe(true);
});

test("elsewhere lines come at most every 10 seconds", async () => {
  const io = moving(new FakeIo());
  expect(await runs(io, ...LINE)).toBe(0);
  expect(io.stderr.text).toBe("storage: 2,400 of 4,800 files, 320 of 900 MiB\n");
  expect(io.stdout.text).toMatch(ANSWER);
});

test.each(["--json", "--quiet"])("%s shows no progress, even if the move fails", async (flag) => {
  const good = moving(new FakeIo().terminal());
  expect(await runs(good, ...LINE, flag)).toBe(0);
  expect(good.stderr.text).toBe("");
  const bad = moving(new FakeIo().terminal(), () => {
    throw new SysError("EIO", "not moved");
  });
  expect(await runs(bad, ...LINE, flag)).toBe(1);
  expect(bad.stderr.text).not.toContain("storage:");
  expect(bad.stderr.text).toContain("not moved");
});

test("a move into a bucket counts every file and byte once, for its caller and root alone", async () => {
  await using home = await TestKernel.boot();
  for (let n = 0; n < 5; n++) await home.sys.call("fs.write", { path: `~/d/f${n}`, content: "x".repeat(1000) });
  await useBucket(home, server);
  const root = home.person(0);
  const [heard, foreign]: [Progress[], Signal[]] = [[], []];
  root.on({ names: ["storage.progress"] }, (signal) => heard.push(signal as Progress));
  home.sys.on({ names: ["storage.progress"] }, (signal) => foreign.push(signal));
  const typing = await begin(home, LINE, stdinOf("none"), { sys: () => root });
  typing.stderr.isTTY = true;
  const { status, stderr, stdout } = await finish(home, typing);
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^moved \d+ objects to /)]);
  const { filesTotal, bytesTotal } = heard[0]!;
  expect(heard[0]).toMatchObject({ files: 0, bytes: 0, pid: "init:0" });
  expect(heard.at(-1)).toMatchObject({ files: filesTotal, filesTotal, bytes: bytesTotal, bytesTotal });
  expect(filesTotal).toBeGreaterThanOrEqual(5);
  expect(bytesTotal).toBeGreaterThanOrEqual(5000);
  expect(stderr).toContain(`\r\x1b[Kstorage: 0 of ${filesTotal} files, `);
  expect(stderr).toContain(`\r\x1b[Kstorage: ${filesTotal} of ${filesTotal} files, `);
  expect(stderr.endsWith("\r\x1b[K")).toBe(true);
  expect(foreign).toEqual([]);
});
