// Files of other programs, in an attached directory: bigger than gsv's limit for a file, and deeper than usual.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { appendFileSync, mkdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LIMITS } from "../../../src/abi/config/limits.ts";
import type { EntryPage } from "../../../src/syscalls/fs/fs-tree.ts";
import { TestKernel } from "../../support/kernel.ts";
import { scratchDirectory } from "../../support/scratch.ts";
import { type } from "../../support/shell.ts";

let directory: string;
beforeEach(() => {
  directory = scratchDirectory("attached");
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

const attached = async (home: TestKernel) =>
  (await home.sys.call<{ path: string }>("workspace.attach", { what: directory })).path;

test("the end of a log beyond gsv's file limit is shown; a single giant line is refused by name", async () => {
  const log = join(directory, "log");
  writeFileSync(log, "");
  truncateSync(log, LIMITS.fileBytesMax + 1024);
  appendFileSync(log, "\nbut last\nlast\n");
  await using home = await TestKernel.boot({ realTime: true });
  const path = join(await attached(home), "log");
  expect(await type(home, "tail", "-n", "2", path)).toEqual({ status: 0, stdout: "but last\nlast\n", stderr: "" });
  const all = await type(home, "tail", "-n", "2000", path);
  expect([all.status, all.stdout]).toEqual([6, ""]);
  expect(all.stderr).toBe(`gsv: tail: cannot open '${path}' for reading: its last 2000 lines are more than 64 MiB\n`);
});

test("everything in a deep directory is found", async () => {
  const names = Array.from({ length: 60 }, (_, at) => `d${at}`);
  mkdirSync(join(directory, ...names), { recursive: true });
  writeFileSync(join(directory, ...names, "deepest"), "x");
  await using home = await TestKernel.boot({ realTime: true });
  const path = await attached(home);
  const { status, stdout } = await type(home, "find", path, "-name", "deepest");
  expect([status, stdout]).toEqual([0, `${join(path, ...names, "deepest")}\n`]);
});

test("a directory of many files needs few pages: each page lists it again", async () => {
  for (let at = 0; at < 1100; at++) writeFileSync(join(directory, `file ${at}`), "");
  await using home = await TestKernel.boot({ realTime: true });
  const { entries, next } = await home.sys.call<EntryPage>("fs.list", { path: await attached(home) });
  expect([entries.length, next]).toEqual([1100, null]);
});
