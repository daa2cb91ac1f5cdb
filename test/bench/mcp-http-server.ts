// An MCP server over HTTP as a program of its own, on the SDK. It prints its port.

import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: "bench", version: "1" });
  server.registerTool(
    "add",
    { description: "Add two numbers", inputSchema: z.object({ a: z.number(), b: z.number() }) },
    async ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }] }),
  );
  return server;
});
const web = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => handler.fetch(request) });
process.stdout.write(`${web.port}\n`);
