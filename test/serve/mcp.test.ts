// gsv as an MCP server behind the listener: the account and the capabilities of the token, sessions of one login, both protocols.

import { expect, test } from "bun:test";
import { Client, type ClientCapabilities, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { servingHttp } from "../../commands/links/mcp-server/over-http.ts";
import { realClock } from "../../src/lib/clock.ts";
import { listen } from "../../src/serve/listener.ts";
import { McpEndpoint } from "../../src/serve/mcp/endpoint.ts";
import { ERAS, type Era } from "../support/mcp/gsv-client.ts";
import { seeded } from "../support/random.ts";
import { inFrontOf, ServedKernel } from "../support/served-kernel.ts";

const DELETE = { name: "Delete", args: { path: "~/a.txt" } };

async function boot(): Promise<ServedKernel> {
  const served = await ServedKernel.boot();
  const options = inFrontOf(served.kernel);
  const ports = { clock: realClock, random: seeded(6).bytes, onError: () => {} };
  const mcp = new McpEndpoint({ ...ports, serve: servingHttp(ports) });
  await served.listener.close();
  served.listener = listen({ ...options, host: { ...options.host, mcp } });
  return served;
}

async function connect(
  served: ServedKernel,
  era: Era,
  more: { token?: string; capabilities?: ClientCapabilities } = {},
) {
  const { token = served.token, capabilities = {} } = more;
  const transport = new StreamableHTTPClientTransport(new URL(`${served.listener.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  const mode = era === "2026-07-28" ? { pin: era } : ("legacy" as const);
  const client = new Client({ name: "test", version: "1" }, { capabilities, versionNegotiation: { mode } });
  await client.connect(transport);
  const call = async (name: string, args: object) => {
    const { content } = await client.callTool({ name, arguments: { ...args } });
    return content.map((block) => (block.type === "text" ? block.text : "")).join("");
  };
  return { client, call, transport };
}

test.each(ERAS)(
  "%s: a task is delegated over HTTP, its messages are followed, and a form decides its request",
  async (era) => {
    const served = await boot();
    const { kernel } = served;
    const { client, call } = await connect(served, era, { capabilities: { elicitation: {} } });
    client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { decision: "approve" } }));
    await kernel.sys.call("fs.write", { path: "~/a.txt", content: "x" });
    const pid = await kernel.task();
    const heard: string[] = [];
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.push(params.uri));
    const uri = `gsv://proc/${pid}/messages`;
    if (era === "2025-11-25") await client.subscribeResource({ uri });
    else await client.listen({ resourceSubscriptions: [uri] });
    kernel.model.will(pid, { calls: [DELETE] }, { text: "Finished." });
    const sent = await call("send_message", { pid, message: "delete a.txt" });
    const run = /run ([0-9a-f-]{36})/.exec(sent)?.[1];
    expect(await call("wait", { pid, run })).toContain("Finished.");
    expect(await kernel.outline(pid)).toContain("Delete: completed");
    await kernel.until("the change is heard", () => heard.includes(uri));
    await client.close();
  },
);

test("a session belongs to the login that began it, and ends with that login", async () => {
  const served = await boot();
  const { kernel } = served;
  const { transport, client } = await connect(served, "2025-11-25");
  const { token: other } = await kernel.sys.call<{ token: string }>("sys.token.create", { label: "other" });
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const headers = { "mcp-session-id": transport.sessionId ?? "", accept: "application/json, text/event-stream" };
  const status = async (token: string) =>
    (await served.request("POST", "/mcp", list, { ...headers, authorization: `Bearer ${token}` })).status;
  expect([await status(served.token), await status(other), await status("gsv_user_wrong")]).toEqual([200, 404, 401]);
  await client.close();
  const mine = await connect(served, "2025-11-25", { token: other });
  const { tokens } = await kernel.sys.call<{ tokens: { id: string; label: string }[] }>("sys.token.list", {});
  await kernel.sys.call("sys.token.revoke", { id: tokens.find(({ label }) => label === "other")?.id });
  expect(await mine.call("list_processes", {}).catch(() => "ended")).toBe("ended");
  await mine.client.close().catch(() => {});
});

test.each(ERAS)("%s: a limited token gets its tools only, and no form of it decides anything", async (era) => {
  const served = await boot();
  const { kernel } = served;
  const allow = "proc.*,hil.*,system.whoami";
  const { token } = await kernel.sys.call<{ token: string }>("sys.token.create", { allow });
  const { client, call } = await connect(served, era, { token, capabilities: { elicitation: {} } });
  let forms = 0;
  client.setRequestHandler("elicitation/create", () => {
    forms++;
    return { action: "accept", content: { decision: "approve" } };
  });
  expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain("read_file");
  await kernel.sys.call("fs.write", { path: "~/a.txt", content: "x" });
  const pid = await kernel.task();
  kernel.model.will(pid, { calls: [DELETE] });
  const { runId: run } = await kernel.send("delete a.txt", { pid });
  await kernel.inState(pid, "waiting_hil");
  expect(await call("wait", { pid, run })).toContain("waiting for approval");
  expect([forms, (await kernel.get(pid)).state]).toEqual([0, "waiting_hil"]);
  await client.close();
});

test("a page of another origin, a wrong host, another method and other bodies are refused at the door", async () => {
  const served = await boot();
  const post = (headers: object, body = "{}") =>
    fetch(`${served.listener.url}/mcp`, {
      ...{ method: "POST", body },
      headers: { authorization: `Bearer ${served.token}`, "content-type": "application/json", ...headers },
    });
  const statuses = await Promise.all([
    post({ origin: "http://evil.test" }),
    post({ host: "evil.test" }),
    post({ "content-type": "text/plain" }),
    post({}, "not json"),
    post({}, "[]"),
    post({ "mcp-session-id": "guess" }),
    served.request("GET", "/mcp"),
    served.request("PUT", "/mcp", {}),
    fetch(`${served.listener.url}/mcp`, {
      method: "POST",
      body: "{}",
      headers: { "content-type": "application/json" },
    }),
  ]);
  expect(statuses.map(({ status }) => status)).toEqual([403, 421, 415, 400, 400, 404, 405, 405, 401]);
});
