// `/public/*` over an object store in memory: what is served and how, and that nothing else of the store ever is.

import { beforeEach, expect, test } from "bun:test";
import { separateStores } from "../../fs/memory.ts";
import { sha256Hex } from "../../src/lib/hash.ts";
import type { NewObject, ObjectStore } from "../../src/objects/objects.ts";
import { answerPublic } from "../../src/serve/public.ts";

const CLI = "public/gsv/downloads/cli";
const HOST = "gsv.test:4870";
const ORIGIN = `https://${HOST}`;

let objects: ObjectStore;
beforeEach(() => {
  objects = separateStores(() => 0, 16 * 1024 * 1024)(null);
});

async function put(key: string, content: string | Uint8Array, patch: Partial<NewObject> = {}): Promise<void> {
  const own = { uid: 0, gid: 0, mode: 0o644, type: "text/plain", mtimeMs: 1, dirmarker: false, symlink: null };
  await objects.put({ key, ...own, ...patch }, Buffer.from(content));
}

/** `path`: as it came, without the normalisation that URLs get elsewhere. */
function served(path: string, headers: { readonly [name: string]: string } = {}, method = "GET", host = HOST) {
  const request = new Request(`${ORIGIN}/`, { method, headers });
  const url = { pathname: path, host } as URL;
  return answerPublic({ request, url, isSecure: true, host: { publicObjects: objects } });
}

async function statusOf(path: string): Promise<number> {
  return (await served(path)).status;
}

test("an object is served with the ETag of its stored checksum, and 304 if the client has it", async () => {
  await put(`${CLI}/stable/gsv-linux-x64`, "binary");
  const response = await served(`/${CLI}/stable/gsv-linux-x64`);
  expect([response.status, await response.text()]).toEqual([200, "binary"]);
  const etag = response.headers.get("etag")!;
  expect(etag).toBe(`"${sha256Hex("binary")}"`);
  for (const tag of [etag, `"other", ${etag}`, `W/${etag}`, "*"]) {
    const again = await served(`/${CLI}/stable/gsv-linux-x64`, { "if-none-match": tag });
    expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag]);
  }
});

test.each([
  ["bytes=0-3", 206, "0123", "bytes 0-3/10"],
  ["bytes=4-", 206, "456789", "bytes 4-9/10"],
  ["bytes=-3", 206, "789", "bytes 7-9/10"],
  ["bytes=-50", 206, "0123456789", "bytes 0-9/10"],
  ["bytes=8-99999", 206, "89", "bytes 8-9/10"],
  ["bytes=10-", 416, "", "bytes */10"],
  ["bytes=-0", 416, "", "bytes */10"],
  ["bytes=0-1,3-4", 200, "0123456789", null],
  ["bytes=5-2", 200, "0123456789", null],
  ["lines=1-2", 200, "0123456789", null],
  ["bytes=-", 200, "0123456789", null],
  [`bytes=${"9".repeat(400)}-`, 200, "0123456789", null],
])("the range %s answers %d", async (range, status, text, content) => {
  await put("public/digits.txt", "0123456789");
  const response = await served("/public/digits.txt", { range });
  expect([response.status, await response.text(), response.headers.get("content-range")]).toEqual([
    status,
    text,
    content,
  ]);
});

test("If-Range resumes the same content only", async () => {
  await put("public/a.txt", "0123456789");
  const etag = `"${sha256Hex("0123456789")}"`;
  const range = { range: "bytes=5-" };
  expect(await (await served("/public/a.txt", { ...range, "if-range": etag })).text()).toBe("56789");
  await put("public/a.txt", "abcdefghij");
  const changed = await served("/public/a.txt", { ...range, "if-range": etag });
  expect([changed.status, await changed.text()]).toEqual([200, "abcdefghij"]);
});

test("HEAD answers with the headers of GET and no body", async () => {
  await put("public/a.bin", new Uint8Array(3_000_000));
  const head = await served("/public/a.bin", {}, "HEAD");
  expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "3000000", ""]);
});

test("large content comes in pieces, and a change in between cuts it", async () => {
  await put("public/a.bin", new Uint8Array(3_000_000).fill(7));
  const whole = await (await served("/public/a.bin")).bytes();
  expect([whole.byteLength, whole.every((byte) => byte === 7)]).toEqual([3_000_000, true]);
  const reader = (await served("/public/a.bin")).body!.getReader();
  expect((await reader.read()).value?.byteLength).toBe(256 * 1024);
  await put("public/a.bin", new Uint8Array(3_000_000).fill(8));
  expect(
    await reader.read().then(
      () => "more bytes",
      () => "cut",
    ),
  ).toBe("cut");
});

