// Each kind of token at every route. What a kind may do was decided by hand; a route without a line here fails.

import { expect, test } from "bun:test";
import { ROUTES } from "../../src/serve/routes.ts";
import { ServedKernel } from "../support/served-kernel.ts";

const KINDS = ["user", "login", "service", "node", "metrics"] as const;

/** Statuses for each kind: people, then machines. Nothing is named `none`, so who enters finds nothing. */
const EVERYBODY = [200, 200, 200, 200, 200];
const NOTHING = [404, 404, 404, 404, 404];
const PEOPLE = [200, 200, 403, 403, 403];
const PEOPLE_NOTHING = [404, 404, 403, 403, 403];

const LINES: { readonly [route: string]: readonly [readonly number[], body?: object] } = {
  "GET /healthz": [EVERYBODY],
  "GET /readyz": [EVERYBODY],
  "GET /": [EVERYBODY],
  "GET /voice": [EVERYBODY],
  "GET /a/:file": [NOTHING],
  "GET /public/*": [NOTHING],
  // The secret is in the body: a token opens nothing here.
  "POST /api/login": [[401, 401, 401, 401, 401], { code: "AAAA-AAAA-AAAA" }],
  "POST /api/logout": [PEOPLE, {}],
  "GET /metrics": [[403, 403, 403, 403, 200]],
  // Off: the same for all.
  "GET /mcp": [[503, 503, 503, 503, 503]],
  "POST /mcp": [[503, 503, 503, 503, 503], {}],
  "DELETE /mcp": [[503, 503, 503, 503, 503]],
  "GET /api/files/*": [PEOPLE_NOTHING],
  "PUT /api/files/*": [[404, 404, 403, 403, 403], {}],
  "POST /api/call/:name": [PEOPLE, {}],
  // It says nothing about an account.
  "GET /api/openapi.json": [[200, 200, 200, 200, 403]],
  "GET /api/events": [PEOPLE],
  "GET /api/health": [PEOPLE],
  "GET /api/sessions": [PEOPLE],
  "POST /api/sessions": [[201, 201, 403, 403, 403], {}],
  "GET /api/sessions/:id": [PEOPLE_NOTHING],
  "PUT /api/sessions/:id": [PEOPLE_NOTHING, { name: "x" }],
  "DELETE /api/sessions/:id": [PEOPLE_NOTHING],
  "GET /api/sessions/:id/messages": [PEOPLE_NOTHING],
  "POST /api/sessions/:id/messages": [PEOPLE_NOTHING, { content: "x" }],
  "POST /api/sessions/:id/start": [PEOPLE_NOTHING, {}],
  "POST /api/sessions/:id/resume": [PEOPLE_NOTHING, {}],
  "POST /api/sessions/:id/stop": [PEOPLE_NOTHING],
  "GET /api/escalation-queue": [PEOPLE],
  // No id of a request.
  "POST /api/escalation-queue/:id/resolve": [[400, 400, 403, 403, 403], { approved: false }],
};

function pathOf(route: string): string {
  return route
    .replace("/*", "/none/none")
    .replace(":name", "proc.list")
    .replace(":id", "0192f0c8-7e2d-7000-8000-000000000001")
    .replace(":file", "none.js");
}

async function tokenOf({ kernel, listener }: ServedKernel, kind: (typeof KINDS)[number]): Promise<string> {
  if (kind !== "login") return (await kernel.sys.call<{ token: string }>("sys.token.create", { kind })).token;
  const { code } = await kernel.kernel.entries.newCode(1000);
  const body = JSON.stringify({ code });
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${listener.url}/api/login`, { method: "POST", headers, body });
  return ((await answer.json()) as { token: string }).token;
}

const asked = ROUTES.filter(({ isSocket }) => isSocket !== true).flatMap(({ methods, path, body }) =>
  methods.map((method) => ({ method, path, type: body === "bytes" ? "application/octet-stream" : "application/json" })),
);

test("every route has a line here", () => {
  expect(Object.keys(LINES).toSorted()).toEqual(asked.map(({ method, path }) => `${method} ${path}`).toSorted());
});

test("each kind of token gets at each route what its line says", async () => {
  const served = await ServedKernel.boot();
  for (const { method, path, type } of asked) {
    const [expected, body] = LINES[`${method} ${path}`] ?? [];
    const statuses: number[] = [];
    for (const kind of KINDS) {
      // A logout ends its token.
      const authorization = `Bearer ${await tokenOf(served, kind)}`;
      const response = await fetch(`${served.listener.url}${pathOf(path)}`, {
        method,
        headers: { authorization, ...(body !== undefined && { "content-type": type }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      statuses.push(response.status);
      await response.body?.cancel();
    }
    expect([method, path, statuses]).toEqual([method, path, [...(expected ?? [])]]);
  }
});
