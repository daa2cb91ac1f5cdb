// Decides who may use which route, before any part of a request is used. The first matching rule decides. Without one, a request is refused.

export interface Knock {
  readonly method: string;
  /** The raw header; null without one. */
  readonly host: string | null;
  /** Without the query. */
  readonly path: string;
  readonly origin: string | null;
  readonly fetchSite: string | null;
  readonly authorization: string | null;
  readonly contentType: string | null;
  readonly hasBody: boolean;
  readonly isUpgrade: boolean;
  /** The first header of a proxy in it, if any. */
  readonly forwarded: string | null;
}

export type Verdict =
  | { readonly kind: "refused"; readonly status: number; readonly detail: string }
  /** Needs no token. */
  | { readonly kind: "public" }
  /** Carries a name and a password, which the login checks. */
  | { readonly kind: "login" }
  | { readonly kind: "bearer"; readonly token: string };

export interface DoorOptions {
  /** In lower case, with the port where a client sends one. */
  readonly hosts: ReadonlySet<string>;
  /** `http` or `https`, as clients reach it. */
  readonly scheme: string;
}

export const PATHS = {
  login: "/api/login",
  socket: "/api/socket",
  call: "/api/call/",
  health: "/healthz",
  ready: "/readyz",
};

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]);
const READS = new Set(["GET", "HEAD"]);
const PUBLIC = new Set([PATHS.health, PATHS.ready]);
const TOKEN = /^Bearer ([\x21-\x7e]{1,256})$/i;

export function verdictOf(knock: Knock, { hosts, scheme }: DoorOptions): Verdict {
  const host = knock.host?.toLowerCase() ?? "";
  // DNS rebinding: only this rule stops a page whose name was pointed at this computer.
  if (!hosts.has(host)) return refused(421, "this host name is not served here; allow it with the setting serve.hosts");
  if (!METHODS.has(knock.method)) return refused(405, `${knock.method} is not a method of this server`);
  if (knock.forwarded !== null) return refused(400, `${knock.forwarded} came, but this server is behind no proxy`);
  if (knock.origin !== null && knock.origin !== `${scheme}://${host}`)
    return refused(403, "this page is of another origin");
  if (knock.fetchSite === "cross-site" || knock.fetchSite === "same-site")
    return refused(403, "this request comes from a page of another site");
  if (PUBLIC.has(knock.path) && READS.has(knock.method) && !knock.isUpgrade) return { kind: "public" };
  if (knock.hasBody && mediaType(knock.contentType) !== "application/json")
    return refused(415, "the body must be application/json");
  if (knock.path === PATHS.login && knock.method === "POST") return { kind: "login" };
  const token = TOKEN.exec(knock.authorization ?? "")?.[1];
  if (token !== undefined) return { kind: "bearer", token };
  return refused(401, "a token is needed: Authorization: Bearer TOKEN (gsv auth token create)");
}

function refused(status: number, detail: string): Verdict {
  return { kind: "refused", status, detail };
}

function mediaType(header: string | null): string {
  return (header ?? "").split(";")[0]!.trim().toLowerCase();
}
