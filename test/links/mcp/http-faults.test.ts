// What HTTP does to a connection: sessions that end, servers that ask for patience, redirects, pages in place of answers, and servers that know
// the older transport only.

import { afterEach, expect, test } from "bun:test";
import { realClock } from "../../../src/lib/clock.ts";
import { eventTransport, httpTransport } from "../../../src/links/mcp/http-transport.ts";
import { openLink } from "../../../src/links/mcp/link.ts";
import { TestKernel } from "../../support/kernel.ts";
import { plainCall, quietPeer } from "../../support/mcp/plain.ts";

interface Asked {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly _meta?: object };
}

type Reply = (asked: Asked, request: Request) => Response | null;

const TOOLS = ["add", "other"].map((name) => ({ name, inputSchema: { type: "object" } }));
const ADD = TOOLS[0]!;
const webs = new Set<Bun.Server<undefined>>();

afterEach(async () => {
  await Promise.all([...webs].map((web) => web.stop(true)));
  webs.clear();
});

/** A server of 2025-11-25 by hand. `reply` may answer first. */
function served(reply: Reply = () => null) {
  const calls: string[] = [];
  const web = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0 },
    async fetch(request) {
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const asked = (await request.json()) as Asked;
      if (asked.method === "tools/call") calls.push(asked.params?.name ?? "");
      return reply(asked, request) ?? answered(asked);
    },
  });
  webs.add(web);
  return { calls, url: `http://127.0.0.1:${web.port}/mcp` };
}

function answered({ id, method }: Asked): Response {
  if (id === undefined) return new Response(null, { status: 202 });
  if (method === "initialize")
    return json({ id, result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: SERVER } });
  if (method === "tools/list") return json({ id, result: { tools: TOOLS } });
  if (method === "tools/call") return json({ id, result: { content: [{ type: "text", text: "5" }] } });
  return json({ id, error: { code: -32601, message: "no such method" } });
}

const SERVER = { name: "x", version: "1" };
const json = (message: object, more: ResponseInit = {}) => Response.json({ jsonrpc: "2.0", ...message }, more);

const ports = (url: string) => ({
  ...{ url, headers: { Authorization: "Bearer canary" }, clock: realClock, login: null },
});
const link = (url: string) =>
  openLink(
    {
      transport: () => httpTransport(ports(url)),
      older: () => eventTransport(ports(url)),
      ...{ version: "0", clock: realClock, signal: new AbortController().signal, peer: quietPeer() },
    },
    { kind: "legacy" },
  );

test("a session that the server has forgotten: the call has not run, and the next one begins another session", async () => {
  let session = 1;
  const { calls, url } = served(({ method, id }, request) => {
    if (method === "initialize")
      return json(
        { id, result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: SERVER } },
        { headers: { "mcp-session-id": `s${session}` } },
      );
    const own = request.headers.get("mcp-session-id");
    return own === null || own === `s${session}` ? null : new Response("no session", { status: 404 });
  });
  await using home = await TestKernel.boot();
  await home.sys.call("sys.mcp.add", { name: "notes", url });
  const add = () => home.sys.call("sys.mcp.call", { tool: "mcp.notes.add", args: {} });
  expect(await add()).toEqual({ text: "5" });
  session = 2;
  await expect(add()).rejects.toThrow("the server has ended the session; call again");
  expect(calls).toHaveLength(2);
  expect(await add()).toEqual({ text: "5" });
});

test("a server that asks for a moment gets it; one that asks for long, or for nothing that is a time, gives an error", async () => {
  let refusals = 0;
  let wait = "";
  const { calls, url } = served(({ method }) =>
    method === "tools/call" && refusals-- > 0
      ? new Response("slow down", { status: 429, headers: { "retry-after": wait } })
      : null,
  );
  const it = await link(url);
  for (const moment of ["0", "Sat, 28 Nov 2020 10:00:00 GMT"]) {
    [refusals, wait] = [1, moment];
    expect(await it.call(ADD, {}, plainCall())).toMatchObject({ kind: "done", text: "5" });
  }
  expect(calls).toHaveLength(4);
  for (const long of ["3600", "Sat, 28 Nov 2099 10:00:00 GMT", "soon"]) {
    [refusals, wait] = [1, long];
    expect(await it.call(ADD, {}, plainCall())).toMatchObject({ kind: "failed", text: expect.stringContaining("429") });
  }
  expect(calls).toHaveLength(7);
  await it.close();
});

test.each([
  ["an internal error", () => new Response("oops", { status: 500 }), "unknown", "HTTP status 500"],
  [
    "a page",
    () => new Response("<html>", { headers: { "content-type": "text/html" } }),
    "unknown",
    "not an MCP server",
  ],
  ["a refusal", () => new Response("no", { status: 400 }), "failed", "HTTP status 400"],
] as const)("%s in place of an answer", async (_what, response, kind, text) => {
  const { url } = served(({ method }) => (method === "tools/call" ? response() : null));
  const it = await link(url);
  expect(await it.call(ADD, {}, plainCall())).toMatchObject({ kind, text: expect.stringContaining(text) });
  await it.close();
});

test("a redirect to another server is not followed, and that server gets nothing", async () => {
  const other = served();
  const seen: (string | null)[] = [];
  const target = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0 },
    fetch(request) {
      seen.push(request.headers.get("authorization"));
      return fetch(new Request(other.url, request));
    },
  });
  webs.add(target);
  for (const status of [301, 302, 307, 308]) {
    const { url } = served(({ method }) =>
      method === "tools/call" ? new Response(null, { status, headers: { location: `${target.url}mcp` } }) : null,
    );
    const it = await link(url);
    expect(await it.call(ADD, {}, plainCall())).toMatchObject({ kind: "failed" });
    await it.close();
  }
  expect(seen).toEqual([]);
});

test("a server of the older transport is reached by its stream; when that ends, the call on it may have run", async () => {
  let stream: ReadableStreamDefaultController<string> | undefined;
  const headers = { "content-type": "text/event-stream" };
  const web = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0, idleTimeout: 0 },
    async fetch(request) {
      if (request.method === "GET")
        return new Response(
          new ReadableStream<string>({
            start(controller) {
              stream = controller;
              controller.enqueue("event: endpoint\ndata: /messages\n\n");
            },
          }),
          { headers },
        );
      if (new URL(request.url).pathname !== "/messages") return new Response(null, { status: 405 });
      const asked = (await request.json()) as Asked;
      if (asked.params?.name === "other") stream?.close();
      else if (asked.id !== undefined) stream?.enqueue(`data: ${await answered(asked).text()}\n\n`);
      return new Response("accepted", { status: 202 });
    },
  });
  webs.add(web);
  const it = await link(`http://127.0.0.1:${web.port}/sse`);
  expect((await it.tools(new AbortController().signal)).map(({ name }) => name)).toEqual(["add", "other"]);
  expect(await it.call(ADD, {}, plainCall())).toMatchObject({ kind: "done", text: "5" });
  expect(await it.call(TOOLS[1]!, {}, plainCall())).toMatchObject({ kind: "unknown" });
  await it.closed;
});
