// Bytes sent to a model server: the first request of a new agent, and over a run of 20 turns the share of a request that is not a prefix of
// the next, which a server cannot cache.

import { servedMcp } from "../support/mcp/served.ts";
import { WIRES } from "../support/wire-bytes.ts";
import { type Floor, Home } from "./machine.ts";
import type { Row } from "./measure.ts";

const TURNS = 20;
const SERVERS = 20;
const TOOLS = 20;

export async function promptRows(_floor: Floor, _rounds: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [wire, model] of [
    ["openai chat completions", "openai/m"],
    ["anthropic", "anthropic/m"],
  ] as const) {
    const bodies = await bodiesOf(wire, model);
    rows.push(
      {
        name: `${wire}: first request of an empty agent`,
        unit: "KB",
        median: (bodies[0]?.length ?? 0) / 1000,
        budget: 12,
      },
      { name: `${wire}: not cache-stable over ${TURNS} turns`, unit: "%", median: 100 * lostShare(bodies), budget: 5 },
    );
  }
  rows.push({
    name: `${SERVERS} MCP servers with ${SERVERS * TOOLS} tools add to a request`,
    unit: "tokens",
    median: await tokensOfServers(),
    budget: 1500,
  });
  return rows;
}

/** Estimated, as `gsv prompt` shows them. */
async function tokensOfServers(): Promise<number> {
  await using served = servedMcp((server) => {
    for (let at = 0; at < TOOLS; at++)
      server.registerTool(
        `tool_number_${at}`,
        { description: "Does one thing with a repository, its issues and their labels, in pages of 50." },
        async () => ({ content: [] }),
      );
  }, "Issues, pull requests, files and releases of all repositories that the token reaches.");
  await using home = new Home({});
  const tokens = async () => {
    const { stdout } = await home.gsv(["prompt", "--json"]);
    return (JSON.parse(stdout) as { tokens: number }).tokens;
  };
  const before = await tokens();
  for (let at = 0; at < SERVERS; at++) await home.gsv(["mcp", "add", `server-${at}`, "--url", served.url]);
  return (await tokens()) - before;
}

/** A run that writes a file in each turn. */
async function bodiesOf(wire: keyof typeof WIRES, model: string): Promise<string[]> {
  const { body, type } = WIRES[wire]!;
  const bodies: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      bodies.push(await request.text());
      const json = [JSON.stringify({ path: `~/notes-${bodies.length}.md`, content: `line ${bodies.length}\n` })];
      const answer = bodies.length < TURNS ? { calls: [{ name: "Write", json }] } : { text: ["Done."] };
      return new Response(body(answer), { headers: { "content-type": type } });
    },
  });
  const url = `http://127.0.0.1:${server.port}`;
  await using home = new Home({
    OPENAI_API_KEY: "x",
    OPENAI_BASE_URL: url,
    ANTHROPIC_API_KEY: "x",
    ANTHROPIC_BASE_URL: url,
  });
  try {
    await home.gsv(["chat", "hello"], model);
    if (bodies.length !== TURNS) throw new Error(`${TURNS} requests were expected, ${bodies.length} came`);
    return bodies;
  } finally {
    await server.stop(true);
  }
}

function lostShare(bodies: readonly string[]): number {
  let [lost, all] = [0, 0];
  for (const [index, next] of bodies.slice(1).entries()) {
    const before = bodies[index] ?? "";
    let same = 0;
    while (same < before.length && before[same] === next[same]) same++;
    lost += before.length - same;
    all += before.length;
  }
  return lost / all;
}