test.each([
  [`${CLI}/stable/gsv-linux-x64`, "application/octet-stream", "attachment", "public, max-age=300"],
  [`${CLI}/stable/gsv-linux-x64.sha256`, "text/plain; charset=utf-8", null, "public, max-age=300"],
  [`${CLI}/default-channel.txt`, "text/plain; charset=utf-8", null, "no-store"],
  [`${CLI}/install.sh`, "application/x-sh", null, "no-store"],
  [`${CLI}/install.ps1`, "text/plain; charset=utf-8", null, "no-store"],
  ["public/gsv/assets/tts/manifest.json", "application/json", null, "public, no-cache"],
  ["public/gsv/assets/tts/1.0.0/a.wasm", "application/wasm", null, "public, max-age=31536000, immutable"],
  ["public/gsv/assets/tts/1.0.0/a.mjs", "text/javascript; charset=utf-8", null, "public, max-age=31536000, immutable"],
  ["public/page.html", "text/html; charset=utf-8", "attachment", "public, no-cache"],
  ["public/PAGE.HTM", "text/html; charset=utf-8", "attachment", "public, no-cache"],
  ["public/page.xhtml", "application/xhtml+xml", "attachment", "public, no-cache"],
  ["public/picture.svg", "image/svg+xml", "attachment", "public, no-cache"],
  ["public/feed.xml", "application/xml", "attachment", "public, no-cache"],
  ["public/unknown.__proto__", "application/octet-stream", "attachment", "public, no-cache"],
])("%s has the type %s", async (key, type, disposition, cache) => {
  await put(key, "<script>alert(1)</script>");
  const { headers } = await served(`/${key}`);
  const names = ["content-type", "content-disposition", "cache-control", "x-content-type-options"];
  expect(names.map((name) => headers.get(name))).toEqual([type, disposition, cache, "nosniff"]);
});

/** Everything else that an object store holds, by the key families of the storage reference. */
const PRIVATE = [
  "home/sam/a.txt",
  "root/notes.txt",
  "etc/passwd",
  "var/media/1000/init:1000/picture.png",
  "var/sessions/sam/init:1000/archive.jsonl.gz",
  "runtime/package-artifacts/abc.json",
  "process-source-overlays/init:1000/p/manifest.json",
  "agents/main/memory/2026-11-27.md",
  "publicity/a.txt",
  "public.txt",
];

test.each(PRIVATE)("%s stays private", async (key) => {
  await put(key, "secret");
  await put("public/a.txt", "public");
  const ways = [
    `/${key}`,
    `/public/${key}`,
    `/public/../${key}`,
    `/public/%2e%2e/${key}`,
    `/public/..%2f${key}`,
    `/public/%2e%2e%2f${key}`,
    `/public/%252e%252e%252f${key}`,
    `/public/..\\${key}`,
    `/public//${key}`,
    `/public/./${key}`,
    `/public/gsv/../../${key}`,
    `/public/a.txt/../../${key}`,
    `//public/../${key}`,
    `/PUBLIC/../${key}`,
  ];
  for (const path of ways) expect([path, await statusOf(path)]).toEqual([path, 404]);
});

test.each([
  ["a NUL", "/public/gsv/a.txt%00"],
  ["a broken escape", "/public/gsv/a.txt%zz"],
  ["cut UTF-8", "/public/gsv/a.txt%c3"],
  ["a slash in a name", "/public/gsv%2fa.txt"],
  ["an empty name", "/public/gsv//a.txt"],
  ["a point for a name", "/public/gsv/./a.txt"],
  ["the directory itself", "/public/gsv/"],
  ["a trailing slash", "/public/gsv/a.txt/"],
])("a path with %s names nothing", async (_what, path) => {
  await put("public/gsv/a.txt", "a");
  expect([await statusOf("/public/gsv/a.txt"), await statusOf(path)]).toEqual([200, 404]);
});

test("names are decoded once", async () => {
  await put("public/a b/%41.txt", "a");
  expect([await statusOf("/public/a%20b/%2541.txt"), await statusOf("/public/a%20b/%41.txt")]).toEqual([200, 404]);
});

test("directories, links, private files and files in private directories are not served", async () => {
  await put("public/d/.dir", "", { dirmarker: true, mode: 0o755 });
  await put("public/link", "../home/sam/a.txt", { symlink: "../home/sam/a.txt", mode: 0o777 });
  await put("public/mine.txt", "secret", { mode: 0o600 });
  await put("public/closed/.dir", "", { dirmarker: true, mode: 0o700 });
  await put("public/closed/a.txt", "secret");
  for (const path of ["/public/d", "/public/d/.dir", "/public/link", "/public/mine.txt", "/public/closed/a.txt"])
    expect([path, await statusOf(path)]).toEqual([path, 404]);
});

test("latest is the default channel", async () => {
  await put(`${CLI}/default-channel.txt`, "dev\n");
  await put(`${CLI}/dev/gsv-linux-x64`, "dev binary");
  expect(await (await served(`/${CLI}/latest/gsv-linux-x64`)).text()).toBe("dev binary");
  await put(`${CLI}/default-channel.txt`, "../../../../home/sam\n");
  expect(await statusOf(`/${CLI}/latest/a.txt`)).toBe(404);
});

test("an installer gets the address under which the client reached this server, and an ETag of its own", async () => {
  await put(`${CLI}/install.sh`, "ORIGIN='@GSV_ORIGIN@'\n");
  const response = await served(`/${CLI}/install.sh`);
  expect(await response.text()).toBe(`ORIGIN='${ORIGIN}'\n`);
  expect(response.headers.get("etag")).toBe(`"${sha256Hex(`ORIGIN='${ORIGIN}'\n`)}"`);
  const hostile = await served(`/${CLI}/install.sh`, {}, "GET", "a';id;'");
  expect(await hostile.text()).toBe("ORIGIN=''\n");
});

test("a listener that was not asked to serves none of it", async () => {
  await put("public/a.txt", "a");
  const request = new Request(`${ORIGIN}/public/a.txt`);
  expect(
    (await answerPublic({ request, url: new URL(request.url), isSecure: true, host: { publicObjects: null } })).status,
  ).toBe(404);
});
