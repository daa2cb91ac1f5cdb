// Every route of the table against the same wrong requests: a defined answer, no inner detail, nothing opened that stays open. A new route
// is here by itself.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { servingHttp } from "../../commands/links/mcp-server/over-http.ts";
import { realClock } from "../../src/lib/clock.ts";
import { type Listener, listen } from "../../src/serve/listener.ts";
import { McpEndpoint } from "../../src/serve/mcp/endpoint.ts";
import { findRoute, type Method, type Route } from "../../src/serve/route.ts";
import { ROUTES } from "../../src/serve/routes.ts";
import { TestKernel } from "../support/kernel.ts";
import { seeded } from "../support/random.ts";
import { type RawAnswer, rawRequest } from "../support/raw-http.ts";
import { inFrontOf } from "../support/served-kernel.ts";

let kernel: TestKernel;
let listener: Listener;
let tokens: { readonly account: string; readonly metrics: string };
const made = async (kind: string) => (await kernel.sys.call<{ token: string }>("sys.token.create", { kind })).token;
let opened = 0;

beforeAll(async () => {
  kernel = await TestKernel.boot();
  tokens = { account: await made("user"), metrics: await made("metrics") };
  const options = inFrontOf(kernel);
  const ports = { clock: realClock, random: seeded(6).bytes, onError: () => {} };
  listener = listen({
    ...options,
    async accept(client, login, arrival) {
      const sys = await options.accept(client, login, arrival);
      opened++;
      return { call: sys.call, on: sys.on, close };
      async function close() {
        opened--;
        await sys.close();
      }
    },
    host: {
      ...options.host,
      publicObjects: kernel.kernel.objects,
      mcp: new McpEndpoint({ ...ports, serve: servingHttp(ports) }),
    },
  });
});
afterAll(async () => {
  await listener.close();
  await kernel[Symbol.asyncDispose]();
});

const SAMPLES: { readonly [name: string]: string } = { name: "proc.label", id: "00000000-0000-4000-8000-000000000000" };

interface Wrong {
  readonly path?: string;
  readonly query?: string;
  readonly method?: string;
  readonly headers?: readonly string[];
  readonly body?: string;
  readonly isAnonymous?: true;
  readonly half?: true;
}

async function send(route: Route, method: Method, wrong: Wrong): Promise<RawAnswer> {
  const path = wrong.path ?? pathOf(route, (name) => SAMPLES[name] ?? "x");
  const hasHost = wrong.headers?.some((line) => /^host:/i.test(line)) === true;
  const account = route.path === "/api/logout" ? await made("user") : tokens.account;
  const token = route.who === "metrics" ? tokens.metrics : account;
  const isNamed = route.who === "account" || route.who === "metrics";
  const body = wrong.body ?? (route.body === "none" ? null : "{}");
  const lines = [
    `${wrong.method ?? method} ${path}${wrong.query ?? ""} HTTP/1.1`,
    ...(hasHost ? [] : [`Host: ${new URL(listener.url).host}`]),
    ...(isNamed && !wrong.isAnonymous ? [`Authorization: Bearer ${token}`] : []),
    ...(body !== null && !has(wrong, "content-type") ? [`Content-Type: ${TYPES[route.body]}`] : []),
    ...(body !== null && !has(wrong, "content-length") && !has(wrong, "transfer-encoding")
      ? [`Content-Length: ${Buffer.byteLength(body, "latin1")}`]
      : []),
    ...(route.isSocket ? SOCKET : ["Connection: close"]),
    ...(wrong.headers ?? []),
  ];
  return await rawRequest(listener.url, `${lines.join("\r\n")}\r\n\r\n${body ?? ""}`, wrong);
}

const TYPES = { none: "text/plain", json: "application/json", bytes: "application/octet-stream" };
const SOCKET = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
];

function has({ headers = [] }: Wrong, name: string): boolean {
  return headers.some((line) => line.toLowerCase().startsWith(`${name}:`));
}

function pathOf({ path }: Route, value: (name: string) => string): string {
  return path.replace(/:(\w+)/g, (_, name: string) => value(name)).replace(/\*$/, () => value("rest"));
}

