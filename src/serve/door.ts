// Decides who may use which route, before any part of a request is used. The first matching rule decides. Without one, a request is refused.

import { LIMITS } from "../abi/config/limits.ts";
import { allowed, type Found, findRoute, type Route } from "./route.ts";

export interface Knock {
  readonly method: string;
  /** The raw header; null without one. */
  readonly host: string | null;
  /** Without the query. */
  readonly path: string;
  readonly origin: string | null;
  readonly fetchSite: string | null;
  readonly fetchMode: string | null;
  readonly authorization: string | null;
  /** The raw header. */
  readonly cookie: string | null;
  /** `X-Gsv-Key`: of the login of a browser, known to its page only. */
  readonly key: string | null;
  readonly contentType: string | null;
  readonly hasBody: boolean;
  /** null if it is not known before the body comes. */
  readonly bodyBytes: number | null;
  readonly isUpgrade: boolean;
  /** What is wrong with its headers of a proxy; null if nothing is. */
  readonly forwarded: string | null;
}

export type Entry =
  | { readonly kind: "anonymous" }
  | { readonly kind: "bearer"; readonly token: string }
  /** The key of a websocket comes in its first frame. */
  | { readonly kind: "browser"; readonly token: string; readonly key: string | null };

type Refused = { readonly kind: "refused"; readonly status: number; readonly detail: string; readonly allow?: string };

export type Verdict = Refused | ({ readonly kind: "in"; readonly entry: Entry } & Found);

export interface DoorOptions {
  readonly routes: readonly Route[];
  /** In lower case, with the port where a client sends one. */
  readonly hosts: ReadonlySet<string>;
  /** `http` or `https`, as clients reach it. */
  readonly scheme: string;
  /** Name of the cookie. */
  readonly cookie: string;
}

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]);
const TOKEN = /^Bearer ([\x21-\x7e]{1,256})$/i;
const SECRET = /^[\x21-\x7e]{1,256}$/;
const READS = new Set(["GET", "HEAD"]);
const TYPES = { json: "application/json", bytes: "application/octet-stream" };

export function verdictOf(knock: Knock, options: DoorOptions): Verdict {
  const stranger = strangerIn(knock, options);
  if (stranger !== null) return stranger;
  const found = findRoute(options.routes, knock.method, knock.path);
  if (!("route" in found)) {
    if (found.length > 0) return notAllowed(knock, allowed(found));
    const entry = entryOf(knock, options, false);
    return entry.kind === "refused" ? entry : refused(404, "nothing is served at this path");
  }
  const { route } = found;
  if (isElsewhere(knock) && !(route.isLinked && knock.fetchMode === "navigate"))
    return refused(403, "this request comes from a page of another site");
  const unfit = unfitFor(route, knock);
  if (unfit !== null) return unfit;
  if (route.who === "public" || route.who === "login") return { kind: "in", entry: { kind: "anonymous" }, ...found };
  const entry = entryOf(knock, options, route.isSocket === true);
  if (entry.kind === "refused") return entry;
  if (route.who === "metrics" && entry.kind !== "bearer") return unknownEntrant();
  return { kind: "in", entry, ...found };
}

/** A token, or else the cookie of a browser: a token that is wrong never falls back to it. */
function entryOf(knock: Knock, options: DoorOptions, isSocket: boolean): Entry | Refused {
  if (knock.authorization !== null) {
    const token = TOKEN.exec(knock.authorization)?.[1];
    return token === undefined ? unknownEntrant() : { kind: "bearer", token };
  }
  const token = cookieIn(knock.cookie, options.cookie);
  if (token === null) return unknownEntrant();
  // Cookies come along with requests of any page; browsers name its origin when something changes.
  if (knock.origin === null && (isSocket || !READS.has(knock.method)))
    return refused(403, "a request with a cookie must name its origin");
  if (isSocket) return { kind: "browser", token, key: null };
  if (knock.key === null || !SECRET.test(knock.key)) return refused(401, "the cookie needs its key: X-Gsv-Key");
  return { kind: "browser", token, key: knock.key };
}

/** Two of this name count as none: one of them is of another program on this host. */
function cookieIn(header: string | null, name: string): string | null {
  const values = (header ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  const [value] = values;
  return values.length === 1 && value !== undefined && SECRET.test(value) ? value : null;
}

/** The rules that need no route. */
function strangerIn(knock: Knock, { hosts, scheme }: DoorOptions): Verdict | null {
  const host = knock.host?.toLowerCase() ?? "";
  // DNS rebinding: only this rule stops a page whose name was pointed at this computer.
  if (!hosts.has(host)) return refused(421, "this host name is not served here; allow it with the setting serve.hosts");
  if (!METHODS.has(knock.method)) return refused(405, `${knock.method} is not a method of this server`);
  if (knock.forwarded !== null) return refused(400, knock.forwarded);
  if (knock.origin !== null && knock.origin !== `${scheme}://${host}`)
    return refused(403, "this page is of another origin");
  return null;
}

/** Of a page from elsewhere, as its browser says. */
function isElsewhere({ fetchSite }: Knock): boolean {
  return fetchSite === "cross-site" || fetchSite === "same-site";
}

/** Why the route does not take this kind of request. */
function unfitFor(route: Route, knock: Knock): Verdict | null {
  if (knock.isUpgrade && !route.isSocket) return refused(400, "no websocket is served at this path");
  if (!knock.isUpgrade && route.isSocket) return refused(426, "only websockets are served at this path");
  if (!knock.hasBody) return null;
  if (route.body === "none") return refused(400, "this request takes no body");
  if (mediaType(knock.contentType) !== TYPES[route.body]) return refused(415, `the body must be ${TYPES[route.body]}`);
  const most = bytesMaxOf(route);
  return knock.bodyBytes !== null && knock.bodyBytes > most ? tooLong(most) : null;
}

export function bytesMaxOf({ bytesMax = LIMITS.frameBytesMax }: Route): number {
  return bytesMax;
}

function tooLong(bytes: number): Verdict {
  return refused(413, `the body is longer than ${bytes} bytes`);
}

function notAllowed({ method }: Knock, allow: string): Verdict {
  return { ...refused(405, `${method} is not served at this path, but ${allow}`), allow };
}

function unknownEntrant() {
  return refused(401, "a token is needed: Authorization: Bearer TOKEN (gsv auth token create)");
}

function refused(status: number, detail: string) {
  return { kind: "refused", status, detail } as const;
}

function mediaType(header: string | null): string {
  return (header ?? "").split(";")[0]!.trim().toLowerCase();
}
