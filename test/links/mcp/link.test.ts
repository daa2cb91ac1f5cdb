import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import { realClock } from "../../../src/lib/clock.ts";
import { type LinkPorts, type McpLink, openLink } from "../../../src/links/mcp/link.ts";
import { StdioTransport } from "../../../src/links/mcp/stdio-transport.ts";
import { spawnPiped } from "../../../src/targets/spawn.ts";
import { plainCall, quietPeer } from "../../support/mcp/plain.ts";

const SERVER = join(import.meta.dir, "../../support/mcp/server.ts");
const open = new Set<McpLink>();

afterEach(async () => {
  await Promise.all([...open].map((link) => link.close()));
  open.clear();
});

function portsFor(argv: readonly string[], log: string[] = []): LinkPorts {
  const clock = realClock;
  const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));
  return {
    transport: () =>
      new StdioTransport({
        spawn: () => spawnPiped({ argv, directory: "/", env: { PATH: process.env.PATH ?? "" } }),
        clock,
        random,
        log: (line) => log.push(line),
      }),
    version: "0",
    clock,
    signal: new AbortController().signal,
    peer: quietPeer((text) => log.push(text)),
  };
}

async function linked(argv = [process.execPath, SERVER], log: string[] = []) {
  const link = await openLink(portsFor(argv, log), null);
  open.add(link);
  const tools = await link.tools(new AbortController().signal);
  const call = (name: string, args = {}, signal = new AbortController().signal) =>
    link.call(tools.find((each) => each.name === name)!, args, plainCall(signal));
  return { link, tools, call };
}

test("a server is found in its protocol, lists its tools and answers calls", async () => {
  const log: string[] = [];
  const { link, tools, call } = await linked([process.execPath, SERVER], log);
  expect(link.era.kind).toBe("modern");
  expect(link.instructions).toBe("Notes and numbers.");
  expect(tools.map(({ name }) => name)).toContain("add");
  expect(await call("add", { a: 2, b: 3 })).toEqual({ kind: "done", text: "5", media: [] });
  expect(await call("fail")).toEqual({ kind: "failed", text: "no such note" });
  expect(await call("environment")).toEqual({ kind: "done", text: "PATH", media: [] });
  expect(log).toContain("fixture is ready");
});

test("an answer that is too long ends its call, which may have run, and no other", async () => {
  const { call } = await linked();
  const [large, sum] = await Promise.all([call("large", { bytes: 9 * 1024 * 1024 }), call("add", { a: 1, b: 1 })]);
  expect(large).toMatchObject({ kind: "unknown", text: expect.stringContaining("larger than 8 MiB") });
  expect(sum).toMatchObject({ kind: "done", text: "2" });
  expect(await call("add", { a: 2, b: 2 })).toMatchObject({ text: "4" });
});

test("a call whose server ends may have run", async () => {
  const { link, call } = await linked();
  expect(await call("die")).toEqual({ kind: "unknown", text: "the server ended; it may have run" });
  await link.closed;
});

test("a cancelled call returns at once", async () => {
  const { call } = await linked();
  const abort = new AbortController();
  const hanging = call("hang", {}, abort.signal);
  abort.abort();
  expect(await hanging).toMatchObject({ kind: "unknown" });
  expect(await call("add", { a: 1, b: 2 })).toMatchObject({ text: "3" });
});

test("a program that is no server fails with a reason", async () => {
  const log: string[] = [];
  const failed = openLink(portsFor(["/bin/sh", "-c", "echo hello; echo broken >&2; exit 1"], log), null);
  expect(await failed.catch((error: Error) => error.message)).toContain("did not start");
  expect(log).toContain("broken");
  expect(log).toContain("printed lines that are no messages: 1, the first: hello");
});
