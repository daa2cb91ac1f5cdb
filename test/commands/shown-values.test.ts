// Values in errors: an empty one, such as an unset variable, is shown as "", a number as it was typed, and a thing that does not exist with its
// kind and name and exit status 3.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { COMMANDS } from "../../commands/table.ts";
import { domains } from "../../commands/verbs.ts";
import { runs } from "../support/io.ts";
import { TestKernel } from "../support/kernel.ts";
import { KernelIo } from "../support/kernel-io.ts";

let home: TestKernel;
beforeAll(async () => {
  home = await TestKernel.boot();
});
afterAll(() => home[Symbol.asyncDispose]());

/** These take any text, run until they are interrupted, or speak as bash does. */
const ENDLESS = [
  "chat",
  "council",
  "run",
  "events",
  "top",
  "attach",
  "__complete",
  "backup",
  "restore",
  "manager",
  "sh",
];

const nouns = await domains();
const PATHS: readonly (readonly string[])[] = [
  ...[...COMMANDS.keys()].filter((name) => !ENDLESS.includes(name)).map((name) => [name]),
  ...[...nouns].flatMap(([noun, verbs]) => [...verbs.keys()].map((verb) => [noun, verb])),
];

test.each(PATHS.map((path) => [path.join(" "), path] as const))("gsv %s ''", async (_, path) => {
  for (const rest of [[""], ["", ""]]) {
    const io = new KernelIo(home.sys);
    const status = await Promise.race([runs(io, ...path, ...rest), Bun.sleep(3000).then(() => "hangs")]);
    const [first = ""] = io.stderr.text.split("\n");
    if (status === 0) continue;
    expect([path, status, first]).toEqual([
      path,
      expect.any(Number),
      expect.stringMatching(/^gsv: (?!.*(?:: $|not $|\s$| {2}|: \())/),
    ]);
  }
});

test.each([
  [["history", "--limit", "000"], "not 000"],
  [["history", "--limit", "9007199254740993"], "not 9007199254740993"],
  [["ps", "--uid", "0x10"], "not 0x10"],
  [["history", "--after", "12345678901234567890"], "not 12345678901234567890"],
  [["config", "set", "ai.maxTokens", "00012.50"], 'not "00012.50"'],
  [["wait", "--timeout", "007x", "init:1000"], "not 007x"],
])("%j shows the number as it was typed", async (argv, says) => {
  const io = new KernelIo(home.sys);
  expect(await runs(io, ...argv)).not.toBe(0);
  expect(io.stderr.text.split("\n")[0]).toEndWith(says);
});

const ID = "0190a1b2-0000-7000-8000-000000000001";
test.each([
  [["history", "task:zzzzzz"], "process: task:zzzzzz"],
  [["kill", "nobody"], "process: nobody"],
  [["archive", "show", ID], `archive: ${ID}`],
  [["agent", "show", "nobody"], "agent: nobody"],
  [["project", "show", "nowhere"], "project: nowhere"],
  [["bundle", "show", "none"], "bundle: none"],
  [["agent", "create", "cook", "--bundles", "none"], "bundle: none"],
  [["session", "get", "agent:main:cli:dm:nobody"], "session: agent:main:cli:dm:nobody"],
  [["workspace", "get", "nowhere"], "workspace: nowhere"],
  [["approve", "zzzz"], "approval: zzzz"],
  [["policy", "rm", "zzzz"], "rule: zzzz"],
  [["repo", "log", "--repo", "nobody/none"], "repository: nobody/none"],
  [["skills", "show", "none"], "skill: none"],
  [["cat", "~/none.md"], "~/none.md: No such file or directory"],
  [["auth", "token", "revoke", ID], `token: ${ID}`],
] as const)("%j exits 3 with the kind and name of what is missing", async (argv, says) => {
  const io = new KernelIo(home.sys);
  const status = await runs(io, ...argv);
  expect([status, io.stderr.text.split("\n")[0]]).toEqual([3, expect.stringContaining(says)]);
});
