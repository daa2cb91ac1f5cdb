// What a route of the listener is, and what its handler gets. The table is in routes.ts.

import type { Entered, EntryRequest } from "../abi/identity.ts";
import type { RandomBytes } from "../abi/ids.ts";
import type { ProtocolRange, Sys } from "../abi/sys.ts";
import type { Clock } from "../lib/clock.ts";
import type { ObjectStore } from "../objects/objects.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** `account`: a token, or the cookie of a browser with the key of its page. `metrics`: only a token of that kind. */
export type Who = "public" | "login" | "account" | "metrics";

export interface Route {
  /** `/api/call/:name` names one segment; `/public/*` ends in `rest`, any number of segments. */
  readonly path: string;
  /** GET answers HEAD too. */
  readonly methods: readonly Method[];
  readonly who: Who;
  readonly body: "none" | "json" | "bytes";
  /** Most bytes of the body; default: those of a frame. */
  readonly bytesMax?: number;
  /** Opened as a websocket, and only so. */
  readonly isSocket?: true;
  /** A link on a page of another site may lead here. */
  readonly isLinked?: true;
  /** Answers also while the kernel leaves. */
  readonly isLasting?: true;
  /** For the OpenAPI document: one entry for each method. */
  readonly doc?: { readonly [M in Method]?: RouteDoc };
  /** A SysError that it throws becomes a problem document. */
  readonly answer: (visit: Visit) => Response | undefined | Promise<Response | undefined>;
}

/** Parts are JSON Schemas. */
export interface RouteDoc {
  readonly summary: string;
  readonly query?: { readonly [name: string]: Schema };
  readonly headers?: { readonly [name: string]: Schema };
  readonly body?: Schema;
  /** Of a good answer; by default any JSON. */
  readonly answer?: Schema;
  /** Media type of a good answer, if it is not JSON. */
  readonly type?: string;
  /** Default: 200. */
  readonly status?: number;
}

export type Schema = { readonly [key: string]: unknown };

/** What handlers get from the kernel besides a Sys. */
export interface ServeHost {
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** False if the kernel cannot read what every call needs. */
  isAnswering(): Promise<boolean>;
  /** The syscalls as paths of an OpenAPI document. */
  callPaths(): Promise<Schema>;
  readonly metrics: MetricsPort;
  readonly mcp: McpPort;
  /** Null if this listener does not serve `/public`. */
  readonly publicObjects: PublicObjects | null;
}

export interface MetricsPort {
  /** In the format of Prometheus. The first call begins to collect. */
  text(version: string): Promise<string>;
  /** Counts an answer. `route` is the pattern of the table, null without one. */
  answered(route: string | null, status: number): void;
  close(): void;
}

/** gsv as an MCP server. */
export interface McpPort {
  answer(visit: Visit): Promise<Response>;
  close(): void;
}

export type PublicObjects = Pick<ObjectStore, "head" | "heads" | "read">;

/** A request that the door let in. */
export interface Visit {
  readonly request: Request;
  readonly url: URL;
  /** The named segments of the path, decoded, and `rest`. None has `..` or NUL. */
  readonly params: { readonly [name: string]: string };
  /** The address of the client; one spelling for each. */
  readonly peer: string;
  /** Of the address that the client asked for: https, also behind a proxy with TLS. */
  readonly isSecure: boolean;
  /** Name of the cookie of browsers. */
  readonly cookie: string;
  /** Aborts when the login that `open` used is revoked or expires; the reason is a SysError. */
  readonly ended: AbortSignal;
  readonly isLeaving: boolean;
  readonly version: string;
  readonly protocol: ProtocolRange;
  readonly host: ServeHost;
  /** All routes of this listener. */
  readonly routes: readonly Route[];
  /** Aborts when the kernel leaves; the reason is a LeaveReason. */
  readonly left: AbortSignal;
  /** Aborts when the listener closes: streams end. */
  readonly closing: AbortSignal;
  /** A Sys of the account that enters, or of a program of it with no more than these capabilities. Throws EAUTH. The handler closes it. */
  open(allow?: readonly string[]): Promise<Sys>;
  /** Names the token or login of the request; empty without one. */
  entrant(): string;
  /** Makes a new login. Throws EAUTH. */
  enter(request: EntryRequest): Promise<Entered>;
  /** The body as a JSON object; `{}` without a body. Throws if it is too long or something else. */
  object(): Promise<{ readonly [name: string]: unknown }>;
  /** The body in pieces as they come. Throws if it is longer than the route allows. */
  pieces(): AsyncIterable<Uint8Array>;
  /** For answers that wait or stream: removes the time limit. */
  unlimited(): void;
  /** Makes it a websocket with the frames of the socket. */
  upgrade(): Response | undefined;
}

export interface Found {
  readonly route: Route;
  readonly params: { readonly [name: string]: string };
}

/** Without a route for the method: the methods that this path has. */
export function findRoute(routes: readonly Route[], method: string, path: string): Found | readonly Method[] {
  const wanted = method === "HEAD" ? "GET" : method;
  const others = new Set<Method>();
  for (const route of routes) {
    const params = paramsOf(route.path, path);
    if (params === null) continue;
    if (route.methods.some((each) => each === wanted)) return { route, params };
    for (const each of route.methods) others.add(each);
  }
  return [...others];
}

/** The value of the header Allow. */
export function allowed(methods: readonly Method[]): string {
  return methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
}

function paramsOf(pattern: string, path: string): { readonly [name: string]: string } | null {
  const wanted = pattern.split("/");
  const given = path.split("/");
  const hasRest = wanted.at(-1) === "*";
  if (hasRest ? given.length < wanted.length : given.length !== wanted.length) return null;
  const params: { [name: string]: string } = {};
  for (const [at, part] of wanted.entries()) {
    if (part === "*") {
      const rest = decoded(given.slice(at).join("/"));
      return rest === null ? null : { ...params, rest };
    }
    if (!part.startsWith(":")) {
      if (part !== given[at]) return null;
      continue;
    }
    const value = decoded(given[at] ?? "");
    if (value === null || value === "") return null;
    params[part.slice(1)] = value;
  }
  return params;
}

/** null for what is no path of anything: broken escapes, NUL, and `..` after decoding. */
function decoded(text: string): string | null {
  let value: string;
  try {
    value = decodeURIComponent(text);
  } catch {
    return null;
  }
  return value.includes("\0") || value.split(/[/\\]/).includes("..") ? null : value;
}
