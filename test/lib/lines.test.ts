import { expect, test } from "bun:test";
import { LineSplitter, linesOf } from "../../src/lib/lines.ts";

const TEXT = "one\ntwo\r\n\nfünf 👍\r\rx\nlast";
const LINES = ["one", "two", "", "fünf 👍\r\rx", "last"];

async function* inPieces(bytes: Uint8Array, size: number) {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

test("lines are the same however the bytes are split", async () => {
  const bytes = new TextEncoder().encode(TEXT);
  for (let size = 1; size <= bytes.length; size++) {
    expect(await Array.fromAsync(linesOf(inPieces(bytes, size)))).toEqual(LINES);
  }
});

test("a text that ends with a line ending has no empty line after it", async () => {
  const splitter = new LineSplitter();
  expect(splitter.push("a\nb\n")).toEqual(["a", "b"]);
  expect(splitter.end()).toBeNull();
});

test("a CR LF split between two chunks is one line ending", () => {
  const splitter = new LineSplitter();
  expect(splitter.push("a\r")).toEqual([]);
  expect(splitter.push("\nb")).toEqual(["a"]);
  expect(splitter.end()).toBe("b");
});

test("the length of the open line is known, so that a caller can bound it", () => {
  const splitter = new LineSplitter();
  splitter.push("abc");
  splitter.push("de");
  expect(splitter.pendingChars).toBe(5);
  splitter.push("\n");
  expect(splitter.pendingChars).toBe(0);
});

test("a line in a hundred thousand chunks costs one pass", () => {
  const splitter = new LineSplitter();
  for (let chunk = 0; chunk < 100_000; chunk++) splitter.push("0123456789");
  expect(splitter.push("\n")[0]?.length).toBe(1_000_000);
});
