// Calls of MCP servers, each beside the same server asked plainly: by an agent over a pipe, by a person through the kernel, and over HTTP.
// The agent's call is a whole one: judged, stored, carried out, its result stored and signalled.

import { join } from "node:path";
import type { Link } from "../../src/rpc/client.ts";
import type { WaitResult } from "../../src/syscalls/services.ts";
import { type Floor, Home, program } from "./machine.ts";
import { median, type Row, rowOf, timedAgainst } from "./measure.ts";

const SERVER = join(import.meta.dir, "../support/mcp/server.ts");
const HTTP_SERVER = join(import.meta.dir, "mcp-http-server.ts");
/** In one turn, besides a first one. */
const CALLS = 20;
/** What gsv may add to a call over a pipe. */
const ADDED_MS = 3;
const PAUSE_MS = 3;
const FETCH = "plain fetch";
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

export async function linkRows(_floor: Floor, rounds: number): Promise<Row[]> {
  await using home = new Home();
  await home.kernel();
  await using web = await program(HTTP_SERVER);
  const url = `http://127.0.0.1:${web.port}/mcp`;
  await home.gsv(["mcp", "add", "piped", "--", process.execPath, SERVER]);
  await home.gsv(["mcp", "add", "web", "--url", url]);
  for (const server of ["piped", "web"]) await home.gsv(["mcp", "allow", server, "add"]);
  using link = await home.dial();
  using plain = new PlainServer();
  const pipe = { what: "the server alone, over a pipe", ask: () => plain.add() };
  const http = { what: FETCH, ask: () => fetched(url) };
  return [
    await agentRow(home, "piped", "a stdio server", pipe, rounds),
    await personRow(link, "piped", "a stdio server", pipe, rounds),
    await agentRow(home, "web", "an HTTP server", http, rounds),
    await personRow(link, "web", "an HTTP server", http, rounds),
  ];
}

interface Alone {
  readonly what: string;
  readonly ask: () => Promise<unknown>;
}

async function agentRow(home: Home, server: string, what: string, alone: Alone, rounds: number): Promise<Row> {
  const calls = Array.from({ length: 1 + CALLS }, (_, at) => ({ name: `mcp__${server}__add`, args: { a: at, b: 1 } }));
  const model = home.script(server, [
    { when: "one", calls: calls.slice(0, 1) },
    { when: "one", text: "Added." },
    { when: "many", calls },
    { when: "many", text: "Added." },
  ]);
  using link = await home.dial();
  const { pid } = (await link.call("proc.spawn", { model })) as { pid: string };
  const run = async (message: string) => {
    const { runId } = (await link.call("proc.send", { pid, message })) as { runId: string };
    const { results } = (await link.call("proc.wait", { pids: [pid], run: runId })) as { results: [WaitResult] };
    const [{ status, error }] = results;
    if (status !== "ok") throw new Error(`the run ended ${status}: ${error}`);
  };
  const many = Math.max(3, Math.ceil(rounds / 4));
  const { values, floor: without } = await timedAgainst(
    many,
    () => run("one"),
    () => run("many"),
  );
  return rowFor(
    `${what}, a call of an agent`,
    values.map((ms) => (ms - without) / CALLS),
    alone,
    rounds,
  );
}

async function personRow(link: Link, server: string, what: string, alone: Alone, rounds: number): Promise<Row> {
  let turn = 0;
  const call = () => link.call("sys.mcp.call", { tool: `mcp.${server}.add`, args: { a: ++turn, b: 1 } });
  const { values } = await timedAgainst(rounds, alone.ask, call);
  return await rowFor(`${what}, a call of a person`, values, alone, rounds);
}

async function rowFor(name: string, values: readonly number[], { what, ask }: Alone, rounds: number): Promise<Row> {
  const floors: number[] = [];
  for (let round = 0; round < rounds; round++) {
    // A server that waits a moment between calls wakes up slower, as it does in a run.
    await Bun.sleep(PAUSE_MS);
    const from = performance.now();
    await ask();
    floors.push(performance.now() - from);
  }
  const value = median(floors);
  const budget = what === FETCH ? {} : { budget: value + ADDED_MS };
  return rowOf(`mcp: ${name}`, values, { floor: { value, what }, ...budget });
}

async function fetched(url: string): Promise<void> {
  const headers = {
    ...{ "content-type": "application/json", accept: "application/json, text/event-stream" },
    ...{ "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "add" },
  };
  const answer = await (await fetch(url, { method: "POST", headers, body: JSON.stringify(callOf(1)) })).text();
  if (!answer.includes('"3"')) throw new Error(`the server answered ${answer}`);
}

function callOf(id: number): object {
  const params = { name: "add", arguments: { a: 1, b: 2 }, _meta: META };
  return { jsonrpc: "2.0", id, method: "tools/call", params };
}

class PlainServer {
  private readonly child = Bun.spawn([process.execPath, SERVER], { stdin: "pipe", stdout: "pipe", stderr: "ignore" });
  private readonly reader = this.child.stdout.getReader();
  private id = 0;

  async add(): Promise<void> {
    this.child.stdin.write(`${JSON.stringify(callOf(++this.id))}\n`);
    this.child.stdin.flush();
    let answer = "";
    while (!answer.endsWith("\n")) answer += new TextDecoder().decode((await this.reader.read()).value);
    if (!answer.includes('"3"')) throw new Error(`the server answered ${answer}`);
  }

  [Symbol.dispose](): void {
    this.child.kill();
  }
}
