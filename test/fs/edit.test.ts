import { describe, expect, test } from "bun:test";
import { applyEdit } from "../../fs/read/edit.ts";
import { SysError } from "../../src/abi/errno.ts";

const edit = (text: string, oldString: string, newString: string, replaceAll = false) =>
  applyEdit(text, { oldString, newString, replaceAll }, "/f");

function fault(text: string, oldString: string, newString = "new", replaceAll = false): string {
  try {
    edit(text, oldString, newString, replaceAll);
  } catch (error) {
    if (error instanceof SysError) return `${error.code} ${error.message} | ${error.hints.join(" ")}`;
    throw error;
  }
  return "done";
}

describe("an edit", () => {
  test("replaces the one match, and with replaceAll every match", () => {
    expect(edit("a b c", "b", "B")).toEqual({ text: "a B c", replacements: 1, line: 1 });
    expect(edit("aaa", "a", "b", true)).toEqual({ text: "bbb", replacements: 3, line: 1 });
    expect(edit("ababab", "abab", "x", true)).toEqual({ text: "xab", replacements: 1, line: 1 });
    expect(edit("keep\nthis\n", "this\n", "")).toEqual({ text: "keep\n", replacements: 1, line: 2 });
  });

  test("takes the new text literally: $& and $1 mean nothing", () => {
    expect(edit("x = 1", "1", "$& $1 $$ $`").text).toBe("x = $& $1 $$ $`");
  });

  test("keeps CRLF when it was written with LF, and leaves mixed files alone", () => {
    expect(edit("a\r\nb\r\nc\r\n", "a\nb", "x\ny").text).toBe("x\r\ny\r\nc\r\n");
    expect(fault("a\r\nb\nc", "a\nb")).toStartWith("ECONFLICT");
  });

  test("without a match reports it with the most likely mistake", () => {
    expect(fault("one\ntwo\n", "three")).toBe(
      "ECONFLICT cannot edit /f: the old text was not found | read the file again and copy the text exactly",
    );
    expect(fault("one\ntwo\n", "     1\tone\n     2\ttwo")).toContain("leave out the line numbers");
    expect(fault("if (x) {\n\treturn;\n}\n", "if (x) {\n    return;\n}")).toContain(
      "line 1 differs only in white space",
    );
  });

  test("finds a match that differs in white space only, behind similar lines and blank lines", () => {
    expect(fault("a\na\n\n a\n\n\n b\n", "a\na\nb")).toContain("line 2 differs only in white space");
    expect(fault("a\nb\na\nb\n\ta\nc\n", "a\nb\na\nc")).toContain("line 3 differs only in white space");
    expect(fault("a\nb\na\nb\na\n", "a\nb\nb")).toContain("the nearest lines in the file are: 1: a 2: b 3: a");
  });

  // Comparing each wanted line with each line of the file would take minutes.
  test("of many lines that nearly match everywhere in a long file is refused quickly", () => {
    const text = `${"  }\n".repeat(200_000)}`;
    expect(fault(text, `${"}\n".repeat(50_000)}end`)).toContain("copy the text exactly");
  });

  test("with several matches reports their number and places, and the fix", () => {
    expect(fault("a\nb\na\n", "a")).toBe(
      "ECONFLICT cannot edit /f: the old text occurs 2 times (lines 1, 3) | add lines around it until it occurs once, or set replaceAll",
    );
    expect(fault("a\n".repeat(9), "a")).toContain("occurs 9 times (lines 1, 2, 3, 4, 5, …)");
  });

  test("that would exceed the maximum file size is refused before the file changes", () => {
    const text = "a".repeat(4 * 1024 * 1024);
    expect(fault(text, "a", "b".repeat(20), true)).toBe("EFBIG cannot edit /f: a file holds at most 64 MiB | ");
  });

  test("of an empty text, or to the same text, is refused", () => {
    expect(fault("x", "")).toContain("the old text is empty | to replace the whole file, write it");
    expect(fault("x", "x", "x")).toContain("are the same");
  });
});
