// A client of gsv's MCP server in memory: a real kernel, the entry that serves stdio, and the SDK's client, in either protocol.

import { Client, type ClientCapabilities, type ElicitResult, InMemoryTransport } from "@modelcontextprotocol/client";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { gsvServer } from "../../../commands/links/mcp-server/server.ts";
import type { ServerPorts } from "../../../commands/links/mcp-server/tool.ts";
import { capabilitiesFor } from "../../../commands/links/mcp-server/tools.ts";
import type { Who } from "../../../commands/links/mcp-server/who.ts";
import type { TestKernel } from "../kernel.ts";
import { seeded } from "../random.ts";

export type Era = "2025-11-25" | "2026-07-28";
export const ERAS: readonly Era[] = ["2025-11-25", "2026-07-28"];

export interface Wish {
  readonly era?: Era;
  readonly allow?: readonly string[];
  /** How the person at the client answers a form; without it the client shows none. */
  readonly answers?: (message: string) => ElicitResult | Promise<ElicitResult>;
  readonly ports?: Partial<ServerPorts>;
}

export interface Connected {
  readonly client: Client;
  /** The text of a result; an error begins with `error: `. */
  call(name: string, args?: object, onprogress?: (message: string) => void): Promise<string>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function connected(home: TestKernel, wish: Wish = {}): Promise<Connected> {
  const { era = "2026-07-28", allow = null, answers } = wish;
  const { token } = await home.sys.call<{ token: string }>("sys.token.create", {
    allow: capabilitiesFor(allow).join(","),
  });
  const sys = await home.login({ token });
  const ports: ServerPorts = {
    ...{ sys, person: async () => home.sys, clock: home.clock, version: "1.0.0", here: null },
    account: await sys.call<Who>("system.whoami", {}),
    key: seeded(5).bytes(32),
    ...wish.ports,
  };
  const [near, far] = InMemoryTransport.createLinkedPair();
  const server = serveStdio((made) => gsvServer(ports, { era: made.era, pushes: true }), { transport: far as never });
  const capabilities: ClientCapabilities = answers === undefined ? {} : { elicitation: { form: {} } };
  const mode = era === "2026-07-28" ? { pin: era } : ("legacy" as const);
  const client = new Client({ name: "test", version: "1" }, { capabilities, versionNegotiation: { mode } });
  if (answers !== undefined)
    client.setRequestHandler("elicitation/create", async ({ params }) => await answers(params.message));
  await client.connect(near);
  return {
    client,
    async call(name, args = {}, onprogress) {
      const options = onprogress && { onprogress: ({ message = "" }: { message?: string }) => onprogress(message) };
      const { content, isError } = await client.callTool({ name, arguments: { ...args } }, options);
      const text = content.map((block) => (block.type === "text" ? block.text : block.type)).join("\n");
      return isError === true ? `error: ${text}` : text;
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await server.close();
      await sys.close();
    },
  };
}
