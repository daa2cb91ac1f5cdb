// The client that the official conformance suite tests: the connections and calls of gsv, without its kernel. Started by the suite as
// `bun conformance-client.ts URL`, with the scenario in its environment. It calls each tool once and gives defaults for an answer.

import type { Caller } from "../../../src/abi/identity.ts";
import type { McpTool } from "../../../src/abi/links/mcp.ts";
import { realClock } from "../../../src/lib/clock.ts";
import { Conversations } from "../../../src/links/mcp/asked/conversation.ts";
import { eventTransport, httpTransport } from "../../../src/links/mcp/http-transport.ts";
import { openLink } from "../../../src/links/mcp/link.ts";
import { RunningServer } from "../../../src/links/mcp/running-server.ts";
import type { LinkedTool } from "../../../src/links/mcp/servers.ts";
import type { HttpLogin } from "../../../src/links/oauth/signed-in.ts";
import type { HeldCall } from "../../../src/store/process/approvals.ts";

export interface ScenarioContext {
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: object }[];
  readonly [name: string]: unknown;
}

interface Scenario {
  readonly url: string;
  readonly isModern: boolean;
  readonly context: ScenarioContext;
  readonly login: HttpLogin | null;
}

/** Preferred by the person of the fixture, in this order. */
const ANSWERS = ["(use the defaults)", "accept", "done", "yes", "allow once"];

export async function play({ url, isModern, context, login }: Scenario): Promise<void> {
  let tools: readonly McpTool[] = [];
  const signal = new AbortController().signal;
  const ports = { url, headers: {}, clock: realClock, login };
  const server = new RunningServer({
    ...{ name: "conformance", clock: realClock, log: (line) => console.error(line) },
    open: (opening, peer) =>
      openLink(
        {
          transport: () => httpTransport(ports),
          older: () => eventTransport(ports),
          ...{ version: "0", clock: realClock, signal: opening, peer },
        },
        isModern ? null : { kind: "legacy" },
      ),
    async listed(_link, found) {
      tools = found;
    },
  });
  const stored = new Map<string, HeldCall>();
  const conversations = new Conversations({
    begin: ({ pinned }, args, options) => server.call(pinned.tool, args, options),
    log: (_linked, line) => console.error(line),
    held: async (_pid, call) => stored.get(call) ?? null,
    hasPerson: async () => true,
    sample: () => async () => ({ model: "none", text: "hi", isCut: false }),
    roots: async () => [],
    progress: () => {},
  });
  await server.ready();
  const calls =
    context.toolCalls ?? tools.map(({ name, inputSchema }) => ({ name, arguments: argumentsFor(inputSchema) }));
  for (const [at, call] of calls.entries()) {
    const tool = tools.find(({ name }) => name === call.name);
    if (tool === undefined) continue;
    const linked = { row: { name: "conformance" }, pinned: { tool, use: "auto" } } as unknown as LinkedTool;
    const caller = { pid: "task:fixture", doing: { run: "r", call: `c${at}`, tool: tool.name } } as Caller;
    for (;;) {
      const { end, asks } = await conversations.call({ caller, signal }, linked, { ...call.arguments });
      console.error(tool.name, JSON.stringify(end));
      if (asks === undefined) break;
      const said = ANSWERS.find((each) => asks.choices?.includes(each)) ?? asks.choices?.[0] ?? "Ada";
      stored.set(`c${at}`, { held: asks.held, said });
    }
  }
  await server.close();
}

function argumentsFor(schema: McpTool["inputSchema"]): object {
  const properties = Object.entries(
    (schema.properties ?? {}) as { readonly [name: string]: { readonly type?: string } },
  );
  return Object.fromEntries(
    properties.map(([name, { type }], at) => [
      name,
      type === "number" || type === "integer" ? at + 2 : type === "boolean" ? true : "x",
    ]),
  );
}

if (import.meta.main) {
  const { MCP_CONFORMANCE_CONTEXT: context = "{}" } = process.env;
  const isModern = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION === "2026-07-28";
  await play({
    url: process.argv.at(-1) ?? "",
    isModern,
    context: JSON.parse(context) as ScenarioContext,
    login: null,
  });
  process.exit(0);
}
