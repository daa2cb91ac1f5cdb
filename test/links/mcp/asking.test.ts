// What a server asks for during a call becomes a question to the process's person, in both protocols.

import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ShownApproval } from "../../../src/syscalls/approval/hil.ts";
import { TestKernel } from "../../support/kernel.ts";
import { scratchDirectory } from "../../support/scratch.ts";

const SERVER = join(import.meta.dir, "../../support/mcp/asking.ts");

async function asking(era: "legacy" | "modern") {
  const home = await TestKernel.boot();
  const file = join(home.directory, "calls");
  await home.sys.call("sys.mcp.add", { name: "notes", command: [process.execPath, SERVER, era, file], directory: "/" });
  const seen = (word: string) =>
    existsSync(file)
      ? readFileSync(file, "utf8")
          .split("\n")
          .filter((line) => line.startsWith(word))
      : [];
  const pid = await home.task();
  const call = async (tool: string) => {
    await home.sys.call("sys.mcp.allow", { name: "notes", tool });
    home.model.will(pid, { calls: [{ name: `mcp__notes__${tool}`, args: {} }] });
    return (await home.send("go", { pid })).runId;
  };
  const result = async () =>
    (await home.messages(pid)).flatMap((message) => (message.role === "toolResult" ? [message.content] : [])).at(-1);
  return { home, pid, call, seen, result, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}

type World = Awaited<ReturnType<typeof asking>>;

async function question({ home, pid }: World): Promise<{ id: string; question: string; choices?: string[] }> {
  const { waitsFor } = await home.inState(pid, "waiting_hil");
  if (waitsFor?.kind !== "question") throw new Error(`waits for ${waitsFor?.kind}`);
  const { approvals } = await home.sys.call<{ approvals: ShownApproval[] }>("hil.list", { id: waitsFor.id });
  return { id: waitsFor.id, ...(approvals[0]?.args as { question: string; choices?: string[] }) };
}

async function reply(world: World, text: string): Promise<string> {
  const { id, question: asked } = await question(world);
  await world.home.sys.call("hil.answer", { id, decision: "answer", text });
  return asked;
}

describe.each(["legacy", "modern"] as const)("a server of the %s protocol", (era) => {
  test("that shows a form gets the answers field by field, with defaults, under the same call", async () => {
    await using world = await asking(era);
    const run = await world.call("form");
    expect(await question(world)).toMatchObject({ choices: ["fill in", "(decline)"] });
    expect(await reply(world, "fill in")).toContain("notes (MCP server) asks: Who is it for?");
    expect(await reply(world, "Ada")).toContain("Your name (text)");
    expect(await reply(world, "0")).toContain("copies (integer, optional, default 2)");
    expect(await reply(world, "-")).toContain("at least 1 needed");
    expect(await question(world)).toMatchObject({ choices: ["red", "green", "(leave out)", "(decline)"] });
    await reply(world, "green");
    expect(await world.home.ended(run)).toMatchObject({ status: "ok" });
    const answered = JSON.parse((await world.result())?.output ?? "");
    expect(answered).toMatchObject({ action: "accept", content: { name: "Ada", copies: 2, colour: "green" } });
    if (era === "modern") expect(answered.requestState).toBe("state-1");
    expect(world.seen("call")).toHaveLength(era === "modern" ? 2 : 1);
    expect((await world.home.outline(world.pid)).filter((line) => line.startsWith("mcp__"))).toHaveLength(1);
  });

  test("gets no when its form is declined or asks for a secret, and the result says what it asked for", async () => {
    await using world = await asking(era);
    await world.call("confirm");
    expect(await reply(world, "(decline)")).toContain("Delete all notes?");
    await world.home.inState(world.pid, "idle");
    expect((await world.result())?.output).toContain('"action":"decline"');
    const run = await world.call("password");
    await world.home.ended(run);
    const { output } = (await world.result())!;
    expect(output).toContain("[notes asked for a secret (Ihr Paßwort); declined");
    expect(output).toContain('"action":"decline"');
    const { lines } = await world.home.sys.call<{ lines: string[] }>("sys.mcp.logs", { name: "notes" });
    expect(lines.join("\n")).toContain("notes asked for a secret");
  });

  test("that wants a page opened shows its host in ASCII, and nothing is fetched", async () => {
    await using world = await asking(era);
    await world.call("page");
    const { question: shown, choices } = await question(world);
    expect(shown).toContain("host: xn--gogle-jye.com");
    expect(shown).not.toContain("\u043e");
    expect(choices).toEqual(["done", "(decline)"]);
    await reply(world, "done");
    await world.home.inState(world.pid, "idle");
    expect((await world.result())?.output).toContain('"action":"accept"');
  });

  test("that asks the model waits for a person, and the process pays", async () => {
    await using world = await asking(era);
    const run = await world.call("sample");
    expect(await question(world)).toMatchObject({ choices: ["allow once", "(decline)"] });
    world.home.model.will(world.pid, { text: "hi there" });
    expect(await reply(world, "allow once")).toContain("user: Say hi");
    await world.home.ended(run);
    expect((await world.result())?.output).toContain("hi there");
    const other = await world.call("context");
    await world.home.ended(other);
    expect((await world.result())?.output).toContain("context of other servers, which gsv never gives");
  });

  test("whose question outlives the kernel gets the answer if it holds nothing; else the outcome is unknown", async () => {
    await using world = await asking(era);
    await world.call("confirm");
    await question(world);
    await world.home.restart();
    await reply(world, "yes");
    await world.home.inState(world.pid, "idle");
    const { output, outcome } = (await world.result())!;
    if (era === "modern") expect(output).toContain('"content":{"sure":true}');
    else expect([outcome, output]).toEqual(["unknown", expect.stringContaining("gsv was restarted")]);
  });

  test("gets no at once from a process without a person", async () => {
    await using world = await asking(era);
    await world.home.sys.call("sys.mcp.allow", { name: "notes", tool: "confirm" });
    const { text } = await world.home.sys.call<{ text: string }>("sys.mcp.call", {
      tool: "mcp.notes.confirm",
      args: {},
    });
    expect(text).toContain("[notes asked a question that nobody answered]");
    expect(text).toContain('"action":"cancel"');
  });

  test("learns that its call was cancelled, also while its question waits", async () => {
    await using world = await asking(era);
    const run = await world.call("hang");
    await world.home.inState(world.pid, "waiting_tool");
    await world.home.until("the server learns of it", async () => world.seen("call hang").length === 1);
    await world.home.sys.call("proc.abort", { pid: world.pid });
    expect(await world.home.ended(run)).toMatchObject({ status: "aborted" });
    await world.home.until("the server learns of it", async () => world.seen("notifications/cancelled").length === 1);
    if (era === "modern") return;
    await world.call("confirm");
    await question(world);
    await world.home.sys.call("proc.abort", { pid: world.pid });
    await world.home.inState(world.pid, "idle");
    await world.home.until("the server learns of it", async () => world.seen("notifications/cancelled").length === 2);
    expect((await world.result())?.outcome).toBe("unknown");
  });

  test("reports progress and a log", async () => {
    await using world = await asking(era);
    for (const tool of ["steps", "log"]) await world.home.ended(await world.call(tool));
    const texts = world.home.signals.flatMap((signal) => (signal.name === "chat.tool_progress" ? [signal.text] : []));
    expect(texts).toEqual(["1/3 step 1", "2/3 step 2", "3/3 step 3"].map((text) => `${text}\u241b[2J`));
    const { lines } = await world.home.sys.call<{ lines: string[] }>("sys.mcp.logs", { name: "notes" });
    expect(lines).toContain("warning db: slow");
  });
});

test("only servers of the older protocol hear of roots: the workspace of the process that calls, and nothing before a call", async () => {
  await using modern = await asking("modern");
  await modern.home.ended(await modern.call("log"));
  expect(modern.seen("capabilities")[0]).toBe('capabilities {"elicitation":{"form":{},"url":{}},"sampling":{}}');
  await using world = await asking("legacy");
  const { home } = world;
  expect(world.seen("capabilities")[0]).toContain('"roots":{}');
  await home.ended(await world.call("roots"));
  expect((await world.result())?.output).toBe('{"roots":[]}');
  const directory = scratchDirectory("project");
  await home.sys.call("workspace.attach", { what: directory, pid: world.pid });
  await home.ended(await world.call("roots"));
  const { roots } = JSON.parse((await world.result())?.output ?? "");
  expect(roots).toMatchObject([{ uri: `file://${directory}` }]);
  rmSync(directory, { recursive: true });
});

test("a server that asks without end is refused after ten questions, and the result names each once", async () => {
  await using world = await asking("legacy");
  await world.home.ended(await world.call("often"));
  const lines = (await world.result())?.output.split("\n");
  expect(lines).toEqual([expect.stringContaining("asked for a secret"), "20"]);
});
