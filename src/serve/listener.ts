// The network listener: HTTP and websockets on one port, with the frames and calls of the socket. The door checks each request first. A client
// acts as the account of its token. Its environment and directory belong to another computer and are ignored.

import type { Server, ServerWebSocket } from "bun";
import { LIMITS } from "../abi/config/limits.ts";
import { SysError } from "../abi/errno.ts";
import type { Arrival, Credentials, Entered, EntryRequest } from "../abi/identity.ts";
import { type ClientInfo, type LeaveReason, NO_DIRECTORY, type ProtocolRange, type Sys } from "../abi/sys.ts";
import { waitAtMost } from "../lib/wait.ts";
import { Connection, type ConnectionOptions } from "../rpc/connection.ts";
import { type Source, sourceOf } from "./arrival.ts";
import { bytesMaxOf, type Knock, type Verdict, verdictOf } from "./door.ts";
import { hostsOf, type ListenAddress } from "./listen-address.ts";
import { isWithin, type Network, plainAddress } from "./networks.ts";
import { leavingNow, problem, problemOf } from "./rest.ts";
import type { Route, ServeHost } from "./route.ts";
import { ROUTES } from "./routes.ts";
import { visitOf } from "./visit.ts";
import { BACKPRESSURE_BYTES_MAX, peerSocket, type Visitor } from "./websocket.ts";

export interface ListenOptions {
  readonly address: ListenAddress;
  /** More names by which clients may address it. */
  readonly hosts: readonly string[];
  readonly tls: { readonly cert: string; readonly key: string } | null;
  /** Their headers say who the client is. */
  readonly proxies: readonly Network[];
  readonly version: string;
  /** Default: PROTOCOL. */
  readonly protocol?: ProtocolRange;
  readonly accept: (client: ClientInfo, login: Credentials, arrival: Arrival) => Promise<Sys>;
  readonly enter: (request: EntryRequest, arrival: Arrival) => Promise<Entered>;
  readonly connection: Omit<ConnectionOptions, "door">;
  readonly host: ServeHost;
  readonly connectionsMax?: number;
  readonly closeMs?: number;
  /** Default: all routes. */
  readonly routes?: readonly Route[];
}

export interface Listener {
  readonly url: string;
  /** Where a browser reaches it: by its first name in the settings, if it has one. */
  readonly pageUrl: string;
  readonly clients: number;
  bye(why: LeaveReason): void;
  /** Takes no more requests, answers calls that change something, and closes. */
  close(): Promise<void>;
}

/** The status of a websocket. */
const SWITCHED = 101;
const HTTP_IDLE_S = 30;
const WEBSOCKET_IDLE_S = 60;
/** The largest frame, with small ones before it in the same message. */
const MESSAGE_BYTES_MAX = LIMITS.frameBytesMax + 256 * 1024;
const CLOSE_MS = 5000;

/** A request and who makes it. */
interface Approach {
  readonly verdict: Verdict;
  /** The address of the client. */
  readonly peer: string;
  readonly isSecure: boolean;
  readonly cookie: string;
}

const ONLY_PROXY: Verdict = {
  ...{ kind: "refused", status: 403, detail: "only the proxy of this server may connect to this port" },
};

