import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TemporaryBytes } from "../../../src/lib/memory/growing-bytes.ts";

const KIB = 1024;
const home = mkdtempSync(join(tmpdir(), "gsv-growing-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

let made = 0;
const directory = () => join(home, String(++made));

/** Bytes that show their position. */
function pattern(length: number, from = 0): Uint8Array {
  return Uint8Array.from({ length }, (_, at) => ((from + at) * 31) % 251);
}

test("small bytes stay in memory, and no directory is made", () => {
  const place = directory();
  const all = new TemporaryBytes(place);
  const bytes = all.fresh();
  bytes.append(pattern(10));
  bytes.append(pattern(10, 10));
  expect(bytes.read(5, 100)).toEqual(pattern(15, 5));
  expect([bytes.size, bytes.memory, all.bytes]).toEqual([20, 20, 20]);
  expect(existsSync(place)).toBe(false);
});

test("the bytes beyond 256 KiB go to a private file, and every range reads the same", () => {
  const place = directory();
  const all = new TemporaryBytes(place);
  const bytes = all.fresh();
  for (let at = 0; at < 1000 * KIB; at += 100 * KIB) bytes.append(pattern(100 * KIB, at));
  expect(bytes.size).toBe(1000 * KIB);
  expect(all.bytes).toBe(200 * KIB);
  for (const from of [0, 199 * KIB, 200 * KIB, 250 * KIB + 7, 999 * KIB])
    expect(Buffer.compare(bytes.read(from, 90 * KIB), pattern(Math.min(90 * KIB, 1000 * KIB - from), from))).toBe(0);
  expect(readdirSync(place).map((name) => statSync(join(place, name)).mode & 0o777)).toEqual([0o600]);
  bytes.drop();
  expect([readdirSync(place), all.bytes, bytes.size]).toEqual([[], 0, 0]);
});

test("shrinking moves the oldest to files first; they still grow and read the same", () => {
  const all = new TemporaryBytes(directory());
  const first = all.fresh();
  const each = [first, all.fresh(), all.fresh()];
  for (const bytes of each) bytes.append(pattern(100 * KIB));
  all.shrink(150 * KIB);
  expect(each.map(({ memory }) => memory)).toEqual([0, 0, 100 * KIB]);
  first.append(pattern(5, 100 * KIB));
  expect(Buffer.compare(first.read(0, 200 * KIB), pattern(100 * KIB + 5))).toBe(0);
  all.shrink(0);
  expect(all.bytes).toBe(0);
});

test("without a directory, or if it cannot be written, everything stays in memory", () => {
  for (const place of [null, "/proc/nowhere"]) {
    const all = new TemporaryBytes(place);
    const bytes = all.fresh();
    bytes.append(pattern(500 * KIB));
    all.shrink(0);
    expect(all.bytes).toBe(500 * KIB);
    expect(Buffer.compare(bytes.read(0, 500 * KIB), pattern(500 * KIB))).toBe(0);
  }
});

test("released bytes no longer count and stay readable; the caller may reuse its buffer", () => {
  const all = new TemporaryBytes(directory());
  const bytes = all.fresh();
  const buffer = pattern(50);
  bytes.append(buffer);
  buffer.fill(0);
  bytes.release();
  expect(all.bytes).toBe(0);
  expect(bytes.read(0, 50)).toEqual(pattern(50));
});

test("a new kernel deletes what an earlier one left", () => {
  const place = directory();
  new TemporaryBytes(place).fresh().append(pattern(300 * KIB));
  expect(readdirSync(place)).toHaveLength(1);
  new TemporaryBytes(place).clear();
  expect(existsSync(place)).toBe(false);
});