const hasParams = ({ path }: Route) => /[:*]/.test(path);
const takesBody = ({ body }: Route) => body !== "none";
const takesJson = ({ body }: Route) => body === "json";
const always = () => true;
/** Harmless, or refused for one of many reasons: never a fault. */
const DEFINED = [101, 200, 201, 304, 400, 401, 403, 404, 405, 413, 416, 421, 426];
const LONG = "x".repeat(100_000);

/** What is wrong, for which routes, and what may come back. 0: the connection ends. */
const CASES: readonly (readonly [
  string,
  (route: Route, method: Method) => boolean,
  Wrong | ((route: Route) => Wrong),
  readonly number[],
])[] = [
  ["no token", ({ who }) => who === "account" || who === "metrics", { isAnonymous: true }, [401]],
  ["a token in the address", ({ who }) => who === "account", { isAnonymous: true, query: "?token=gsv_user_x" }, [401]],
  [
    "a wrong token",
    ({ who }) => who !== "public" && who !== "login",
    { isAnonymous: true, headers: ["Authorization: Bearer gsv_user_wrong"] },
    [101, 400, 401, 429],
  ],
  ["another host", always, { headers: ["Host: evil.test"] }, [421]],
  ["two hosts", always, { headers: ["Host: evil.test", "Host: 127.0.0.1"] }, [400, 421]],
  ["a host with a space", always, { headers: ["Host: a b"] }, [400, 421]],
  ["a page of another origin", always, { headers: ["Origin: http://evil.test"] }, [403]],
  ["a forged address", always, { headers: ["X-Forwarded-For: 10.0.0.1"] }, [400]],
  ["TRACE", always, { method: "TRACE", body: "" }, [405]],
  ["CONNECT", always, { method: "CONNECT", body: "" }, [0, 400, 405, 421]],
  ["a method of no standard", always, { method: "BREW" }, [0, 400, 405]],
  ["a body where none belongs", ({ body, isSocket }) => body === "none" && !isSocket, { body: "{}" }, [400]],
  ["a form", takesBody, { body: "a=b", headers: ["Content-Type: application/x-www-form-urlencoded"] }, [415]],
  ["broken JSON", takesJson, { body: '{"a":' }, [400]],
  ["a list", takesJson, { body: "[1]" }, [400]],
  ["a number", takesJson, { body: "1e999" }, [400]],
  ["JSON of great depth", takesJson, { body: `${"[".repeat(200_000)}` }, [400]],
  ["bytes that are no UTF-8", takesJson, { body: "\xff\xfe" }, [400]],
  ["a prototype", takesJson, { body: '{"__proto__":{"admin":true},"constructor":{}}' }, [200, 201, 400, 401, 404]],
  ["a length beyond the limit", takesBody, { headers: ["Content-Length: 99999999999"] }, [0, 413]],
  ["two lengths", takesBody, { headers: ["Content-Length: 2", "Content-Length: 3"] }, [0, 400]],
  ["a length with a sign", takesBody, { headers: ["Content-Length: +2"] }, [0, 400]],
  [
    "a length and chunks",
    takesBody,
    { headers: ["Content-Length: 2", "Transfer-Encoding: chunked"], body: "0\r\n\r\n" },
    [0, 400],
  ],
  ["an unknown encoding", takesBody, { headers: ["Transfer-Encoding: gzip, chunked"] }, [0, 400, 501]],
  ["half a body", takesBody, { body: '{"a"', headers: ["Content-Length: 1000"], half: true }, [0]],
  ["half a head", always, { headers: ["X-Half: "], half: true }, [0, 200, 201, 101, 304, 400, 401, 404, 426]],
  ["a header with a space before its colon", always, { headers: ["X-A : b"] }, [0, 400]],
  ["a header with NUL", always, { headers: ["X-A: b\0c"] }, [0, 400]],
  ["a folded header", always, { headers: ["X-A: b", " c"] }, [0, 400]],
  ["a very long header", always, { headers: [`X-A: ${LONG}`] }, [0, 431]],
  ["a very long path", always, { query: `?${LONG}` }, [0, 414, 431]],
  ["a thousand headers", always, { headers: Array.from({ length: 1000 }, (_, at) => `X-${at}: a`) }, [0, 431]],
  [
    "ranges without end",
    (_route, method) => method === "GET",
    { headers: [`Range: bytes=${"0-0,".repeat(500)}9-`] },
    DEFINED,
  ],
  [
    "a range beyond the end",
    (_route, method) => method === "GET",
    { headers: ["Range: bytes=99999999999999999999-"] },
    DEFINED,
  ],
  ["an unknown query", always, { query: "?limit=1e9&after=-1&pid=..&types=%00&projectId=%ff" }, DEFINED],
  ["a query twice", always, { query: "?limit=1&limit=2&pid=a&pid=b" }, DEFINED],
  ...[
    "%2e%2e",
    "..%2f..%2fetc%2fpasswd",
    "..%5c..%5cetc",
    "a%00b",
    "%ff%fe",
    "%zz",
    "%2e%2e%2f",
    "%E2%80%AE",
    "'%22%3Cscript%3E",
  ].map(
    (part) =>
      [
        `the segment ${part}`,
        hasParams,
        (route: Route) => ({ path: pathOf(route, () => part) }),
        // Some are read as another path, which may be that of the console.
        DEFINED,
      ] as const,
  ),
  ["a segment of 8,000 characters", hasParams, (route) => ({ path: pathOf(route, () => "a".repeat(8000)) }), DEFINED],
  [
    "a path above the root",
    always,
    (route) => ({ path: `/../..${pathOf(route, () => "x")}/../../etc/passwd` }),
    [400, 401, 404],
  ],
  [
    "another address in the request line",
    always,
    (route) => ({ path: `http://evil.test${pathOf(route, () => "x")}` }),
    DEFINED,
  ],
];

