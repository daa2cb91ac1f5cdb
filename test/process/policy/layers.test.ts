// Order of policies: narrower before wider, deny before all, and a repository's policy only narrows. And git queries in a repository that
// run none of its programs.

import { afterAll, expect, test } from "bun:test";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parsePolicy } from "../../../src/abi/policy.ts";
import { isPlainRepository } from "../../../src/kernel/shells/safe-git.ts";
import { decision, type Layer, type Subject } from "../../../src/process/approvals/policy/rules.ts";
import type { Explained } from "../../../src/syscalls/approval/policy.ts";
import { TestKernel } from "../../support/kernel.ts";
import { standInSandbox } from "../../support/sandbox.ts";
import { scratchDirectory } from "../../support/scratch.ts";

const scratch = scratchDirectory("layers");
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const layer = (name: string, policy: object, narrows = false): Layer => ({
  name,
  policy: parsePolicy(JSON.stringify(policy)),
  ...(narrows && { narrows: true }),
});

const READ: Subject = {
  call: "fs.read",
  target: "gsv",
  profile: "task",
  args: { path: "/proj/a" },
  tags: new Set(),
  words: null,
  place: "/proj/a",
  otherNames: [],
  unstable: null,
};
const about = (more: Partial<Subject>) => ({ ...READ, ...more });
const only = (rule: object) => [layer("yours", { rules: [rule] })];
const action = (layers: readonly Layer[], subject: Subject = READ) => decision(layers, subject)?.action ?? null;

test("the narrower policy decides, any deny wins, and a default comes last in its policy", () => {
  const auto = { rules: [{ match: "fs.read", action: "auto" }] };
  const ask = { rules: [{ match: "fs.*", action: "ask" }] };
  const deny = { rules: [{ match: "*", action: "deny" }] };
  expect(action([layer("here", auto), layer("home", ask)])).toBe("auto");
  expect(action([layer("here", ask), layer("home", auto)])).toBe("ask");
  expect(action([layer("here", auto), layer("home", deny)])).toBe("deny");
  expect(action([layer("here", { rules: [] }), layer("home", { default: "ask" })])).toBe("ask");
  expect(action([])).toBeNull();
});

test("a repository's policy narrows and never widens", () => {
  const auto = { default: "auto", rules: [{ match: "*", action: "auto" }] };
  expect(action([layer("the repository", auto, true)])).toBeNull();
  expect(
    action([layer("yours", auto), layer("the repository", { rules: [{ match: "*", action: "ask" }] }, true)]),
  ).toBe("ask");
  expect(action([layer("yours", auto), layer("the repository", { default: "deny" }, true)])).toBe("deny");
});

test("within a policy, exact rules come before general ones, otherwise their order decides", () => {
  const rules = [
    { match: "fs.*", action: "ask" },
    { match: "fs.read", target: "host", action: "ask" },
    { match: "fs.read", action: "auto" },
  ];
  expect(action([layer("yours", { rules })])).toBe("auto");
  expect(action([layer("yours", { rules })], about({ call: "fs.write" }))).toBe("ask");
  expect(action([layer("yours", { rules })], about({ target: "host" }))).toBe("ask");
});

test("a rule's path matches whole names and the real target: a deny applies to every spelling", () => {
  const auto = only({ match: "fs.read", when: { argPrefix: { path: "/proj" } }, action: "auto" });
  expect(action(auto)).toBe("auto");
  for (const place of ["/proj-secret/x", "/etc/passwd", "/PROJ/a"]) expect(action(auto, about({ place }))).toBeNull();
  const deny = only({ match: "fs.read", when: { argPrefix: { path: "/etc/passwd/" } }, action: "deny" });
  const spelled = [
    { place: "/etc/passwd" },
    { place: "/ETC/Passwd" },
    { place: "/etc/pass\u200bwd" },
    { place: "/etc/passwd", args: { path: "~/link" } },
    { place: "/elsewhere", args: { path: "/etc/passwd" } },
  ];
  for (const each of spelled) expect(action(deny, about(each))).toBe("deny");
});

test("all conditions must match: tags, profile, arguments", () => {
  const rule = {
    match: "fs.read",
    when: { anyTag: ["network"], anyProfile: ["cron", "task"], argEquals: { path: "/proj/a" } },
  };
  const rules = only({ ...rule, action: "ask" });
  expect(action(rules)).toBeNull();
  const fits = about({ tags: new Set(["network"]) });
  expect(action(rules, fits)).toBe("ask");
  expect(action(rules, { ...fits, profile: "init" })).toBeNull();
  expect(action(rules, { ...fits, place: "/proj/b", args: { path: "/proj/b" } })).toBeNull();
});

