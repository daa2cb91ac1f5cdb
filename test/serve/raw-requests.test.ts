// Requests that no browser would send: smuggled headers, odd hosts, paths that climb. Each gets one defined answer, no stack, and the server
// goes on. Timing of comparisons is a matter of structure: secrets meet only as hashes, in one function.

import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { separateStores } from "../../fs/memory.ts";
import { sameHash, sha256Hex } from "../../src/lib/hash.ts";
import { FakeDoor } from "../support/door.ts";
import { listening } from "../support/listening.ts";
import { rawRequest } from "../support/raw-http.ts";

const FAULTS: string[] = [];
const door = new FakeDoor();
const objects = separateStores(() => 0, 1024 * 1024)(null);
const own = { uid: 0, gid: 0, mode: 0o644, type: "text/plain", mtimeMs: 1, dirmarker: false, symlink: null };
await objects.put({ key: "public/a.txt", ...own }, Buffer.from("for all"));
await objects.put({ key: "home/sam/a.txt", ...own }, Buffer.from("root: secret"));
const listener = listening(door, { faults: FAULTS, publicObjects: objects });
const HOST = new URL(listener.url).host;
const TOKEN = "Authorization: Bearer right";

const request = (line: string, headers: readonly string[], body = "") =>
  `${[line, ...headers, "Connection: close"].join("\r\n")}\r\n\r\n${body}`;
const call = (headers: readonly string[], body = "{}") =>
  request("POST /api/call/echo HTTP/1.1", [`Host: ${HOST}`, TOKEN, "Content-Type: application/json", ...headers], body);

