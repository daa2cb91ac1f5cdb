// MCP servers of a workspace or an agent: who gets their tools, and that none that came with a directory starts before a person approves it.

import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { holdServers } from "../../../commands/links/mcp-import/import.ts";
import type { McpServer } from "../../../src/abi/links/mcp.ts";
import { runs } from "../../support/io.ts";
import { TestKernel } from "../../support/kernel.ts";
import { KernelIo } from "../../support/kernel-io.ts";
import { servedMcp } from "../../support/mcp/served.ts";

const served = servedMcp((server) => {
  server.registerTool("add", { description: "Add two numbers" }, async () => ({
    content: [{ type: "text", text: "5" }],
  }));
});

/** A project of which each server leaves a file when it starts. */
function projectIn(home: TestKernel, servers: object): string {
  const directory = join(home.directory, "..", `project-${crypto.randomUUID()}`);
  mkdirSync(directory);
  writeFileSync(join(directory, ".mcp.json"), JSON.stringify({ mcpServers: servers }));
  return directory;
}

function ioAt(home: TestKernel, cwd: string, isTTY = true, env = {}): KernelIo {
  const side = {
    look: async (path: string) => (existsSync(path) ? { kind: "file", size: statSync(path).size, real: path } : null),
    read: async function* (path: string) {
      yield readFileSync(path);
    },
  };
  return Object.assign(new KernelIo(home.sys), {
    cwd,
    env,
    side,
    stdin: { isTTY, kind: isTTY ? "tty" : "none" },
  }) as never;
}

const serversOf = async (home: TestKernel) =>
  (await home.sys.call<{ servers: McpServer[] }>("sys.mcp.list", {})).servers;

async function offered(home: TestKernel, pid: string) {
  await home.say("go", { pid });
  return home.model
    .asked(pid)
    .at(-1)
    ?.tools.map(({ name }) => name)
    .filter((name) => name.startsWith("mcp__"));
}

test("a server of .mcp.json is pending: nothing starts it but a person's approval of the whole command", async () => {
  await using home = await TestKernel.boot();
  const mark = join(home.directory, "started");
  const evil = { command: "/bin/sh", args: ["-c", `touch ${mark}; exit 1`], env: { API_KEY: "canary-71" } };
  const directory = projectIn(home, { "Evil Notes": evil });
  const io = ioAt(home, directory, false);
  const held = () => holdServers(io, directory);
  expect(await held()).toBe("1 MCP server of .mcp.json waits for your approval: gsv mcp list");
  // Again at the next start: it is known.
  expect(await held()).toBeNull();
  expect((await serversOf(home)).map(({ name, state }) => [name, state])).toEqual([["evil-notes", "pending"]]);
  expect(await home.refusal("sys.mcp.refresh", { name: "evil-notes" })).toMatchObject({ code: "EPERM" });
  expect(await home.refusal("sys.mcp.call", { tool: "mcp.evil-notes.add", args: {} })).toMatchObject({
    code: "ENOENT",
  });
  const pid = await home.task({ workspace: directory });
  expect(await offered(home, pid)).toEqual([]);
  expect(await home.refusal("sys.mcp.enable", { name: "evil-notes" }, await home.insideOf(pid))).toMatchObject({
    code: "EPERM",
  });
  const asking = ioAt(home, directory, false);
  expect(await runs(asking, "mcp", "enable", "evil-notes")).toBe(2);
  expect(asking.stderr.text).toContain(`/bin/sh -c touch ${mark}; exit 1`);
  expect(asking.stderr.text).toContain("environment: API_KEY");
  expect(asking.stderr.text).not.toContain("canary-71");
  const no = ioAt(home, directory);
  no.answers.push("n");
  expect(await runs(no, "mcp", "enable", "evil-notes")).toBe(1);
  expect(existsSync(mark)).toBe(false);
  const yes = ioAt(home, directory);
  yes.answers.push("y");
  await runs(yes, "mcp", "enable", "evil-notes");
  expect(existsSync(mark)).toBe(true);
});

