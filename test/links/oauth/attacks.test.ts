// What servers, pages and other programs may try during a sign-in, and the defined outcome of each: no token request, no page opened.

import { describe, expect, test } from "bun:test";
import type { SysError } from "../../../src/abi/errno.ts";
import type { OAuthStarted } from "../../../src/abi/links/oauth.ts";
import { realClock } from "../../../src/lib/clock.ts";
import { oauthFetch } from "../../../src/links/oauth/wire.ts";
import { TestKernel } from "../../support/kernel.ts";
import { OAuthWorld } from "../../support/oauth/server.ts";
import { rejection } from "../../support/refusal.ts";

const redirectUri = "http://127.0.0.1:49152/oauth/callback";
const MINUTES = 60_000;

const asked = (name = "notes") => ({ name, kind: "mcp-server", redirectUri });
const start = (home: TestKernel, name = "notes") => home.sys.call<OAuthStarted>("sys.oauth.start", asked(name));
const add = (home: TestKernel, url: string, name = "notes") => home.sys.call("sys.mcp.add", { name, url });
const startRefused = (home: TestKernel) => home.refusal("sys.oauth.start", asked());
const finishRefused = (home: TestKernel, flow: string, callback: string) =>
  home.refusal("sys.oauth.finish", { flow, callback });

async function begun(home: TestKernel, world: OAuthWorld) {
  await add(home, world.url);
  const { flow, url } = await start(home);
  return { flow, url: url ?? "", callback: await world.browse(url ?? "") };
}

function withQuery(callback: string, change: (query: URLSearchParams) => void): string {
  const url = new URL(callback);
  change(url.searchParams);
  return url.href;
}

