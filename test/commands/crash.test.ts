// `gsv debug` and `gsv bugreport` after a failed run, with a whole kernel.

import { beforeEach, expect, test } from "bun:test";
import type { Side } from "../../commands/files/copy/side.ts";
import { coreText } from "../../commands/system/core-text.ts";
import type { CrashCore } from "../../src/abi/process/crash.ts";
import { found } from "../support/canaries.ts";
import { FakeIo, runs } from "../support/io.ts";
import { INIT, TestKernel } from "../support/kernel.ts";

const SECRET = "canary-report-zzzzzzzz";
const written = new Map<string, string>();
let io: FakeIo;

beforeEach(() => {
  io = new FakeIo();
  written.clear();
  io.side = {
    look: async (path: string) => (written.has(path) ? {} : null),
    async write(path: string, pieces: AsyncIterable<Uint8Array>) {
      const all: Uint8Array[] = [];
      for await (const piece of pieces) all.push(piece);
      written.set(path, Buffer.concat(all).toString());
    },
    async *read(path: string) {
      yield Buffer.from(written.get(path) ?? "");
    },
  } as Partial<Side> as Side;
});

/** A home in which the init has failed. */
async function failed(...kinds: readonly ("config" | "content")[]): Promise<TestKernel> {
  const home = await TestKernel.boot();
  io.sys = (() => home.sys) as never;
  for (const kind of kinds) {
    const call = { name: "Read", args: { path: "~/\u001b[31mred.md" } };
    home.model.will(INIT, { text: "let me see", calls: [call] }, { error: { class: kind, message: `it was ${kind}` } });
    await home.say(`try ${kind}`);
    await home.clock.advance(1000);
  }
  return home;
}

test("debug shows the failure, its subject, the last steps and advice; the newest by default", async () => {
  await using _ = await failed("content", "config");
  expect(await runs(io, "debug")).toBe(0);
  const text = io.stdout.text;
  for (const said of [
    "init:1000 failed: it was config",
    "why      the model name or address is wrong (model.config)",
    "user: try config",
    "assistant: let me see [Read",
    "Read: failed: ENOENT",
    "fs.read({",
    "gsv model init:1000",
  ])
    expect(text).toContain(said);
  expect(text).not.toContain("\u001b");
});

test("a report is selected by name, path, process, or as a host file", async () => {
  await using home = await failed("content", "config");
  expect(await runs(io, "debug", "--list", "--json")).toBe(0);
  const listed = io.stdout.lines.map((line) => JSON.parse(line) as { name: string; error: string });
  expect(listed.map(({ error }) => error)).toEqual(["it was config", "it was content"]);
  const name = listed[1]?.name ?? "";
  const { data } = await home.sys.call<{ data: string }>("fs.get", { path: `/var/crash/${name}` });
  written.set("./sent.json", Buffer.from(data, "base64").toString());
  for (const said of [name, `/var/crash/${name}`, "./sent.json"]) {
    io.stdout.text = "";
    expect(await runs(io, "debug", said, "--json")).toBe(0);
    expect(JSON.parse(io.stdout.text)).toMatchObject({ pid: INIT, run: { error: "it was content" } });
  }
  io.stdout.text = "";
  expect(await runs(io, "debug", INIT, "--json")).toBe(0);
  expect(JSON.parse(io.stdout.text).run.error).toBe("it was config");
});

test("an invalid report is refused, and a missing one is reported", async () => {
  await using _ = await failed();
  expect(await runs(io, "debug")).toBe(3);
  expect(io.stderr.text).toContain("no run left a crash record");
  expect(await runs(io, "debug", "task:abc123")).toBe(3);
  for (const text of ["", "[]", "{}", '{"v":2}', '{"v":1,"messages":1}']) {
    written.set("other.json", text);
    expect([text, await runs(io, "debug", "other.json")]).toEqual([text, 2]);
  }
});

