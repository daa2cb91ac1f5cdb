// The OpenAPI document: its structure, and what it says about calls and routes.

import { beforeAll, expect, test } from "bun:test";
import { shapeFrom } from "../../src/abi/shape.ts";
import { ROUTES } from "../../src/serve/routes.ts";
import { SYSCALLS } from "../../src/syscalls/all.ts";
import { ServedKernel } from "../support/served-kernel.ts";

// biome-ignore lint/suspicious/noExplicitAny: a document is looked into at many depths
type Json = any;

let document: Json;
beforeAll(async () => {
  document = (await (await ServedKernel.boot()).json("GET", "/api/openapi.json"))[1];
});

function* operations(): Generator<readonly [string, string, Json]> {
  for (const [path, item] of Object.entries(document.paths as Json))
    for (const [method, operation] of Object.entries(item as Json)) yield [path, method, operation as Json];
}

/** Everything below a value, with its place. */
function* parts(value: unknown, at: string): Generator<readonly [string, Json]> {
  if (typeof value !== "object" || value === null) return;
  yield [at, value as Json];
  for (const [key, part] of Object.entries(value)) yield* parts(part, `${at}/${key}`);
}

function schemas(): (readonly [string, Json])[] {
  return [...parts(document, "")].filter(([at]) =>
    /\/(?:schema|items)$|\/properties\/[^/]+$|\/schemas\/[^/]+$/.test(at),
  );
}

const TYPES = ["string", "number", "integer", "boolean", "array", "object", "null"];

/** The rules of OpenAPI 3.1 and JSON Schema 2020-12 that a mistake here would break. */
function faultsIn(): string[] {
  const faults: string[] = [];
  const check = (is: boolean, what: string) => void (is || faults.push(what));
  check(document.openapi === "3.1.0" && typeof document.info.title === "string", "head");
  const ids = new Set<string>();
  for (const [path, method, operation] of operations()) {
    const at = `${method} ${path}`;
    check(/^\/[^?#:*]*$/.test(path) && /^(?:get|put|post|delete|patch)$/.test(method), `${at}: path or method`);
    check(!ids.has(operation.operationId), `${at}: operationId twice`);
    ids.add(operation.operationId);
    const given = (operation.parameters ?? []) as readonly Json[];
    const inPath = given.filter((each) => each.in === "path").map(({ name }) => name as string);
    check(
      inPath.sort().join() ===
        [...path.matchAll(/\{(\w+)\}/g)]
          .map(([, name]) => name)
          .sort()
          .join(),
      `${at}: path`,
    );
    for (const each of given) check("$ref" in each || ("name" in each && "schema" in each), `${at}: parameter`);
    for (const [status, response] of Object.entries<Json>(operation.responses)) {
      check(/^(?:[1-5][0-9]{2}|default)$/.test(status), `${at}: status ${status}`);
      check("$ref" in response || typeof response.description === "string", `${at}: response ${status}`);
    }
    check(Object.keys(operation.responses).length > 0, `${at}: no responses`);
    if (operation.requestBody !== undefined) check("content" in operation.requestBody, `${at}: body`);
  }
  for (const [at, { $ref }] of parts(document, ""))
    if (typeof $ref === "string") {
      const target = $ref
        .slice(2)
        .split("/")
        .reduce((part, key) => part?.[key], document);
      check($ref.startsWith("#/") && target !== undefined, `${at}: ${$ref}`);
    }
  for (const [at, schema] of schemas()) {
    for (const type of [schema.type ?? []].flat()) check(TYPES.includes(type), `${at}: type ${type}`);
    for (const name of schema.required ?? []) check(name in schema.properties, `${at}: required ${name}`);
    for (const bound of ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"])
      check(schema[bound] === undefined || Number.isFinite(schema[bound]), `${at}: ${bound}`);
    if (schema.pattern !== undefined) new RegExp(schema.pattern, "u");
  }
  return faults;
}

test("the document is valid OpenAPI 3.1", () => expect(faultsIn()).toEqual([]));

test("every syscall is an operation, and every route of programs describes itself", () => {
  for (const name of SYSCALLS.keys()) expect(document.paths[`/api/call/${name}`].post.operationId).toBe(name);
  const silent = ROUTES.filter(
    ({ path, who, doc }) => path.startsWith("/api/") && who === "account" && doc === undefined,
  );
  expect(silent.map(({ path }) => path).sort()).toEqual(["/api/call/:name", "/api/socket"]);
});

test("arguments have the limits and defaults that the kernel checks", () => {
  const { schema } = document.paths["/api/call/proc.history"].post.requestBody.content["application/json"];
  expect(schema.properties.limit).toMatchObject({ type: "integer", minimum: 1, maximum: 500, default: 50 });
  expect(schema.properties.pid.pattern).toBe("^(?:init:(?:0|[1-9][0-9]{0,9})|task:[a-z0-9]{6})$");
  const create = document.paths["/api/call/account.passwd"].post.requestBody.content["application/json"].schema;
  expect(Object.values<Json>(create.properties).some(({ writeOnly }) => writeOnly === true)).toBe(true);
});

/** Also refuses fields that the shape does not name. */
function strict(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== "object" || schema === null) return schema;
  const parts = Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, strict(part)]));
  return "properties" in schema ? { ...parts, additionalProperties: false } : parts;
}

