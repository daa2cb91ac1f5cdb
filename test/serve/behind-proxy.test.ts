// Behind a proxy: who the client is, from the right past the proxies that are known; headers of anybody else are a forgery.

import { expect, test } from "bun:test";
import { arrivalOf, sourceOf } from "../../src/serve/arrival.ts";
import { listenAddress } from "../../src/serve/listen-address.ts";
import { isWithin, networkOf, networksIn, plainAddress } from "../../src/serve/networks.ts";
import { FakeDoor } from "../support/door.ts";
import { listening } from "../support/listening.ts";
import { TLS } from "../support/tls.ts";

const PROXIES = networksIn("10.0.0.0/8, 127.0.0.1, fd00::/8");
const source = (peer: string, headers: { readonly [name: string]: string }) => {
  const { address, scheme, fault } = sourceOf(new Headers(headers), peer, PROXIES);
  return fault === null ? `${address} ${scheme}` : "refused";
};

test.each([
  ["203.0.113.9", {}, "203.0.113.9 null"],
  ["203.0.113.9", { "x-forwarded-for": "1.2.3.4" }, "refused"],
  ["203.0.113.9", { "x-forwarded-proto": "https" }, "refused"],
  ["203.0.113.9", { "x-forwarded-host": "gsv.example" }, "refused"],
  ["203.0.113.9", { forwarded: "for=1.2.3.4" }, "refused"],
  ["203.0.113.9", { "x-real-ip": "1.2.3.4" }, "refused"],
  ["10.1.2.3", {}, "10.1.2.3 http"],
  ["10.1.2.3", { "x-forwarded-for": "1.2.3.4" }, "1.2.3.4 http"],
  ["10.1.2.3", { "x-forwarded-for": "6.6.6.6, 1.2.3.4", "x-forwarded-proto": "https" }, "1.2.3.4 https"],
  [
    "10.1.2.3",
    { "x-forwarded-for": "6.6.6.6, 1.2.3.4, 10.9.9.9", "x-forwarded-proto": "http, https" },
    "1.2.3.4 https",
  ],
  ["::ffff:10.1.2.3", { "x-forwarded-for": "::ffff:1.2.3.4" }, "1.2.3.4 http"],
  ["fd00::1", { "x-forwarded-for": "[2001:db8::7]:4711" }, "2001:db8::7 http"],
  ["10.1.2.3", { "x-forwarded-for": "1.2.3.4:5678" }, "1.2.3.4 http"],
  ["10.1.2.3", { "x-forwarded-for": "10.0.0.7" }, "10.0.0.7 http"],
  ["10.1.2.3", { "x-forwarded-for": "unknown" }, "refused"],
  ["10.1.2.3", { "x-forwarded-for": "1.2.3.4, " }, "refused"],
  ["10.1.2.3", { "x-forwarded-for": "1.2.3.4,".repeat(40) }, "refused"],
  ["10.1.2.3", { forwarded: "for=6.6.6.6", "x-real-ip": "6.6.6.6" }, "10.1.2.3 http"],
] as const)("from %s with %j: %s", (peer, headers, expected) => {
  expect(source(peer, headers)).toBe(expected);
});

test.each([
  ["192.0.2.1", "192.0.2.0/24", true],
  ["192.0.3.1", "192.0.2.0/24", false],
  ["192.0.2.1", "0.0.0.0/0", true],
  ["192.0.2.1", "::/0", false],
  ["2001:db8::1", "2001:db8::/32", true],
  ["2001:db9::1", "2001:db8::/32", false],
  ["2001:DB8:0:0:0:0:0:1", "2001:db8::1", true],
  ["unknown", "0.0.0.0/0", false],
])("%s within %s: %p", (address, network, expected) => {
  expect(isWithin(address, networksIn(network))).toBe(expected);
});

