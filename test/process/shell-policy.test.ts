// Which commands of an agent ask a person, by their words and by where they would run.

import { expect, test } from "bun:test";
import { looksAt, shellVerdict } from "../../src/process/shell-policy.ts";

const GROUND = { directory: "/app", attached: true, looks: false, sandbox: "bwrap" } as const;
const onGsv = (command: string) => shellVerdict({ command, target: "gsv" }, null).action;

test.each([
  "rm notes",
  "cd /tmp && rm -rf *",
  "ls | xargs rm",
  "\\rm x",
  "r''m x",
  '"rm" x',
  "/bin/rm x",
  "rm\\\n -r x",
  "find . -delete",
  "find . -name x -exec echo {} ';'",
  "mv a b",
  "rmdir d; echo",
  "(unlink x)",
  "echo `rm x`",
  "gsv kill -KILL task:abc123",
  "proc reset",
  "archive delete x",
  "curl -s https://example.org",
  "echo x|wget -i -",
  "ssh host ls",
])("on gsv it asks: %s", (command) => {
  expect(onGsv(command)).toBe("ask");
  expect(shellVerdict({ command, target: "gsv" }, null)).toEqual({ action: "ask", why: `run in gsv: ${command}` });
});

test.each([
  "ls -l /proc",
  "grep -r term .",
  "cat farm.txt; echo form",
  "ps | awk '{print $1}'",
  "echo x > ~/perm",
  "spawn --prompt 'look around'",
  "sed -i s/a/b/ ~/x",
  "ls curl-notes rm-notes",
])("on gsv it runs by itself: %s", (command) => {
  expect(onGsv(command)).toBe("auto");
});

test("it asks where an agent wants it to, and when something is typed into a command", () => {
  expect(shellVerdict({ command: "ls", target: "gsv", ask: true }, null).action).toBe("ask");
  expect(shellVerdict({ id: "x", target: "host", input: "rm\n" }, null)).toEqual({
    action: "ask",
    why: "type into command x: rm\n",
  });
  for (const more of [{}, { signal: "TERM" as const }])
    expect(shellVerdict({ id: "x", target: "host", ...more }, null).action).toBe("auto");
});

test("on the host only looking runs by itself, where a person attached the directory and there is a sandbox", () => {
  const on = (ground: Partial<typeof GROUND> | object, more: object = {}) =>
    shellVerdict({ command: "ls", target: "host", ...more }, { ...GROUND, ...ground }).action;
  expect(on({ looks: true })).toBe("auto");
  const asking = [{}, { looks: true, sandbox: null }, { looks: true, attached: false }];
  expect(asking.map((ground) => on(ground))).toEqual(["ask", "ask", "ask"]);
  const more = [{ network: true }, { fed: true }, { ask: true }];
  expect(more.map((each) => on({ looks: true }, each))).toEqual(["ask", "ask", "ask"]);
});

test.each([
  ["ls", []],
  ["ls -la src", ["src"]],
  ["cat a/b.ts c", ["a/b.ts", "c"]],
  ["grep -rn word src", ["word", "src"]],
  ["head -20 notes", ["notes"]],
])("%s only looks at %j", (command, names) => {
  expect(looksAt(command)).toEqual(names);
});

test.each([
  "cat /etc/passwd",
  "cat ../x",
  "cat a/../../x",
  "cat ~/x",
  "cat $HOME",
  "cat x > y",
  "cat x | sh",
  "cat x; rm x",
  "cat x & rm x",
  "cat\nrm x",
  "cat *",
  "cat {a,b}",
  "cat `x`",
  "cat 'x'",
  "X=1 cat x",
  "grep -f list x",
  "grep -R x",
  "ls --color",
  "wc --files0-from=x",
  "sort -o y x",
  "uniq x y",
  "date -s x",
  "./ls",
  "bash x",
  "find . -delete",
  "git status",
  "ls \u00a0x",
])("%s does more, or may", (command) => {
  expect(looksAt(command)).toBeNull();
});
