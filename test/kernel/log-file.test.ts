// /var/log/gsv/kernel.log in a whole kernel: its last lines, without secrets, for the right readers.

import { expect, test } from "bun:test";
import { appendFileSync, mkdirSync } from "node:fs";
import { INIT, TestKernel } from "../support/kernel.ts";

const PATH = "/var/log/gsv/kernel.log";
const SECRET = "a-key-nobody-must-read-93847";

async function logged(text: string): Promise<TestKernel> {
  const home = await TestKernel.boot();
  mkdirSync(home.paths.logDir, { recursive: true });
  appendFileSync(home.paths.kernelLog, text);
  return home;
}

const read = async (home: TestKernel) =>
  (await home.sys.call<{ content: string }>("fs.read", { path: PATH, limit: 5 })).content;

test("a secret that another program wrote to the log is redacted when read", async () => {
  await using home = await logged(`first line\nthe key is ${SECRET}\n`);
  await home.sys.call("config.set", { key: "ai.apiKey", value: SECRET });
  expect(await read(home)).toBe("first line\nthe key is [redacted]");
  expect((await home.sys.call<{ count: number }>("fs.search", { query: SECRET, path: "/var/log" })).count).toBe(0);
});

test("the personal agent of the home's owner cannot read the log", async () => {
  await using home = await logged("first line\n");
  expect((await home.refusal("fs.read", { path: PATH }, await home.insideOf(INIT))).code).toBe("EACCES");
  expect(await home.person(0).call<object>("fs.read", { path: PATH })).toMatchObject({ content: "first line" });
});

test("a long log shows its end from the start of a line, and a missing log is empty", async () => {
  await using home = await logged("");
  expect(await read(home)).toBe("");
  const line = `${"x".repeat(1023)}\n`;
  appendFileSync(home.paths.kernelLog, `too old\n${line.repeat(4096)}`);
  expect(await read(home)).toBe(line.repeat(5).slice(0, -1));
});
