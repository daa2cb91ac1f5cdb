// MCP servers over HTTP: both protocols, and servers that end, lie or send without end.

import { afterAll, expect, test } from "bun:test";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { realClock } from "../../../src/lib/clock.ts";
import { httpTransport } from "../../../src/links/mcp/http-transport.ts";
import { openLink } from "../../../src/links/mcp/link.ts";
import { plainCall, quietPeer } from "../../support/mcp/plain.ts";

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: "fixture", version: "1" });
  server.registerTool("hello", { description: "Greet" }, async () => ({ content: [{ type: "text", text: "hello" }] }));
  server.registerTool("cut", { description: "End without an answer" }, async () => new Promise(() => {}));
  return server;
});

const seen: (string | null)[] = [];
const web = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url);
    seen.push(request.headers.get("authorization"));
    if (pathname === "/page") return new Response("<html>sign in</html>", { headers: { "content-type": "text/html" } });
    if (pathname === "/locked") return new Response("no", { status: 401 });
    const text = await request.text();
    if (text.includes('"cut"'))
      return new Response(": nothing\n\n", { headers: { "content-type": "text/event-stream" } });
    if (text.includes('"endless"'))
      return new Response(endless(), { headers: { "content-type": "text/event-stream" } });
    return handler.fetch(
      new Request(request.url, { method: request.method, headers: request.headers, body: text || null }),
    );
  },
});
afterAll(() => web.stop(true));

function endless(): ReadableStream {
  const chunk = new Uint8Array(1024 * 1024).fill(120);
  return new ReadableStream({ pull: (controller) => controller.enqueue(chunk) });
}

const ports = (url: string) => ({
  ...{ url, headers: { Authorization: "Bearer canary" }, clock: realClock, login: null },
});
const link = (path = "/mcp") =>
  openLink(
    {
      transport: () => httpTransport(ports(`http://127.0.0.1:${web.port}${path}`)),
      ...{
        version: "0",
        clock: realClock,
        signal: new AbortController().signal,
        peer: quietPeer(),
      },
    },
    null,
  );
const signal = () => new AbortController().signal;
const tool = (name: string) => ({ name, inputSchema: { type: "object" } });

test("a server over HTTP lists its tools and answers, with the headers of its definition", async () => {
  const it = await link();
  expect(it.era.kind).toBe("modern");
  expect((await it.tools(signal())).map(({ name }) => name)).toEqual(["hello", "cut"]);
  expect(await it.call(tool("hello"), {}, plainCall())).toEqual({ kind: "done", text: "hello", media: [] });
  expect(new Set(seen)).toEqual(new Set(["Bearer canary"]));
  await it.close();
});

test("a response that ends without an answer leaves an unknown outcome at once", async () => {
  const it = await link();
  expect(await it.call(tool("cut"), {}, plainCall())).toMatchObject({ kind: "unknown" });
  expect(await it.call(tool("hello"), {}, plainCall())).toMatchObject({ text: "hello" });
  await it.close();
});

test("a response without end is cut", async () => {
  const it = await link();
  const before = process.memoryUsage.rss();
  expect(await it.call(tool("endless"), {}, plainCall())).toMatchObject({ kind: "unknown" });
  expect(process.memoryUsage.rss() - before).toBeLessThan(600 * 1024 * 1024);
  await it.close();
});

test.each(["/page", "/locked"])("%s is no server", async (path) => {
  await expect(link(path)).rejects.toMatchObject({ code: "EIO" });
});
