// Files in the web console: their addresses, and text that survives its way through an editor.

import { expect, test } from "bun:test";
import { parentOf, stepsTo } from "../../../tui/web/files/file-path.ts";
import { bytesOf, fromBase64, shownText, textIn, toBase64 } from "../../../tui/web/files/file-text.ts";
import { hashOf, routeOf } from "../../../tui/web/route.ts";

test.each(["/", "~", "~bob/notes.md", "/home/alice/a b#c?d%2f.md", "/tmp/ü/✓"])(
  "%s has an address of its own",
  (path) => {
    expect(routeOf(hashOf({ view: "files", path }))).toEqual({ view: "files", path });
  },
);

test("an address without a path, or with one that nobody writes, is the home", () => {
  for (const hash of ["#/files", "#/files/%ff"]) expect(routeOf(hash)).toEqual({ view: "files", path: "~" });
});

test("the way to a file has each directory above it", () => {
  expect(stepsTo("/home/alice").map(({ path }) => path)).toEqual(["/", "/home", "/home/alice"]);
  expect(["/home/alice", "/home", "/"].map(parentOf)).toEqual(["/home", "/", "/"]);
});

const bytes = (text: string) => new TextEncoder().encode(text);

test.each(["", "a\nb", "a\r\nb\r\n", "\ufeffwith a mark\n", "\u001b[31mred\n"])("%j keeps its bytes", (text) => {
  const found = textIn(bytes(text));
  if (found?.newline == null) throw new Error("not editable");
  expect(found.text).not.toContain("\r");
  expect(bytesOf(found.text, found.newline)).toEqual(bytes(text));
});

test("text with mixed line ends is only shown, and bytes that are no text are not", () => {
  for (const text of ["a\r\nb\nc", "a\rb"]) expect(textIn(bytes(text))?.newline).toBeNull();
  expect([textIn(new Uint8Array([0xff, 0xfe])), textIn(bytes("a\0b"))]).toEqual([null, null]);
});

test("hidden characters of a file are shown, and its lines and tabs stay", () => {
  expect(shownText("a\tb\n\u001b[31m\u202ec\n")).not.toMatch(/[\u001b\u202e]/);
  expect(shownText("a\tb\nc\n")).toBe("a\tb\nc\n");
});

test("bytes of any length pass through base64", () => {
  const long = Uint8Array.from({ length: 100_000 }, (_, at) => at % 256);
  expect(fromBase64(toBase64(long))).toEqual(long);
});