test.each([
  "",
  "[]",
  "null",
  '{"rule":[]}',
  '{"default":"allow"}',
  '{"rules":[{"match":"fs.read"}]}',
  '{"rules":[{"match":"fs.read","action":"auto","wen":{}}]}',
  '{"rules":[{"match":"$(x)","action":"auto"}]}',
  '{"rules":[{"match":"*","action":"auto","when":{"tag":"x"}}]}',
  '{"rules":[{"match":"*","action":"auto","when":{"anyTag":["unknown"]}}]}',
  '{"rules":[{"match":"*","action":"auto","when":{"argPrefix":{"command":""}}}]}',
  '{"rules":[{"match":"*","action":"auto","when":{"argEquals":{}}}]}',
  '{"rules":{"0":{}}}',
])("this is not a valid policy: %s", (text) => {
  expect(() => parsePolicy(text)).toThrow("invalid policy");
});

test("an invalid policy is not set, and explain names the deciding rule and policy", async () => {
  const program = standInSandbox(scratch).program;
  const work = join(scratch, "work");
  mkdirSync(join(work, ".gsv"), { recursive: true });
  await using home = await TestKernel.boot({ cwd: work, sandbox: program });
  const explain = (command: string) =>
    home.sys.call<Explained>("policy.explain", { command, target: "host", cwd: work });
  const set = (value: string) => home.sys.call("config.set", { key: "ai.tools.approval", value });
  await expect(set('{"default":"allow"}')).rejects.toThrow("invalid policy");
  expect(await explain("npm test")).toMatchObject({ action: "ask", mode: "ask" });
  await home.stores.kernel.attachments.attach("init:1000", work, 1);
  await set('{"rules":[{"match":"shell.exec","when":{"argPrefix":{"command":"npm"}},"action":"auto"}]}');
  expect(await explain("npm test")).toMatchObject({
    action: "auto",
    parts: [
      { text: "npm test", action: "auto", by: expect.stringContaining("rule 1 of your policy: auto shell.exec") },
    ],
  });
  writeFileSync(
    join(work, ".gsv/policy.json"),
    '{"rules":[{"match":"shell.exec","when":{"anyTag":["mutating"]},"action":"deny"}]}',
  );
  expect(await explain("npm test")).toMatchObject({
    action: "deny",
    parts: [{ by: expect.stringContaining("this repository") }],
  });
  writeFileSync(join(work, ".gsv/policy.json"), "not json");
  expect(await explain("npm test")).toMatchObject({ action: "ask" });
});

const GIT = join(scratch, "repo/.git");
const CONFIG =
  '[core]\n\trepositoryformatversion = 0\n\tbare = false\n[remote "origin"]\n\turl = https://example.org/x.git\n';

test("git runs without approval only where its configuration starts no program", () => {
  const plain = () => isPlainRepository(join(scratch, "repo"));
  expect(plain()).toBe(false);
  mkdirSync(join(GIT, "hooks"), { recursive: true });
  writeFileSync(join(GIT, "config"), CONFIG);
  writeFileSync(join(GIT, "hooks/pre-commit.sample"), "");
  expect(plain()).toBe(true);
  const sly = [
    "[core]\n\tfsmonitor = ./x",
    "[core]\n\tpager = ./x",
    "[core]\n\thooksPath = .",
    "[core] fsmonitor = ./x",
    '[filter "x"]\n\tclean = ./x',
    '[diff "x"]\n\ttextconv = ./x',
    "[include]\n\tpath = ../x",
    "[alias]\n\tstatus = !./x",
    "[core]\n\tbare = false \\\n\tfsmonitor = ./x",
    "[CORE]\n\tFSMonitor = ./x",
    "[gpg]\n\tprogram = ./x",
    "\u00a0[core]\u00a0",
  ];
  for (const more of sly) {
    writeFileSync(join(GIT, "config"), `${CONFIG}${more}\n`);
    expect([more, plain()]).toEqual([more, false]);
  }
  writeFileSync(join(GIT, "config"), CONFIG);
  writeFileSync(join(GIT, "hooks/post-index-change"), "#!/bin/sh\n");
  chmodSync(join(GIT, "hooks/post-index-change"), 0o755);
  expect(plain()).toBe(false);
});
