// `gsv hooks …` on the command line: a hook is read before it is allowed, and nothing is allowed without an answer.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { appendFileSync } from "node:fs";
import { HookBed } from "../support/hooks.ts";
import { FakeIo, runs } from "../support/io.ts";
import { TestKernel } from "../support/kernel.ts";

let home: TestKernel;
let bed: HookBed;
let io: FakeIo;

beforeEach(async () => {
  home = await TestKernel.boot({ realTime: true });
  bed = new HookBed(home);
  io = newIo();
});

afterEach(() => home[Symbol.asyncDispose]());

/** With a real kernel. */
function newIo(): FakeIo {
  const made = new FakeIo();
  for (const name of ["list", "show", "allow", "deny", "run", "test"])
    made.fakeSys.answer(`hooks.${name}`, (args) => home.sys.call(`hooks.${name}`, args));
  return made;
}

async function listed(): Promise<string> {
  const fresh = newIo();
  expect(await runs(fresh, "hooks", "list")).toBe(0);
  return fresh.stdout.text;
}

test("a hook is shown in full, with hidden characters visible, and allowed by a yes", async () => {
  const path = bed.put("tool-before/guard", "printf '\u001b[2K\u202e' >&2\nexit 2");
  io.terminal().answers.push("y");
  expect(await runs(io, "hooks", "allow", "tool-before/guard")).toBe(0);
  expect(io.stdout.text).toMatch(/tool-before\/guard is allowed \(sha256:[0-9a-f]{12}\)\n$/);
  expect(io.stdout.text).toContain(path);
  expect(io.stdout.text).not.toMatch(/\u001b|\u202e/);
  expect(io.stdout.text).toContain("  exit 2");
  expect(io.questions).toEqual(["\nAllow this hook? [y/N] "]);
  expect(await listed()).toContain("allowed");
});

test("any other answer leaves it unchanged", async () => {
  bed.put("run-end/call", "exit 0");
  for (const answer of ["", "n", "maybe"]) {
    io.terminal().answers.push(answer);
    expect(await runs(io, "hooks", "allow", "run-end/call")).toBe(1);
  }
  expect(await listed()).toContain("new");
});

test("a hook that changes while a person reads it is not allowed by their yes", async () => {
  const path = bed.put("run-end/call", "exit 0");
  io.terminal();
  io.person.ask = async () => {
    appendFileSync(path, "# more\n");
    return "y";
  };
  expect(await runs(io, "hooks", "allow", "run-end/call")).toBe(1);
  expect(io.stderr.text).toContain("has changed since you looked at it; nothing was allowed");
  expect(await listed()).toContain("new");
});

test("without a terminal nothing is allowed, and --yes is named for scripts", async () => {
  bed.put("run-end/call", "exit 0");
  expect(await runs(io, "hooks", "allow", "run-end/call")).toBe(2);
  expect(io.stderr.text).toContain("exit 0");
  expect(io.stderr.text).toContain("gsv hooks allow run-end/call --yes");
  expect(await runs(io, "hooks", "allow", "run-end/call", "--yes")).toBe(0);
  expect(await listed()).toContain("allowed");
});

test("an invalid hook shows the fix, in the list and before it is allowed", async () => {
  const path = bed.put("run-end/open", "exit 0", 0o722);
  expect(await runs(io, "hooks", "allow", "run-end/open", "--yes")).toBe(1);
  expect(io.stderr.text).toContain(`chmod go-w ${path}`);
  expect(await listed()).toContain("others can write to it");
});

test("test and run show a hook's exit status, output and effect", async () => {
  await bed.allowed("tool-before/guard", "grep -q 'rm -rf' && { echo keep it >&2; exit 2; }; echo fine");
  expect(await runs(io, "hooks", "test", "tool-before/guard")).toBe(0);
  expect(io.stdout.text).toMatch(/exited with status 2 after \d+ ms; a tool call would be refused\nkeep it\n$/);
  expect(await runs(io, "hooks", "run", "tool-before/guard", '{"tool":"Read"}')).toBe(0);
  expect(io.stdout.text).toMatch(/exited with status 0 after \d+ ms; a tool call would go on\nfine\n$/);
});

test("a home without hooks names the manual page about them", async () => {
  expect(await runs(io, "hooks", "list")).toBe(0);
  expect([io.stdout.text, io.stderr.text]).toEqual(["", "(no hooks; see: gsv man 7 hooks)\n"]);
});