test.each(["10.0.0.0/33", "10.0.0/8", "x", "1.2.3.4/", "1.2.3.4/8/8", "::1::2", "fd00::/129", "300.1.1.1", ":::/8"])(
  "%s is no network",
  (text) => {
    expect(() => networksIn(text)).toThrow("not a network");
  },
);

test("limits count an address once, whatever its spelling, and a /64 of IPv6 as one", () => {
  expect([plainAddress("::ffff:1.2.3.4"), networkOf("1.2.3.4"), plainAddress("fe80::1%eth0")]).toEqual([
    ...["1.2.3.4", "1.2.3.4", "fe80::1"],
  ]);
  const networks = ["2001:db8::1", "2001:0db8:0:0:ffff::2", "2001:db8:0:0:1:2:3:4", "2001:DB8::"].map(networkOf);
  expect(new Set(networks)).toEqual(new Set(["2001:db8:0:0::/64"]));
  expect(networkOf("2001:db8:0:1::1")).not.toBe(networks[0]);
});

test("the name of a client is short and printable", () => {
  expect(arrivalOf("1.2.3.4", `\x1b]0;x\x07${"é".repeat(200)}`, "account").program).toMatch(/^[\x20-\x7e]{80}$/);
  expect(arrivalOf("1.2.3.4", null, "account").program).toBe("unknown client");
});

test("behind a proxy with TLS the page is https: its origin, its cookie, and the address of its client", async () => {
  const [door, peers] = [new FakeDoor(), [] as string[]];
  const listener = listening(door, { peers, proxies: networksIn("127.0.0.1"), hosts: ["gsv.example"] });
  const ask = (headers: { readonly [name: string]: string }) =>
    fetch(`${listener.url}/api/login`, {
      method: "POST",
      headers: { host: "gsv.example", "content-type": "application/json", ...headers },
      body: JSON.stringify({ user: "sam", password: "right", cookie: true }),
    });
  const forwarded = { "x-forwarded-for": "198.51.100.4", "x-forwarded-proto": "https" };
  const secure = await ask({ ...forwarded, origin: "https://gsv.example" });
  expect([secure.status, secure.headers.get("set-cookie")]).toEqual([
    200,
    expect.stringMatching(/^__Host-gsv=[^;]+; Path=\/; .*HttpOnly; SameSite=Strict; Secure$/),
  ]);
  expect((await ask({ ...forwarded, origin: "http://gsv.example" })).status).toBe(403);
  const headers = { ...forwarded, host: "gsv.example", authorization: "Bearer right" };
  await fetch(`${listener.url}/api/call/echo`, { method: "POST", headers });
  expect([peers, listener.pageUrl]).toEqual([["198.51.100.4"], "https://gsv.example"]);
  await listener.close();
});

test("with a certificate of its own the cookie is for https alone, and so is the origin", async () => {
  const listener = listening(new FakeDoor(), { tls: TLS });
  const ask = (origin: string) =>
    fetch(`${listener.url}/api/login`, {
      ...{ method: "POST", headers: { "content-type": "application/json", origin } },
      body: JSON.stringify({ user: "sam", password: "right", cookie: true }),
      tls: { rejectUnauthorized: false },
    });
  const response = await ask(listener.url);
  expect(response.headers.get("set-cookie")).toMatch(/^__Host-gsv=[^;]+; Path=\/; .*; SameSite=Strict; Secure$/);
  expect((await ask(listener.url.replace("https", "http"))).status).toBe(403);
  await listener.close();
});

test("without TLS only the proxy may reach a port that is open to others", async () => {
  const address = { ...listenAddress("127.0.0.1:0", false), isLoopback: false };
  const listener = listening(new FakeDoor(), { address, proxies: networksIn("203.0.113.1"), hosts: ["127.0.0.1"] });
  const response = await fetch(`${listener.url}/healthz`);
  expect([response.status, await response.text()]).toEqual([403, expect.stringContaining("only the proxy")]);
  await listener.close();
});
