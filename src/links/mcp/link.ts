// One connection to an MCP server, in either of the two wire protocols. The only file besides the transports that knows the SDK, which is
// loaded at the first connection.

import type {
  Client,
  CreateMessageResult,
  ElicitResult,
  InputRequiredResult,
  InputResponses,
  PriorDiscovery,
  Progress,
  Tool,
  Transport,
} from "@modelcontextprotocol/client";
import { SysError } from "../../abi/errno.ts";
import type { McpTool } from "../../abi/links/mcp.ts";
import type { Clock } from "../../lib/clock.ts";
import { reveal } from "../../lib/text/sanitize.ts";
import { clip } from "../../lib/text/truncate.ts";
import type { Held, ServerRequest } from "./asked/questions.ts";
import type { Root, Talk } from "./asked/talk.ts";
import { type McpOffers, offersOf } from "./offers.ts";
import { type CallEnd, endOf, NO_ANSWER } from "./results.ts";

/** Which protocol a server speaks, as found at an earlier connection. */
export type Era = PriorDiscovery;

export interface McpLink extends McpOffers {
  /** Of its program; null over HTTP. */
  readonly pid: number | null;
  readonly era: Era;
  readonly instructions: string;
  readonly server: { readonly name: string; readonly version: string };
  tools(signal: AbortSignal): Promise<readonly McpTool[]>;
  /** Never throws for what the server does: the end says what became of the call. */
  call(tool: McpTool, args: { readonly [name: string]: unknown }, options: CallOptions): Promise<CallEnd>;
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  /** Whom the server asks and tells during the call. */
  readonly talk: Pick<Talk, "ask" | "roots" | "progress" | "isWaiting">;
  /** To what the server asked for when the call was made before. */
  readonly answers: { readonly responses: { readonly [key: string]: object }; readonly state: string | null } | null;
}

/** What a server may do besides answering calls. */
export interface LinkPeer {
  /** The list of tools may have changed. */
  readonly onChange: () => void;
  /** A request of the server, in the older protocol. */
  readonly ask: (request: ServerRequest) => Promise<object>;
  readonly roots: () => Promise<readonly Root[]>;
  readonly log: (line: string) => void;
}

export interface LinkPorts {
  /** A new transport for each try: a server may end at the first unknown request. */
  readonly transport: () => Transport;
  /** Over HTTP: another way to the same server, for servers that know nothing newer. */
  readonly older?: () => Transport;
  readonly version: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly peer: LinkPeer;
}

const START_MS = 15_000;
/** A program that is silent to a question it does not know speaks the older protocol. A server over HTTP that is silent is slow. */
const PROBE_MS = 3000;
const TOOLS_MAX = 1000;
/** Also the list as it is shown has to fit into one answer. */
const LIST_BYTES_MAX = 512 * 1024;
const INSTRUCTIONS_CHARS_MAX = 4096;
const LOG_CHARS = 2000;
const LOG_LEVEL = "io.modelcontextprotocol/logLevel";
/** Another type of content, such as a page to sign in. */
const NOT_MCP = "CLIENT_HTTP_UNEXPECTED_CONTENT";
/** A call that needs a person to open pages first. */
const NEEDS_PAGES = -32_042;
/** gsv's own deadlines end calls, not the SDK's. */
const NEVER_MS = 2 ** 31 - 1;

/** What a tool returns is text for a model, whatever it promised. */
const ANY_RESULT = {
  getValidator:
    <T>() =>
    (input: unknown) => ({ valid: true as const, data: input as unknown as T & {}, errorMessage: undefined }),
};

