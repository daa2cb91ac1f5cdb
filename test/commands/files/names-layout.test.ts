// Layout of names in a listing.

import { expect, test } from "bun:test";
import { modeLetters } from "../../../src/shell/programs/files/mode.ts";
import { inColumns, painted, visibleName } from "../../../src/shell/programs/files/names-layout.ts";
import type { Stat } from "../../../src/shell/programs/program.ts";

const TERMINAL = { columns: 40, colour: true, isoTimes: false };
const twelve = Array.from({ length: 12 }, (_, at) => `name-${at}`);

test("in a pipe names are one per line, unchanged", () => {
  expect(inColumns(["a b", "c\u001b[31m"], null)).toBe("a b\nc\u001b[31m\n");
  expect(visibleName("c\u001b[31m", { columns: null, colour: false, isoTimes: true })).toBe("c\u001b[31m");
});

test("on a terminal names run down and then across, within its width", () => {
  const lines = inColumns(twelve, 40).split("\n").slice(0, -1);
  expect(lines.map((line) => line.trim().split(/\s+/)[0])).toEqual(["name-0", "name-1", "name-2"]);
  expect(lines[0]).toBe("name-0  name-3  name-6  name-9");
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40);
  expect(inColumns(twelve, 8).split("\n")).toHaveLength(13);
});

test("names of double width keep the columns straight, and control characters are visible", () => {
  expect(inColumns(["日本", "b", "ccc", "d"], 12)).toBe("日本  ccc\nb     d\n");
  expect(visibleName("a\u202eb\u001b[2J", TERMINAL)).not.toMatch(/[\u202e\u001b]/);
});

test("names have the color of their kind, if colors are on", () => {
  const kinds: Pick<Stat, "kind" | "mode">[] = [
    { kind: "directory", mode: 0o755 },
    { kind: "symlink", mode: 0o777 },
    { kind: "file", mode: 0o755 },
    { kind: "file", mode: 0o644 },
  ];
  expect(kinds.map((kind) => painted(kind, "x", TERMINAL))).toEqual([
    "\u001b[34mx\u001b[0m",
    "\u001b[36mx\u001b[0m",
    "\u001b[32mx\u001b[0m",
    "x",
  ]);
  expect(kinds.map((kind) => painted(kind, "x", { ...TERMINAL, colour: false }))).toEqual(["x", "x", "x", "x"]);
});

test.each([
  [0o644, "-rw-r--r--"],
  [0o2770, "-rwxrws---"],
  [0o1777, "-rwxrwxrwt"],
  [0o4640, "-rwSr-----"],
  [0, "----------"],
])("mode %i is shown as %s", (mode, text) => {
  expect(modeLetters({ kind: "file", mode })).toBe(text);
});
