// `gsv fetch` of long pages: the text comes in parts that each fit into a frame, up to the size limit of a page.

import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import { LIMITS } from "../../src/abi/config/limits.ts";
import { encodeFrame } from "../../src/rpc/frame.ts";
import { seenText } from "../../src/tools/html/text.ts";
import { stdinOf } from "../support/io.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { begin, finish } from "../support/shell.ts";

// Letters of two units, quotes and control characters: the longest as JSON.
const LINE = '𝒳\u0001"é\n';
const textOf = (bytes: number) => LINE.repeat(Math.ceil(bytes / Buffer.byteLength(LINE)));

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: (request) => {
    const text = textOf(Number(new URL(request.url).pathname.slice(1)));
    return new Response(text, { headers: { "content-type": "text/plain; charset=utf-8" } });
  },
});
afterAll(() => server.stop(true));
const page = (bytes: number) => ({ url: `http://127.0.0.1:${server.port}/${bytes}`, target: "host" });

let home: TestKernel;
beforeEach(async () => {
  home = await TestKernel.boot();
});
afterEach(() => home[Symbol.asyncDispose]());

interface Part {
  readonly text: string;
  readonly rest?: { readonly page: string; readonly from: number };
}

const ask = (args: object, sys = home.sys) => sys.call<Part>("net.fetch", args);

test("every part fits into a frame, and together they are the page", async () => {
  const about = page(3 * 1024 * 1024);
  const parts: Part[] = [];
  for (let rest: Part["rest"] | undefined = { page: "", from: 0 }; rest !== undefined; rest = parts.at(-1)?.rest) {
    const part = await ask(rest.page === "" ? about : { ...about, ...rest });
    encodeFrame({ kind: "res", id: 1, value: part }, "a part");
    parts.push(part);
  }
  expect(parts.length).toBeGreaterThan(3);
  const whole = parts.map(({ text }) => text).join("");
  expect(whole === seenText(textOf(3 * 1024 * 1024))).toBe(true);
  expect(parts.every(({ text }) => text.isWellFormed())).toBe(true);
});

test("the rest of a page is for its reader only, and goes after a minute or four other pages", async () => {
  const about = page(2 * 1024 * 1024);
  const { rest } = await ask(about);
  const gone = { code: "EAGAIN", message: "the rest of the page is gone" };
  expect(await home.refusal("net.fetch", { ...about, ...rest }, home.person(0))).toMatchObject(gone);
  expect((await ask({ ...about, ...rest })).rest).toMatchObject({ page: rest?.page });
  for (let at = 0; at < 4; at++) await ask(about);
  expect(await home.refusal("net.fetch", { ...about, ...rest })).toMatchObject(gone);
  const later = await ask(about);
  await home.clock.advance(61_000);
  expect(await home.refusal("net.fetch", { ...about, ...later.rest })).toMatchObject(gone);
});

test("the command prints the whole page; beyond the limit it says where the page is cut and exits with 6", async () => {
  const fetched = async (bytes: number, ...more: string[]) =>
    await finish(home, await begin(home, ["fetch", page(bytes).url, "--target", "host", ...more], stdinOf("none")));
  const long = await fetched(2_000_000);
  expect([long.status, long.stderr, long.stdout === seenText(textOf(2_000_000))]).toEqual([0, "", true]);
  const json = JSON.parse((await fetched(2_000_000, "--json")).stdout);
  expect([json.cut, "rest" in json, json.text.length]).toEqual([false, false, long.stdout.length]);
  const cut = await fetched(LIMITS.webBytesMax + 1000);
  expect([cut.status, cut.stderr]).toEqual([6, "the page is cut after 5.0 MiB\n"]);
  expect(cut.stdout.length).toBeGreaterThan(2_000_000);
});

test("a process gets a page at once: its results meet no frame", async () => {
  const inside = await home.insideOf(INIT, { approved: true });
  expect((await ask(page(2 * 1024 * 1024), inside)).rest).toBeUndefined();
});
