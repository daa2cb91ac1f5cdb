import { describe, expect, test } from "bun:test";
import { clip, cutWidth, displayWidth, headAndTail } from "../../src/lib/text/truncate.ts";
import { seeded } from "../support/random.ts";

const PIECES = ["a", "é", "日", "👍", "👨‍👩‍👧", "e\u0301", "\n", " "];

test("a quotation in a message is whole up to 60 characters, and never ends in half of one", () => {
  expect(clip("a".repeat(60))).toBe("a".repeat(60));
  expect(clip("a".repeat(61))).toBe(`${"a".repeat(57)}…`);
  expect(clip(`${"a".repeat(56)}👍👍👍`)).toBe(`${"a".repeat(56)}\ufffd…`);
});

describe("cutWidth", () => {
  test("text that fits is unchanged", () => {
    expect(cutWidth("abc", 3)).toBe("abc");
    expect(cutWidth("日本", 4)).toBe("日本");
  });

  test("a cut text is marked as cut within the width", () => {
    expect(cutWidth("abcdef", 4)).toBe("abc…");
    expect(cutWidth("日本語", 4)).toBe("日…");
    expect(cutWidth("abc", 1)).toBe("…");
    expect(cutWidth("abc", 0)).toBe("");
  });

  test("a family emoji is kept whole or not at all", () => {
    expect(cutWidth("👨‍👩‍👧👨‍👩‍👧", 3)).toBe("👨‍👩‍👧…");
    expect(cutWidth("👨‍👩‍👧👨‍👩‍👧", 2)).toBe("…");
  });

  test("the result is never wider than the limit", () => {
    const random = seeded(Math.floor(Math.random() * 2 ** 31));
    for (let round = 0; round < 500; round++) {
      const text = Array.from({ length: random.int(20) }, () => random.pick(PIECES)).join("");
      const columns = random.int(20);
      expect(displayWidth(cutWidth(text, columns)), `seed ${random.seed}`).toBeLessThanOrEqual(columns);
    }
  });
});

describe("headAndTail", () => {
  test("text that fits is whole and without a notice", () => {
    expect(headAndTail("short", 100)).toEqual({ text: "short", omittedBytes: 0 });
    expect(headAndTail("日本語", 9)).toEqual({ text: "日本語", omittedBytes: 0 });
  });

  test("beginning and end are kept, and the notice counts the bytes between", () => {
    const text = `BEGIN${"x".repeat(10_000)}END`;
    const cut = headAndTail(text, 1000);
    expect(cut.text).toStartWith("BEGINx");
    expect(cut.text).toEndWith("xEND");
    expect(cut.text).toContain(`[… ${cut.omittedBytes} bytes left out …]`);
    expect(Buffer.byteLength(cut.text)).toBeLessThanOrEqual(1000);
    expect(Buffer.byteLength(cut.text)).toBeGreaterThan(980);
  });

  test("every kind of text stays within the limit in bytes, and well formed", () => {
    const random = seeded(Math.floor(Math.random() * 2 ** 31));
    for (let round = 0; round < 300; round++) {
      const text = Array.from({ length: random.int(200) }, () => random.pick(PIECES)).join("");
      const bytesMax = random.int(300);
      const cut = headAndTail(text, bytesMax).text;
      expect(cut.isWellFormed(), `seed ${random.seed}`).toBe(true);
      expect(Buffer.byteLength(cut), `seed ${random.seed}`).toBeLessThanOrEqual(bytesMax);
      if (Buffer.byteLength(text) <= bytesMax) expect(cut).toBe(text);
    }
  });
});
