// Files over HTTP, on a real kernel behind a real port: whole or not at all, with the rights of the account.

import { describe, expect, test } from "bun:test";
import { SysError } from "../../src/abi/errno.ts";
import type { Sys } from "../../src/abi/sys.ts";
import { sha256Hex } from "../../src/lib/hash.ts";
import { putFile } from "../../src/serve/api/files.ts";
import type { ListenOptions } from "../../src/serve/listener.ts";
import type { Visit } from "../../src/serve/route.ts";
import type { FileStat } from "../../src/syscalls/fs/fs-tree.ts";
import { FakeClock } from "../support/clock.ts";
import { hostPorts } from "../support/listening.ts";
import { seeded } from "../support/random.ts";
import { ServedKernel } from "../support/served-kernel.ts";

type Headers = { readonly [name: string]: string };

async function serve(more: Partial<ListenOptions> = {}) {
  const served = await ServedKernel.boot({}, more);
  const ask = (method: string, path: string, headers: Headers = {}, body?: Uint8Array | ReadableStream | string) =>
    fetch(`${served.listener.url}/api/files/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${served.token}`,
        ...(body !== undefined && { "content-type": "application/octet-stream" }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
  const put = (path: string, body: Uint8Array | string, headers: Headers = {}) => ask("PUT", path, headers, body);
  const get = (path: string, headers: Headers = {}) => ask("GET", path, headers);
  const text = async (path: string) => await (await get(path)).text();
  return { served, sys: served.kernel.sys, ask, put, get, text };
}

describe("a file", () => {
  test("is created with 201, replaced with 200, and read back with the ETag that the write gave", async () => {
    const { put, get } = await serve();
    const created = await put("~/a.txt", "one");
    expect([created.status, await created.json()]).toEqual([
      201,
      { path: expect.stringMatching(/\/a\.txt$/), size: 3 },
    ]);
    const replaced = await put("~/a.txt", "two");
    expect(replaced.status).toBe(200);
    const read = await get("~/a.txt");
    expect([read.status, await read.text()]).toEqual([200, "two"]);
    expect(read.headers.get("etag")).toBe(replaced.headers.get("etag"));
    expect(read.headers.get("etag")).not.toBe(created.headers.get("etag"));
  });

  test("of several pieces arrives as it was sent, and can be read from the middle on", async () => {
    const { put, get, ask } = await serve();
    const bytes = seeded(7).bytes(3_000_001);
    expect((await put("~/big.bin", bytes)).status).toBe(201);
    expect(sha256Hex(await (await get("~/big.bin")).bytes())).toBe(sha256Hex(bytes));
    const head = await ask("HEAD", "~/big.bin");
    expect([head.headers.get("content-length"), await head.text()]).toEqual(["3000001", ""]);
    const range = { range: "bytes=2999990-", "if-range": head.headers.get("etag")! };
    const rest = await get("~/big.bin", range);
    expect([rest.status, rest.headers.get("content-range")]).toEqual([206, "bytes 2999990-3000000/3000001"]);
    expect(await rest.bytes()).toEqual(new Uint8Array(bytes.slice(2_999_990)));
    expect((await get("~/big.bin", { range: "bytes=3000001-" })).status).toBe(416);
    expect((await get("~/big.bin", { "if-none-match": range["if-range"] })).status).toBe(304);
  });

  test("may be empty, and has any name", async () => {
    const { put, text, sys } = await serve();
    expect((await put(`~/${encodeURIComponent("a b%41 ❄'.txt")}`, "")).status).toBe(201);
    expect(await text(`~/${encodeURIComponent("a b%41 ❄'.txt")}`)).toBe("");
    expect((await sys.call<FileStat>("fs.stat", { path: "~/a b%41 ❄'.txt" })).size).toBe(0);
  });

  test("is never shown as a page of this server", async () => {
    const { put, get } = await serve();
    await put("~/x.html", "<script>alert(1)</script>");
    const { headers } = await get("~/x.html");
    expect(headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''x.html");
    expect([headers.get("x-content-type-options"), headers.get("cache-control")]).toEqual([
      "nosniff",
      "private, no-cache",
    ]);
    expect(headers.get("content-security-policy")).toContain("sandbox");
  });

  test("that is made for its reader comes without a size", async () => {
    const { get, ask } = await serve();
    const version = await get("proc/version");
    expect([version.status, version.headers.get("etag")]).toEqual([200, null]);
    expect(await version.text()).toContain("gsv");
    expect((await ask("HEAD", "proc/version")).status).toBe(200);
  });
});

describe("conditions", () => {
  test("If-Match writes over this content only, If-None-Match: * only a new file", async () => {
    const { put, text } = await serve();
    const etag = (await put("~/a", "one")).headers.get("etag")!;
    expect((await put("~/a", "two", { "if-match": etag })).status).toBe(200);
    const late = await put("~/a", "three", { "if-match": etag });
    expect([late.status, await late.json()]).toEqual([412, expect.objectContaining({ code: "ECONFLICT" })]);
    expect((await put("~/a", "three", { "if-none-match": "*" })).status).toBe(412);
    expect((await put("~/none", "x", { "if-match": "*" })).status).toBe(412);
    expect((await put("~/none", "x", { "if-none-match": "*" })).status).toBe(201);
    expect(await text("~/a")).toBe("two");
  });

  test("of two that write over the same content at once exactly one wins", async () => {
    const { put } = await serve();
    const etag = (await put("~/a", "start")).headers.get("etag")!;
    const both = await Promise.all(["one", "two"].map((body) => put("~/a", body, { "if-match": etag })));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
    const fresh = await Promise.all(["one", "two"].map((body) => put("~/b", body, { "if-none-match": "*" })));
    expect(fresh.map(({ status }) => status).sort()).toEqual([201, 412]);
  });
});

test.each([
  ["GET", "~/none", 404, "ENOENT"],
  ["GET", "etc/shadow", 403, "EACCES"],
  ["GET", "home", 409, "EISDIR"],
  ["GET", "~", 409, "EISDIR"],
  ["GET", "~nobody/a", 404, "ENOENT"],
  ["GET", "a//b", 404, "ENOENT"],
  ["GET", "a%2fb", 404, "ENOENT"],
  ["GET", "home/", 404, "ENOENT"],
  ["PUT", "etc/x", 403, "EACCES"],
  ["PUT", "root/x", 403, "EACCES"],
  ["PUT", "~", 409, "EISDIR"],
  ["PUT", "~/none/x", 404, "ENOENT"],
  ["PUT", "bin/ls", 403, "EROFS"],
])("%s %s answers %d", async (method, path, status, code) => {
  const { ask } = await serve();
  const response = await ask(method, path, {}, method === "PUT" ? "x" : undefined);
  expect([response.status, await response.json()]).toEqual([status, expect.objectContaining({ code })]);
});

test("a body of another type is refused, and one without a token, too", async () => {
  const { ask, get } = await serve();
  expect((await ask("PUT", "~/a", { "content-type": "text/html" }, "x")).status).toBe(415);
  expect((await get("~/a", { authorization: "Bearer wrong" })).status).toBe(401);
});

describe("an upload that ends early", () => {
  test("leaves the old content, and nothing of the new one", async () => {
    const { served, put, text, sys } = await serve();
    await put("~/a", "old");
    const stop = new AbortController();
    let asked = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (++asked === 3) stop.abort();
        else controller.enqueue(new Uint8Array(700_000));
      },
    });
    const upload = fetch(`${served.listener.url}/api/files/~/a`, {
      ...{ method: "PUT", body, signal: stop.signal },
      headers: { authorization: `Bearer ${served.token}`, "content-type": "application/octet-stream" },
    });
    await expect(upload).rejects.toThrow();
    expect(await text("~/a")).toBe("old");
    const { entries } = await sys.call<{ entries: { name: string }[] }>("fs.list", { path: "~" });
    expect(
      entries.map(({ name }) => name).filter((name) => !/^(a|context\.d|skills\.d|knowledge)$/.test(name)),
    ).toEqual([]);
    expect(served.kernel.faults).toEqual([]);
  });

  test("frees its pieces", async () => {
    const calls: string[] = [];
    const sys = {
      call: async (name: string, { discard }: { discard?: boolean }) => {
        calls.push(discard ? `${name} discard` : name);
        if (name === "fs.stat") throw new SysError("ENOENT", "none");
      },
      close: async () => void calls.push("close"),
    } as unknown as Sys;
    const request = new Request("http://a/api/files/a", { method: "PUT" });
    const visit = {
      ...{ request, url: new URL(request.url), host: { clock: new FakeClock(), random: seeded(1).bytes } },
      open: async () => sys,
      async *pieces() {
        yield new Uint8Array(700_000);
        throw new Error("the client has gone");
      },
    } as unknown as Visit;
    await expect(putFile(visit)).rejects.toThrow("gone");
    expect(calls).toEqual(["fs.stat", "fs.stage", "fs.stage discard", "close"]);
  });

  test("is cut when it is slower than 16 KiB a second for 10 seconds", async () => {
    const clock = new FakeClock();
    const host = hostPorts({ clock });
    const { ask, text, put } = await serve({ host });
    await put("~/a", "old");
    let asked = 0;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (++asked > 3) return controller.close();
        controller.enqueue(new Uint8Array(1000));
        await clock.advance(6000);
      },
    });
    const response = await ask("PUT", "~/a", {}, body);
    expect([response.status, await response.json()]).toEqual([
      408,
      expect.objectContaining({ detail: "the upload is slower than 16 KiB a second" }),
    ]);
    expect(await text("~/a")).toBe("old");
  });
});
