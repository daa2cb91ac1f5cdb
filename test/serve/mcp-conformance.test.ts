// The official conformance suite of the Model Context Protocol, server side, in both protocols, against gsv's listener, door and endpoint.

import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { InMemoryServerEventBus } from "@modelcontextprotocol/server";
import { realClock } from "../../src/lib/clock.ts";
import { McpEndpoint } from "../../src/serve/mcp/endpoint.ts";
import { ROUTES } from "../../src/serve/routes.ts";
import { FakeDoor } from "../support/door.ts";
import { hostPorts, listening } from "../support/listening.ts";
import { conformanceServer } from "../support/mcp/conformance-server.ts";
import { seeded } from "../support/random.ts";
import { scratchDirectory } from "../support/scratch.ts";

const SUITE = join(import.meta.dir, "../../node_modules/.bin/conformance");
const KEY = seeded(3).bytes(32);

const bus = new InMemoryServerEventBus();
const changed = {
  tools: () => bus.publish({ kind: "tools_list_changed" }),
  prompts: () => bus.publish({ kind: "prompts_list_changed" }),
};
const faults: string[] = [];
const mcp = new McpEndpoint({
  ...{ clock: realClock, random: seeded(4).bytes },
  onError: (error) => faults.push(String(error)),
  serve: async () => ({ factory: () => conformanceServer(KEY, changed), bus, close: async () => {} }),
});
// The suite has no token: the route is the listener's own, but open.
const [route] = ROUTES.filter(({ path }) => path === "/mcp");
const listener = listening(new FakeDoor(), {
  routes: [{ ...route!, who: "public" }],
  host: hostPorts({ mcp }),
});
afterAll(() => listener.close());

async function run(revision: string): Promise<number> {
  const args = ["server", "--url", `${listener.url}/mcp`, "--requirements", revision];
  const child = Bun.spawn([process.execPath, "--bun", SUITE, ...args], {
    cwd: scratchDirectory("conformance"),
    env: { PATH: process.env.PATH ?? "", HOME: "/nonexistent" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [output, errors, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (status !== 0) console.error(output.slice(-6000), errors.slice(-2000), faults.slice(-10).join("\n"));
  return status;
}

test("every required scenario of both protocols passes", async () => {
  expect(await Promise.all(["2025-11-25", "2026-07-28"].map(run))).toEqual([0, 0]);
}, 60_000);
