// biome-ignore-all lint/suspicious/noTemplateCurlyInString: bash takes it, not we
// Ways around an allow list that have worked elsewhere. With readers, git status, npm test, find, rg, tar and sort allowed, each of them asks.

import { expect, test } from "bun:test";
import type { Rule } from "../../../src/abi/policy.ts";
import { judgeOn } from "../../support/shell-judging.ts";

const ALLOWED = [
  "ls",
  "cat",
  "echo",
  "grep",
  "find",
  "rg",
  "git status",
  "git log",
  "npm test",
  "tar",
  "sort",
  "sed",
  "man",
];
const rules: readonly Rule[] = ALLOWED.map((command) => ({
  match: "shell.exec",
  target: "host",
  when: { argPrefix: { command } },
  action: "auto",
}));

const BYPASSES = [
  "echo $(rm x)",
  "echo `rm x`",
  'echo "$(rm x)"',
  "cat <(rm x)",
  "echo ${x:-$(rm y)}",
  "echo $((a[$(rm x)]))",
  "ls;rm x",
  "ls; rm x",
  "ls && rm x",
  "ls || rm x",
  "ls | sh",
  "ls & rm x",
  "ls &",
  "ls\nrm x",
  "ls\rrm x",
  "ls \u00a0; rm x",
  "ls\u2003x",
  "cat$IFS/etc/passwd",
  "cat ${IFS}x",
  "X=rm; $X y",
  "$X y",
  "a=r; ${a}m x",
  "\\rm x",
  "r''m x",
  "r\\m x",
  "/bin/../bin/rm x",
  "{rm,x}",
  "echo {a,b}; {r,}m x",
  "alias ls=rm; ls x",
  "ls() { rm x; }; ls",
  "function ls { rm x; }",
  "echo x > ~/.bashrc",
  "echo x >> notes",
  "cat a | tee b",
  "cat x &> y",
  "sh <<E\nrm x\nE",
  "bash <<< 'rm x'",
  "sh -c 'rm x'",
  "eval 'rm x'",
  "env -S 'rm x'",
  "env ls",
  "xargs rm < list",
  "busybox rm x",
  "sudo ls",
  "nice rm x",
  "timeout 5 rm x",
  "command rm x",
  "exec rm x",
  "trap 'rm x' EXIT",
  "find . -exec rm {} +",
  "find . -delete",
  "find . -fprintf out %p",
  "find . -ok rm {} ';'",
  "rg --pre 'rm' x",
  "rg --hostname-bin=./x y",
  "git -c core.pager=rm status",
  "git status --ext-diff -c x",
  "git -C /elsewhere status",
  "git --git-dir=x status",
  "git log --output=x",
  "git log -O x",
  "GIT_SSH_COMMAND=rm git status",
  "PAGER=rm git log",
  "PATH=.:$PATH ls",
  "LD_PRELOAD=./x ls",
  "tar --checkpoint=1 --checkpoint-action=exec=rm -cf a b",
  "tar -I rm -cf a b",
  "tar --to-command=rm -xf a",
  "sort -o x y",
  "sort --compress-program=rm x",
  "sed -i s/a/b/ x",
  "sed -n '1w /tmp/x' y",
  "sed s/a/b/e x",
  "awk 'BEGIN{system(\"rm x\")}'",
  "man -P rm ls",
  "npm test --script-shell ./x",
  "echo 'unclosed",
  "ls # \nrm x",
  "! rm x",
  "time rm x",
  "coproc rm x",
  "[[ -v a[$(rm x)] ]]",
  "ls \u202erm x",
  `ls ${"a".repeat(10_001)}`,
];

test("there are more than sixty of them", () => {
  expect(new Set(BYPASSES).size).toBeGreaterThan(60);
});

test.each(BYPASSES)("it asks: %j", async (command) => {
  expect((await judgeOn("host", command, { rules })).action).toBe("ask");
});

test("the intended commands run", async () => {
  for (const command of ["ls -la", "git status", "npm test", "find . -name x", "tar -tf a.tar", "sort a | uniq"])
    expect([command, (await judgeOn("host", command, { rules })).action]).toEqual([command, "auto"]);
});

const DOES_MORE = [
  "cat x > y",
  "cat *",
  "cat {a,b}",
  "X=1 cat x",
  "grep -f list x",
  "grep -R word x",
  "wc --files0-from=x",
  "sort -o y x",
  "uniq x y",
  "xxd a b",
  "date -s x",
  "./ls",
  "bash x",
  "diff -r a b",
  "tail -f x",
  "du -L x",
  "git stash",
  "git branch new",
  "git diff --no-index /etc/passwd x",
  "jq 'import \"/etc/x\" as $d; $d' a",
  "tree -o x",
  "ls --time-style=x --hyperlink",
  "cat ~/x",
  "cat $HOME",
];

test.each(DOES_MORE)("with no rules it asks: %s", async (command) => {
  expect((await judgeOn("host", command)).action).toBe("ask");
});

test.each([
  "cat /etc/passwd",
  "cat ../x",
  "cat a/../../x",
  "grep -i x /etc/passwd",
  "grep -ex /etc/passwd",
  "grep -i1ex /etc/passwd",
  "head -- ../x",
])("a path outside asks: %s", async (command) => {
  expect((await judgeOn("host", command)).action).toBe("ask");
});
