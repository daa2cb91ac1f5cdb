// MCP servers in the terminal: /mcp lists them, and their prompts are slash commands.

import { expect, test } from "bun:test";
import type { McpServer } from "../../src/abi/links/mcp.ts";
import { complete } from "../../tui/line/complete.ts";
import { routeOf } from "../../tui/verdict/route.ts";
import { FakeIo } from "../support/io.ts";
import { Played } from "../support/played.ts";

function server(name: string, more: Partial<McpServer>): McpServer {
  return {
    ...{
      name,
      state: "ready",
      scope: { kind: "account" },
      error: null,
      server: null,
      protocol: null,
      instructions: "",
    },
    definition: { kind: "stdio", command: "npx", args: ["-y", "notes@1"], directory: "/", env: [] },
    ...{ pid: null, hasResources: false, prompts: [], tools: 1, waiting: 0, offer: null, tokens: 120, updatedAt: 0 },
    ...more,
  };
}

const SERVERS = [
  server("notes", {
    prompts: [
      {
        name: "plan",
        description: "Plan a\u001b[2J day",
        args: [{ name: "day", description: "which", required: true }],
      },
      { name: "bad name", description: "", args: [] },
    ],
  }),
  server("evil\u001b[2J", { state: "pending", definition: { kind: "http", url: "https://x.test/mcp", headers: [] } }),
  server("files", { state: "failed", error: "it has ended", waiting: 2, tools: 3 }),
];

test("/mcp lists the servers; enter shows one, alt-enter its log", async () => {
  const played = await Played.open({
    prepare: (io) => io.fakeSys.answer("sys.mcp.list", () => ({ servers: SERVERS })),
  });
  await played.type("/mcp\r");
  await played.until(/notes +ready +1 tool, 120 tokens +npx -y notes@1/);
  await played.until(/evil.* +pending +waits for you +https:\/\/x\.test\/mcp/);
  await played.until(/files +failed +3 tools, 2 new, 120 tokens +it has ended/);
  await played.until(/enter show {2}alt-enter log/);
  await played.type("notes\r");
  await played.until(/^\$ mcp show notes *\n.*sys\.mcp\.show/m);
  await played.type("/mcp\r");
  await played.until(/alt-enter log/);
  await played.type("files\x1b\r");
  await played.until(/^\$ mcp logs files *\n.*sys\.mcp\.logs/m);
});

test("a prompt of a server is a slash command, completed with its arguments, and sent to the attached process", async () => {
  const io = new FakeIo();
  io.fakeSys.answer("sys.mcp.list", () => ({ servers: SERVERS }));
  const context = { io, cwd: "/", home: "/", pid: "init:1000", programs: () => [] } as never;
  const completed = async (text: string) => (await complete(text, "slash", context)).candidates;
  expect(await completed("/notes")).toEqual([{ text: "/notes:plan ", note: "Plan a␛[2J day" }]);
  expect(await completed("/notes:plan d")).toEqual([{ text: "day=", note: "which" }]);
  const known = { isSlash: () => false } as never;
  expect(routeOf("/notes:plan day=today", known)).toEqual({ to: "slash", word: "notes:plan", rest: "day=today" });
  const played = await Played.open();
  await played.type("/notes:plan day=today\r");
  await played.until(/^\$ mcp prompt notes plan day=today --pid init:1000 *$/m);
});