describe("addresses that a server publishes", () => {
  test.each([
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:text/html,x",
    "https://a.test/'$(id)'",
    'https://a.test/"',
    "https://a.test/`id`",
    "-https://a.test/",
    "https://a.test/\r\nx",
    "https://user:pass@a.test/",
    "http://a.test/authorize",
    "https://169.254.169.254/authorize",
    "https://10.0.0.1/authorize",
    "https://[::ffff:10.0.0.1]/authorize",
    "https://inside.test/authorize",
  ])("the sign-in page %j is refused", async (address) => {
    await using world = new OAuthWorld();
    await using home = await TestKernel.boot({ lookUp: async () => ["192.168.1.2"] });
    await add(home, world.url);
    world.patch = (metadata) => ({ ...metadata, authorization_endpoint: address });
    expect(["EPERM", "EPROTO"]).toContain((await startRefused(home)).code);
    expect(world.seen.filter(({ path }) => ["/register", "/token"].includes(path))).toEqual([]);
  });

  test.each(["token_endpoint", "registration_endpoint", "revocation_endpoint", "device_authorization_endpoint"])(
    "a %s inside the network is refused before anything is sent",
    async (name) => {
      await using world = new OAuthWorld();
      await using home = await TestKernel.boot();
      await add(home, world.url);
      world.patch = (metadata) => ({ ...metadata, [name]: "https://169.254.169.254/latest" });
      expect((await startRefused(home)).code).toBe("EPERM");
      expect(world.paths("/register")).toEqual([]);
    },
  );

  test("an issuer inside the network, a document about resources inside, and redirects there are not followed", async () => {
    await using world = new OAuthWorld();
    await using home = await TestKernel.boot();
    await add(home, world.url);
    world.patchResource = (about) => ({ ...about, authorization_servers: ["http://169.254.169.254"] });
    expect((await startRefused(home)).code).toBe("EPERM");
    world.patchResource = (about) => about;
    const headers = { location: "https://10.0.0.1/metadata" };
    world.instead = ({ path }) =>
      path.includes("authorization-server") ? new Response(null, { status: 302, headers }) : null;
    expect((await startRefused(home)).code).toBe("EPROTO");
    expect(world.paths("/register")).toEqual([]);
  });

  test.each([
    ["127.0.0.1", "https://127.0.0.1/"],
    ["a name that stands for this computer", "https://own.test/"],
    ["a name that also stands for a private address", "https://both.test/"],
    ["the metadata service in IPv6", "https://[fd00:ec2::254]/"],
    ["a port of mail", "https://mail.test:25/"],
    ["plain http", "http://public.test/"],
    ["localhost", "http://localhost:1234/"],
  ])("a public service reaches nothing at %s", async (_what, url) => {
    const addresses: { [host: string]: string[] } = {
      ...{ "own.test": ["127.0.0.1"], "both.test": ["93.184.216.34", "10.0.0.1"], "mail.test": ["93.184.216.34"] },
    };
    const wire = { clock: realClock, version: "0", resolve: async (host: string) => addresses[host] ?? [] };
    const refusal = await rejection(oauthFetch(wire, { loopback: false, allowed: [] })(url));
    expect((refusal as SysError).code).toBe("EPERM");
  });

  test("an endless document is cut, and one that never ends is given up", async () => {
    await using world = new OAuthWorld();
    await using home = await TestKernel.boot();
    await add(home, world.url);
    const chunk = new Uint8Array(32 * 1024).fill(32);
    world.instead = ({ path }) =>
      path.includes("authorization-server")
        ? new Response(new ReadableStream({ pull: (controller) => controller.enqueue(chunk) }))
        : null;
    expect((await startRefused(home)).message).toMatch(/more than 64 KiB/);
    world.instead = ({ path }) => (path.includes("authorization-server") ? new Promise(() => {}) : null);
    const waiting = startRefused(home);
    while (world.seen.filter(({ path }) => path.includes("authorization-server")).length < 2) await Bun.sleep(1);
    await home.clock.advance(11_000);
    expect((await waiting).message).toMatch(/did not answer in 10 s/);
  });

  test("another issuer, no PKCE, and a document for another server are refused", async () => {
    await using world = new OAuthWorld();
    await using home = await TestKernel.boot();
    await add(home, world.url);
    world.patch = (metadata) => ({ ...metadata, issuer: `${world.issuer}/` });
    expect((await startRefused(home)).code).toMatch(/EPERM|EPROTO/);
    world.patch = ({ code_challenge_methods_supported: _, ...metadata }) => metadata;
    expect((await startRefused(home)).message).toMatch(/does not support PKCE/);
    world.patch = (metadata) => ({ ...metadata, code_challenge_methods_supported: ["plain"] });
    expect((await startRefused(home)).message).toMatch(/does not support PKCE/);
    world.patch = (metadata) => metadata;
    world.patchResource = (about) => ({ ...about, resource: "https://other.test/mcp" });
    expect((await startRefused(home)).message).toMatch(/says that it is https:\/\/other.test/);
    expect(world.paths("/register")).toEqual([]);
  });
});