test.each<[string, string, readonly number[]]>([
  ["both lengths", call(["Content-Length: 2", "Transfer-Encoding: chunked"], "0\r\n\r\n"), [400]],
  ["two lengths", call(["Content-Length: 2", "Content-Length: 3"]), [400]],
  ["a signed length", call(["Content-Length: +2"]), [400]],
  ["an unknown coding", call(["Transfer-Encoding: xchunked"]), [400]],
  ["a space before the colon", call(["Content-Length : 2"]), [400]],
  ["a folded header", call(["X-A: b\r\n c", "Content-Length: 2"]), [400]],
  ["NUL in a header", call(["X-A: b\0c", "Content-Length: 2"]), [400]],
  ["two hosts", request("GET /healthz HTTP/1.1", [`Host: ${HOST}`, "Host: evil.test"]), [421]],
  ["a host with a space", request("GET /healthz HTTP/1.1", [`Host: ${HOST} x`]), [400, 421]],
  ["a host with a user", request("GET /healthz HTTP/1.1", [`Host: me@${HOST}`]), [421]],
  ["a host with a slash", request("GET /healthz HTTP/1.1", [`Host: ${HOST}/x`]), [400, 421]],
  ["no host", "GET /healthz HTTP/1.0\r\n\r\n", [400, 421]],
  [
    "an absolute address of another",
    request("GET http://evil.test/healthz HTTP/1.1", [`Host: ${HOST}`]),
    [200, 400, 421],
  ],
  ["TRACE", request("TRACE /healthz HTTP/1.1", [`Host: ${HOST}`]), [405]],
  ["CONNECT", request(`CONNECT ${HOST} HTTP/1.1`, [`Host: ${HOST}`]), [400, 401, 405]],
  ["headers without end", request("GET /healthz HTTP/1.1", [`Host: ${HOST}`, `X-A: ${"x".repeat(20_000)}`]), [431]],
  ["a forged address", request("GET /healthz HTTP/1.1", [`Host: ${HOST}`, "X-Forwarded-For: 10.0.0.1"]), [400]],
  ["another forged address", request("GET /healthz HTTP/1.1", [`Host: ${HOST}`, "Forwarded: for=10.0.0.1"]), [400]],
  ["a path that climbs", request("GET /a/../../etc/passwd HTTP/1.1", [`Host: ${HOST}`]), [401]],
  ["one that climbs in escapes", request("GET /a/%2e%2e/%2e%2e/etc/passwd HTTP/1.1", [`Host: ${HOST}`]), [401]],
  ["one that climbs by backslashes", request("GET /a/..\\..\\etc HTTP/1.1", [`Host: ${HOST}`]), [400, 401]],
  ["one with an escaped slash", request("GET /a/..%2f..%2fetc HTTP/1.1", [`Host: ${HOST}`]), [401]],
  ["one with an escaped NUL", request("GET /a/x%00 HTTP/1.1", [`Host: ${HOST}`]), [401]],
  ["a public path that climbs", request("GET /public/../home/sam/a.txt HTTP/1.1", [`Host: ${HOST}`]), [401]],
  ["one in escapes", request("GET /public/%2e%2e/home/sam/a.txt HTTP/1.1", [`Host: ${HOST}`]), [401]],
  ["one with an escaped slash", request("GET /public/..%2fhome/sam/a.txt HTTP/1.1", [`Host: ${HOST}`]), [401]],
  ["one escaped twice", request("GET /public/%252e%252e/home/sam/a.txt HTTP/1.1", [`Host: ${HOST}`]), [404]],
  ["one by backslashes", request("GET /public/..\\home\\sam\\a.txt HTTP/1.1", [`Host: ${HOST}`]), [400, 401]],
  ["one with an empty name", request("GET /public//home/sam/a.txt HTTP/1.1", [`Host: ${HOST}`]), [404]],
  ["a public file to write", request("PUT /public/a.txt HTTP/1.1", [`Host: ${HOST}`, "Content-Length: 0"]), [405]],
  [
    "thousands of ranges",
    request("GET /public/a.txt HTTP/1.1", [`Host: ${HOST}`, `Range: bytes=${"0-,".repeat(4000)}0-`]),
    [200],
  ],
  ["a file that climbs", request("GET /api/files/../../etc/shadow HTTP/1.1", [`Host: ${HOST}`, TOKEN]), [404]],
  ["a file with NUL", request("GET /api/files/a%00 HTTP/1.1", [`Host: ${HOST}`, TOKEN]), [404]],
  ["a file without a token", request("GET /api/files/home/sam/a.txt HTTP/1.1", [`Host: ${HOST}`]), [401]],
  ["a call whose name climbs", call(["Content-Length: 2"]).replace("/echo", "/..%2fecho"), [404]],
])("%s", async (_what, text, statuses) => {
  const { status, head, body } = await rawRequest(listener.url, text);
  expect(statuses).toContain(status);
  expect(head + body).not.toMatch(/\.ts:|at [\w.]+ \(|root:/);
  expect(door.calls).toEqual([]);
  expect((await fetch(`${listener.url}/healthz`)).status).toBe(200);
});

test("the same server still answers an honest call, and logged no fault", async () => {
  const { status } = await rawRequest(listener.url, call(["Content-Length: 2"]));
  expect([status, FAULTS]).toEqual([200, []]);
  await listener.close();
});

test("secrets are compared as hashes, in one function that takes the same time wherever they differ", () => {
  const [a, b] = [sha256Hex("a"), sha256Hex("b")];
  expect([sameHash(a, a), sameHash(a, b), sameHash(a, a.slice(2)), sameHash("", "")]).toEqual([
    true,
    false,
    false,
    true,
  ]);
  const folder = resolve(import.meta.dir, "../../src/kernel/logins");
  const files = [
    ...readdirSync(folder).map((name) => join(folder, name)),
    resolve(import.meta.dir, "../../src/store/kernel/people/logins.ts"),
  ];
  const texts = files.map((file) => readFileSync(file, "utf8"));
  expect(texts.filter((text) => text.includes("sameHash(")).length).toBeGreaterThanOrEqual(2);
  for (const text of texts) expect(text).not.toMatch(/(?:[hH]ash|[tT]oken|key|code) [!=]==? (?!null|undefined)[a-z]/);
});
