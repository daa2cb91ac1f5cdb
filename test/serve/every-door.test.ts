// Every route with every mixture of Host, Origin, Sec-Fetch-Site, token, cookie and key. A route that has no line here fails: who may use it is
// decided once more, by hand.

import { expect, test } from "bun:test";
import { type Knock, verdictOf } from "../../src/serve/door.ts";
import { ROUTES } from "../../src/serve/routes.ts";

const HOST = "127.0.0.1:4870";
const OWN = `http://${HOST}`;
const DOOR = { routes: ROUTES, hosts: new Set([HOST]), scheme: "http", cookie: "gsv_4870" };

/** Method and path, who enters, and a path that belongs to it. */
const DOORS: { readonly [route: string]: readonly [who: string, example?: string] } = {
  "GET /healthz": ["public"],
  "GET /readyz": ["public"],
  "GET /": ["public"],
  "GET /voice": ["public"],
  "GET /a/:file": ["public", "/a/x.js"],
  "GET /public/*": ["public", "/public/x"],
  "GET /metrics": ["metrics"],
  "GET /mcp": ["account"],
  "POST /mcp": ["account"],
  "DELETE /mcp": ["account"],
  "POST /api/login": ["login"],
  "POST /api/logout": ["account"],
  "GET /api/socket": ["account"],
  "GET /api/openapi.json": ["account"],
  "GET /api/events": ["account"],
  "POST /api/call/:name": ["account", "/api/call/proc.list"],
  "GET /api/files/*": ["account", "/api/files/home/sam/x"],
  "PUT /api/files/*": ["account", "/api/files/home/sam/x"],
  "GET /api/sessions": ["account"],
  "POST /api/sessions": ["account"],
  "GET /api/sessions/:id": ["account", "/api/sessions/1"],
  "PUT /api/sessions/:id": ["account", "/api/sessions/1"],
  "DELETE /api/sessions/:id": ["account", "/api/sessions/1"],
  "GET /api/sessions/:id/messages": ["account", "/api/sessions/1/messages"],
  "POST /api/sessions/:id/messages": ["account", "/api/sessions/1/messages"],
  "POST /api/sessions/:id/start": ["account", "/api/sessions/1/start"],
  "POST /api/sessions/:id/stop": ["account", "/api/sessions/1/stop"],
  "POST /api/sessions/:id/resume": ["account", "/api/sessions/1/resume"],
  "GET /api/escalation-queue": ["account"],
  "POST /api/escalation-queue/:id/resolve": ["account", "/api/escalation-queue/1/resolve"],
  "GET /api/health": ["account"],
};

const HOSTS = [HOST, "evil.test:4870", "127.0.0.1"];
const ORIGINS = [null, OWN, "http://evil.test", "http://127.0.0.1:9999", "null"];
const SITES = [null, "same-origin", "none", "same-site", "cross-site"];
const AUTHORIZATIONS = [null, "Bearer gsv_user_x", "Bearer ", "Basic cm9vdDo="];
const COOKIES = [
  null,
  "gsv_4870=abc",
  "a=1; gsv_4870=abc; b=2",
  "gsv_4870=abc; gsv_4870=evil",
  "gsv_4871=abc",
  "gsv_4870=",
];
const KEYS = [null, "gsv_key_x", "two words"];

interface Case extends Knock {
  readonly who: string;
}

/** The rules in words of this test: a status, or who enters. */
function expected({
  who,
  host,
  origin,
  fetchSite,
  fetchMode,
  path,
  method,
  authorization,
  cookie,
  key,
}: Case): number | string {
  if (host !== HOST) return 421;
  if (origin !== null && origin !== OWN) return 403;
  const isFromElsewhere = fetchSite === "same-site" || fetchSite === "cross-site";
  if (isFromElsewhere && !(path === "/" && fetchMode === "navigate")) return 403;
  if (who === "public" || who === "login") return "anonymous";
  if (authorization !== null) return authorization === "Bearer gsv_user_x" ? "bearer" : 401;
  const hasCookie = cookie === "gsv_4870=abc" || cookie === "a=1; gsv_4870=abc; b=2";
  if (!hasCookie || who === "metrics") return 401;
  const isSocket = path === "/api/socket";
  if (origin === null && (method !== "GET" || isSocket)) return 403;
  return isSocket || key === "gsv_key_x" ? "browser" : 401;
}

function* cases(): Generator<Case> {
  for (const [method, pattern] of ROUTES.flatMap(({ methods, path }) => methods.map((each) => [each, path] as const))) {
    const [who = "", path = pattern] = DOORS[`${method} ${pattern}`] ?? [];
    const rest = {
      method,
      path,
      isUpgrade: path === "/api/socket",
      contentType: null,
      hasBody: false,
      bodyBytes: null,
    };
    for (const host of HOSTS)
      for (const origin of ORIGINS)
        for (const fetchSite of SITES)
          for (const fetchMode of fetchSite === "cross-site" ? ["navigate", "no-cors"] : [null])
            for (const authorization of AUTHORIZATIONS)
              for (const cookie of COOKIES)
                for (const key of KEYS)
                  yield {
                    ...rest,
                    who,
                    host,
                    origin,
                    fetchSite,
                    fetchMode,
                    authorization,
                    cookie,
                    key,
                    forwarded: null,
                  };
  }
}

test("every route has a line here", () => {
  const lines = ROUTES.flatMap(({ path, methods, who }) =>
    methods.map((method) => [`${method} ${path}`, who, DOORS[`${method} ${path}`]?.[0]]),
  );
  expect(lines.filter(([, who, here]) => who !== here)).toEqual([]);
  expect(Object.keys(DOORS).toSorted()).toEqual(lines.map(([at]) => String(at)).toSorted());
});

test("every mixture enters as exactly one, or gets exactly one refusal", () => {
  const wrong: string[] = [];
  let count = 0;
  for (const each of cases()) {
    count++;
    const verdict = verdictOf(each, DOOR);
    const got = verdict.kind === "refused" ? verdict.status : verdict.entry.kind;
    if (got !== expected(each) && wrong.length < 5)
      wrong.push(`${JSON.stringify(each)}: ${got}, not ${expected(each)}`);
  }
  expect([wrong, count > 100_000]).toEqual([[], true]);
});

test("a body enters only where the route reads one, of its type and size", () => {
  for (const { path, methods, who, body, bytesMax } of ROUTES) {
    const at = DOORS[`${methods[0]} ${path}`]?.[1] ?? path;
    const knock = (contentType: string | null, bodyBytes: number | null) =>
      verdictOf(
        {
          ...{ method: methods[0] ?? "", path: at, host: HOST, origin: OWN, fetchSite: null, fetchMode: null },
          ...{ authorization: "Bearer gsv_user_x", cookie: null, key: null, isUpgrade: at === "/api/socket" },
          ...{ hasBody: true, contentType, bodyBytes, forwarded: null },
        },
        DOOR,
      );
    const status = (verdict: ReturnType<typeof knock>) => (verdict.kind === "refused" ? verdict.status : "in");
    const type = body === "json" ? "application/json; charset=utf-8" : "application/octet-stream";
    const most = bytesMax ?? 1024 * 1024;
    expect([path, who, status(knock(type, most))]).toEqual([path, who, body === "none" ? 400 : "in"]);
    for (const other of [null, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
      expect([path, other, status(knock(other, 1))]).toEqual([path, other, body === "none" ? 400 : 415]);
    if (body !== "none") expect([path, status(knock(type, most + 1))]).toEqual([path, 413]);
  }
});
