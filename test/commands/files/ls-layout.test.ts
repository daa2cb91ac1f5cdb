// How listings look, apart from where they come from.

import { describe, expect, test } from "bun:test";
import { longForm, modeText, shortForm, sizeText, type View } from "../../../commands/files/list/ls-layout.ts";
import type { FileEntry } from "../../../src/syscalls/fs/file-tree-service.ts";

const PIPE: View = { width: null, colour: false, nowMs: 10_000_000, human: false };
const TERMINAL: View = { ...PIPE, width: 40 };

function entry(name: string, more: Partial<FileEntry> = {}): FileEntry {
  const owned = { mode: "0644", uid: 1000, gid: 1000, owner: "sam", group: "users", size: 12, mtimeMs: 0 };
  return { name, kind: "file", ...owned, ...more };
}

describe("names", () => {
  const twelve = Array.from({ length: 12 }, (_, at) => entry(`name-${at}`));

  test("stand one a line in a pipe, as they are", () => {
    expect(shortForm([entry("a b"), entry("c\u001b[31m")], PIPE, false)).toBe("a b\nc\u001b[31m\n");
  });

  test("stand down and then across on a terminal, within its width", () => {
    const lines = shortForm(twelve, TERMINAL, false).split("\n").slice(0, -1);
    expect(lines.map((line) => line.trim().split(/\s+/)[0])).toEqual(["name-0", "name-1", "name-2"]);
    expect(lines[0]).toBe("name-0  name-3  name-6  name-9");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40);
  });

  test("stand one a line with -1, and where not even two fit", () => {
    expect(shortForm(twelve, TERMINAL, true).split("\n")).toHaveLength(13);
    expect(shortForm(twelve, { ...TERMINAL, width: 8 }, false).split("\n")).toHaveLength(13);
  });

  test("of double width keep the columns straight, and what is hidden in a name shows", () => {
    const four = [entry("日本"), entry("b"), entry("ccc"), entry("d")];
    expect(shortForm(four, { ...TERMINAL, width: 12 }, false)).toBe("日本  ccc\nb     d\n");
    const hidden = shortForm([entry("a\u202eb"), entry("c\u001b[2Jd")], TERMINAL, false);
    expect(hidden).not.toMatch(/[\u202e\u001b]/);
    expect(hidden).toContain("a");
  });

  test("are coloured by kind on a terminal alone", () => {
    const all = [entry("d", { kind: "directory" }), entry("l", { kind: "symlink" }), entry("x", { mode: "0755" })];
    expect(shortForm(all, { ...TERMINAL, colour: true }, true)).toBe(
      "\u001b[34md\u001b[0m\n\u001b[36ml\u001b[0m\n\u001b[32mx\u001b[0m\n",
    );
    expect(shortForm(all, TERMINAL, true)).toBe("d\nl\nx\n");
  });
});

describe("the long form", () => {
  test("has one line for each, aligned, with the time as a pipe or a person wants it", () => {
    const rows = [
      entry("a", { size: 12345 }),
      entry("new\nline", { owner: "alice", kind: "symlink", target: "/etc\n" }),
    ];
    expect(longForm(rows, PIPE)).toBe(
      [
        "-rw-r--r-- sam   users 12345 1970-01-01T00:00:00.000Z a",
        "lrw-r--r-- alice users    12 1970-01-01T00:00:00.000Z new⏎line -> /etc⏎",
        "",
      ].join("\n"),
    );
    expect(longForm(rows, { ...TERMINAL, human: true })).toStartWith("-rw-r--r-- sam   users 13K 2h a\n");
  });

  test.each([
    ["0644", "-rw-r--r--"],
    ["2770", "-rwxrws---"],
    ["1777", "-rwxrwxrwt"],
    ["4640", "-rwSr-----"],
    ["0000", "----------"],
  ])("shows %s as %s", (mode, text) => expect(modeText({ kind: "file", mode })).toBe(text));

  test.each([
    [0, "0"],
    [1023, "1023"],
    [1024, "1.0K"],
    [1500, "1.5K"],
    [20 * 1024 * 1024, "20M"],
  ])("shows %d bytes as %s", (bytes, text) => expect(sizeText(bytes)).toBe(text));
});
