// MCP servers of an account, as its agents get them: tools are asked for, allowed, pinned and found by words.

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { McpServer, McpToolShown } from "../../../src/abi/links/mcp.ts";
import { TestKernel } from "../../support/kernel.ts";

const SERVER = join(import.meta.dir, "../../support/mcp/server.ts");

type Listed = { server: McpServer; tools: McpToolShown[] };

const add = (home: TestKernel, more: object = {}) =>
  home.sys.call<Listed>("sys.mcp.add", { name: "notes", command: [process.execPath, SERVER], directory: "/", ...more });

const offered = (home: TestKernel, pid: string) =>
  home.model
    .asked(pid)
    .at(-1)
    ?.tools.map(({ name }) => name) ?? [];

const results = async (home: TestKernel, pid: string) =>
  (await home.messages(pid)).flatMap((message) => (message.role === "toolResult" ? [message.content.output] : []));

async function calls(home: TestKernel, pid: string, name: string, args: object = {}) {
  home.model.will(pid, { calls: [{ name, args }] });
  return await home.send("go", { pid });
}

async function answer(home: TestKernel, pid: string, decision: "approve" | "deny") {
  const { waitsFor } = await home.inState(pid, "waiting_hil");
  await home.sys.call("hil.answer", { id: waitsFor?.kind === "approval" ? waitsFor.id : "", decision });
}

