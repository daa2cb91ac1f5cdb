// Rules from the command line: an approval may write one for more than its call, the list says where each holds, and `policy rm` removes one.

import { expect, test } from "bun:test";
import { FakeIo, runs } from "../support/io.ts";

test("approve --pattern allows what the pattern covers, and --mode starts a plan", async () => {
  const io = new FakeIo();
  io.fakeSys.answer("hil.list", () => ({ approvals: [] }));
  io.fakeSys.answer("hil.answer", () => ({
    id: "k3x9",
    kind: "approval",
    decision: "approve",
    tool: "Shell",
    pid: "init:1000",
  }));
  expect(await runs(io, "approve", "k3x9", "--pattern", "npm install *")).toBe(0);
  expect(await runs(io, "approve", "k3x9", "--mode", "auto-edit")).toBe(0);
  expect(io.fakeSys.asked("hil.answer")).toEqual([
    { id: "k3x9", decision: "approve", always: true, pattern: "npm install *" },
    { id: "k3x9", decision: "approve", mode: "accept-edits" },
  ]);
});

test("the list says what each rule allows and where it holds", async () => {
  const rule = (command: string, network: string) => ({
    match: "shell.exec",
    target: "host",
    when: { argPrefix: { command }, argEquals: { network } },
    action: "auto",
  });
  const io = new FakeIo();
  io.fakeSys.answer("policy.list", () => ({
    rules: [
      { id: "aaaa", rule: rule("npm install", "false"), place: "/srv/app", by: "sam", createdAt: 0 },
      { id: "bbbb", rule: rule("curl", "true"), place: "dir_abc123", directory: "/srv/site", by: "sam", createdAt: 0 },
      {
        id: "cccc",
        rule: { match: "fs.edit", when: { argPrefix: { path: "/srv/app/src" } }, action: "auto" },
        place: null,
        by: "sam",
        createdAt: 0,
      },
      {
        id: "dddd",
        rule: { match: "net.*", when: { anyTag: ["network"] }, action: "deny" },
        place: null,
        by: "sam",
        createdAt: 0,
      },
    ],
  }));
  expect(await runs(io, "policy", "list")).toBe(0);
  const text = io.stdout.text;
  for (const each of [
    "run npm install * on host",
    "run curl * on host, with the network",
    "edit /srv/app/src/*",
    'net.* {"anyTag":["network"]}',
    "/srv/app",
    "/srv/site",
    "everywhere",
  ])
    expect(text).toContain(each);
});

test.each(["rm", "revoke"])("policy %s removes a rule", async (verb) => {
  const io = new FakeIo();
  io.fakeSys.answer("policy.revoke", ({ id }: { readonly id?: string }) => ({ id }));
  expect(await runs(io, "policy", verb, "k3x9")).toBe(0);
  expect(io.fakeSys.asked("policy.revoke")).toEqual([{ id: "k3x9" }]);
  expect(io.stdout.text).toBe("removed k3x9\n");
  const help = new FakeIo();
  expect(await runs(help, "policy", verb, "--help")).toBe(0);
  expect(help.stdout.text).toStartWith(`gsv policy ${verb}: Remove a rule\n`);
});
