// One server while the kernel runs, with a fake clock and a link that does what the test says.

import { expect, test } from "bun:test";
import type { McpTool } from "../../../src/abi/links/mcp.ts";
import type { McpLink } from "../../../src/links/mcp/link.ts";
import type { CallEnd } from "../../../src/links/mcp/results.ts";
import { RunningServer } from "../../../src/links/mcp/running-server.ts";
import { FakeClock } from "../../support/clock.ts";
import { plainCall } from "../../support/mcp/plain.ts";

const ADD: McpTool = { name: "add", inputSchema: { type: "object" } };
const DONE: CallEnd = { kind: "done", text: "5", media: [] };

function world() {
  const clock = new FakeClock();
  const it = { starts: 0, lists: 0, closes: 0, broken: false, listing: async () => [ADD], end: DONE as CallEnd };
  let gone = Promise.withResolvers<void>();
  let change = () => {};
  const server = new RunningServer({
    ...{ name: "notes", clock, log: () => {} },
    async open(_signal, peer): Promise<McpLink> {
      it.starts++;
      change = peer.onChange;
      if (it.broken) throw new Error("no such program");
      gone = Promise.withResolvers<void>();
      return {
        ...{ era: { kind: "legacy" }, instructions: "", server: { name: "x", version: "1" } },
        ...{ pid: null, resources: null, prompts: async () => [] },
        ...{ read: () => Promise.reject(new Error("nothing")), prompt: async () => "" },
        tools: (signal) => Promise.race([it.listing(), aborted(signal)]),
        call: async () => it.end,
        closed: gone.promise,
        async close() {
          it.closes++;
          gone.resolve();
        },
      };
    },
    listed: async () => void it.lists++,
  });
  const call = () => server.call(ADD, {}, plainCall());
  return { it, clock, server, call, end: () => gone.resolve(), change: () => change() };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))));
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

test("starts at the first call only, once for calls at the same time", async () => {
  const { it, call, server } = world();
  expect([it.starts, server.state]).toEqual([0, "idle"]);
  expect(await Promise.all([call(), call()])).toEqual([DONE, DONE]);
  expect([it.starts, server.state]).toEqual([1, "ready"]);
});

test("stops after five minutes without a call, and starts again for the next", async () => {
  const { it, clock, call, server } = world();
  await call();
  await clock.advance(4 * 60_000);
  await call();
  await clock.advance(4 * 60_000);
  expect([it.closes, server.state]).toEqual([0, "ready"]);
  await clock.advance(60_000);
  await settled();
  expect([it.closes, server.state]).toEqual([1, "idle"]);
  expect(await call()).toEqual(DONE);
  expect(it.starts).toBe(2);
});

test("waits longer after each failed start, and says for how long", async () => {
  const { it, clock, call, server } = world();
  it.broken = true;
  await expect(call()).rejects.toThrow("no such program");
  expect(server.state).toBe("failed");
  await expect(call()).rejects.toMatchObject({ code: "EAGAIN", message: "notes: no such program" });
  expect(it.starts).toBe(1);
  await clock.advance(1000);
  await expect(call()).rejects.toThrow("no such program");
  await clock.advance(1000);
  await expect(call()).rejects.toMatchObject({ code: "EAGAIN" });
  expect(it.starts).toBe(2);
  await clock.advance(1000);
  it.broken = false;
  expect(await call()).toEqual(DONE);
});

test("that ends at every call is not started again and again", async () => {
  const { it, clock, call, end, server } = world();
  it.end = { kind: "unknown", text: "it may have run" };
  for (let times = 0; times < 10; times++) {
    await call().catch(() => {});
    end();
    await settled();
    await clock.advance(2000);
  }
  expect(server.error).toBe("it has ended");
  expect(it.starts).toBeLessThan(6);
});

test("lists its tools once for a burst of changes", async () => {
  const { it, clock, call, change } = world();
  await call();
  for (let times = 0; times < 50; times++) change();
  await clock.advance(500);
  await settled();
  expect(it.lists).toBe(2);
});

test("takes no call once it is closed", async () => {
  const { call, server, it } = world();
  await call();
  await server.close();
  expect(it.closes).toBe(1);
  await expect(call()).rejects.toMatchObject({ code: "EAGAIN" });
});

test("is closed if it does not list its tools, and also if it is stopped meanwhile", async () => {
  const { it, call, server } = world();
  it.listing = () => Promise.reject(new Error("too many"));
  await expect(call()).rejects.toThrow("too many");
  expect([it.closes, server.state]).toEqual([1, "failed"]);
  const other = world();
  other.it.listing = () => new Promise(() => {});
  const waiting = other.call();
  await settled();
  const stopped = other.server.close();
  await expect(waiting).rejects.toThrow("stopped");
  await stopped;
  expect(other.it.closes).toBe(1);
});

test("that ends while its tools are stored has failed", async () => {
  const { it, call, end, server } = world();
  it.listing = async () => {
    end();
    return [ADD];
  };
  await expect(call()).rejects.toThrow("it has ended");
  expect(server.state).toBe("failed");
});