test("results have the shapes that the document describes", async () => {
  const served = await ServedKernel.boot();
  const { kernel } = served;
  const described = (name: string): Json =>
    document.paths[`/api/call/${name}`].post.responses["200"].content?.["application/json"].schema;
  const answer = async (name: string, args: object): Promise<Json> => {
    const [status, value] = await served.json<Json>("POST", `/api/call/${name}`, args);
    const faults = status === 200 ? shapeFrom(strict(described(name)))(value) : [value];
    expect({ name, faults }).toEqual({ name, faults: [] });
    return value;
  };
  const { pid } = await answer("proc.spawn", { label: "reader" });
  const { runId } = await answer("proc.send", { pid, message: "hello" });
  await answer("proc.wait", { pids: [pid], run: runId });
  kernel.model.will(pid, { calls: [{ name: "Delete", args: { path: "~/notes.md", target: "gsv" } }] });
  await answer("proc.send", { pid, message: "write it" });
  await kernel.inState(pid, "waiting_hil");
  const { approvals } = await answer("hil.list", {});
  for (const [name, args] of [
    ["proc.list", {}],
    ["proc.get", { pid }],
    ["proc.history", { pid }],
    ["hil.answer", { id: approvals[0].id, decision: "deny", message: "no" }],
    ["proc.send", { pid, message: "/status" }],
    ["proc.abort", { pid }],
    ["fs.write", { path: "~/a.txt", content: "one" }],
    ["fs.read", { path: "~/a.txt" }],
    ["fs.read", { path: "~" }],
    ["fs.edit", { path: "~/a.txt", oldString: "one", newString: "two" }],
    ["fs.search", { query: "two", path: "~" }],
    ["fs.stat", { path: "~/a.txt" }],
    ["fs.list", { path: "~" }],
    ["fs.get", { path: "~/a.txt" }],
    ["fs.delete", { path: "~/a.txt" }],
    ["config.set", { key: "ai.model", value: "offline" }],
    ["config.get", { key: "ai.model" }],
    ["config.list", {}],
    ["system.whoami", {}],
    ["sys.version", {}],
    ["serve.status", {}],
    ["account.list", {}],
    ["sys.token.create", { label: "x" }],
    ["sys.token.list", {}],
    ["sys.login.list", {}],
    ["notify.list", {}],
    ["proc.signal", { pid, signal: "STOP" }],
    ["proc.reset", { pid }],
    ["proc.kill", { pid }],
  ] as const)
    await answer(name, args);
});

test("a call that no shape describes answers any JSON, and each says its errors as problem documents", () => {
  const { responses } = document.paths["/api/call/audit.list"].post;
  expect(responses["200"]).toEqual({ $ref: "#/components/responses/Result" });
  for (const [path, , operation] of operations())
    expect([path, operation.responses.default]).toEqual([path, { $ref: "#/components/responses/Problem" }]);
  const { content } = document.components.responses.Problem;
  expect(Object.keys(content)).toEqual(["application/problem+json"]);
});

test("it is served with a checksum, and only to an account", async () => {
  const served = await ServedKernel.boot();
  const response = await served.request("GET", "/api/openapi.json");
  const etag = response.headers.get("etag") ?? "";
  expect([response.status, ((await response.json()) as Json).openapi]).toEqual([200, "3.1.0"]);
  const again = await served.request("GET", "/api/openapi.json", undefined, { "if-none-match": etag });
  expect([again.status, await again.text()]).toEqual([304, ""]);
  expect((await fetch(`${served.listener.url}/api/openapi.json`)).status).toBe(401);
});
