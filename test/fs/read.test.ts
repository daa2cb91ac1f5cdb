import { describe, expect, test } from "bun:test";
import type { Entry } from "../../fs/filesystem.ts";
import { viewDirectory, viewText } from "../../fs/read/read.ts";

/** Serves bytes in pieces of a given size, whatever the requested range. */
function source(content: string | Uint8Array, pieceBytes = 1 << 20) {
  const all = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return async ({ offset, bytesMax }: { offset: number; bytesMax: number }) => {
    const bytes = all.subarray(offset, offset + Math.min(bytesMax, pieceBytes));
    return { bytes, eof: offset + bytes.byteLength >= all.byteLength, version: "v" };
  };
}

const file = { path: "/f", size: 4, contentType: "text/plain" };
const view = (content: string | Uint8Array, window = {}, pieceBytes?: number) =>
  viewText(source(content, pieceBytes), file, window);

describe("the view of a text", () => {
  test("has its lines unchanged, with or without a newline at the end", async () => {
    expect((await view("a\nb\n")).content).toBe("a\nb");
    expect((await view("a\nb")).lines).toBe(2);
    expect((await view("\n\nx")).content).toBe("\n\nx");
    expect(await view("")).toEqual({ content: "", firstLine: 1, lines: 0, size: 0, version: "v", truncated: false });
  });

  test("shows a window of lines and reports that there are more", async () => {
    const text = Array.from({ length: 10 }, (_, n) => `line ${n}\n`).join("");
    const middle = await view(text, { offset: 3, limit: 2 });
    expect([middle.content, middle.firstLine, middle.lines, middle.truncated]).toEqual(["line 3\nline 4", 4, 10, true]);
    expect((await view(text, { offset: 8 })).truncated).toBe(false);
    await expect(view(text, { offset: 10 })).rejects.toThrow("/f has 10 lines: there is no line at offset 10");
  });

  test("is the same for any split of the file into pieces, also within a character", async () => {
    const text = "é😀\nzweite\n\nend€";
    const whole = await view(text);
    for (let size = 1; size <= 7; size++) expect(await view(text, {}, size)).toEqual(whole);
  });

  test("reports when it hits a bound: 2000 lines, 16 Ki characters a line, 256 KiB in all", async () => {
    const many = await view("x\n".repeat(5000));
    expect([many.content.split("\n").length, many.lines, many.truncated]).toEqual([2000, 5000, true]);
    const long = await view(`${"y".repeat(100_000)}\nnext`);
    expect(long.content).toEndWith("… (83616 more characters in this line)\nnext");
    expect(long.truncated).toBe(true);
    const wide = await view(`${"z".repeat(16_000)}\n`.repeat(100));
    expect(Buffer.byteLength(wide.content)).toBeLessThan(300 * 1024);
    expect([wide.lines, wide.truncated]).toEqual([100, true]);
  });

  test("is of one version: a file that changes during the read is read again", async () => {
    let asked = 0;
    const changing = async ({ offset }: { offset: number }) => {
      const version = ++asked <= 1 ? "old" : "new";
      const text = version === "old" ? "ab" : "wxyz";
      const bytes = new TextEncoder().encode(text.slice(offset, offset + 2));
      return { bytes, eof: offset + bytes.byteLength >= 4, version };
    };
    expect((await viewText(changing, file, {})).content).toBe("wxyz");
  });

  test("contains no NUL and no half character, wherever the file has one", async () => {
    const text = `${"x\n".repeat(5000)}a\u0000b\n`;
    expect((await view(text, { offset: 5000 })).content).toBe("a\ufffdb");
  });

  test("refuses binary files with their type and size", async () => {
    const png = { path: "/p.png", size: 2048, contentType: "image/png" };
    const zero = viewText(source(new Uint8Array([1, 0, 2])), png, {});
    await expect(zero).rejects.toThrow("/p.png is not text: image/png, 2.0 KiB");
    await expect(view(new Uint8Array([0xff, 0xfe, 0x41]))).rejects.toThrow("/f is not text: binary data, 4 bytes");
    await expect(view(new Uint8Array([0x41, 0xc3]))).rejects.toThrow("not text");
  });
});

test("of a directory shows its directories and files, and reports when they do not all fit", () => {
  const stat = { kind: "file", uid: 0, gid: 0, mode: 0o644, size: 0, mtimeMs: 0, version: "0" } as const;
  const entry = (name: string, kind: Entry["stat"]["kind"]): Entry => ({ name, stat: { ...stat, kind } });
  expect(viewDirectory([entry("d", "directory"), entry("f", "file"), entry("l", "symlink")])).toEqual({
    directories: ["d"],
    files: ["f", "l"],
  });
  expect(viewDirectory([entry("a\ud800", "file"), entry("b\u0000", "directory")])).toEqual({
    directories: ["b\ufffd"],
    files: ["a\ufffd"],
  });
  const many = viewDirectory(Array.from({ length: 20_000 }, (_, n) => entry(`${n}`.padEnd(100, "x"), "file")));
  expect(many.truncated).toBe(true);
  expect(Buffer.byteLength(JSON.stringify(many))).toBeLessThan(1024 * 1024);
});