export function listen(options: ListenOptions): Listener {
  const { address, tls, proxies, routes = ROUTES } = options;
  const sockets = new Set<ServerWebSocket<Visitor>>();
  const max = options.connectionsMax ?? LIMITS.connectionsMax;
  let leaving: LeaveReason | null = null;
  const left = new AbortController();
  const closed = new AbortController();
  let closing: Promise<void> | null = null;

  const server = Bun.serve<Visitor>({
    hostname: address.host,
    port: address.port,
    ...(tls !== null && { tls }),
    // Otherwise errors show their stack to clients.
    development: false,
    maxRequestBodySize: Math.max(...routes.map(bytesMaxOf)),
    idleTimeout: HTTP_IDLE_S,
    fetch: (request, listening) => counted(request, listening),
    error(error) {
      const expected = problemOf(error);
      if (expected !== null) return expected;
      options.connection.onFault?.("serve", error);
      return problem(500, "EIO", "the request failed inside the kernel", ["for details, run: gsv logs"]);
    },
    websocket: {
      maxPayloadLength: MESSAGE_BYTES_MAX,
      backpressureLimit: BACKPRESSURE_BYTES_MAX,
      closeOnBackpressureLimit: true,
      idleTimeout: WEBSOCKET_IDLE_S,
      perMessageDeflate: false,
      open(socket) {
        // Each of them may wait for its hello, or for the reason of its refusal.
        if (sockets.size >= 2 * max) {
          socket.terminate();
          return;
        }
        sockets.add(socket);
        const door = {
          version: options.version,
          ...(options.protocol !== undefined && { protocol: options.protocol }),
          accept: (client: ClientInfo, login?: Credentials) => accept(client, login, socket),
        };
        const peers = peerSocket(socket, () => leaving !== null);
        socket.data.connection = new Connection(peers, { ...options.connection, door }, () => leaving);
        if (sockets.size > max) socket.data.connection.refuse(new SysError("EAGAIN", `${max} clients are connected`));
      },
      message: ({ data }, message) => data.connection?.received(Buffer.from(message as string)),
      drain: ({ data }) => data.connection?.drained(),
      close(socket) {
        sockets.delete(socket);
        socket.data.connection?.gone();
      },
    },
  });
  const port = server.port ?? address.port;
  const scheme = tls === null ? "http" : "https";
  const hosts = hostsOf(address, port, options.hosts, proxies.length > 0);
  const isOpen = address.isLoopback || tls !== null;

  function accept(client: ClientInfo, login: Credentials = {}, socket: ServerWebSocket<Visitor>): Promise<Sys> {
    const { token, isBrowser, arrival } = socket.data;
    const { key, ...others } = login;
    if (Object.keys(others).length > 0 || (key !== undefined && !isBrowser))
      throw new SysError("EAUTH", "this connection has a token already");
    const onEnd = (why: SysError) => {
      socket.data.end = why.message;
      socket.data.connection?.refuse(why);
    };
    const credentials = isBrowser ? { token, key: key ?? "" } : { token };
    return options.accept(withoutPlace(client), credentials, { ...arrival, onEnd });
  }

  async function counted(request: Request, listening: Server<Visitor>): Promise<Response | undefined> {
    const approach = approachOf(request, listening);
    const { verdict } = approach;
    const route = verdict.kind === "in" ? verdict.route.path : null;
    const { metrics } = options.host;
    try {
      const response = await answer(request, approach, listening);
      metrics.answered(route, response?.status ?? SWITCHED);
      return response;
    } catch (error) {
      metrics.answered(route, problemOf(error)?.status ?? 500);
      throw error;
    }
  }

  function approachOf(request: Request, listening: Server<Visitor>): Approach {
    const socketAddress = listening.requestIP(request)?.address;
    const source = sourceOf(request.headers, socketAddress, proxies);
    const clientScheme = source.scheme ?? scheme;
    const from = {
      ...{ peer: source.address, isSecure: clientScheme === "https" },
      cookie: clientScheme === "https" ? "__Host-gsv" : `gsv_${port}`,
    };
    // Without TLS the way to the proxy is the only one that others cannot read.
    if (!isOpen && !isWithin(plainAddress(socketAddress), proxies)) return { ...from, verdict: ONLY_PROXY };
    const door = { routes, hosts, scheme: clientScheme, cookie: from.cookie };
    return { ...from, verdict: verdictOf(knockOf(request, source), door) };
  }

  async function answer(
    request: Request,
    { verdict, ...from }: Approach,
    listening: Server<Visitor>,
  ): Promise<Response | undefined> {
    if (verdict.kind === "refused") return problem(verdict.status, null, verdict.detail, [], verdict.allow);
    const { route } = verdict;
    const isLeaving = leaving !== null;
    if (isLeaving && !route.isLasting) return leavingNow();
    const ports = { ...options, ...from, routes, listening, isLeaving, left: left.signal, closing: closed.signal };
    return await route.answer(visitOf(request, verdict, ports));
  }

  async function closeAll(): Promise<void> {
    closed.abort();
    options.host.metrics.close();
    options.host.mcp.close();
    const finished = Promise.all([...sockets].map(({ data }) => data.connection?.finish()));
    const stopped = server.stop();
    await waitAtMost(options.connection.clock, options.closeMs ?? CLOSE_MS, Promise.all([finished, stopped]));
    await server.stop(true);
  }

  const url = `${scheme}://${shownHost(address.host)}:${port}`;
  return {
    url,
    pageUrl: pageUrlOf(options, url, port),
    get clients() {
      return sockets.size;
    },
    bye(why) {
      leaving = why;
      left.abort(why);
      for (const { data } of sockets) data.connection?.bye(why);
    },
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}

function pageUrlOf({ address, hosts, proxies, tls }: ListenOptions, url: string, port: number): string {
  const [name] = hosts;
  if (name === undefined || (address.isLoopback && proxies.length === 0)) return url;
  if (proxies.length > 0) return `https://${name}`;
  return `${tls === null ? "http" : "https"}://${/:\d+$/.test(name) ? name : `${name}:${port}`}`;
}

function withoutPlace({ clientId, version, flags }: ClientInfo): ClientInfo {
  return { clientId, version, cwd: NO_DIRECTORY, env: {}, ...(flags !== undefined && { flags }) };
}

function knockOf(request: Request, { fault }: Source): Knock {
  const header = (name: string) => request.headers.get(name);
  return {
    method: request.method,
    host: header("host"),
    path: pathOf(request),
    origin: header("origin"),
    fetchSite: header("sec-fetch-site"),
    fetchMode: header("sec-fetch-mode"),
    authorization: header("authorization"),
    cookie: header("cookie"),
    key: header("x-gsv-key"),
    contentType: header("content-type"),
    // Bun leaves out the body of a GET.
    hasBody: request.body !== null || Number(header("content-length") ?? 0) > 0 || header("transfer-encoding") !== null,
    bodyBytes: numberIn(header("content-length")),
    isUpgrade: header("upgrade")?.toLowerCase() === "websocket",
    forwarded: fault,
  };
}

function numberIn(header: string | null): number | null {
  return header === null ? null : Number(header);
}

/** Reading `url` throws for some host names, which the door refuses anyway. */
function pathOf(request: Request): string {
  try {
    return new URL(request.url).pathname;
  } catch {
    return "";
  }
}

function shownHost(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