test("an import shows each server and adds it after a yes, for this directory only, and never twice", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("sys.mcp.add", { name: "numbers", url: served.url });
  const directory = projectIn(home, { numbers: { type: "http", url: served.url, headers: { "X-Key": "canary-72" } } });
  const no = ioAt(home, directory);
  no.answers.push("");
  expect(await runs(no, "mcp", "import")).toBe(1);
  expect(no.stderr.text).toContain(
    `From .mcp.json, for this directory only:\n  numbers-2: ${served.url}\n      headers: X-Key`,
  );
  expect(await serversOf(home)).toHaveLength(1);
  const yes = ioAt(home, directory);
  yes.answers.push("yes");
  expect([await runs(yes, "mcp", "import"), yes.stdout.text]).toEqual([0, "numbers-2: 1 tool\n"]);
  const [, added] = await serversOf(home);
  expect(added).toMatchObject({ name: "numbers-2", scope: { kind: "workspace", place: directory }, state: "ready" });
  const again = ioAt(home, directory);
  expect([await runs(again, "mcp", "import"), again.stderr.text]).toEqual([
    0,
    "1 MCP server already here\nnothing to add\n",
  ]);
  expect(no.stderr.text + yes.stderr.text + yes.stdout.text).not.toContain("canary-72");
});

test("a server that takes a variable of the person is not stored before an import has shown which", async () => {
  await using home = await TestKernel.boot();
  const headers = { "X-Version": "${MODEL_KEY}" };
  const directory = projectIn(home, { a: { url: served.url, headers }, b: { url: served.url } });
  const env = { MODEL_KEY: "canary-73" };
  expect(await holdServers(ioAt(home, directory, true, env), directory)).toBe(
    "1 MCP server of .mcp.json waits for your approval: gsv mcp list\n1 MCP server of .mcp.json takes your variables: gsv mcp import",
  );
  expect((await serversOf(home)).map(({ name }) => name)).toEqual(["b"]);
  const no = ioAt(home, directory, true, env);
  no.answers.push("n");
  expect(await runs(no, "mcp", "import")).toBe(1);
  expect(no.stderr.text).toContain("headers: X-Version (from MODEL_KEY)");
  expect(no.stderr.text).not.toContain("canary-73");
});

test("an import starts what it has shown, not an older entry that waits under the same command", async () => {
  await using home = await TestKernel.boot();
  const mark = join(home.directory, "started");
  const entry = { command: "/bin/sh", args: ["-c", `pwd > ${mark}; exit 1`] };
  const directory = projectIn(home, { notes: { ...entry, cwd: "/" } });
  await holdServers(ioAt(home, directory, false), directory);
  expect((await serversOf(home)).map(({ name, state }) => [name, state])).toEqual([["notes", "pending"]]);
  writeFileSync(join(directory, ".mcp.json"), JSON.stringify({ mcpServers: { notes: entry } }));
  const yes = ioAt(home, directory);
  yes.answers.push("y");
  await runs(yes, "mcp", "import");
  expect(yes.stderr.text).not.toContain("starts in");
  expect(readFileSync(mark, "utf8").trim()).toBe(directory);
});

test("only processes in its workspace get the tools of its servers, and only the agent those of its own", async () => {
  await using home = await TestKernel.boot();
  const directory = projectIn(home, {});
  await home.sys.call("sys.mcp.add", { name: "here", url: served.url, scope: "workspace", for: directory });
  await home.sys.call("sys.mcp.add", { name: "mine", url: served.url, scope: "agent" });
  await home.sys.call("sys.mcp.allow", { name: "here", tool: "add" });
  const inside = await home.task({ workspace: directory });
  const outside = await home.task();
  expect(await offered(home, inside)).toEqual(["mcp__here__add", "mcp__mine__add"]);
  expect(await offered(home, outside)).toEqual(["mcp__mine__add"]);
  const call = { tool: "mcp.here.add", args: {} };
  expect(await home.refusal("sys.mcp.call", call, await home.insideOf(outside, { approved: true }))).toMatchObject({
    code: "ENOENT",
  });
  expect(await home.sys.call("sys.mcp.call", call)).toEqual({ text: "5" });
  expect(await home.refusal("sys.mcp.add", { name: "x", url: served.url, for: directory })).toMatchObject({
    code: "EUSAGE",
  });
});
