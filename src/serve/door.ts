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
  readonly contentType: string | null;
  readonly hasBody: boolean;
  /** null if it is not known before the body comes. */
  readonly bodyBytes: number | null;
  readonly isUpgrade: boolean;
  /** The first header of a proxy in it, if any. */
  readonly forwarded: string | null;
}

export type Entry = { readonly kind: "anybody" } | { readonly kind: "bearer"; readonly token: string };

export type Verdict =
  | { readonly kind: "refused"; readonly status: number; readonly detail: string; readonly allow?: string }
  | ({ readonly kind: "in"; readonly entry: Entry } & Found);

export interface DoorOptions {
  readonly routes: readonly Route[];
  /** In lower case, with the port where a client sends one. */
  readonly hosts: ReadonlySet<string>;
  /** `http` or `https`, as clients reach it. */
  readonly scheme: string;
}

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]);
const TOKEN = /^Bearer ([\x21-\x7e]{1,256})$/i;
const TYPES = { json: "application/json", bytes: "application/octet-stream" };

export function verdictOf(knock: Knock, options: DoorOptions): Verdict {
  const stranger = strangerIn(knock, options);
  if (stranger !== null) return stranger;
  const token = TOKEN.exec(knock.authorization ?? "")?.[1];
  const found = findRoute(options.routes, knock.method, knock.path);
  if (!("route" in found)) {
    if (found.length > 0) return notAllowed(knock, allowed(found));
    return token === undefined ? unknownEntrant() : refused(404, "nothing is served at this path");
  }
  const { route } = found;
  if (isElsewhere(knock) && !(route.isLinked && knock.fetchMode === "navigate"))
    return refused(403, "this request comes from a page of another site");
  const unfit = unfitFor(route, knock);
  if (unfit !== null) return unfit;
  if (route.who === "public" || route.who === "login") return { kind: "in", entry: { kind: "anybody" }, ...found };
  return token === undefined ? unknownEntrant() : { kind: "in", entry: { kind: "bearer", token }, ...found };
}

/** The rules that need no route. */
function strangerIn(knock: Knock, { hosts, scheme }: DoorOptions): Verdict | null {
  const host = knock.host?.toLowerCase() ?? "";
  // DNS rebinding: only this rule stops a page whose name was pointed at this computer.
  if (!hosts.has(host)) return refused(421, "this host name is not served here; allow it with the setting serve.hosts");
  if (!METHODS.has(knock.method)) return refused(405, `${knock.method} is not a method of this server`);
  if (knock.forwarded !== null) return refused(400, `${knock.forwarded} came, but this server is behind no proxy`);
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
