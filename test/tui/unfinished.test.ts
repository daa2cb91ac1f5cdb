// Unfinished and finished lines.

import { expect, test } from "bun:test";
import { isUnfinished } from "../../tui/line/unfinished.ts";

const OPEN = [
  "cat <<EOF",
  "cat <<EOF\nhello",
  "cat <<'END' | sort\nb\na",
  "echo hi \\",
  'echo "open',
  "echo 'open",
  "for i in 1 2 3",
  "for i in 1 2; do",
  "for i in 1 2; do\necho $i",
  "while true; do echo hi",
  "if true; then echo yes",
  "if true; then echo yes; else",
  "case $x in",
  "f() {",
  "f() { echo hi",
  "( cd /tmp",
  "ls |",
  "true &&",
  "false ||",
  "if true; then for i in 1; do echo $i; done",
];

const WHOLE = [
  "ls",
  "cat <<EOF\nhello\nEOF",
  "cat <<A <<B\na\nA\nb\nB",
  "cat <<-EOF\n\thello\n\tEOF",
  "echo hi \\\n there",
  'echo "it\'s done"',
  "echo 'for i in'",
  "for i in 1 2 3; do echo $i; done",
  "for i in 1 2\ndo\necho $i\ndone",
  "while true; do break; done",
  "if true; then echo yes; fi",
  "case x in x) echo y;; esac",
  "f() { echo hi; }",
  "( cd /tmp; ls )",
  "echo done",
  "echo if for case",
  "echo a # for i in",
  "{ echo a; echo b; }",
  "x=$(echo hi)",
  "echo $((1 + 2))",
  "[[ a == b ]] || echo no",
  "echo {a,b}",
  "find . -name '*.md' -exec cat {} \\;",
];

test.each(OPEN)("goes on: %s", (text) => {
  expect(isUnfinished(text)).toBe(true);
});

test.each(WHOLE)("is whole: %s", (text) => {
  expect(isUnfinished(text)).toBe(false);
});