describe("a server that a person added", () => {
  test("shows its tools, and an agent's call asks, runs and returns the result", async () => {
    await using home = await TestKernel.boot();
    const { server, tools } = await add(home, { env: [`NOTES_KEY=canary-2f81${"x".repeat(2000)}`] });
    expect(server).toMatchObject({ state: "ready", tools: 6, waiting: 0, protocol: "2026-07-28" });
    expect(tools.find(({ name }) => name === "add")).toMatchObject({ use: "ask", description: "Add two numbers" });
    expect(JSON.stringify({ server, tools })).not.toContain("canary-2f81");
    const pid = await home.task();
    const { runId } = await calls(home, pid, "mcp__notes__add", { a: 2, b: 3 });
    await answer(home, pid, "approve");
    expect(await home.ended(runId)).toMatchObject({ status: "ok" });
    expect(offered(home, pid)).toContain("mcp__notes__add");
    expect(await results(home, pid)).toEqual(["5"]);
  });

  test("gets the usual environment and its own variables, and nothing else", async () => {
    await using home = await TestKernel.boot();
    await add(home, { env: ["NOTES_KEY=canary-2f81"] });
    const { text } = await home.sys.call<{ text: string }>("sys.mcp.call", { tool: "mcp.notes.environment", args: {} });
    const allowed = [
      "HOME",
      "LANG",
      "GSV_MCP",
      "NOTES_KEY",
      "PATH",
      "PWD",
      "SHELL",
      "TERM",
      "TMPDIR",
      "USER",
      "LOGNAME",
      "TZ",
    ];
    expect(text.split(" ").filter((name) => !allowed.includes(name))).toEqual([]);
    expect(text).toContain("NOTES_KEY");
    for (const word of ["LD_PRELOAD=canary", "NODE_OPTIONS=canary", "canary"]) {
      const refusal = await home.refusal("sys.mcp.add", { name: "x", command: ["/bin/true"], env: [word] });
      expect(JSON.stringify([refusal.message, refusal.hints])).not.toContain("canary");
    }
  });

  test("needs no approval for a tool that is allowed, and one that is never allowed is not offered", async () => {
    await using home = await TestKernel.boot();
    await add(home);
    await home.sys.call("sys.mcp.allow", { name: "notes", tool: "add" });
    await home.sys.call("sys.mcp.allow", { name: "notes", tool: "die", use: "never" });
    const pid = await home.task();
    const { runId } = await calls(home, pid, "mcp__notes__add", { a: 1, b: 1 });
    expect(await home.ended(runId)).toMatchObject({ status: "ok" });
    expect(await results(home, pid)).toEqual(["2"]);
    expect(offered(home, pid)).not.toContain("mcp__notes__die");
  });

  test("that ends during a call leaves an unknown outcome, and is started again for the next", async () => {
    await using home = await TestKernel.boot();
    await add(home);
    for (const tool of ["add", "die"]) await home.sys.call("sys.mcp.allow", { name: "notes", tool });
    const pid = await home.task();
    const { runId } = await calls(home, pid, "mcp__notes__die");
    await home.ended(runId);
    expect(await home.outline(pid)).toContain("mcp__notes__die: unknown");
    expect((await results(home, pid))[0]).toContain("the server ended; it may have run");
    await home.clock.advance(1000);
    const next = await calls(home, pid, "mcp__notes__add", { a: 4, b: 4 });
    await home.ended(next.runId);
    expect((await results(home, pid))[1]).toBe("8");
  });

  test("whose tool is described otherwise now is not called until a person accepts it; the allowance is gone then", async () => {
    await using home = await TestKernel.boot();
    await add(home);
    await home.sys.call("sys.mcp.allow", { name: "notes", tool: "add" });
    await home.sys.call("sys.mcp.remove", { name: "notes" });
    await add(home, {
      command: [
        "/bin/sh",
        "-c",
        `exec "$0" "$1" "$(cat "$2" 2>/dev/null || echo 1)"`,
        process.execPath,
        SERVER,
        join(home.directory, "version"),
      ],
    });
    await home.sys.call("sys.mcp.allow", { name: "notes", tool: "add" });
    await Bun.write(join(home.directory, "version"), "2");
    const { server, tools } = await home.sys.call<Listed>("sys.mcp.refresh", { name: "notes" });
    expect(server.waiting).toBe(1);
    expect(tools.find(({ name }) => name === "add")).toMatchObject({ state: "changed", use: "auto" });
    expect(tools.find(({ name }) => name === "add")?.diff).toContain("evil.test");
    const call = { tool: "mcp.notes.add", args: { a: 1, b: 1 } };
    expect(await home.refusal("sys.mcp.call", call)).toMatchObject({ code: "ENOENT" });
    const stale = await home.refusal("sys.mcp.refresh", { name: "notes", accept: "3f9a2c1b77a0" });
    expect(stale).toMatchObject({ code: "ESTALE", hints: ["to read them again: gsv mcp show notes"] });
    const accepted = await home.sys.call<Listed>("sys.mcp.refresh", { name: "notes", accept: server.offer });
    expect(accepted.server.waiting).toBe(0);
    expect(accepted.tools.find(({ name }) => name === "add")).toMatchObject({ state: "accepted", use: "ask" });
  });

  test("that offers other tools than those that a person read gets none of them accepted", async () => {
    await using home = await TestKernel.boot();
    const version = join(home.directory, "version");
    const script = `exec "$0" "$1" "$(cat "$2" 2>/dev/null || echo 1)"`;
    const { server: read } = await add(home, {
      command: ["/bin/sh", "-c", script, process.execPath, SERVER, version],
    });
    await Bun.write(version, "2");
    await home.sys.call("sys.mcp.refresh", { name: "notes" });
    const late = { name: "notes", accept: read.offer };
    expect(await home.refusal("sys.mcp.refresh", late)).toMatchObject({ code: "ESTALE" });
    expect((await home.sys.call<Listed>("sys.mcp.show", { name: "notes" })).server.waiting).toBe(1);
  });

  test("belongs to its account, and its agents cannot add or change one", async () => {
    await using home = await TestKernel.boot();
    await add(home);
    const pid = await home.task();
    const inside = await home.insideOf(pid);
    for (const [call, args] of [
      ["sys.mcp.add", { name: "own", command: ["/bin/true"] }],
      ["sys.mcp.allow", { name: "notes", tool: "add" }],
      ["sys.mcp.refresh", { name: "notes", accept: "3f9a2c1b77a0" }],
      ["sys.mcp.remove", { name: "notes" }],
    ] as const)
      expect(await home.refusal(call, args, inside)).toMatchObject({ code: "EPERM" });
  });
});