/** Each property of the body as something else than it is. */
function wrongTypes({ doc }: Route, method: Method): readonly string[] {
  const schema = doc?.[method]?.body as { readonly properties?: object } | undefined;
  const names = Object.keys(schema?.properties ?? { user: 1, password: 1, code: 1, pid: 1, label: 1 });
  const values = [null, 5, -1, 1e300, true, [], {}, [["a"]], "", "\u0000", "\ud800", "x".repeat(300_000)];
  return names.flatMap((name) => values.map((value) => JSON.stringify({ [name]: value })));
}

function expectDefined(route: Route, { status, head, body }: RawAnswer, expected: readonly number[]): void {
  const isMcp = route.path === "/mcp";
  // Without a session there is nothing to get or to delete, whatever else is wrong.
  expect(isMcp ? [...expected, 405] : expected).toContain(status);
  expect(`${head}${body}`).not.toMatch(/(?:\n|\\n)\s+at |\.ts:\d|node_modules|Error:|\$bunfs|SQLITE/);
  if (isMcp && /^\{"jsonrpc"/.test(body)) {
    expect(JSON.parse(body)).toMatchObject({ jsonrpc: "2.0", error: { message: expect.any(String) } });
  } else if (status >= 400 && body !== "") {
    expect(head.toLowerCase()).toContain("content-type: application/problem+json");
    expect(JSON.parse(body)).toMatchObject({ status });
  }
}

describe.each(ROUTES.flatMap((route) => route.methods.map((method) => [method, route.path, route] as const)))(
  "%s %s",
  (method, _path, route) => {
    test.each(CASES.filter(([, fits]) => fits(route, method)))("%s", async (_what, _fits, wrong, expected) => {
      expectDefined(route, await send(route, method, typeof wrong === "function" ? wrong(route) : wrong), expected);
    });

    test("a method that it does not have is refused, with those that it has", async () => {
      const path = pathOf(route, (name) => SAMPLES[name] ?? "x");
      const others = ["GET", "POST", "PUT", "PATCH", "DELETE"].filter(
        (each) => !("route" in findRoute(ROUTES, each, path)),
      );
      for (const each of others) {
        const answer = await send(route, method, { method: each });
        expectDefined(route, answer, [405]);
        expect(answer.head).toMatch(/\r\nallow: [A-Z, ]+/i);
      }
    });

    if (takesJson(route))
      test("no wrong type of an argument is a fault", async () => {
        for (const body of wrongTypes(route, method))
          expectDefined(route, await send(route, method, { body }), [200, 201, 400, 401, 403, 404, 409, 413, 415, 429]);
      });

    test("nothing failed inside, and nothing stays open", async () => {
      while (opened > 0) await Bun.sleep(1);
      expect(kernel.faults).toEqual([]);
      expect((await fetch(`${listener.url}/healthz`)).status).toBe(200);
    });
  },
);
