// Mistakes in scripts: the messages are bash's or gsv's, never the interpreter's.

import { afterAll, beforeEach, expect, test } from "bun:test";
import { Scripts } from "../support/scripts.ts";

const scripts = new Scripts();
afterAll(() => scripts.close());
beforeEach(() => scripts.reset());

const INNER =
  /just-bash|ExecutionLimit|executionLimits|Parse error|Expected [a-zA-Z]|\[sprintf\]|position \d|line 0|\n {4}at /;

test.each([
  [`echo \${x`, "unexpected EOF while looking for matching `}'"],
  ["function { echo; }", "syntax error: function needs a name"],
  ["function f", "syntax error: function needs a body: { cmd; }"],
  ["cat <<", "syntax error near unexpected token `newline'"],
  ["[[ -f ]]", "syntax error: -f needs an operand"],
])("%s is refused before anything runs", async (script, message) => {
  expect(await scripts.run(script)).toMatchObject({ exit: 2, stdout: "", stderr: `bash: line 1: ${message}\n` });
});

test.each([
  ["(( 1 + ))", `bash: ((: syntax error: operand expected (error token is "+")`],
  ["echo $((08))", 'bash: 08: value too great for base (error token is "08")'],
  ["echo $((2**-1))", "bash: 2**-1: exponent less than 0"],
  ["x='('; [[ a =~ $x ]]", "bash: [[: invalid regular expression"],
  ["printf '%z' a", "bash: printf: invalid format character"],
  ["set -o nope", "bash: set: nope: invalid option name"],
  ["jq '.[' <<< 1", "jq: syntax error: the filter ends too early at character 3"],
])("%s fails with one line", async (script, message) => {
  const { exit, stderr } = await scripts.run(script);
  expect(stderr).toBe(`${message}\n`);
  expect(exit).toBeGreaterThan(0);
});

test("no message has the interpreter's own words", async () => {
  const wrong = [
    "if true; then",
    "for i in; do",
    "case x in",
    "f( { echo; }",
    "((",
    "echo $((1 ? 2))",
    `echo \${x!y}`,
    `echo \${}`,
    "eval 'if'",
    `eval 'echo \${x!}'`,
    ". /tmp",
    "f() { f; }; f",
    "shift 5",
    "shopt -s nope",
    "declare -Z x",
    "a[ =1",
    "readonly r=1; r=2",
    "declare -A m; m[]=1",
    "{1..99999999}",
    "printf '%999999999d' 1",
    "x=(1 (2))",
    "echo $((99#1))",
    "x=a; for i in {1..40}; do x=$x$x; done",
    `echo \${x@Z}`,
    "[[ a =~ [ ]]",
    "echo a > /",
    "cat /nodir/x",
    "$'",
    "a[-5]=1",
    `echo x > ${"a".repeat(300)}`,
    "ls --nope",
    "grep '[' x",
    "sed 's/a'",
    "awk '{print'",
    "jq . <<< '{'",
    "jq '.a b' <<< 1",
  ];
  for (const script of wrong) {
    const { stdout, stderr } = await scripts.run(script);
    expect({ script, inner: INNER.exec(stdout + stderr)?.[0] }).toEqual({ script, inner: undefined });
  }
});