export async function openLink(ports: LinkPorts, known: Era | null): Promise<McpLink> {
  const { Client } = await import("@modelcontextprotocol/client");
  const connect = async (era: Era | null, transport = ports.transport()) => {
    const client = new Client(
      { name: "gsv", version: ports.version },
      {
        capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
        versionNegotiation: { mode: "auto", probe: { timeoutMs: ports.older === undefined ? PROBE_MS : START_MS } },
        inputRequired: { autoFulfill: false },
        jsonSchemaValidator: ANY_RESULT,
        listChanged: { tools: { onChanged: ports.peer.onChange, autoRefresh: false, debounceMs: 0 } },
      },
    );
    client.onerror = (error) => ports.peer.log(clip(error.message));
    listenTo(client, ports.peer);
    const closed = Promise.withResolvers<void>();
    client.onclose = () => closed.resolve();
    try {
      await client.connect(transport, {
        timeout: START_MS,
        signal: ports.signal,
        ...(era !== null && { prior: era }),
      });
    } catch (error) {
      await transport.close();
      throw error;
    }
    return { client, closed: closed.promise, pid: (transport as { readonly pid?: number | null }).pid ?? null };
  };
  try {
    return linkOf(await connect(known));
  } catch (error) {
    // Some old servers end at a request before the handshake. A stored protocol may be out of date.
    if (ports.signal.aborted || isRefused(error)) throw notConnected(error);
    const other: Era | null = known === null ? { kind: "legacy" } : null;
    try {
      return linkOf(await connect(other));
    } catch (second) {
      const transport = isUnknown(second) ? ports.older?.() : undefined;
      if (transport === undefined || ports.signal.aborted) throw notConnected(second);
      return linkOf(
        await connect({ kind: "legacy" }, transport).catch(() => {
          throw notConnected(second);
        }),
      );
    }
  }
}

interface Connected extends Pick<McpLink, "closed" | "pid"> {
  readonly client: Client;
}

function linkOf({ client, closed, pid }: Connected): McpLink {
  const discover = client.getDiscoverResult();
  const { name = "", version = "" } = client.getServerVersion() ?? {};
  return {
    ...offersOf(client),
    pid,
    era: client.getProtocolEra() === "modern" && discover ? { kind: "modern", discover } : { kind: "legacy" },
    instructions: (client.getInstructions() ?? "").slice(0, INSTRUCTIONS_CHARS_MAX),
    server: { name: clip(name), version: clip(version) },
    async tools(signal) {
      if (client.getServerCapabilities()?.tools === undefined) return [];
      const options = { signal, timeout: START_MS, cacheMode: "refresh" } as const;
      const { tools } = await client.listTools(undefined, options).catch((error: unknown) => {
        throw new SysError("EIO", `the server did not list its tools: ${reasonOf(error)}`);
      });
      const json = JSON.stringify(tools);
      const bytes = json.length > LIST_BYTES_MAX ? json.length : Buffer.byteLength(reveal(json));
      if (tools.length > TOOLS_MAX || bytes > LIST_BYTES_MAX)
        throw new SysError("ELIMIT", `the server offers ${tools.length} tools of ${bytes} bytes`, [
          `a server may offer ${TOOLS_MAX} tools of ${LIST_BYTES_MAX / 1024} KiB`,
        ]);
      return tools.map(toolFrom);
    },
    async call(tool, args, { signal, talk, answers }) {
      const onprogress = (progress: Progress) => talk.progress(progressText(progress));
      const limits = { signal, timeout: NEVER_MS, allowInputRequired: true } as const;
      const options = { ...limits, toolDefinition: tool as Tool, onprogress };
      const again = answers !== null && {
        inputResponses: answers.responses as InputResponses,
        ...(answers.state !== null && { requestState: answers.state }),
      };
      const _meta = client.getProtocolEra() === "modern" ? { _meta: { [LOG_LEVEL]: "info" } } : {};
      try {
        const result = await client.callTool({ name: tool.name, arguments: { ...args }, ...again, ..._meta }, options);
        return askedIn(result) ?? endOf(result);
      } catch (error) {
        return failedEnd(error, signal);
      }
    },
    closed,
    close: () => client.close(),
  };
}

function listenTo(client: Client, { ask, roots, log }: LinkPeer): void {
  client.setRequestHandler(
    "elicitation/create",
    async ({ method, params }) => (await ask({ method, params })) as ElicitResult,
  );
  client.setRequestHandler(
    "sampling/createMessage",
    async ({ method, params }) => (await ask({ method, params: { ...params } })) as CreateMessageResult,
  );
  client.setRequestHandler("roots/list", async () => ({ roots: [...(await roots())] }));
  client.setNotificationHandler("notifications/message", ({ params: { level, logger, data } }) => {
    const text = typeof data === "string" ? data : JSON.stringify(data);
    log(`${level}${logger === undefined ? "" : ` ${logger}`}: ${text.slice(0, LOG_CHARS)}`);
  });
}

