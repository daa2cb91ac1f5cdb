// The first account of a home is named after the user of this computer, as far as that is a valid account name.

import { expect, test } from "bun:test";
import { firstRunLine } from "../../src/client/first-run.ts";
import { humanName } from "../../src/kernel/accounts/account-names.ts";
import { TestKernel } from "../support/kernel.ts";
import { type } from "../support/shell.ts";

const NAMES: readonly (readonly [string, string])[] = [
  ["sam", "sam"],
  ["Sam.Smith", "sam_smith"],
  ["EXAMPLE\\sam", "example_sam"],
  ["zoë", "zo_"],
  ["root", "me"],
  ["ROOT", "me"],
  ["users", "me"],
  ["Drivers", "me"],
  ["services", "me"],
  ["kernel", "me"],
  ["friday", "friday"],
  ["ada", "ada"],
  ["ADA", "ada"],
  ["", "me"],
  ["7of9", "me"],
  ["---", "me"],
  ["../..", "me"],
  ["木村", "me"],
  ["a".repeat(40), "a".repeat(32)],
];

test.each(NAMES)("the computer's user %p is %p in gsv", (osUser, name) => {
  expect(humanName(osUser)).toBe(name);
});

const SAID: readonly (readonly [string, string])[] = [
  ["ada", ""],
  ["me", ""],
  ["Sam.Smith", "; your account there is sam_smith"],
  ["root", "; your account there is me: root cannot be an account name"],
  ["", "; your account there is me: your login has no name"],
];

test.each(SAID)("a new home prints a note when the computer's user %p has another name in gsv: %p", (osUser, told) => {
  expect(firstRunLine("/tmp/a", osUser)).toBe(`gsv: created a home at /tmp/a${told}\n`);
});

test("a user with the agent's default name keeps it, and the agent takes the next one", async () => {
  await using home = await TestKernel.boot({ fresh: true, osUser: "friday" });
  const { stdout } = await type(home, "user", "list", "--json");
  expect(stdout.match(/"username":"\w+"/g)?.slice(0, 2)).toEqual(['"username":"friday"', '"username":"sol"']);
});

test.each([
  "echo x > ~/context.d/a",
  "echo x >> ~/context.d/a",
  "echo x | tee ~/context.d/a > /dev/null",
  "echo x | tee -a ~/context.d/a > /dev/null",
  "echo x > /tmp/a; cp /tmp/a ~/context.d/a",
  "echo x > ~/a; mv ~/a ~/context.d/a",
  "echo x > ~/a; mv ~/a ~/context.d/",
  "echo x > ~/a; cp ~/a ~/context.d",
  "cd; echo x > context.d/a",
  "mkdir -p ~/context.d; echo x > ~/context.d/a",
  "cd ~/context.d; ls -a > /dev/null; echo x > a",
  "[ -d ~/context.d ] && [ ! -e ~/context.d/a ]; echo $? > /tmp/s; read s < /tmp/s; [ $s = 0 ] && echo x > ~/context.d/a",
])("the first file of a new home's context can come from: %s", async (script) => {
  await using home = await TestKernel.boot();
  const { status, stdout, stderr } = await type(home, "sh", "-c", `${script} && cat ~/context.d/a && ls ~`);
  expect([status, stderr, stdout]).toEqual([0, "", expect.stringMatching(/^x\n(?:a\n)?context\.d\n$/)]);
});
