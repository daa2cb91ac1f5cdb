// `gsv mcp` at the prompt: arguments of a call, and the texts about servers. No server runs.

import { beforeEach, expect, test } from "bun:test";
import type { McpServer, McpToolShown } from "../../src/abi/links/mcp.ts";
import { FakeIo, runs, stdinOf } from "../support/io.ts";

const TOOL: McpToolShown = {
  ...{ server: "notes", name: "find", use: "ask", state: "accepted", description: "", tokens: 9, diff: null },
  parameters: {
    properties: {
      text: { type: "string" },
      limit: { type: "integer" },
      whole: { type: "boolean" },
      tags: { type: "array" },
      after: { anyOf: [{ type: "number" }, { type: "null" }] },
    },
  },
};

function server(more: Partial<McpServer> = {}): McpServer {
  return {
    ...{ name: "notes", state: "idle", scope: { kind: "account" }, error: null, server: null, protocol: null },
    definition: { kind: "stdio", command: "notes", args: [], directory: "/", env: [] },
    ...{ pid: null, hasResources: false, prompts: [], tools: 1, waiting: 0, offer: null, tokens: 9, updatedAt: 0 },
    ...{ instructions: "", ...more },
  };
}

let io: FakeIo;
let called: object[];
beforeEach(() => {
  io = new FakeIo();
  called = [];
  io.fakeSys.answer("sys.mcp.show", () => ({ server: server(), tools: [TOOL] }));
  io.fakeSys.answer("sys.mcp.call", (args) => {
    called.push(args);
    return { text: "done" };
  });
});

const call = (...words: string[]) => runs(io, "mcp", "call", "notes", "find", ...words);
const show = () => runs(io, "mcp", "show", "notes");

test.each([
  [["text=a=b", "limit=5", "whole=true"], { text: "a=b", limit: 5, whole: true }],
  [['tags=["x"]', "after=1.5", "other=7"], { tags: ["x"], after: 1.5, other: "7" }],
  [['{"text":"a=b"}'], { text: "a=b" }],
  [["text=5"], { text: "5" }],
  [[], {}],
])("the arguments %j have the types of the tool's schema", async (words, args) => {
  expect(await call(...words)).toBe(0);
  expect(called).toEqual([{ tool: "mcp.notes.find", args }]);
});

test("- reads a JSON object from stdin", async () => {
  io.stdin = stdinOf("pipe", [`{"limit":1}`]);
  expect(await call("-")).toBe(0);
  expect(called).toEqual([{ tool: "mcp.notes.find", args: { limit: 1 } }]);
});

test.each([
  [["limit=many"], "limit is not of type integer: many"],
  [["after=soon"], "after is not of type number or null: soon"],
  [["text=a", "b"], "not NAME=VALUE: b"],
  [["Ada"], "not NAME=VALUE: Ada"],
  [["[1]"], "the arguments are not a JSON object"],
])("the arguments %j are refused before the call", async (words, message) => {
  expect(await call(...words)).toBe(2);
  expect(io.stderr.text).toStartWith(`gsv: ${message}\n`);
  expect(called).toEqual([]);
});

test("instructions are an indented block, and a long text says how to read all", async () => {
  const instructions = Array.from({ length: 20 }, (_, at) => `Line ${at + 1} of it`).join("\n");
  io.fakeSys.answer("sys.mcp.show", () => ({ server: server({ instructions }), tools: [] }));
  expect(await show()).toBe(0);
  expect(io.stdout.text).toContain("  instructions:\n      Line 1 of it\n");
  expect(io.stdout.text).toContain("      Line 12 of it\n      … to read all: gsv mcp show notes --json\n");
});

test("a long description is wrapped at its indent on a terminal", async () => {
  const description = "Finds notes by words in their title or their text. ".repeat(8);
  io.fakeSys.answer("sys.mcp.show", () => ({ server: server(), tools: [{ ...TOOL, description }] }));
  io.terminal();
  expect(await show()).toBe(0);
  const lines = io.stdout.text.split("\n");
  expect(lines.filter((line) => line.length > io.stdout.columns)).toEqual([]);
  expect(lines.filter((line) => /^ {6}\S/.test(line)).length).toBeGreaterThan(4);
  expect(lines).toContain("      arguments: text, limit, whole, tags, after");
});

test.each([
  [1, "a waits for your approval. To see and start it: gsv mcp enable a\n"],
  [2, "2 servers wait for your approval. To see and start one: gsv mcp enable NAME\n"],
])("the list says what to do about %i pending servers", async (count, note) => {
  const pending = ["a", "b"].slice(0, count).map((name) => server({ name, state: "pending" }));
  io.fakeSys.answer("sys.mcp.list", () => ({ servers: [server(), ...pending] }));
  expect(await runs(io, "mcp", "list")).toBe(0);
  expect(io.stderr.text).toBe(note);
});
