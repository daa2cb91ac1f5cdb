// A name of nothing: one wording and exit status 3 for every kind of thing, 127 for a command in a shell.

import { expect, test } from "bun:test";
import { TestKernel } from "../support/kernel.ts";
import { type } from "../support/shell.ts";

const KINDS: readonly (readonly [kind: string, line: string])[] = [
  ["process", "history --pid nope"],
  ["process", "kill nope"],
  ["process", "wait nope"],
  ["agent", "agent show nope"],
  ["agent", "persona show nope"],
  ["agent", "spawn --as nope"],
  ["agent", "chat --session agent:nope:cli:dm:x hello"],
  ["bundle", "bundle show nope"],
  ["bundle", "agent edit friday --bundles nope"],
  ["project", "project show nope"],
  ["project", "spawn --project nope"],
  ["skill", "skills show nope"],
  ["approval", "approve nope"],
  ["rule", "policy rm nope"],
];

test.each(KINDS)("no such %s: %s", async (kind, line) => {
  await using home = await TestKernel.boot();
  const { status, stdout, stderr } = await type(home, ...line.split(" "));
  expect([status, stdout, stderr.split("\n")[0]]).toEqual([3, "", `gsv: no such ${kind}: nope`]);
});

test("a command that gsv's shell does not know exits 127, and a setting that does not exist is configuration: 78", async () => {
  await using home = await TestKernel.boot();
  expect(await type(home, "sh", "-c", "nope")).toMatchObject({
    status: 127,
    stderr: "bash: nope: command not found\n",
  });
  for (const line of [
    ["get", "nope"],
    ["set", "nope", "1"],
    ["unset", "nope"],
  ]) {
    const { status, stderr } = await type(home, "config", ...line);
    expect([status, stderr.split("\n")[0]]).toEqual([78, "gsv: no such setting: nope"]);
  }
});
