// Markdown, links and diffs of the web console, as data.

import { expect, test } from "bun:test";
import { blocksOf } from "../../../tui/web/text/blocks.ts";
import { changeLines, shownLines } from "../../../tui/web/text/diff-lines.ts";
import { safeHref } from "../../../tui/web/text/link.ts";

test.each([
  ["paragraphs end at blank lines", "one\ntwo\n\nthree\n", ["one\ntwo\n\n", "three\n"]],
  ["a code block keeps its blank lines", "```\na\n\nb\n```\n\nend", ["```\na\n\nb\n```\n\n", "end"]],
  ["an unfinished code block takes the rest", "~~~sh\na\n\nb", ["~~~sh\na\n\nb"]],
  ["a longer fence is closed by one as long", "````\n```\n\n````\n\nx", ["````\n```\n\n````\n\n", "x"]],
  ["a list with blank lines stays one list", "1. a\n\n2. b\n\nend", ["1. a\n\n2. b\n\n", "end"]],
  ["blank lines at the start belong to the first block", "\n\na\n\nb", ["\n\na\n\n", "b"]],
  ["no text has no block", "", []],
])("%s", (_what, text, blocks) => {
  expect(blocksOf(text)).toEqual(blocks);
  expect(blocksOf(text).join("")).toBe(text);
});

test("a finished block stays the same while the text grows", () => {
  const text = "# A\n\nfirst\n\n- a\n- b\n\n```\nx\n\ny\n```\n\nlast words";
  for (let end = 1; end <= text.length; end++) {
    const finished = blocksOf(text.slice(0, end)).slice(0, -1);
    expect(blocksOf(text).slice(0, finished.length)).toEqual(finished);
  }
});

test.each([
  ["https://example.org/a b", "https://example.org/a%20b"],
  ["mailto:sam@example.org", "mailto:sam@example.org"],
  ["javascript:alert(1)", null],
  ["JaVaScRiPt:alert(1)", null],
  ["\tjavascript:alert(1)", null],
  ["data:text/html,x", null],
  ["file:///etc/passwd", null],
  ["//example.org", null],
  ["#/waiting", null],
])("the address %j of a link becomes %j", (given, href) => expect(safeHref(given)).toBe(href));

const short = (lines: ReturnType<typeof shownLines>) =>
  lines.map(({ kind, number, text }) => `${number} ${kind} ${text}`);

test("a change has the numbers of its file, and a gap between its parts", () => {
  const before = Array.from({ length: 20 }, (_, at) => `line ${at + 1}`).join("\n");
  const after = before.replace("line 2\n", "two\n").replace("line 19", "nineteen");
  const lines = short(changeLines(before, after, 101));
  expect(lines.slice(0, 4)).toEqual(["101 same line 1", "102 removed line 2", "102 added two", "103 same line 3"]);
  expect(lines).toContain("null gap ");
  expect(lines).toContain("119 added nineteen");
});

test("a diff of the kernel has numbers only if it names its first line, and shows hidden characters", () => {
  expect(short(shownLines("@@ line 7 @@\n a\n-b\n+c\u202e\n"))).toEqual([
    "7 same a",
    "8 removed b",
    expect.stringMatching(/^8 added c.+/),
  ]);
  expect(short(shownLines("-b\n+c"))).toEqual(["null removed b", "null added c"]);
  expect(short(shownLines("@@ line 1 @@\n-a\n… 40 lines more …\n-z"))).toEqual([
    "1 removed a",
    "null gap 40 lines more",
    "42 removed z",
  ]);
});
