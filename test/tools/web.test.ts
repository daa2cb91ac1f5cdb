// Fetching pages from real servers on loopback: allowed connections, the limit of redirects, and the size limit.

import { afterAll, expect, test } from "bun:test";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { LIMITS } from "../../src/abi/config/limits.ts";
import type { SysError } from "../../src/abi/errno.ts";
import { realClock } from "../../src/lib/clock.ts";
import { fetchPage, type PageRequest, type WebPage } from "../../src/tools/web.ts";
import { rejection } from "../support/refusal.ts";

const PAGE = "<html><title>T</title><h1>Hello</h1></html>";
let asked: { path: string; host: string; headers: Record<string, string> }[] = [];

const html = (body: string | Uint8Array, headers = {}) =>
  new Response(body as string, { headers: { "content-type": "text/html; charset=utf-8", ...headers } });
const to = (location: string, status = 302) => new Response(null, { status, headers: { location } });
const zeros = Buffer.alloc(LIMITS.webBytesMax * 2);

const ANSWERS: { readonly [path: string]: () => Response | Promise<Response> } = {
  "/": () => html(PAGE),
  "/text": () => new Response("plain\n"),
  "/json": () => Response.json({ a: 1 }),
  "/png": () => new Response(new Uint8Array([137, 80, 78, 71, 0]), { headers: { "content-type": "image/png" } }),
  "/latin": () =>
    new Response(new Uint8Array([0xe9]), { headers: { "content-type": "text/plain; charset=iso-8859-1" } }),
  "/meta": () =>
    new Response(Buffer.from("<meta charset='windows-1252'>\x80", "latin1"), {
      headers: { "content-type": "text/html" },
    }),
  "/bom": () =>
    new Response(new Uint8Array([0xff, 0xfe, 0x68, 0x00, 0x69, 0x00]), { headers: { "content-type": "text/plain" } }),
  "/gzip": () => html(gzipSync(PAGE), { "content-encoding": "gzip" }),
  "/deflate": () => html(deflateSync(PAGE), { "content-encoding": "deflate" }),
  "/br": () => html(brotliCompressSync(PAGE), { "content-encoding": "br" }),
  "/bomb": () => html(gzipSync(zeros), { "content-encoding": "gzip" }),
  "/broken": () => html("not gzip", { "content-encoding": "gzip" }),
  "/odd": () => html("x", { "content-encoding": "compress" }),
  "/long": () => new Response("x".repeat(LIMITS.webBytesMax + 10)),
  "/missing": () => new Response("gone", { status: 404 }),
  "/around": () => to("/around"),
  "/once": () => to("/text"),
  "/to-file": () => to("file:///etc/passwd"),
  "/to-metadata": () => to("http://169.254.169.254/latest/meta-data/"),
  "/to-decimal": () => to("http://2130706433/"),
  "/to-other": () => to("http://other.test/page"),
  "/slow": () => new Promise<Response>(() => {}),
};

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request) {
    const { pathname } = new URL(request.url);
    asked.push({
      path: pathname,
      host: request.headers.get("host") ?? "",
      headers: Object.fromEntries(request.headers),
    });
    return ANSWERS[pathname]?.() ?? new Response("?", { status: 500 });
  },
});
afterAll(() => server.stop(true));
const own = `127.0.0.1:${server.port}`;

function page(
  url: string,
  request: Partial<PageRequest> & { readonly resolve?: (host: string) => Promise<string[]> } = {},
) {
  const { resolve = async () => ["127.0.0.1"], ...rest } = request;
  const ports = { clock: realClock, resolve, version: "9" };
  return fetchPage(ports, {
    url,
    raw: false,
    followsAnywhere: false,
    reach: { allowed: [own], private: false },
    signal: new AbortController().signal,
    ...rest,
  });
}

async function refused(work: Promise<WebPage>): Promise<string> {
  const { code, message }: SysError = await rejection(work);
  return `${code}: ${message}`;
}

test("HTML becomes Markdown with its title, other text stays unchanged, and binary content is not shown", async () => {
  expect(await page(`http://${own}/`)).toMatchObject({ status: 200, type: "text/html", title: "T", text: "# Hello" });
  expect((await page(`http://${own}/`, { raw: true })).text).toBe(PAGE);
  expect(await page(`http://${own}/text`)).toMatchObject({ type: "text/plain", text: "plain\n", title: null });
  expect((await page(`http://${own}/json`)).text).toBe('{"a":1}');
  expect(await page(`http://${own}/png`)).toMatchObject({ type: "image/png", bytes: 5, text: "" });
  expect(await page(`http://${own}/missing`)).toMatchObject({ status: 404, text: "gone" });
});

test("text is decoded by the server's charset, the page's own or its first bytes", async () => {
  expect((await page(`http://${own}/latin`)).text).toBe("é");
  expect((await page(`http://${own}/meta`)).text).toBe("€");
  expect((await page(`http://${own}/bom`)).text).toBe("hi");
});

