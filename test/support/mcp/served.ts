// An MCP server over HTTP in the process of the test, for claims that need no program.

import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";

export interface Served extends AsyncDisposable {
  readonly url: string;
}

export function servedMcp(fill: (server: McpServer) => void, instructions?: string): Served {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "served", version: "1" }, instructions === undefined ? {} : { instructions });
    fill(server);
    return server;
  });
  const web = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => handler.fetch(request) });
  return {
    url: `http://127.0.0.1:${web.port}/mcp`,
    [Symbol.asyncDispose]: () => web.stop(true),
  };
}
