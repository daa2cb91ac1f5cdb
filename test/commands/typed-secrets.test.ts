// A key or token that was typed in the wrong place is not printed back, whatever the command says about it.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { runs, stdinOf } from "../support/io.ts";
import { TestKernel } from "../support/kernel.ts";
import { KernelIo } from "../support/kernel-io.ts";

let home: TestKernel;
beforeAll(async () => {
  home = await TestKernel.boot();
});
afterAll(() => home[Symbol.asyncDispose]());

const TOKEN = "gsv_user_hVn3kR0qTz8LmW2xYb5cPd7e";
const KEYS = ["sk-ant-api03-ABCDEFGHIJKLMNOP0123456789", "AIzaSyD0123456789abcdefghijklmnopqrstu", TOKEN];
/** Of a provider whose keys have no prefix. */
const PLAIN = "4f9c0d7e1b2a4c5d8e6f7a8b9c0d1e2f";

async function printed(argv: readonly string[], typed: string): Promise<string> {
  const io = new KernelIo(home.sys).terminal();
  io.hidden.push(typed);
  await runs(io, ...argv);
  return io.stdout.text + io.stderr.text;
}

const ANYWHERE: readonly (readonly string[])[] = [
  ["SECRET"],
  ["--user", "SECRET", "ps"],
  ["config", "get", "SECRET"],
  ["config", "set", "SECRET", "x"],
  ["config", "set", "ai.model", "SECRET"],
  ["config", "set", "ai.maxTokens", "SECRET"],
  ["chat", "--model", "SECRET", "hi"],
  ["model", "init:1000", "SECRET"],
  ["models", "--provider", "SECRET"],
  ["kill", "SECRET"],
  ["approve", "SECRET"],
  ["archive", "show", "SECRET"],
  ["ps", "SECRET"],
  ["ps", "--uid", "SECRET"],
  ["agent", "show", "SECRET"],
];
/** Commands that take a secret, with it in the wrong place. */
const TAKING: readonly (readonly string[])[] = [
  ["auth", "SECRET"],
  ["auth", "provider", "SECRET"],
  ["auth", "provider", "openai", "SECRET"],
  ["auth", "login", "sam", "SECRET"],
  ["auth", "logout", "sam", "SECRET"],
  ["auth", "setup", "SECRET"],
  ["auth", "token", "SECRET"],
  ["auth", "token", "revoke", "SECRET"],
  ["auth", "token", "create", "SECRET"],
  ["auth", "token", "create", "--expires", "SECRET"],
  ["passwd", "sam", "SECRET"],
  ["config", "set", "apiKeys.openai", "SECRET"],
  ["config", "set", "ai.apiKey", "SECRET"],
  ["ps", "--set", "ai.apiKey=SECRET"],
];

const rows = [
  ...[...ANYWHERE, ...TAKING].flatMap((argv) => KEYS.map((key) => [argv.join(" "), key, argv] as const)),
  ...TAKING.map((argv) => [argv.join(" "), PLAIN, argv] as const),
];

test.each(rows)("gsv %s with %s", async (_, secret, argv) => {
  const words = argv.map((word) => word.replace("SECRET", secret));
  expect(await printed(words, secret)).not.toContain(secret);
});

test("a refused key is not quoted, typed or piped", async () => {
  for (const wrong of ["short", "with a blank inside 0123", "line-one-0123\nline-two-0123", "x1".repeat(5000)])
    for (const argv of [
      ["auth", "provider", "openai"],
      ["config", "set", "apiKeys.openai"],
      ["auth", "login", "sam"],
      ["passwd"],
    ]) {
      const io = new KernelIo(home.sys);
      io.stdin = stdinOf("pipe", [`${wrong}\n`]);
      await runs(io, ...argv);
      for (const text of [io.stdout.text + io.stderr.text, await printed(argv, wrong)])
        for (const line of wrong.split("\n")) expect([argv, text.includes(line)]).toEqual([argv, false]);
    }
});

test("ordinary words and paths are shown as they were typed", async () => {
  for (const word of [
    "sk-learn-tutorial.md",
    "skyscraper-model-x",
    "gsv_user_notes",
    "~/notes-2026-10-01-of-the-meeting.md",
  ])
    expect(await printed(["cat", word], "")).toContain(word);
  expect(await printed(["auth", "provider", "nobody"], "")).toContain('"nobody"');
});
