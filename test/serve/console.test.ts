// The web console as a browser gets it: small, compressed, with a strict policy, and complete in itself.

import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { consoleFiles } from "../../src/serve/console/files.ts";
import { FakeDoor } from "../support/door.ts";
import { listening } from "../support/listening.ts";

const SIZE_MAX = 250_000;

const files = await consoleFiles();
const listener = listening(new FakeDoor());
afterAll(() => listener.close());

const get = (path: string, headers: { readonly [name: string]: string } = {}, method = "GET") =>
  fetch(`${listener.url}${path}`, { method, headers, decompress: false } as RequestInit);
const textOf = async (path: string) => await (await fetch(`${listener.url}${path}`)).text();

test("all files together are at most 250 KB", () => {
  const bytes = files.reduce((sum, { brotli }) => sum + brotli.length, 0);
  expect(bytes).toBeLessThan(SIZE_MAX);
});

test("no cache keeps the page, and its policy allows only its own files and connections", async () => {
  const response = await get("/");
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(response.headers.get("cache-control")).toBe("no-store");
  const policy = response.headers.get("content-security-policy") ?? "";
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'");
  expect(policy).toContain("frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  expect(response.headers.get("cross-origin-opener-policy")).toBe("same-origin");
});

test("files of the page have a hash in their name and may be kept for ever", async () => {
  const named = [...(await textOf("/")).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = ""]) => path);
  expect(named.map((path) => path.replace(/-[0-9a-f]{12}\./, "-HASH.")).sort()).toEqual([
    "/a/console-HASH.css",
    "/a/console-HASH.js",
    "/a/console-HASH.svg",
  ]);
  for (const path of named) {
    const response = await get(path);
    expect([response.status, response.headers.get("cache-control")]).toEqual([
      200,
      "public, max-age=31536000, immutable",
    ]);
  }
});

test.each([
  ["br, gzip", "br"],
  ["gzip;q=0.5", "gzip"],
  ["br;q=0, gzip", "gzip"],
  ["identity", null],
])("a browser that takes %s gets %s, with a tag of its own", async (accepted, coding) => {
  const first = await get("/", { "accept-encoding": accepted });
  expect([first.status, first.headers.get("content-encoding")]).toEqual([200, coding]);
  const tag = first.headers.get("etag") ?? "";
  expect(tag).toEndWith(`-${coding ?? "identity"}"`);
  const again = await get("/", { "accept-encoding": accepted, "if-none-match": `"other", W/${tag}` });
  expect([again.status, (await again.bytes()).length]).toEqual([304, 0]);
});

test("every coding has the same content", async () => {
  const plain = await (await get("/", { "accept-encoding": "identity" })).text();
  for (const accepted of ["br", "gzip"])
    expect(await (await fetch(`${listener.url}/`, { headers: { "accept-encoding": accepted } })).text()).toBe(plain);
});

test.each(["/a/console.js", "/a/..%2f..%2fpackage.json", "/a/%00", "/index.html", "/a/"])(
  "%s is not served",
  async (path) => {
    expect([401, 404]).toContain((await get(path)).status);
  },
);

test("the page takes no writes, and HEAD has no body", async () => {
  expect((await get("/", {}, "POST")).status).toBe(405);
  const head = await get("/", {}, "HEAD");
  expect([head.status, (await head.bytes()).length]).toEqual([200, 0]);
});

test("a link on another site may lead to the page, and a script there may not read it", async () => {
  const site = { "sec-fetch-site": "cross-site" };
  expect((await get("/", { ...site, "sec-fetch-mode": "navigate" })).status).toBe(200);
  expect((await get("/", { ...site, "sec-fetch-mode": "cors" })).status).toBe(403);
});

test("no source of the console makes elements from text, or runs text", () => {
  const root = join(import.meta.dir, "../../tui/web");
  const sources = [...new Bun.Glob("**/*.{ts,tsx,html}").scanSync({ cwd: root, absolute: true })];
  expect(sources.length).toBeGreaterThan(3);
  for (const path of sources)
    expect(readFileSync(path, "utf8")).not.toMatch(
      /innerHTML|outerHTML|insertAdjacent|document\.write|\beval\(|new Function/i,
    );
});

test("the files name no other server and no path of this computer, and need no program but a browser", async () => {
  for (const { path, type } of files) {
    const text = await textOf(path);
    expect(text).not.toContain(import.meta.dir.slice(0, -"/test/serve".length));
    if (!type.startsWith("text/javascript")) continue;
    expect(text).not.toMatch(/\bBun\.|require\("node:|from"node:/);
  }
});