test("compressed pages are unpacked up to the size limit of a page", async () => {
  for (const path of ["gzip", "deflate", "br"]) expect((await page(`http://${own}/${path}`)).text).toBe("# Hello");
  const before = process.memoryUsage.rss();
  expect(await page(`http://${own}/bomb`)).toMatchObject({ bytes: LIMITS.webBytesMax, cut: true });
  expect(process.memoryUsage.rss() - before).toBeLessThan(128 * 1024 * 1024);
  expect(await page(`http://${own}/long`)).toMatchObject({ bytes: LIMITS.webBytesMax, cut: true });
  expect(await refused(page(`http://${own}/broken`))).toStartWith("EIO: ");
  expect(await refused(page(`http://${own}/odd`))).toBe("EIO: unknown content encoding: compress");
});

test("requests contain no data of the host", async () => {
  asked = [];
  await page(`http://${own}/text`);
  expect(Object.keys(asked[0]?.headers ?? {}).sort()).toEqual(
    ["accept", "accept-encoding", "accept-language", "connection", "host", "user-agent"].sort(),
  );
  expect(asked[0]?.headers["user-agent"]).toBe("gsv/9");
});

test("a name that resolves to the host is refused, even if only one of its addresses does", async () => {
  asked = [];
  const url = `http://rebound.test:${server.port}/text`;
  const reach = { allowed: [], private: false };
  for (const addresses of [["127.0.0.1"], ["93.184.216.34", "127.0.0.1"], ["::ffff:127.0.0.1"], ["10.1.2.3"]])
    expect(await refused(page(url, { reach, resolve: async () => addresses }))).toMatch(
      /^EPERM: not fetched: rebound\.test is .* is not on the public internet$/,
    );
  expect(await refused(page(`http://127.0.0.1:${server.port}/text`, { reach }))).toContain(
    "not on the public internet",
  );
  expect(await refused(page(`http://[::ffff:7f00:1]:${server.port}/`, { reach }))).toContain("not on the public");
  expect(await refused(page(`http://none.test/`, { reach, resolve: async () => [] }))).toContain("unknown host");
  expect(asked).toEqual([]);
});

test("the connection uses the checked address, even if the name resolves differently by then, and sends the name", async () => {
  asked = [];
  let lookups = 0;
  // A name that resolves to another address the second time.
  const resolve = async () => [lookups++ === 0 ? "127.0.0.1" : "93.184.216.34"];
  const url = `http://turning.test:${server.port}/text`;
  const reach = { allowed: [`turning.test:${server.port}`], private: false };
  expect((await page(url, { resolve, reach })).text).toBe("plain\n");
  expect(lookups).toBe(1);
  expect(asked).toMatchObject([{ host: `turning.test:${server.port}` }]);
});

test("every redirect is checked again: it cannot lead to a forbidden address, nor run for ever", async () => {
  const anywhere = { followsAnywhere: true };
  expect((await page(`http://${own}/once`)).text).toBe("plain\n");
  expect(await refused(page(`http://${own}/around`))).toContain("more than 5 times");
  expect(await refused(page(`http://${own}/to-file`, anywhere))).toStartWith("EINVAL: only http and https");
  expect(await refused(page(`http://${own}/to-metadata`, anywhere))).toContain("169.254.169.254 is not on the public");
  expect(await refused(page(`http://${own}/to-decimal`, anywhere))).toContain("127.0.0.1 is not on the public");
  expect(await page(`http://${own}/to-other`)).toMatchObject({ movedTo: "http://other.test/page", text: "" });
});

test("requests from the host reach the host itself, but no metadata service", async () => {
  const reach = { allowed: [], private: true };
  expect((await page(`http://${own}/text`, { reach })).text).toBe("plain\n");
  expect(await refused(page("http://169.254.169.254/", { reach }))).toStartWith("EPERM: not fetched");
  expect(await refused(page("http://keys.test/", { reach, resolve: async () => ["::ffff:a9fe:a9fe"] }))).toContain(
    "EPERM",
  );
});

test("a silent server is given up, and a caller that gives up first does not wait", async () => {
  const soon = { ...realClock, after: (ms: number, work: () => void) => realClock.after(ms / 1000, work) };
  const request = { raw: false, followsAnywhere: false, reach: { allowed: [own], private: false } };
  const ports = { clock: soon, resolve: async () => ["127.0.0.1"], version: "9" };
  const never = new AbortController();
  const slow = fetchPage(ports, { ...request, url: `http://${own}/slow`, signal: never.signal });
  expect(await refused(slow)).toContain("took longer than 30 s");
  const left = new AbortController();
  const gone = page(`http://${own}/slow`, { signal: left.signal });
  left.abort();
  expect(await refused(gone)).toStartWith("ECANCELED");
});