test("a person's call that is sent again to the next kernel does not run again: it gets its answer, if there was one", async () => {
  await using home = await TestKernel.boot();
  await add(home);
  const sum = (args: object) => home.sys.call("sys.mcp.call", { tool: "mcp.notes.add", args }, { requestId: "call-1" });
  const fail = () => home.sys.call("sys.mcp.call", { tool: "mcp.notes.fail", args: {} }, { requestId: "call-2" });
  expect(await sum({ a: 2, b: 3 })).toEqual({ text: "5" });
  await expect(fail()).rejects.toThrow("no such note");
  await home.restart();
  expect(await sum({ a: 2, b: 3 })).toEqual({ text: "5" });
  expect(await fail()).toEqual({ text: "the answer was lost; it may have run", lost: true });
  await expect(sum({ a: 2, b: 4 })).rejects.toMatchObject({ code: "ECONFLICT" });
});

test("a server that ends at once is not added, and the error has its last words", async () => {
  await using home = await TestKernel.boot();
  const command = ["/bin/sh", "-c", "echo no key given >&2; exit 1"];
  const { message, hints } = await home.refusal("sys.mcp.add", { name: "notes", command, directory: "/" });
  expect(message).toStartWith("the server did not start: ");
  expect(hints).toContain("no key given");
  expect(await home.sys.call("sys.mcp.list", {})).toEqual({ servers: [] });
});

test("many definitions are not sent to the model: it finds tools by words and calls them by one tool", async () => {
  await using home = await TestKernel.boot();
  await add(home);
  await home.sys.call("config.set", { key: "mcp.deferAbove", value: "1" });
  await home.sys.call("sys.mcp.allow", { name: "notes", tool: "add" });
  const pid = await home.task();
  home.model.will(
    pid,
    { calls: [{ name: "mcp__search", args: { query: "two numbers" } }] },
    { calls: [{ name: "mcp__call", args: { tool: "notes.add", args: { a: 20, b: 3 } } }] },
  );
  const { runId } = await home.send("go", { pid });
  expect(await home.ended(runId)).toMatchObject({ status: "ok" });
  expect(offered(home, pid).filter((name) => name.startsWith("mcp"))).toEqual(["mcp__search", "mcp__call"]);
  const [found, sum] = await results(home, pid);
  expect(found).toContain("notes.add: Tool of the MCP server notes");
  expect(sum).toBe("23");
});

test("a found call that no server would take gets its error at once, and no person is asked", async () => {
  await using home = await TestKernel.boot();
  await add(home);
  await home.sys.call("config.set", { key: "mcp.deferAbove", value: "1" });
  await home.sys.call("sys.mcp.allow", { name: "notes", tool: "die", use: "never" });
  const pid = await home.task();
  for (const tool of ["notes.die", "files.read", "die"]) {
    const { runId } = await calls(home, pid, "mcp__call", { tool, args: {} });
    expect(await home.ended(runId)).toMatchObject({ status: "ok" });
  }
  const [refused, unknown, bare] = await results(home, pid);
  expect(bare).toContain("no such tool: mcp.die");
  expect(refused).toContain("notes has no accepted tool die");
  expect(unknown).toContain("no such tool: mcp.files.read");
});

test("of two servers that are added under one name at once, one is refused, and the other works", async () => {
  await using home = await TestKernel.boot();
  const [first, second] = await Promise.allSettled([add(home), add(home)]);
  const refused = [first, second].filter(({ status }) => status === "rejected");
  expect(refused).toMatchObject([{ reason: { code: "EEXIST", message: "an MCP server is already called notes" } }]);
  const { servers } = await home.sys.call<{ servers: McpServer[] }>("sys.mcp.list", {});
  expect(servers.map(({ name, state }) => [name, state])).toEqual([["notes", "ready"]]);
});
