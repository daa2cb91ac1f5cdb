// MCP servers that an editor hands over: none starts before a person has read its whole command.

import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Json } from "../../../commands/links/acp/rpc.ts";
import type { McpServer } from "../../../src/abi/links/mcp.ts";
import { Editor } from "../../support/acp-editor.ts";
import { scratchDirectory } from "../../support/scratch.ts";

const SERVER = join(import.meta.dir, "../../support/mcp/server.ts");

const given = (more: object = {}) => ({
  ...{ name: "My Notes", command: process.execPath, args: [SERVER] },
  ...{ env: [{ name: "NOTES_KEY", value: "canary-2f81" }], ...more },
});

const opened = async (it: Editor, cwd: string, ...mcpServers: object[]) =>
  String((await it.result("session/new", { cwd, mcpServers })).sessionId);

const states = async ({ home }: Editor) => {
  const { servers } = await home.sys.call<{ servers: readonly McpServer[] }>("sys.mcp.list", {});
  return servers.map(({ name, state }) => `${name}: ${state}`);
};

const asked = (it: Editor) => it.requests.map(({ toolCall }) => toolCall as Json);

test("it waits until the first prompt asks, then its tools are offered; another session with it does not ask again", async () => {
  await using it = await Editor.open();
  const cwd = scratchDirectory("editor");
  const sessionId = await opened(it, cwd, given());
  expect(await states(it)).toEqual(["my-notes: pending"]);
  it.chooses = () => ({ outcome: { outcome: "selected", optionId: "start" } });
  it.home.model.will(sessionId, { text: "Fine." });
  expect(await it.prompt(sessionId, "hello")).toEqual({ stopReason: "end_turn" });
  const [card] = asked(it);
  expect(card?.title).toBe("Start the MCP server my-notes");
  const text = JSON.stringify(card?.content);
  for (const part of [SERVER, `starts in ${cwd}`, "environment: NOTES_KEY"]) expect(text).toContain(part);
  expect(text).not.toContain("canary-2f81");
  const tools = it.home.model.asked(sessionId)[0]?.tools.map(({ name }) => name);
  expect(tools).toContain("mcp__my-notes__add");
  const other = await opened(it, cwd, given());
  it.home.model.will(other, { text: "Fine." });
  await it.prompt(other, "hello");
  expect(asked(it)).toHaveLength(1);
});

test("it is not started if the person denies it, and the next window asks again; one with another command is another server", async () => {
  await using it = await Editor.open();
  const cwd = scratchDirectory("editor");
  it.chooses = () => ({ outcome: { outcome: "selected", optionId: "deny" } });
  for (let times = 1; times <= 2; times++) {
    const sessionId = await opened(it, cwd, given());
    it.home.model.will(sessionId, { text: "Fine." });
    await it.prompt(sessionId, "hello");
    await it.prompt(sessionId, "/cost");
    expect(asked(it)).toHaveLength(times);
  }
  await opened(it, cwd, given({ args: [SERVER, "2"] }), given({ name: "bare", env: [] }));
  expect(await states(it)).toEqual(["bare: pending", "my-notes: pending", "my-notes-2: pending"]);
});

test("a prompt that is cancelled at the question does not run; what cannot be a server is named and left out", async () => {
  await using it = await Editor.open();
  const cwd = scratchDirectory("editor");
  const trap = given({ name: "trap", env: [{ name: "LD_PRELOAD", value: "/tmp/x.so" }] });
  const stream = { type: "sse", name: "old", url: "https://old.example/sse", headers: [] };
  const sessionId = await opened(it, cwd, trap, stream, given());
  expect(it.notes.join("\n")).toContain("MCP server trap of the editor: LD_PRELOAD cannot be set");
  expect(it.notes.join("\n")).toContain("MCP server old of the editor: only stdio and http are supported");
  expect(await states(it)).toEqual(["my-notes: pending"]);
  it.chooses = () => ({ outcome: { outcome: "cancelled" } });
  expect(await it.prompt(sessionId, "hello")).toEqual({ stopReason: "cancelled" });
  expect(await it.home.messages(sessionId)).toEqual([]);
  await it.prompt(sessionId, "hello");
  expect(asked(it)).toHaveLength(2);
});
