// Commands of an agent that need approval, by their parts, the rules and the place they run.

import { expect, test } from "bun:test";
import type { Rule } from "../../../src/abi/policy.ts";
import { looksAt } from "../../../src/process/approvals/policy/shell-line.ts";
import { type Judging, judgeOn } from "../../support/shell-judging.ts";

const onGsv = async (command: string, more: Judging = {}) => (await judgeOn("gsv", command, more)).action;
const onHost = async (command: string, more: Judging = {}) => (await judgeOn("host", command, more)).action;

test.each([
  "rm notes",
  "cd /tmp && rm -rf *",
  "ls | xargs rm",
  "select x in a b; do rm $x; done",
  "\\rm x",
  "r''m x",
  '"rm" x',
  "/bin/rm x",
  "rm\\\n -r x",
  "find . -delete",
  "find . -name x -exec rm {} ';'",
  "mv a b",
  "rmdir d; echo",
  "(unlink x)",
  "echo `rm x`",
  'echo "a $(rm x)"',
  "for f in *; do rm $f; done",
  "sh -c 'rm x'",
  "eval rm x",
  "timeout 5 rm x",
  "env A=1 rm x",
  "gsv kill -KILL task:abc123",
  "proc reset",
  "archive delete x",
  "send --pid task:abc123 hello",
  "gsv send hello",
  "gsv --json proc send hello",
  "chat hello",
  "api proc.send '{}'",
  "echo hello | xargs gsv send",
  "curl -s https://example.org",
  "echo x|wget -i -",
  "ssh host ls",
  "sudo ls",
  "cat 'x",
])("on gsv it asks: %s", async (command) => {
  expect(await onGsv(command)).toBe("ask");
});

test.each([
  "ls -l /proc",
  "grep -r term .",
  "cat farm.txt; echo form",
  "ps | awk '{print $1}'",
  "echo x > ~/perm",
  "spawn --prompt 'look around'",
  "sed -i s/a/b/ ~/x",
  "echo send; cat chat; gsv man send; gsv proc list",
  "ls curl-notes rm-notes",
  "echo rm; echo 'curl x'",
  "for f in *.md; do wc -l $f; done",
])("on gsv it runs without approval: %s", async (command) => {
  expect(await onGsv(command)).toBe("auto");
});

test("it asks for a working directory that needs approval", async () => {
  expect(await onGsv("ls", { request: { ask: true } })).toBe("ask");
});

test("on the host only read-only commands run without approval, in an attached directory with a sandbox", async () => {
  expect(await onHost("ls")).toBe("auto");
  const grounds = [{ sandbox: null }, { attached: false }];
  expect(await Promise.all(grounds.map((ground) => onHost("ls", { ground })))).toEqual(["ask", "ask"]);
  const requests = [{ network: true }, { fed: true }, { ask: true }];
  expect(await Promise.all(requests.map((request) => onHost("ls", { request })))).toEqual(["ask", "ask", "ask"]);
});

const LOOKING: readonly (readonly [string, readonly string[]])[] = [
  ["ls", []],
  ["ls -la src", ["src"]],
  ["cat a/b.ts c", ["a/b.ts", "c"]],
  ["grep -rn word src", ["src"]],
  ["grep -rne word src", ["word", "src"]],
  ["head -20 notes", ["notes"]],
  ["head -n 5 notes", ["5", "notes"]],
  ["sed -n '10,20p' notes", ["notes"]],
  ["find src -name '*.ts' -type f", ["src"]],
  ["rg -n --glob '*.ts' word src", ["word", "src"]],
  ["git log --oneline -5", []],
  ["cat -- -x", ["./-x"]],
  ["jq -r .name package.json", ["package.json"]],
];

test.each(LOOKING)("%s only reads %j", (command, names) => {
  expect(looksAt(command)?.map((each) => each?.names)).toEqual([names]);
});

test.each(["ls src | head -5", "cat a && wc -l b; pwd", "git status 2>&1", "grep x a 2>/dev/null | sort | uniq -c"])(
  "each command of it only reads: %s",
  (command) => {
    expect(looksAt(command)?.every((each) => each !== null)).toBe(true);
  },
);

const NPM: Rule = { match: "shell.exec", target: "host", when: { argPrefix: { command: "npm test" } }, action: "auto" };
const NO_PUSH: Rule = { match: "shell.exec", when: { argPrefix: { command: "git push" } }, action: "deny" };

test("a rule allows a command by its first words, combined with read-only commands", async () => {
  const runs = [
    "npm test",
    "npm test -- --watch=false",
    "npm test | head -20",
    "timeout 60 npm test",
    "ls && npm test",
  ];
  for (const command of runs) {
    const { action, allowedByRuleOrMode } = await judgeOn("host", command, { rules: [NPM] });
    expect([command, action, allowedByRuleOrMode]).toEqual([command, "auto", true]);
  }
  const asks = ["npm tests", "npm run build", "npm test; npm publish", "npm test > out", "npm test $X", "npm test &"];
  for (const command of asks) expect([command, await onHost(command, { rules: [NPM] })]).toEqual([command, "ask"]);
  expect(await onHost("npm test", { rules: [NPM], ground: { sandbox: null } })).toBe("ask");
});

test("a deny applies wherever the command is hidden, in any long line and despite other rules", async () => {
  const rules: Rule[] = [{ match: "*", action: "auto" }, NO_PUSH];
  const hidden = ["git push", "ls; git push -f", "sh -c 'git push'", "echo $(git push)", "env A=1 /usr/bin/git push"];
  const long = `${"true && ".repeat(60)}git push`;
  for (const command of [...hidden, long]) {
    expect([command, await onGsv(command, { rules })]).toEqual([command, "deny"]);
    expect([command, await onHost(command, { rules })]).toEqual([command, "deny"]);
  }
  expect(await onHost("$X push", { rules })).not.toBe("auto");
});

test("a permanent approval covers exactly that text", async () => {
  const command = "make clean && rm -rf build/*.o";
  const rules: Rule[] = [{ match: "shell.exec", target: "host", when: { argEquals: { command } }, action: "auto" }];
  expect(await onHost(command, { rules })).toBe("auto");
  for (const other of [`${command} `, `${command}; ls`, command.replace("*", "a")])
    expect(await onHost(other, { rules })).toBe("ask");
  expect(await onGsv(command, { rules })).toBe("ask");
});

test("the verdict lists for each part its known effects and the reason to ask", async () => {
  const { reasons, parts } = await judgeOn("host", "ls src | xargs rm");
  expect(parts.map(({ text, tags }) => [text, tags])).toEqual([
    ["ls src", []],
    ["xargs rm", ["unclassified"]],
    ["rm", ["destructive"]],
  ]);
  expect(reasons).toEqual(["xargs rm: unknown command, may change files", "rm: deletes files or ends processes"]);
});

test("mode yolo runs commands that ask by default in a sandbox, but not those that a rule asks for", async () => {
  expect(await judgeOn("host", "make", { isFree: true })).toMatchObject({ action: "auto", allowedByRuleOrMode: true });
  expect(await onHost("make", { isFree: true, ground: { sandbox: null } })).toBe("ask");
  expect(await onHost("git push", { isFree: true, rules: [NO_PUSH] })).toBe("deny");
});
