// Crash reports in /var/crash of failed runs: enough to find the cause, no secrets, limited in number and age.

import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { CrashCore } from "../../src/abi/process/crash.ts";
import { found } from "../support/canaries.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { addHuman } from "../support/people.ts";

const SECRET = "canary-core-qqqqqqqq";
const failing = { error: { class: "config", message: "no such model: nine" } } as const;

async function cores(home: TestKernel, sys = home.sys): Promise<readonly string[]> {
  const { files } = await sys.call<{ files: readonly string[] }>("fs.read", { path: "/var/crash" });
  return files;
}

async function core(home: TestKernel, name: string): Promise<CrashCore> {
  const { data } = await home.sys.call<{ data: string }>("fs.get", { path: `/var/crash/${name}` });
  return JSON.parse(Buffer.from(data, "base64").toString()) as CrashCore;
}

test("a failed run leaves account, reason, and last messages and calls; a successful one leaves nothing", async () => {
  await using home = await TestKernel.boot();
  await home.say("hello");
  expect(await cores(home)).toEqual([]);
  const call = { name: "Read", args: { path: "~/nothing.md" } };
  home.model.will(INIT, { calls: [call] }, failing);
  const end = await home.say("read my notes");
  const [name = ""] = await cores(home);
  expect(name).toMatch(/^init:1000-\d{8}T\d{9}Z\.json$/);
  const left = await core(home, name);
  expect(left).toMatchObject({
    ...{ v: 1, pid: INIT, owner: "sam", profile: "init", fault: null, inFlight: [] },
    run: { id: end.run, reason: "model.config", error: "no such model: nine" },
  });
  expect(left.messages.map(({ role }) => role).slice(-4)).toEqual(["user", "assistant", "toolResult", "system"]);
  const last = [
    { call: "fs.read", outcome: "ENOENT" },
    { call: "llm.chat", outcome: "config" },
  ];
  expect(left.calls.slice(-2)).toMatchObject(last);
  expect(Object.keys(left.versions)).toEqual(["gsv", "commit", "bun", "system"]);
  const file = join(home.paths.crashDir, "1000", name);
  expect([statSync(file).mode & 0o777, readFileSync(file, "utf8").endsWith("\n")]).toEqual([0o600, true]);
  expect(readdirSync(join(home.paths.crashDir, "1000"))).toEqual([name]);
});

test("a model that fails before any usage is named", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, failing);
  await home.say("hello");
  const [name = ""] = await cores(home);
  const { run, calls } = await core(home, name);
  expect([run.model, calls.some(({ args }) => String(args).includes(`"model":"${run.model}"`))]).toEqual([
    "offline",
    true,
  ]);
});

test("the report exists before the failure is signalled", async () => {
  await using home = await TestKernel.boot();
  const there: boolean[] = [];
  home.sys.on({ names: ["chat.complete"] }, () => there.push(existsSync(join(home.paths.crashDir, "1000"))));
  home.model.will(INIT, failing);
  await home.say("hello");
  expect(there).toEqual([true]);
});

test("an internal error shows its place and the running operation", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { fault: "a wire broke" });
  expect(await home.say("hello")).toMatchObject({ status: "error", reason: "fault" });
  const [name = ""] = await cores(home);
  expect((await core(home, name)).fault).toContain("TypeError: a wire broke");
  home.faults.length = 0;
});

test("it contains no secret, known or unknown, in any form", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("config.set", { key: "ai.apiKey", value: SECRET });
  const unknown = "sk-proj-abcdefghijklmnop123456";
  const call = { name: "Write", args: { path: `~/${SECRET}.md`, content: `password = "hunter2hunter2"\n${SECRET}` } };
  home.model.will(
    INIT,
    { text: `I use ${unknown}`, calls: [call] },
    { error: { class: "config", message: `bad key ${SECRET}` } },
  );
  await home.say(`my key is ${SECRET} and ${Buffer.from(`x${SECRET}`).toString("base64")}; token: abcdefgh`);
  const [name = ""] = await cores(home);
  const text = readFileSync(join(home.paths.crashDir, "1000", name), "utf8");
  expect(found([SECRET, unknown, "hunter2hunter2", "abcdefgh"], text)).toEqual([]);
  expect(text).toContain("[redacted]");
  // Still valid JSON.
  expect(JSON.parse(text).run.error).toBe("bad key [redacted]");
});

test("a heavy history leaves a small report", async () => {
  await using home = await TestKernel.boot();
  for (let count = 0; count < 12; count++) {
    home.model.will(INIT, { text: "y".repeat(60_000) });
    await home.say("x".repeat(60_000));
  }
  home.model.will(INIT, failing);
  await home.say("and now");
  const [name = ""] = await cores(home);
  expect(statSync(join(home.paths.crashDir, "1000", name)).size).toBeLessThan(256 * 1024);
  expect((await core(home, name)).messages.at(-1)).toMatchObject({ role: "system" });
});

test("the newest reports of an account are kept, and none if the limit is zero", async () => {
  await using home = await TestKernel.boot({ config: { "retention.crashes": 2 } });
  for (const message of ["one", "two", "three"]) {
    home.model.will(INIT, failing);
    await home.say(message);
    await home.clock.advance(1000);
  }
  const kept = await cores(home);
  expect(kept).toHaveLength(2);
  expect((await core(home, kept[1] ?? "")).messages.at(-2)).toMatchObject({ content: "three" });
  await using none = await TestKernel.boot({ config: { "retention.crashes": 0 } });
  none.model.will(INIT, failing);
  await none.say("one");
  expect(await cores(none)).toEqual([]);
});

test("only the owner and root can read them, and no account can delete them", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, failing);
  await home.say("hello");
  const [name = ""] = await cores(home);
  expect(await cores(home, home.person(0))).toEqual([name]);
  const { sys: bob } = await addHuman(home, "bob");
  expect(await cores(home, bob)).toEqual([]);
  expect((await home.refusal("fs.read", { path: `/var/crash/${name}` }, bob)).code).toBe("ENOENT");
  expect((await home.refusal("fs.delete", { path: `/var/crash/${name}` })).code).toBe("EROFS");
});

test("old reports are deleted", async () => {
  await using home = await TestKernel.boot({ config: { "retention.crashDays": 1 } });
  home.model.will(INIT, failing);
  await home.say("hello");
  await home.clock.advance(25 * 60 * 60 * 1000);
  await home.until("it is swept", async () => (await cores(home)).length === 0);
});
