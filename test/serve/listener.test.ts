// Real HTTP and websockets on loopback, against a fake kernel: answers, errors, and what neither may reveal.

import { afterEach, expect, test } from "bun:test";
import { LIMITS } from "../../src/abi/config/limits.ts";
import type { Listener } from "../../src/serve/listener.ts";
import { FakeDoor } from "../support/door.ts";
import { until } from "../support/io.ts";
import { hostPorts, listening } from "../support/listening.ts";

let listener: Listener | null = null;
afterEach(() => listener?.close());

function served(more: Parameters<typeof listening>[1] = {}): FakeDoor {
  const door = new FakeDoor();
  listener = listening(door, more);
  return door;
}

function post(path: string, body: unknown, headers: { readonly [name: string]: string } = {}): Promise<Response> {
  return fetch(`${listener!.url}${path}`, {
    method: "POST",
    headers: { authorization: "Bearer right", "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

test("a call answers with JSON, which no cache keeps and no page can read as anything else", async () => {
  served();
  const response = await post("/api/call/echo", { hello: "❄" });
  expect([response.status, await response.json()]).toEqual([200, { hello: "❄" }]);
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  expect(response.headers.get("access-control-allow-origin")).toBeNull();
});

test("an error is a problem document with code and hints, and never shows what failed inside", async () => {
  const faults: string[] = [];
  served({ faults });
  const failed = await post("/api/call/fail", {});
  expect([failed.status, failed.headers.get("content-type")]).toEqual([404, "application/problem+json"]);
  expect(await failed.json()).toMatchObject({ code: "ESRCH", detail: "no such process: task:abc123" });
  const crashed = await post("/api/call/crash", {});
  const body = await crashed.text();
  expect(crashed.status).toBe(500);
  expect(body).not.toMatch(/secret inner detail|TypeError|\.ts/);
  expect(faults).toEqual(["serve: TypeError: secret inner detail"]);
});

test("a method that a path does not have is answered with those that it has", async () => {
  served();
  const [call, health] = [
    await fetch(`${listener!.url}/api/call/echo`, { headers: { authorization: "Bearer right" } }),
    await fetch(`${listener!.url}/healthz`, { method: "HEAD" }),
  ];
  expect([call.status, call.headers.get("allow")]).toEqual([405, "POST"]);
  expect([health.status, health.headers.get("content-length"), await health.text()]).toEqual([200, "65", ""]);
});

test("a repeated key carries a call out once", async () => {
  served();
  const [first, again, quoted] = [
    await post("/api/call/count", {}, { "idempotency-key": "a-1" }),
    await post("/api/call/count", {}, { "idempotency-key": "a-1" }),
    await post("/api/call/count", {}, { "idempotency-key": '"a-1"' }),
  ];
  expect([await first.json(), await again.json(), await quoted.json()]).toEqual([1, 1, 1]);
});

test.each([
  ["not JSON", "{", 400],
  ["no object", "[1]", 400],
  ["too long", `"${"x".repeat(LIMITS.frameBytesMax)}"`, 413],
])("a body that is %s is refused", async (_what, body, status) => {
  const door = served();
  expect((await post("/api/call/echo", body)).status).toBe(status);
  expect(door.calls).toEqual([]);
});

test("a wrong token reaches no call, and the login learns the address it came from", async () => {
  const peers: string[] = [];
  const door = served({ peers });
  const response = await post("/api/call/echo", {}, { authorization: "Bearer wrong" });
  expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
  expect([door.calls, peers]).toEqual([[], ["127.0.0.1"]]);
});

test("a client that hangs up ends its call", async () => {
  const door = served();
  const stop = new AbortController();
  const call = fetch(`${listener!.url}/api/call/wait`, {
    ...{ method: "POST", signal: stop.signal },
    headers: { authorization: "Bearer right" },
  });
  await until(() => door.calls.length > 0);
  stop.abort();
  await call.catch(() => {});
  await until(() => door.aborted.length > 0);
  expect(door.aborted).toEqual(["wait"]);
});

/** A websocket after its hello, and the text of each frame it gets from then on. */
async function greeted(): Promise<{ readonly socket: WebSocket; readonly frames: string[] }> {
  const socket = new WebSocket(`${listener!.url.replace("http", "ws")}/api/socket`, {
    headers: { authorization: "Bearer right" },
  });
  const frames: string[] = [];
  socket.addEventListener("message", ({ data }) => frames.push(Buffer.from(data as Uint8Array).toString()));
  await new Promise((resolve) => socket.addEventListener("open", resolve));
  socket.send(`${JSON.stringify({ kind: "hello", clientId: "c", version: "1.0.0", cwd: "/etc", env: { A: "1" } })}\n`);
  await until(() => frames.length > 0);
  expect(frames.splice(0).join("")).toContain("helloOk");
  return { socket, frames };
}

test("the directory and environment that a client sends are ignored", async () => {
  const door = served();
  const { socket } = await greeted();
  expect(door.clients).toMatchObject([{ cwd: "", env: {} }]);
  socket.close();
});

test("bye reaches websockets, and requests get 503 with a time to retry", async () => {
  served();
  const { socket, frames } = await greeted();
  listener!.bye("restart");
  await until(() => frames.length > 0);
  expect(JSON.parse(frames.join(""))).toMatchObject({ kind: "bye", why: "restart" });
  socket.close();
  const [ready, health] = [await fetch(`${listener!.url}/readyz`), await fetch(`${listener!.url}/healthz`)];
  expect([ready.status, ready.headers.get("retry-after"), health.status]).toEqual([503, "1", 200]);
  expect((await post("/api/call/echo", {})).status).toBe(503);
});

test("ready means that calls are answered: a kernel that cannot read its store is alive, but not ready", async () => {
  served({ host: hostPorts({ isAnswering: async () => false }) });
  const [ready, health] = [await fetch(`${listener!.url}/readyz`), await fetch(`${listener!.url}/healthz`)];
  expect([ready.status, ready.headers.get("retry-after"), health.status]).toEqual([503, "1", 200]);
  expect(await ready.json()).toMatchObject({ code: "EAGAIN" });
});