function progressText({ progress, total, message }: Progress): string {
  const done = total === undefined ? `${progress}` : `${progress}/${total}`;
  return message === undefined ? done : `${done} ${message.slice(0, LOG_CHARS)}`;
}

function askedIn(result: object): CallEnd | null {
  const { resultType, inputRequests = {}, requestState = null } = result as Partial<InputRequiredResult>;
  if (resultType !== "input_required") return null;
  return { kind: "asks", how: "stored", requests: inputRequests as Held["requests"], state: requestState };
}

function toolFrom(tool: Tool): McpTool {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  return {
    name,
    inputSchema: { ...inputSchema },
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(outputSchema !== undefined && { outputSchema: { ...outputSchema } }),
    ...(annotations !== undefined && { annotations: { ...annotations } }),
  };
}

/** Codes of the SDK after which the server may have carried out the call. */
const MAY_HAVE_RUN = new Set<unknown>([...["REQUEST_TIMEOUT", "SEND_FAILED", "INVALID_RESULT", NOT_MCP, NO_ANSWER]]);

function failedEnd(error: unknown, signal: AbortSignal): CallEnd {
  const { code, message } = error as { code?: unknown; message: string };
  if (signal.aborted) return { kind: "unknown", text: `${whyEnded(signal.reason)}; it may have run` };
  const pages = code === NEEDS_PAGES ? pagesIn(error) : [];
  if (pages.length > 0)
    return {
      ...{ kind: "asks", how: "again", state: null },
      requests: Object.fromEntries(pages.map((params, at) => [`page${at}`, { method: "elicitation/create", params }])),
    };
  if (code === "CONNECTION_CLOSED") return { kind: "unknown", text: "the server ended; it may have run" };
  const status = statusOf(error);
  if (status === 404) return { kind: "failed", text: "the server has ended the session; call again", isOver: true };
  if (MAY_HAVE_RUN.has(code) || (status ?? 0) >= 500)
    return { kind: "unknown", text: `no usable answer came (${reasonOf(error)}); it may have run` };
  return { kind: "failed", text: status === null ? message : reasonOf(error) };
}

function pagesIn(error: unknown): readonly ServerRequest["params"][] {
  const { elicitations } = ((error as { data?: unknown }).data ?? {}) as { elicitations?: readonly object[] };
  return Array.isArray(elicitations) ? elicitations.map((each) => ({ ...each, mode: "url" })) : [];
}

/** gsv aborts with a reason of its own; a person's cancel has none. */
function whyEnded(reason: unknown): string {
  return reason instanceof SysError ? reason.message : "cancelled";
}

/** An answer of the server itself: another protocol would not help. */
function isRefused(error: unknown): boolean {
  const status = statusOf(error);
  return status === 401 || status === 403;
}

/** The server does not take messages at this address. */
function isUnknown(error: unknown): boolean {
  const status = statusOf(error) ?? 0;
  return status >= 400 && status < 500;
}

/** Of the HTTP response; null if the error is none. */
function statusOf(error: unknown): number | null {
  const { status } = (error as { data?: { status?: unknown } }).data ?? {};
  return typeof status === "number" ? status : null;
}

function notConnected(error: unknown): Error {
  return error instanceof SysError ? error : new SysError("EIO", `the server did not start: ${reasonOf(error)}`);
}

function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message: string };
  if (code === "REQUEST_TIMEOUT") return `no answer in ${START_MS / 1000} s`;
  if (code === "CONNECTION_CLOSED") return "it ended before it answered";
  if (code === NOT_MCP) return "not an MCP server: it sent something else";
  const status = statusOf(error);
  return status === null ? clip(message) : `HTTP status ${status}: ${clip(message)}`;
}
