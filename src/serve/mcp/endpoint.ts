// MCP over HTTP, for any server: both protocols at one path. A client of the protocol with a handshake has a session, which belongs to the
// login that began it; every request of the other one stands alone. Loads the SDK: import it lazily.

import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  legacyStatelessFallback,
  type McpServerFactory,
  type ServerEventBus,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { RandomBytes } from "../../abi/ids.ts";
import type { Clock } from "../../lib/clock.ts";
import type { McpPort, Visit } from "../route.ts";

/** One client: what answers it, and what it may listen to. */
export interface Served {
  readonly factory: McpServerFactory;
  readonly bus: ServerEventBus;
  close(): Promise<void>;
}

export interface EndpointPorts {
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly onError: (error: Error) => void;
  /** `isLasting`: for a session, which outlives the request. */
  readonly serve: (visit: Visit, isLasting: boolean) => Promise<Served>;
}

/** A request with its body as JSON. */
interface Approach {
  readonly visit: Visit;
  readonly body: unknown;
}

interface Session {
  readonly entrant: string;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  usedAt: number;
  /** Requests in flight, until their answers are read. */
  streams: number;
}

const SESSIONS_MAX = 100;
const UNUSED_MS = 60 * 60 * 1000;
const ID_BYTES = 24;
const NO_SESSION = -32001;
const BUSY = -32603;

export class McpEndpoint implements McpPort {
  private readonly sessions = new Map<string, Session>();
  private readonly closed = new AbortController();

  constructor(private readonly ports: EndpointPorts) {}

  async answer(visit: Visit): Promise<Response> {
    const { request } = visit;
    const body = request.method === "POST" ? await visit.object() : undefined;
    // Answers may wait or stream.
    visit.unlimited();
    const approach = { visit, body };
    const id = request.headers.get("mcp-session-id");
    if (id !== null) return await this.inSession(id, approach);
    if (request.method !== "POST") return refused(405, BUSY, "Method not allowed: there is no session");
    if (!(await isLegacyRequest(request, body))) return await this.alone(approach, "modern");
    return isInitializeRequest(body) ? await this.begin(approach) : await this.alone(approach, "legacy");
  }

  close(): void {
    this.closed.abort();
    for (const id of [...this.sessions.keys()]) this.end(id);
  }

  private async inSession(id: string, { visit, body }: Approach): Promise<Response> {
    const { request } = visit;
    const session = this.sessions.get(id);
    if (session === undefined || session.entrant !== visit.entrant()) {
      // A wrong token is one first. Another login's session reads like an absent one.
      if (visit.entrant() !== "") await (await visit.open()).close();
      return refused(404, NO_SESSION, "Session not found");
    }
    session.usedAt = this.ports.clock.mono();
    session.streams++;
    const read = () => session.streams--;
    try {
      const response = await session.transport.handleRequest(request, { parsedBody: body });
      return whenRead(response, [request.signal, this.closed.signal], read);
    } catch (error) {
      read();
      throw error;
    }
  }

  private async begin(approach: Approach): Promise<Response> {
    const { visit } = approach;
    if (!this.hasRoom()) return refused(503, BUSY, "too many sessions");
    const id = Buffer.from(this.ports.random(ID_BYTES)).toString("base64url");
    const served = await this.ports.serve(visit, true);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: () => this.end(id),
    });
    try {
      const server = await served.factory({ era: "legacy", requestInfo: visit.request });
      await server.connect(transport);
    } catch (error) {
      await served.close();
      throw error;
    }
    const onclose = transport.onclose;
    transport.onclose = () => {
      this.sessions.delete(id);
      onclose?.();
      served.close().catch(this.ports.onError);
    };
    this.sessions.set(id, { entrant: visit.entrant(), transport, usedAt: this.ports.clock.mono(), streams: 0 });
    visit.ended.addEventListener("abort", () => this.end(id));
    // The login may have ended meanwhile.
    if (visit.ended.aborted) this.end(id);
    const response = await this.inSession(id, approach);
    if (!response.ok) this.end(id);
    return response;
  }

  /** A request without a session. */
  private async alone({ visit, body }: Approach, era: "modern" | "legacy"): Promise<Response> {
    const { request, ended } = visit;
    const served = await this.ports.serve(visit, false);
    const onerror = this.ports.onError;
    const handler = createMcpHandler(served.factory, { legacy: "reject", bus: served.bus, onerror });
    const done = () => {
      handler.close().catch(onerror);
      served.close().catch(onerror);
    };
    try {
      const given = { parsedBody: body };
      const response =
        era === "modern"
          ? await handler.fetch(request, given)
          : await legacyStatelessFallback(served.factory, onerror)(request, given);
      return whenRead(response, [request.signal, ended, this.closed.signal], done);
    } catch (error) {
      done();
      throw error;
    }
  }

  /** Ends sessions that nobody uses; if there are too many, also the one used longest ago. */
  private hasRoom(): boolean {
    const idle = [...this.sessions].filter(([, { streams }]) => streams === 0);
    const oldest = idle.toSorted(([, left], [, right]) => left.usedAt - right.usedAt);
    const now = this.ports.clock.mono();
    for (const [id, { usedAt }] of oldest)
      if (now - usedAt > UNUSED_MS || this.sessions.size >= SESSIONS_MAX) this.end(id);
    return this.sessions.size < SESSIONS_MAX;
  }

  private end(id: string): void {
    const session = this.sessions.get(id);
    this.sessions.delete(id);
    session?.transport.close().catch(this.ports.onError);
  }
}

/** Calls `done` once: when the body is read, when its reader leaves, or when one of the signals aborts, which ends the body. */
function whenRead(response: Response, signals: readonly AbortSignal[], done: () => void): Response {
  if (response.body === null) {
    done();
    return response;
  }
  const reader = response.body.getReader();
  const signal = AbortSignal.any([...signals]);
  let isOver = false;
  const over = () => {
    if (isOver) return;
    isOver = true;
    signal.removeEventListener("abort", leave);
    done();
  };
  const leave = () => {
    reader.cancel().catch(() => {});
    over();
  };
  signal.addEventListener("abort", leave);
  if (signal.aborted) leave();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done: isEnd } = await reader.read().catch((error: unknown) => {
        over();
        throw error;
      });
      if (!isEnd) return controller.enqueue(value);
      controller.close();
      over();
    },
    cancel: leave,
  });
  return new Response(body, { status: response.status, headers: response.headers });
}

function refused(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status });
}
