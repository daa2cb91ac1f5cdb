// One MCP server of gsv, in either protocol: its tools, and the messages of processes as resources. The serving entry decides the protocol.
// Loads the SDK: import it lazily.

import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { SysError } from "../../../src/abi/errno.ts";
import { sha256Hex } from "../../../src/lib/hash.ts";
import { parseArgs } from "../../../src/syscalls/parse.ts";
import { parametersOf } from "../../../src/syscalls/schema.ts";
import { watchChanges } from "./changes.ts";
import { offerResources } from "./resources.ts";
import type { Asking, Outcome, ServerPorts, Tool, ToolCall } from "./tool.ts";
import { INSTRUCTIONS, toolsFor } from "./tools.ts";

/** What a client keeps while it asks its person: which request, and the call that it belongs to. */
interface Kept {
  readonly id: string;
  readonly hash: string;
  readonly of: string;
}

type Asked = { readonly name: string; readonly arguments?: { readonly [name: string]: unknown } | undefined };

interface Serving {
  readonly era: "legacy" | "modern";
  readonly pushes: boolean;
}

const FORM = "request";
const ASKED_S_MAX = 600;

/** A validator of the SDK checks answers of persons by the form; gsv checks them itself. */
const UNCHECKED = { getValidator: () => (value: unknown) => ({ valid: true, data: value, errorMessage: undefined }) };

/** `pushes`: it sends notices of changes by itself, and the serving entry passes on what the client wants. */
export function gsvServer(ports: ServerPorts, { era, pushes }: Serving): Server {
  const { account } = ports;
  const codec = createRequestStateCodec<Kept>({
    key: ports.key,
    ttlSeconds: ASKED_S_MAX,
    bind: () => `${account.uid}`,
  });
  const server = new Server(
    { name: "gsv", title: "gsv", version: ports.version },
    {
      capabilities: { tools: {}, resources: { subscribe: true, listChanged: true } },
      instructions: INSTRUCTIONS,
      jsonSchemaValidator: UNCHECKED as never,
      requestState: { verify: (state, context) => codec.verify(state, context) },
    },
  );
  const tools = toolsFor(account.capabilities);
  server.setRequestHandler("tools/list", async () => ({ tools: tools.map(definitionOf) }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const found = tools.find(({ name }) => name === params.name);
    if (found === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `unknown tool: ${params.name.slice(0, 80)}`);
    try {
      const args = parseArgs(found.input, params.arguments ?? {}, { unknownKeys: "refuse" });
      const call = callOf(params, context, clientOf(server, context));
      return await resultOf(await found.run(ports, args, call), params, context);
    } catch (error) {
      if (!(error instanceof SysError)) throw error;
      return textResult([error.message, ...error.hints].join("\n"), true);
    }
  });

  async function resultOf(outcome: Outcome, params: Asked, context: ServerContext) {
    if (typeof outcome === "string") return textResult(outcome, false);
    const { id, hash, message, properties } = outcome.ask;
    const form = { type: "object", properties, required: Object.keys(properties) } as never;
    return inputRequired({
      inputRequests: { [FORM]: inputRequired.elicit({ message, requestedSchema: form }) },
      requestState: await codec.mint({ id, hash, of: hashOf(params) }, context),
    });
  }

  const subscribed = offerResources(server, ports);
  if (pushes) {
    server.onclose = watchChanges(ports, {
      // In the protocol without a handshake, the serving entry knows the subscriptions.
      updated: (uri) =>
        void ((era === "modern" || subscribed.has(uri)) && server.sendResourceUpdated({ uri }).catch(gone)),
      listed: () => void server.sendResourceListChanged().catch(gone),
    });
  }
  return server;
}

function definitionOf({ name, description, input, readOnly }: Tool) {
  const inputSchema = parametersOf(input) as { readonly type: "object" };
  return { name, description, inputSchema: { ...inputSchema }, annotations: { readOnlyHint: readOnly } };
}

function callOf(params: Asked, context: ServerContext, client: ClientCapabilities | undefined): ToolCall {
  const { mcpReq } = context;
  const token = mcpReq._meta?.progressToken;
  let count = 0;
  return {
    signal: mcpReq.signal,
    progress(message) {
      if (token === undefined) return;
      const params = { progressToken: token, progress: ++count, message };
      mcpReq.notify({ method: "notifications/progress", params }).catch(gone);
    },
    asking: canAsk(client) ? { answered: answeredIn(params, context) } : null,
  };
}

/** Whether it shows forms to its person. */
function canAsk({ elicitation }: ClientCapabilities = {}): boolean {
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

function clientOf(server: Server, { mcpReq }: ServerContext): ClientCapabilities | undefined {
  const envelope = mcpReq.envelope as { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined;
  return envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
}

/** The state is signed: it comes from this server, for this account. It must also be of this call. */
function answeredIn(params: Asked, { mcpReq }: ServerContext): Asking["answered"] {
  const kept = mcpReq.requestState<Kept>();
  if (kept === undefined || kept.of !== hashOf(params)) return null;
  const view = inputResponse(mcpReq.inputResponses, FORM);
  const content = view.kind === "elicit" && view.action === "accept" ? (view.content ?? null) : null;
  return { id: kept.id, hash: kept.hash, content };
}

function hashOf({ name, arguments: args = {} }: Asked): string {
  return sha256Hex(JSON.stringify([name, args]));
}

/** A client that is gone needs no notices. */
function gone(): void {}

function textResult(text: string, isError: boolean) {
  return { content: [{ type: "text" as const, text }], ...(isError && { isError }) };
}