test("a core with any altered part is refused or marked, without an internal error", async () => {
  await using home = await failed("content");
  const [entry] = (await home.sys.call<{ entries: { name: string }[] }>("fs.list", { path: "/var/crash" })).entries;
  const { data } = await home.sys.call<{ data: string }>("fs.get", { path: `/var/crash/${entry?.name}` });
  const whole = JSON.parse(Buffer.from(data, "base64").toString()) as object;
  for (const put of [undefined, null, 1e20, "constructor", true, [null], {}])
    for (const path of placesIn(whole)) {
      written.set("other.json", JSON.stringify(withAt(whole, path, put)));
      const status = await runs(io, "debug", "other.json");
      expect([path, put, [0, 2].includes(status)]).toEqual([path, put, true]);
    }
  expect(io.stdout.text + io.stderr.text).not.toMatch(/fault in gsv|native code/);
});

/** The path to every value in it. */
function placesIn(value: unknown): readonly string[][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => [[name], ...placesIn(each).map((rest) => [name, ...rest])]);
}

function withAt(value: unknown, [name, ...rest]: readonly string[], put: unknown): unknown {
  if (name === undefined) return put;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as { [name: string]: unknown };
  copy[name] = withAt(copy[name], rest, put);
  return copy;
}

test("text in a foreign core is printed without any effect", () => {
  const hostile = "\u001b]0;x\u0007\u202e";
  const core = {
    ...{ v: 1, at: 0, pid: hostile, label: hostile, owner: hostile, runAs: "x", profile: hostile, parent: null },
    run: { id: hostile, reason: hostile, error: hostile, model: null, usage: {} },
    ...{
      fault: hostile,
      messages: [{ role: hostile, content: { text: hostile, toolCalls: [{}] } }, { content: null }],
    },
    ...{ inFlight: [{ tool: hostile }], calls: [{ call: hostile }], versions: {} },
  } as unknown as CrashCore;
  expect(coreText("x.json", core)).not.toMatch(/[\u001b\u0007\u202e]/);
});

test("a report is a file with the failure, doctor, versions and settings, and a note that nothing was sent", async () => {
  await using home = await failed("config");
  await home.sys.call("config.set", { key: "compaction.reserveTokens", value: "15000" });
  expect(await runs(io, "bugreport", "-o", "report.md")).toBe(0);
  expect(io.stdout.text).toBe("report.md\n");
  expect(io.stderr.text).toContain("Nothing was sent");
  const report = written.get("report.md") ?? "";
  for (const said of [
    "## What failed",
    "## Core",
    "## Versions",
    "## Doctor",
    "compaction.reserveTokens = 15000 (user)",
  ])
    expect(report).toContain(said);
  expect(await runs(io, "bugreport", "-o", "report.md")).toBe(1);
  expect(await runs(io, "bugreport", "-o", "report.md", "--force")).toBe(0);
});

test("without a failed run there is still a report; a named one must exist", async () => {
  await using _ = await failed();
  expect(await runs(io, "bugreport", "-o", "-")).toBe(0);
  expect(io.stdout.text).toContain("## Versions");
  expect(io.stdout.text).not.toContain("## Core");
  expect(await runs(io, "bugreport", "task:abc123")).toBe(3);
  expect(written.size).toBe(0);
});

test("no secret is in a report: not of settings, environment, models or tools", async () => {
  await using home = await failed();
  const inEnvironment = "canary-env-yyyyyyyy";
  io.env = { HOME: "/home/nobody-else", OPENAI_API_KEY: inEnvironment } as never;
  await home.sys.call("config.set", { key: "ai.apiKey", value: SECRET });
  home.model.will(INIT, { error: { class: "config", message: `${SECRET} at /home/nobody-else/x` } });
  await home.say(`${inEnvironment} and ${SECRET}`);
  expect(await runs(io, "bugreport", "-o", "-")).toBe(0);
  expect(found([SECRET, inEnvironment], io.stdout.text)).toEqual([]);
  expect(io.stdout.text).not.toContain("nobody-else");
  expect(io.stdout.text).toContain("ai.apiKey = (a secret)");
});
