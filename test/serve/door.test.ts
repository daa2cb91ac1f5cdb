// Every route and every reason to refuse, as a table of requests and verdicts.

import { describe, expect, test } from "bun:test";
import { LIMITS } from "../../src/abi/config/limits.ts";
import { type Knock, verdictOf } from "../../src/serve/door.ts";
import { hostsOf, listenAddress } from "../../src/serve/listen-address.ts";
import { ROUTES } from "../../src/serve/routes.ts";

const HOST = "127.0.0.1:4870";
const door = {
  ...{ routes: ROUTES, cookie: "gsv_4870" },
  hosts: hostsOf(listenAddress(HOST, false), 4870, ["gsv.lan"], false),
  scheme: "http",
};
const GET: Knock = {
  ...{ method: "GET", host: HOST, path: "/healthz", origin: null, fetchSite: null, fetchMode: null },
  ...{
    authorization: null,
    cookie: null,
    key: null,
    contentType: null,
    hasBody: false,
    bodyBytes: null,
    isUpgrade: false,
    forwarded: null,
  },
};
const BEARER = { authorization: "Bearer gsv_user_abc" };
const CALL: Partial<Knock> = { method: "POST", path: "/api/call/proc.list" };
const UPGRADE: Partial<Knock> = { path: "/api/socket", isUpgrade: true };
const JSON_BODY = { hasBody: true, contentType: "application/json; charset=utf-8" };

type Expected = number | "anonymous" | "bearer";

/** The status of a refusal, or who enters. */
const ROWS: readonly (readonly [string, Partial<Knock>, Expected])[] = [
  ["a look at the health", {}, "anonymous"],
  ["by HEAD", { method: "HEAD", path: "/readyz" }, "anonymous"],
  ["by another name of this computer", { host: "LOCALHOST:4870" }, "anonymous"],
  ["by its address for IPv6", { host: "[::1]:4870" }, "anonymous"],
  ["by a name from the settings", { host: "gsv.lan:4870" }, "anonymous"],
  ["a name that points here (DNS rebinding)", { host: "evil.test:4870" }, 421],
  ["a name that points here, with a right token", { host: "evil.test:4870", ...CALL, ...BEARER }, 421],
  ["another port", { host: "127.0.0.1:4871" }, 421],
  ["no port", { host: "127.0.0.1" }, 421],
  ["no host", { host: null }, 421],
  ["two hosts", { host: `${HOST}, evil.test` }, 421],
  ["a host with a name of a user", { host: `me@${HOST}` }, 421],
  ["a host with a space", { host: `${HOST} x` }, 421],
  ["TRACE", { method: "TRACE" }, 405],
  ["CONNECT", { method: "CONNECT" }, 405],
  ["an unknown method", { method: "BREW" }, 405],
  ["a forged address", { forwarded: "x-forwarded-for", ...CALL, ...BEARER }, 400],
  ["a page of another site", { origin: "http://evil.test" }, 403],
  ["a page of another port", { origin: "http://127.0.0.1:9999" }, 403],
  ["a page of another scheme", { origin: `https://${HOST}` }, 403],
  ["a page without an origin of its own", { origin: "null" }, 403],
  ["a page of another name of this computer", { origin: "http://localhost:4870" }, 403],
  ["a websocket of another site", { ...UPGRADE, ...BEARER, origin: "http://evil.test" }, 403],
  ["a form of another site", { ...CALL, ...JSON_BODY, ...BEARER, fetchSite: "cross-site" }, 403],
  ["a page of the same site on another port", { ...CALL, ...BEARER, fetchSite: "same-site" }, 403],
  ["its own page", { ...CALL, ...BEARER, ...JSON_BODY, origin: `http://${HOST}`, fetchSite: "same-origin" }, "bearer"],
  ["a program with a token", { ...CALL, ...BEARER, ...JSON_BODY }, "bearer"],
  ["a websocket with a token", { ...UPGRADE, ...BEARER }, "bearer"],
  ["a path that is not there, with a token", { path: "/api/nothing", ...BEARER }, 404],
  ["a call without a token", CALL, 401],
  ["a websocket without a token", UPGRADE, 401],
  ["a websocket to a public path", { path: "/healthz", isUpgrade: true }, 400],
  ["a socket without an upgrade", { path: "/api/socket", ...BEARER }, 426],
  ["a write to a public path", { method: "POST" }, 405],
  ["a look at a call", { ...CALL, ...BEARER, method: "GET" }, 405],
  ["a path that is not there", { path: "/secret" }, 401],
  ["a path above the root", { path: "/../etc/passwd" }, 401],
  ["a password in place of a token", { ...CALL, authorization: "Basic cm9vdDpyb290" }, 401],
  ["an empty token", { ...CALL, authorization: "Bearer " }, 401],
  ["a token with a space", { ...CALL, authorization: "Bearer a b" }, 401],
  ["a token that is too long", { ...CALL, authorization: `Bearer ${"a".repeat(257)}` }, 401],
  ["a form", { ...CALL, ...BEARER, hasBody: true, contentType: "application/x-www-form-urlencoded" }, 415],
  ["a text", { ...CALL, ...BEARER, hasBody: true, contentType: "text/plain" }, 415],
  ["a body of no type", { ...CALL, ...BEARER, hasBody: true }, 415],
  ["a login", { method: "POST", path: "/api/login", ...JSON_BODY }, "anonymous"],
  ["a login as a form", { method: "POST", path: "/api/login", hasBody: true, contentType: "text/plain" }, 415],
  ["a login in the address", { path: "/api/login" }, 405],
  ["a body that is too long", { ...CALL, ...BEARER, ...JSON_BODY, bodyBytes: LIMITS.frameBytesMax + 1 }, 413],
  ["a body where none is read", { ...JSON_BODY }, 400],
];

describe("the door", () => {
  test.each(ROWS)("%s", (_title, patch, expected) => {
    const verdict = verdictOf({ ...GET, ...patch }, door);
    expect(verdict.kind === "refused" ? verdict.status : verdict.entry.kind).toBe(expected);
  });

  test("passes on the token as it came", () => {
    const verdict = verdictOf({ ...GET, ...CALL, authorization: "bearer aB3-_~" }, door);
    expect(verdict).toMatchObject({ entry: { kind: "bearer", token: "aB3-_~" }, params: { name: "proc.list" } });
  });
});

describe("an address to listen on", () => {
  test.each([
    ["127.0.0.1:4870", "127.0.0.1", true],
    ["localhost:80", "localhost", true],
    ["[::1]:4870", "::1", true],
    [":4870", "127.0.0.1", true],
    ["127.9.9.9:0", "127.9.9.9", true],
  ] as const)("%s is loopback", (text, host, isLoopback) => {
    expect(listenAddress(text, false)).toMatchObject({ host, isLoopback });
  });

  test.each(["0.0.0.0:80", "[::]:80", "192.168.0.5:80", "gsv.example:80"])("%s needs TLS", (text) => {
    expect(() => listenAddress(text, false)).toThrow("unencrypted");
    expect(listenAddress(text, true).isLoopback).toBe(false);
  });

  test.each(["", "4870", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "::1:4870", "http://a:1", "a b:1", "a:1/x"])(
    "%s is none",
    (text) => {
      expect(() => listenAddress(text, true)).toThrow("not an address");
    },
  );
});
