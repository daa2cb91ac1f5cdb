// Which route a path belongs to, and which paths belong to none.

import { expect, test } from "bun:test";
import { allowed, findRoute, type Route } from "../../src/serve/route.ts";

const row = (path: string, methods: Route["methods"]): Route => ({
  ...{ path, methods, who: "account", body: "none" },
  answer: () => undefined,
});
const ROUTES = [row("/", ["GET"]), row("/a/:id/b", ["GET"]), row("/files/*", ["GET"]), row("/files/*", ["PUT"])];

function found(method: string, path: string) {
  const match = findRoute(ROUTES, method, path);
  return "route" in match ? match.params : allowed(match);
}

test.each([
  ["GET", "/", {}],
  ["HEAD", "/", {}],
  ["GET", "/a/task%3Ax/b", { id: "task:x" }],
  ["GET", "/a/x%2fy/b", { id: "x/y" }],
  ["GET", "/files/a/b.txt", { rest: "a/b.txt" }],
  ["PUT", "/files/", { rest: "" }],
  ["GET", "/files/a..b", { rest: "a..b" }],
  ["DELETE", "/files/a", "GET, HEAD, PUT"],
  ["POST", "/", "GET, HEAD"],
  ["GET", "", ""],
  ["GET", "/files", ""],
  ["GET", "/a//b", ""],
  ["GET", "/a/x/b/", ""],
  ["GET", "//a/x/b", ""],
  ["GET", "/A/x/b", ""],
  ["GET", "/files/..%2fetc", ""],
  ["GET", "/files/a%2f..%2f..%2fetc", ""],
  ["GET", "/files/..%5cetc", ""],
  ["GET", "/files/a%00b", ""],
  ["GET", "/files/%zz", ""],
  ["GET", "/files/%ff", ""],
  ["GET", "/a/../b", ""],
] as const)("%s %s", (method, path, expected) => {
  expect(found(method, path)).toEqual(expected);
});
