// Editing the line: keys, several lines, wide letters, long pastes.

import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  cutTo,
  type Editing,
  EMPTY,
  erasedAhead,
  erasedBack,
  type Move,
  moved,
  pasted,
  typed,
  undone,
  wholeText,
  withText,
  yanked,
} from "../../tui/line/editor.ts";
import { LineLayout, movedRow, paintedRow } from "../../tui/line/rows.ts";

const layout = (editing: Editing, columns: number) => new LineLayout().of(editing, columns);

/** The bar is the cursor. */
function shown({ text, at }: Editing): string {
  return `${text.slice(0, at)}|${text.slice(at)}`;
}

function from(marked: string): Editing {
  const at = marked.indexOf("|");
  return { ...EMPTY, text: marked.replace("|", ""), at };
}

test("letters go in at the cursor, which moves by graphemes", () => {
  expect(shown(typed(from("ab|d"), "c"))).toBe("abc|d");
  expect(shown(erasedBack(from("a👩‍👩‍👧|b")))).toBe("a|b");
  expect(shown(erasedAhead(from("|é̂x")))).toBe("|x");
  expect(shown(erasedBack(from("|x")))).toBe("|x");
});

test.each<[string, Move, string]>([
  ["foo bar|", "word-left", "foo |bar"],
  ["foo, bar|", "word-left", "foo, |bar"],
  ["|foo bar", "word-right", "foo| bar"],
  ["a\nbc|d\ne", "line-start", "a\n|bcd\ne"],
  ["a\nbc|d\ne", "line-end", "a\nbcd|\ne"],
  ["|ab", "line-start", "|ab"],
  ["日本|語", "left", "日|本語"],
])("%s %s", (before, move, after) => expect(shown(moved(from(before), move))).toBe(after));

test("cut text can be pasted, and every edit undone", () => {
  const cut = cutTo(from("one two|"), "word-left");
  expect(shown(cut)).toBe("one |");
  expect(shown(yanked(yanked(cut)))).toBe("one twotwo|");
  expect(shown(undone(undone(yanked(cut))))).toBe("one two|");
  expect(shown(undone(EMPTY))).toBe("|");
});

test("the line end of a paste's last line begins no line of its own", () => {
  const chip = (text: string) => paintedRow(layout(pasted(EMPTY, text), 80).rows[0]!, pasted(EMPTY, text), []);
  expect(chip("row\n".repeat(40))).toBe("[paste 1: 40 lines, 160 B]");
  expect(chip(`${"row\n".repeat(40)}row`)).toBe("[paste 1: 41 lines, 163 B]");
  expect(chip("x".repeat(2000))).toBe("[paste 1: 1 line, 2 KB]");
});

test("a long paste moves and is deleted as one letter, and is sent whole", () => {
  const text = Array.from({ length: 5001 }, (_, row) => `row ${row}`).join("\n");
  const with2 = typed(pasted(typed(EMPTY, "look: "), text), "!");
  expect(layout(with2, 80).rows.map((row) => paintedRow(row, with2, []))).toEqual([
    "look: [paste 1: 5001 lines, 43 KB]!",
  ]);
  expect(wholeText(with2)).toBe(`look: ${text}!`);
  expect(wholeText(erasedBack(erasedBack(with2)))).toBe("look: ");
  expect(wholeText(pasted(EMPTY, "two\nlines"))).toBe("two\nlines");
});

test("rows wrap at the last column, wide letters whole, with the cursor in its cell", () => {
  const editing = from("ab中文c\nd|");
  const { rows, cursor } = layout(editing, 5);
  expect(rows.map((row) => paintedRow(row, editing, []))).toEqual(["ab中", "文c", "d"]);
  expect(cursor).toEqual({ row: 2, column: 1 });
  expect(layout(from("abcde|"), 5).cursor).toEqual({ row: 1, column: 0 });
});

test("up and down move by rows and stop at the first and last", () => {
  const up = movedRow(from("abcdef\nxy|"), -1, 20);
  expect(up && shown(up)).toBe("ab|cdef\nxy");
  expect(movedRow(from("ab|c"), -1, 20)).toBeNull();
  const down = movedRow(from("abc|def\nxy"), 1, 20);
  expect(down && shown(down)).toBe("abcdef\nxy|");
});

test("after any edits the cursor stands between graphemes, and undoing all of them restores the text", () => {
  const move = fc.constantFrom<Move>("left", "right", "word-left", "word-right", "line-start", "line-end");
  const step = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 6 }).map((text) => (editing: Editing) => typed(editing, text)),
    fc.constant(erasedBack),
    fc.constant(erasedAhead),
    fc.constant(yanked),
    move.map((where) => (editing: Editing) => moved(editing, where)),
    move.map((where) => (editing: Editing) => cutTo(editing, where)),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      let editing = withText(EMPTY, "");
      for (const apply of steps) {
        editing = apply(editing);
        expect(editing.at).toBeGreaterThanOrEqual(0);
        expect(editing.at).toBeLessThanOrEqual(editing.text.length);
        expect(
          layout(editing, 7)
            .rows.map(({ text }) => text)
            .join(""),
        ).toBe(editing.text.replaceAll("\n", ""));
      }
      while (editing.before.length > 0) editing = undone(editing);
      expect(editing.text).toBe("");
    }),
  );
});

test("a line from history or a long paste is inert on the terminal", () => {
  const hostile = withText(EMPTY, "ls \u001b[2J\u202e\u0007x");
  const { rows } = layout(hostile, 80);
  expect(rows.map((row) => paintedRow(row, hostile, []))).toEqual(["ls ␛[2J⟨U+202E⟩␇x"]);
  expect(wholeText(withText(EMPTY, "a\u001b[2J"))).toBe("a\u001b[2J");
});
