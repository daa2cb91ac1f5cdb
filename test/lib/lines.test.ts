import { expect, test } from "bun:test";
import { linesOf } from "../../src/lib/text/lines.ts";

const TEXT = "one\ntwo\r\n\nfünf 👍\r\rx\nlast";
const LINES = ["one", "two", "", "fünf 👍\r\rx", "last"];

async function* inPieces(bytes: Uint8Array, size: number) {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

async function* each<T>(...items: T[]) {
  yield* items;
}

test("lines are the same for every split of the bytes", async () => {
  const bytes = new TextEncoder().encode(TEXT);
  for (let size = 1; size <= bytes.length; size++) {
    expect(await Array.fromAsync(linesOf(inPieces(bytes, size)))).toEqual(LINES);
  }
});

test("text is unchanged, in any chunks", async () => {
  expect(await Array.fromAsync(linesOf(each("on", "e\ntw", "o\r", "\n\nfünf 👍\r\rx\nl", "", "ast")))).toEqual(LINES);
});

test("a text that ends with a line ending has no empty line after it", async () => {
  expect(await Array.fromAsync(linesOf(each("a\nb\n")))).toEqual(["a", "b"]);
  expect(await Array.fromAsync(linesOf(each("")))).toEqual([]);
  expect(await Array.fromAsync(linesOf(each("\n")))).toEqual([""]);
});

test("a character cut off at the end becomes a replacement, never nothing", async () => {
  expect(await Array.fromAsync(linesOf(each(Uint8Array.of(97, 10, 0xe2, 0x82))))).toEqual(["a", "\ufffd"]);
});

test("a line in a hundred thousand chunks costs one pass", async () => {
  const chunks = Array.from({ length: 100_000 }, () => "0123456789");
  const [line] = await Array.fromAsync(linesOf(each(...chunks, "\n")));
  expect(line?.length).toBe(1_000_000);
});

test("a line without an end is refused once it is too long, wherever it was cut", async () => {
  const limit = { charsMax: 5, tooLong: () => new Error("too long") };
  expect(await Array.fromAsync(linesOf(each("12345\n123", "45\n1"), limit))).toEqual(["12345", "12345", "1"]);
  for (const pieces of [["123456"], ["a\n123", "456"], ["1", "2", "3", "4", "5", "6"]])
    await expect(Array.fromAsync(linesOf(each(...pieces), limit))).rejects.toThrow("too long");
});
