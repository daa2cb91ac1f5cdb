// Answers while the model writes them: scrollback is the same for any pieces.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { Markdown } from "../../tui/screen/markdown.ts";
import { themeOf } from "../../tui/screen/theme.ts";
import { AnswerText } from "../../tui/talk/answer.ts";

const plain = themeOf({ colour: false, unicode: true });

function blockLines(source: string, columns: number): readonly string[] {
  return new Markdown(plain).lines(source, columns);
}

function answer(columns = 60, theme = plain): AnswerText {
  return new AnswerText({ theme, columns: () => columns });
}

function drawn(text: string, columns = 60): string[] {
  const writing = answer(columns);
  return [...writing.push(text), ...writing.end()].map((line) => Bun.stripANSI(line));
}

const SAMPLE = `# Two settings

Compaction keeps only the last **20,000** tokens, and memory extraction is \`off\`, so nothing is written.

- Compaction ran 2 times since yesterday, at 09:12 and at 16:40, which is more than it should
- one more
  1. nested
  2. again

\`\`\`ts
const a = "x"; // why

if (a) b();
\`\`\`
See [the manual](https://example.org/m).

| key | value |
|---|---|
| keep | 20000 |
| extract | false |

> quoted words
`;

test("headings, prose, lists, code, tables, quotes and links are laid out with blank lines between them", () => {
  expect(drawn(SAMPLE)).toEqual([
    "  Two settings",
    "",
    "  Compaction keeps only the last 20,000 tokens, and memory",
    "  extraction is off, so nothing is written.",
    "",
    "  - Compaction ran 2 times since yesterday, at 09:12 and at",
    "    16:40, which is more than it should",
    "  - one more",
    "    1. nested",
    "    2. again",
    "",
    '      const a = "x"; // why',
    "",
    "      if (a) b();",
    "",
    "  See the manual (https://example.org/m).",
    "",
    "  key      value",
    "  ───────  ─────",
    "  keep     20000",
    "  extract  false",
    "",
    "  │ quoted words",
  ]);
});

test("for any pieces the lines are the same, each once", () => {
  const whole = drawn(SAMPLE);
  fc.assert(
    fc.property(fc.array(fc.nat(SAMPLE.length), { maxLength: 30 }), (cuts) => {
      const ends = [0, ...cuts.sort((a, b) => a - b), SAMPLE.length];
      const writing = answer();
      const lines = ends.slice(1).flatMap((end, at) => {
        const done = writing.push(SAMPLE.slice(ends[at], end));
        writing.tail();
        return [...done];
      });
      expect([...lines, ...writing.end()].map((line) => Bun.stripANSI(line))).toEqual(whole);
    }),
    { numRuns: 40 },
  );
});

test("code appears line by line, in colour, before the block ends", () => {
  const writing = answer(60, themeOf({ colour: true, unicode: true }));
  const lines = writing.push("```js\nconst a = 1;\nlet b");
  expect(lines).toEqual(["      \x1b[35mconst\x1b[39m a = \x1b[33m1\x1b[39m;"]);
  expect(writing.tail()).toEqual(["      \x1b[35mlet\x1b[39m b"]);
});

test("a right-aligned column is right-aligned", () => {
  expect(drawn("| key | now |\n|---|---:|\n| keep | 5 |\n| low | 32000 |\n")).toEqual([
    "  key     now",
    "  ────  ─────",
    "  keep      5",
    "  low   32000",
  ]);
});

test("a wide table shrinks its widest columns, and nothing is wider than the screen", () => {
  const cell = "words ".repeat(20).trim();
  const lines = drawn(`| id | text |\n|---|---|\n| 1 | ${cell} |\n`, 40);
  expect(Math.max(...lines.map((line) => Bun.stringWidth(line)))).toBeLessThan(40);
  expect(lines.join(" ").match(/words/g)?.length).toBe(20);
});

test("text made to be slow is not slow", () => {
  const from = performance.now();
  for (const text of [
    "> ".repeat(20_000),
    "*".repeat(50_000),
    "[".repeat(50_000),
    "|a".repeat(20_000),
    "`".repeat(70_000),
  ])
    drawn(`${text}\n`);
  expect(performance.now() - from).toBeLessThan(3000);
});

test("a line of prose is drawn the same with and without the fast path", () => {
  const piece = fc.constantFrom(
    "word",
    " ",
    "  ",
    "1.",
    "-",
    "+",
    "=",
    "#",
    "!",
    "|",
    ">",
    "(c)",
    "http://a.b",
    "中",
    "👍",
    "—",
    "*",
    "`",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), fc.integer({ min: 10, max: 40 }), (pieces, columns) => {
      const line = `So ${pieces.join("")}`;
      // With the end of its line it is read as markdown in any case.
      expect(blockLines(line, columns)).toEqual(blockLines(`${line}\n`, columns));
    }),
  );
});

test("wrapped lines of a list or a quote keep their indent", () => {
  const path = "/workspaces/dir_aaaaaa/src/very/long/path/component.py";
  const nested = `1. first\n   - a path ${path} is long\n   - ${"日本語".repeat(8)}\n`;
  expect(blockLines(nested, 34)).toEqual([
    "1. first",
    "   - a path",
    `     ${path.slice(0, 29)}`,
    `     ${path.slice(29)} is`,
    "     long",
    "   - 日本語日本語日本語日本語日本",
    "     語日本語日本語日本語",
  ]);
  const quoted = "> - words that are more than a line\n>   > deeper words that are more than one\n";
  expect(blockLines(quoted, 24).map((line) => Bun.stripANSI(line))).toEqual([
    "│ - words that are more",
    "│   than a line",
    "│   │ deeper words that",
    "│   │ are more than one",
  ]);
  const coded = "- run this\n  ```\n  a line of code that is left as it stands\n  ```\n";
  expect(blockLines(coded, 20)).toEqual(["- run this", "      a line of code that is left as it stands"]);
});