describe("answers of the browser", () => {
  test.each<[string, (query: URLSearchParams) => void]>([
    ["with another state", (query) => query.set("state", "x")],
    ["without a state", (query) => query.delete("state")],
    ["with two states", (query) => query.append("state", "x")],
    ["with two codes", (query) => query.append("code", "x")],
    ["of another server", (query) => query.set("iss", "https://evil.test")],
    ["of the same server, written otherwise", (query) => query.set("iss", `${query.get("iss")}/`)],
    ["without the server's name", (query) => query.delete("iss")],
  ])("one %s sends nothing and shows nothing of it", async (_what, change) => {
    await using world = new OAuthWorld();
    await using home = await TestKernel.boot();
    const { flow, callback } = await begun(home, world);
    const wrong = withQuery(callback, (query) => {
      query.set("error_description", "canary-text");
      change(query);
    });
    const refusal = await finishRefused(home, flow, wrong);
    expect(refusal.code).toBe("EPERM");
    expect(JSON.stringify([refusal.message, refusal.hints])).not.toMatch(/canary|evil/);
    expect(world.paths("/token")).toEqual([]);
  });

  test("a wrong state leaves the flow as it is; the right answer counts once", async () => {
    await using world = new OAuthWorld();
    await using home = await TestKernel.boot();
    const { flow, callback } = await begun(home, world);
    await finishRefused(
      home,
      flow,
      withQuery(callback, (query) => query.set("state", "x")),
    );
    await home.sys.call("sys.oauth.finish", { flow, callback });
    expect((await finishRefused(home, flow, callback)).code).toBe("ESTALE");
    expect(world.paths("/token").length).toBe(1);
  });

  test("two answers at a time: one counts", async () => {
    await using world = new OAuthWorld();
    await using home = await TestKernel.boot();
    const { flow, callback } = await begun(home, world);
    const both = await Promise.allSettled([1, 2].map(() => home.sys.call("sys.oauth.finish", { flow, callback })));
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(world.paths("/token").length).toBe(1);
  });

  test("after ten minutes, of another flow, or of another account: none counts", async () => {
    await using world = new OAuthWorld();
    await using home = await TestKernel.boot();
    const first = await begun(home, world);
    const second = await start(home);
    const other = await world.browse(second.url ?? "");
    expect((await finishRefused(home, first.flow, other)).code).toBe("EPERM");
    await home.person(0).call("account.create", { username: "bob" });
    const theirs = home.person(1001).call("sys.oauth.finish", { flow: first.flow, callback: first.callback });
    expect(((await rejection(theirs)) as SysError).code).toBe("ESTALE");
    await home.clock.advance(10 * MINUTES);
    expect((await finishRefused(home, first.flow, first.callback)).code).toBe("ESTALE");
    expect(world.paths("/token")).toEqual([]);
  });

  test("a refusal is one known word; its text is not shown", async () => {
    await using world = new OAuthWorld();
    await using home = await TestKernel.boot();
    const { flow, callback } = await begun(home, world);
    const denied = withQuery(callback, (query) => {
      query.delete("code");
      query.set("error", "canary\u001b[31m");
      query.set("error_description", "canary");
    });
    expect((await finishRefused(home, flow, denied)).message).toBe(
      `${new URL(world.issuer).host} refused the sign-in (unknown error)`,
    );
  });

  test.each(["http://evil.test/oauth/callback", "https://127.0.0.1:1/oauth/callback", "http://127.0.0.1:5000/other"])(
    "no redirect to %s",
    async (elsewhere) => {
      await using home = await TestKernel.boot();
      const refusal = await home.refusal("sys.oauth.start", { ...asked(), redirectUri: elsewhere });
      expect(refusal.code).toBe("EINVAL");
    },
  );
});

describe("tokens", () => {
  test("one server's token is not sent to another with the same authorization server, nor after the address changed", async () => {
    await using world = new OAuthWorld();
    await using other = new OAuthWorld();
    other.patchResource = (about) => ({ ...about, authorization_servers: [world.issuer] });
    await using home = await TestKernel.boot();
    const { flow, callback } = await begun(home, world);
    await home.sys.call("sys.oauth.finish", { flow, callback });
    await add(home, other.url, "other");
    await home.sys.call("sys.mcp.remove", { name: "notes" });
    await add(home, other.url);
    expect(other.seen.flatMap(({ headers }) => headers.get("authorization") ?? [])).toEqual([]);
  });

  test("a redirect to another origin gets no token", async () => {
    await using world = new OAuthWorld();
    await using other = new OAuthWorld();
    await using home = await TestKernel.boot();
    const { flow, callback } = await begun(home, world);
    await home.sys.call("sys.oauth.finish", { flow, callback });
    world.instead = ({ path }) =>
      path === "/mcp" ? new Response(null, { status: 307, headers: { location: other.url } }) : null;
    await home.refusal("sys.mcp.refresh", { name: "notes" });
    expect(other.seen).toEqual([]);
  });

  test("a new authorization server gets a registration of its own, and nothing of the old one", async () => {
    await using world = new OAuthWorld();
    await using other = new OAuthWorld();
    await using home = await TestKernel.boot();
    const { flow, callback, url } = await begun(home, world);
    await home.sys.call("sys.oauth.finish", { flow, callback });
    world.patchResource = (about) => ({ ...about, authorization_servers: [other.issuer] });
    const again = await start(home);
    const ids = [url, again.url].map((address) => new URL(address ?? "").searchParams.get("client_id"));
    expect(ids[0]).not.toBe(ids[1]);
    expect(other.paths("/register").length).toBe(1);
    expect(other.seen.flatMap(({ headers }) => headers.get("authorization") ?? [])).toEqual([]);
  });
});
