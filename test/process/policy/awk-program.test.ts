// awk programs that only read and print run without approval where reading does; all others ask.

import { expect, test } from "bun:test";
import { onlyReads } from "../../../src/process/approvals/policy/awk-program.ts";
import { judgeOn } from "../../support/shell-judging.ts";

test.each([
  "{print $1}",
  "{ print $NF, $1 }",
  "NR==1 {print}",
  "NR>=10 && NR<=20",
  "$3 > 5 { print $1 }",
  "/foo|bar/ { n++ } END { print n }",
  "!seen[$0]++",
  '{ sum += $2 } END { printf "%d\\n", sum / NR }',
  'BEGIN { FS = ":" } $1 ~ /^a[bc]+/ { print toupper($1) }',
  "{ for (i = 1; i <= NF; i++) if ($i != x) c[$i]++ } END { for (w in c) print w, c[w] }",
  "length($0) > 80",
])("it only reads: %s", (program) => {
  expect(onlyReads(program)).toBe(true);
});

test.each([
  'BEGIN{system("rm x")}',
  'BEGIN{system ("rm x")}',
  '{print | "sh"}',
  '{print > "x"}',
  '{print $1 >> "x"}',
  '{ print a; print b > "x" }',
  '{ printf("%s", $1) > "x" }',
  'BEGIN { while ("ls" | getline x) print x }',
  'BEGIN { getline x < "/etc/passwd" }',
  'BEGIN { ARGV[1] = "/etc/passwd"; ARGC = 2 }',
  "BEGIN { print ENVIRON[x] }",
  '@include "x"',
  '@load "x"',
  'BEGIN { f = "system"; @f(x) }',
  "function f(x) { return x }",
  '{ print x /"/ ; system("rm") ; y /"/ }',
  '(x) /"/ ; system("rm x") ; /"/',
  '{ print length /"/ }',
  "/[/]/ { print }",
  "{ print } # | sh",
  'BEGIN { printf "x" | "sh" }',
  '{ print "a" |& "x" }',
  'BEGIN { PROCINFO["x"] = 1 }',
  'BEGIN { "date" | x }',
  "'unclosed",
  '"unclosed',
  `{ print "${"a".repeat(3000)}" }`,
])("it may do more: %s", (program) => {
  expect(onlyReads(program)).toBe(false);
});

test.each([
  "awk '{print $1}' notes",
  "awk -F: '{print $1}' notes",
  "awk -F , -v x=3 '$1 > x' a b",
  "git status | awk '/modified/ {print $2}' | sort",
])("on the host it runs without approval: %s", async (command) => {
  expect((await judgeOn("host", command)).action).toBe("auto");
});

test.each([
  "awk -f program notes",
  "awk -i inplace '{print}' notes",
  "awk '{print $1}' /etc/passwd",
  "awk '{print $1}' ../x",
  "awk -v FILENAME=x '{print}' a",
  "awk --include=x '{print}' a",
  "awk '{print > $1}' notes",
  "awk",
])("on the host it asks: %s", async (command) => {
  expect((await judgeOn("host", command)).action).toBe("ask");
});
