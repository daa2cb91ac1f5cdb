// Signing in to a kernel on another computer, against a real listener in front of a fake kernel.

import { afterEach, expect, test } from "bun:test";
import { connect, createServer } from "node:net";
import { remoteEntry } from "../../src/client/remotes/entry.ts";
import { realClock } from "../../src/lib/clock.ts";
import type { Listener } from "../../src/serve/listener.ts";
import { FakeDoor, info } from "../support/door.ts";
import { listening, serverAt } from "../support/listening.ts";
import { seeded } from "../support/random.ts";
import { pem, TLS } from "../support/tls.ts";

let listener: Listener | null = null;
afterEach(async () => {
  await listener?.close();
  listener = null;
});

function served(more: Parameters<typeof listening>[1] = {}): string {
  listener = listening(new FakeDoor(), { at: "127.0.0.1:0", ...more });
  return listener.url;
}

const entry = (env: { readonly [name: string]: string } = {}) =>
  remoteEntry({ env, info: info(), clock: realClock, random: seeded(1).bytes });

const faultOf = (promise: Promise<unknown>) => promise.catch((error: Error) => error);

test.each([
  ["gsv.example", "https://gsv.example"],
  ["gsv.example:4870", "https://gsv.example:4870"],
  ["127.0.0.1:4870", "http://127.0.0.1:4870"],
  ["localhost:4870", "http://localhost:4870"],
  ["https://gsv.example:4870/", "https://gsv.example:4870"],
])("%s is the address %s", (typed, url) => {
  expect(entry().urlOf(typed)).toBe(url);
});

test.each([["http://gsv.example"], ["https://sam:hunter2@gsv.example"], ["https://gsv.example/path"], ["two words"]])(
  "the address %s is refused, and no password of it is printed",
  (typed) => {
    expect(() => entry().urlOf(typed)).toThrow(expect.objectContaining({ code: "ECONFIG" }));
    expect(() => entry().urlOf(typed)).not.toThrow("hunter2");
  },
);

test("a certificate of your own is shown with its fingerprint, and is then the only accepted one", async () => {
  const url = served({ tls: TLS });
  const found = await entry().strangeCertificate(url);
  expect(found?.fingerprint).toMatch(/^sha256:8964762aab29537c5d41/);
  const certificate = found?.pem ?? "";
  await entry().check({ url, certificate });
  const sys = entry().open(serverAt(url, { certificate }));
  expect(await sys.call<object>("echo", { a: 1 })).toEqual({ a: 1 });
  await sys.close();
  const unpinned = await faultOf(entry().check({ url, certificate: null }));
  expect(unpinned).toMatchObject({ code: "ECONFIG", message: `cannot verify the certificate of ${url}` });
});

test("another certificate than the pinned one is refused as changed", async () => {
  const url = served({ tls: TLS });
  const sys = entry().open(serverAt(url, { certificate: pem("other.crt") }));
  const fault = await faultOf(sys.call("echo", {}));
  expect(fault).toMatchObject({ code: "ECONFIG", message: "the certificate of box has changed" });
  await sys.close();
});

test("what answers must be gsv, and something must answer", async () => {
  const other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("hello") });
  const url = `http://127.0.0.1:${other.port}`;
  expect(await faultOf(entry().check({ url, certificate: null }))).toMatchObject({
    code: "ECONFIG",
    message: `no gsv answers at ${url} (HTTP 200)`,
  });
  await other.stop(true);
  expect(await faultOf(entry().check({ url, certificate: null }))).toMatchObject({
    code: "EAGAIN",
    message: `cannot reach ${url}: nothing listens there`,
  });
});

test("http:// to a port with TLS suggests https://", async () => {
  const url = served({ tls: TLS });
  const fault = await faultOf(entry().check({ url: url.replace("https:", "http:"), certificate: null }));
  expect(fault).toMatchObject({ code: "EAGAIN", hints: [`if it uses TLS: ${url}`] });
});

test("a wrong password is EAUTH with the words of the server", async () => {
  const at = { url: served(), certificate: null };
  const fault = await faultOf(entry().signIn(at, { kind: "password", user: "sam", password: "wrong" }));
  expect(fault).toMatchObject({ code: "EAUTH", message: "wrong password or token" });
});

test("a proxy of the environment carries the look at the certificate, requests and the websocket", async () => {
  const url = served({ tls: TLS, hosts: ["gsv.example"] }).replace("127.0.0.1", "gsv.example");
  const asked: string[] = [];
  const proxy = createServer((client) => {
    client.on("error", () => {});
    client.once("data", (head) => {
      const [, to = "", port = ""] = /^CONNECT (\S+):(\d+) [\s\S]*Basic c2FtOmh1bnRlcjI=\r\n/.exec(String(head)) ?? [];
      asked.push(to);
      const server = connect(Number(port), "127.0.0.1", () => {
        client.write("HTTP/1.1 200 OK\r\n\r\n");
        client.pipe(server).pipe(client);
      });
      server.on("error", () => client.destroy());
    });
  });
  await new Promise<void>((done) => proxy.listen(0, "127.0.0.1", done));
  const { port } = proxy.address() as { port: number };
  const through = entry({ HTTPS_PROXY: `http://sam:hunter2@127.0.0.1:${port}` });
  const certificate = (await through.strangeCertificate(url))?.pem ?? "";
  await through.check({ url, certificate });
  const sys = through.open(serverAt(url, { certificate }));
  expect(await sys.call<object>("echo", { a: 1 })).toEqual({ a: 1 });
  await sys.close();
  proxy.close();
  expect(asked).toEqual(["gsv.example", "gsv.example", "gsv.example"]);
});
