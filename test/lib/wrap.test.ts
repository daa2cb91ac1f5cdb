import { describe, expect, test } from "bun:test";
import { displayWidth } from "../../src/lib/text/truncate.ts";
import { wrapCommand, wrapWords } from "../../src/lib/text/wrap.ts";

describe("text broken at words", () => {
  test("no line is wider than the terminal, and no word is lost or cut", () => {
    const text = "Leave a message and return at once; the answer is in the history later.";
    const lines = wrapWords(text, 20);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(20);
    expect(lines.join(" ")).toBe(text);
  });

  test("lines after the first are indented", () => {
    expect(wrapWords("one two three", 9, { first: "- ", rest: "  " })).toEqual(["- one two", "  three"]);
  });

  test("wide characters count as the columns they take", () => {
    for (const line of wrapWords("日本語 日本語 日本語", 14)) expect(displayWidth(line)).toBeLessThanOrEqual(14);
  });

  test("a word wider than the terminal stays whole for copying", () => {
    expect(wrapWords("see /var/sessions/sam/task:abc123 there", 10)).toEqual([
      "see",
      "/var/sessions/sam/task:abc123",
      "there",
    ]);
  });

  test("empty lines stay", () => expect(wrapWords("a\n\nb", 10)).toEqual(["a", "", "b"]));
});

describe("commands broken for a terminal", () => {
  const margins = { first: "  ", rest: "      " };
  const read = (lines: readonly string[]) => {
    const script = `set -- ${lines.map((line, at) => (at === 0 ? line.trimStart() : line)).join("\n")}\nprintf '%s\\n' "$@"`;
    return Bun.spawnSync(["sh", "-c", script], { env: {}, stdin: "ignore" }).stdout.toString();
  };

  test("a shell runs a copied command unchanged, and a comment as a comment", () => {
    for (const command of [
      'gsv proc spawn --label "docs audit of everything" --prompt "Review the docs for stale commands."',
      "gsv kill -STOP task:abc123 task:def456 task:ghi789 task:jkl012",
      "echo it\\'s",
      "gsv ps # and then kill everything there is, and more",
    ]) {
      for (const columns of [20, 30, 44, 60, 200]) {
        expect(read(wrapCommand(command, columns, margins))).toBe(read([command]));
      }
    }
  });

  test("a command that fits is unchanged", () => {
    expect(wrapCommand("gsv ps  --json", 40, margins)).toEqual(["  gsv ps  --json"]);
  });
});
