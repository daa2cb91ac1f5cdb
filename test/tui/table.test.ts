// A table while it grows has the lines that it would have if it were whole, and costs no more with its length.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { Markdown } from "../../tui/screen/markdown.ts";
import { themeOf } from "../../tui/screen/theme.ts";
import { AnswerText } from "../../tui/talk/answer.ts";

const theme = themeOf({ colour: true, unicode: true });

function tailOf(writing: AnswerText): readonly string[] {
  return writing.tail().map((line) => line.slice(2));
}

const CELL = fc.constantFrom(
  "a",
  "word",
  "**bold** and `code`",
  "漢字 and 🙂",
  "x".repeat(70),
  "[a link](http://x.y)",
  "",
  "a \\| b",
);
const ROWS = fc.array(
  fc.oneof(
    { weight: 9, arbitrary: fc.array(CELL, { minLength: 1, maxLength: 4 }).map((cells) => `| ${cells.join(" | ")} |`) },
    { weight: 1, arbitrary: fc.constantFrom("> a quote", "- an item", "no bar", "***", "    code", "| a | b", "a |") },
  ),
  { maxLength: 12 },
);

test("at each piece it looks as if it were drawn whole, in every width", () => {
  const rule = fc.constantFrom("|---|:-:|--:|", "| --- | --- |", "|---|");
  fc.assert(
    fc.property(ROWS, rule, fc.integer({ min: 20, max: 110 }), fc.array(fc.nat(40)), (rows, under, columns, cuts) => {
      const source = ["| one | two | three |", under, ...rows].join("\n");
      const writing = new AnswerText({ theme, columns: () => columns });
      const whole = new Markdown(theme);
      let at = 0;
      for (const size of [...cuts, source.length]) {
        writing.push(source.slice(at, at + size));
        at += size;
        const shown = source.slice(0, at);
        // A quote, an item or a heading may begin another block.
        if (shown === "" || rows.some((row) => !row.startsWith("|"))) continue;
        expect(tailOf(writing)).toEqual([...whole.lines(shown.replace(/\n$/, ""), Math.min(columns - 1, 96) - 2)]);
      }
    }),
  );
});

test("what is no table after all is drawn as what it is", () => {
  const writing = new AnswerText({ theme, columns: () => 80 });
  const source = "| one | two |\n|---|---|\n| a | b |\n> a quote\n| c | d |\nlast";
  writing.push(source);
  expect(tailOf(writing)).toEqual([...new Markdown(theme).lines(source, 77)]);
});

test("a width that changes while it grows applies to all rows", () => {
  let columns = 100;
  const writing = new AnswerText({ theme, columns: () => columns });
  const head = "| one | two |\n|---|---|\n";
  const row = `| ${"some words ".repeat(8)} | b |\n`;
  writing.push(head + row);
  writing.tail();
  columns = 50;
  writing.push(row);
  expect(tailOf(writing)).toEqual([...new Markdown(theme).lines(head + row + row.trim(), 47)]);
});
