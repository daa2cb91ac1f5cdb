// The OpenAPI 3.1 document of this listener: the syscalls, and the routes that describe themselves. It is made for each request, in a few
// milliseconds, and not kept.

import { sha256Hex } from "../../lib/hash.ts";
import { HEADERS } from "../rest.ts";
import type { Method, Route, RouteDoc, Schema, Visit } from "../route.ts";
import { isKnownTag } from "../stored-bytes.ts";

export async function answerOpenApi(visit: Visit): Promise<Response> {
  const { request, host, version, routes } = visit;
  // Only an account reads it.
  await (await visit.open()).close();
  const text = JSON.stringify(openApi(version, await host.callPaths(), routes));
  const etag = `"${sha256Hex(text)}"`;
  const headers = { ...HEADERS, "content-type": "application/json", "cache-control": "no-cache", etag };
  if (isKnownTag(request.headers.get("if-none-match"), etag)) return new Response(null, { status: 304, headers });
  return new Response(text, { headers });
}

function openApi(version: string, calls: Schema, routes: readonly Route[]): Schema {
  const paths: { [path: string]: { [method: string]: Schema } } = {};
  for (const route of routes)
    for (const method of route.methods) {
      const doc = route.doc?.[method];
      if (doc === undefined) continue;
      const path = route.path.replace(/:(\w+)/g, "{$1}").replace(/\*$/, "{rest}");
      paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(route, method, doc) };
    }
  return {
    openapi: "3.1.0",
    info: { title: "gsv", version, description: DESCRIPTION },
    security: [{ token: [] }],
    paths: { ...paths, ...calls },
    components: COMPONENTS,
  };
}

const DESCRIPTION =
  "The kernel of gsv over HTTP. Each call under /api/call acts as the account of the token, with the rights of that account.";

function operationOf({ path, who, body: kind }: Route, method: Method, doc: RouteDoc): Schema {
  const { summary, query = {}, headers = {}, body, answer = {}, type = "application/json", status = 200 } = doc;
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  if (path.endsWith("/*")) inPath.push("rest");
  const isChange = method !== "GET" && who === "account" && kind !== "bytes";
  return {
    operationId: `${method.toLowerCase()} ${path}`,
    summary,
    tags: [path.split("/").slice(0, 3).join("/")],
    ...(who !== "account" && { security: who === "metrics" ? [{ token: [] }] : [] }),
    parameters: [
      ...inPath.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
      ...Object.entries(query).map(([name, schema]) => ({ name, in: "query", schema })),
      ...Object.entries(headers).map(([name, schema]) => ({ name, in: "header", schema })),
      ...(isChange ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : []),
    ],
    ...(body !== undefined && {
      requestBody: { required: true, content: { [kind === "bytes" ? BYTES : "application/json"]: { schema: body } } },
    }),
    responses: {
      [status]: { description: "Done", content: { [type]: { schema: answer } } },
      ...(isChange && CONFLICTS),
      default: { $ref: "#/components/responses/Problem" },
    },
  };
}

const BYTES = "application/octet-stream";

const CONFLICTS = {
  "409": { $ref: "#/components/responses/StillRunning" },
  "422": { $ref: "#/components/responses/KeyReused" },
};

const PROBLEM = { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } };

const COMPONENTS = {
  securitySchemes: {
    token: { type: "http", scheme: "bearer", description: "A token of `gsv auth token create`" },
  },
  parameters: {
    IdempotencyKey: {
      ...{ name: "Idempotency-Key", in: "header" },
      description:
        "Makes a change safe to repeat for 24 hours: one key runs once. A stored answer has Idempotent-Replayed.",
      schema: { type: "string", minLength: 1, maxLength: 128, pattern: "^[A-Za-z0-9._:-]+$" },
    },
  },
  headers: { Replayed: { schema: { const: "true" }, description: "The answer is an earlier one" } },
  responses: {
    Result: {
      description: "The result",
      headers: { "Idempotent-Replayed": { $ref: "#/components/headers/Replayed" } },
      content: { "application/json": { schema: {} } },
    },
    StillRunning: { description: "A conflict, or the first request with this key is still running", content: PROBLEM },
    KeyReused: { description: "The key came with another request before", content: PROBLEM },
    Problem: { description: "Refused or failed", content: PROBLEM },
  },
  schemas: {
    Problem: {
      type: "object",
      description: "RFC 9457",
      properties: {
        type: { type: "string", format: "uri-reference" },
        title: { type: "string" },
        status: { type: "integer", minimum: 400, maximum: 599 },
        detail: { type: "string", description: "What failed" },
        code: { type: "string", description: "The error code of gsv, such as ENOENT" },
        hints: { type: "array", items: { type: "string" }, description: "What to do, a line each" },
      },
      required: ["type", "title", "status", "detail", "hints"],
    },
  },
};
