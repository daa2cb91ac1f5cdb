// Signing in to an MCP server over HTTP: found, refused, signed in, used, renewed and forgotten, against a real authorization server.

import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { McpServer } from "../../../src/abi/links/mcp.ts";
import type { OAuthAccount, OAuthStarted } from "../../../src/abi/links/oauth.ts";
import { TestKernel } from "../../support/kernel.ts";
import { OAuthWorld } from "../../support/oauth/server.ts";

const redirectUri = "http://127.0.0.1:49152/oauth/callback";
const REFRESHES = (world: OAuthWorld) => world.seen.filter(({ form }) => form.get("grant_type") === "refresh_token");

const add = (home: TestKernel, { url }: OAuthWorld) =>
  home.sys.call<{ server: McpServer }>("sys.mcp.add", { name: "notes", url });

const start = (home: TestKernel, more: object = {}) =>
  home.sys.call<OAuthStarted>("sys.oauth.start", { name: "notes", kind: "mcp-server", redirectUri, ...more });

const finish = (home: TestKernel, flow: string, callback?: string) =>
  home.sys.call<OAuthAccount>("sys.oauth.finish", { flow, ...(callback !== undefined && { callback }) });

async function signIn(home: TestKernel, world: OAuthWorld, more: object = {}): Promise<OAuthAccount> {
  const { flow, url } = await start(home, more);
  return await finish(home, flow, await world.browse(url ?? ""));
}

async function accepted(home: TestKernel): Promise<void> {
  const { server } = await home.sys.call<{ server: McpServer }>("sys.mcp.refresh", { name: "notes" });
  await home.sys.call("sys.mcp.refresh", { name: "notes", accept: server.offer });
}

const read = (home: TestKernel) =>
  home.sys.call<{ text: string }>("sys.mcp.call", { tool: "mcp.notes.read", args: {} });

const accounts = async (home: TestKernel) =>
  (await home.sys.call<{ accounts: OAuthAccount[] }>("sys.oauth.list", {})).accounts;

describe("an MCP server that wants a sign-in", () => {
  test("says what to do, is signed in to with PKCE, issuer and resource, and then works", async () => {
    await using world = new OAuthWorld();
    await using home = await TestKernel.boot();
    const { server } = await add(home, world);
    expect(server).toMatchObject({ state: "needs-login", error: "notes needs you to sign in" });
    const { flow, url, signInHost, tokenHost, scope } = await start(home);
    expect({ signInHost, tokenHost, scope }).toEqual({
      signInHost: new URL(world.issuer).host,
      tokenHost: new URL(world.issuer).host,
      scope: "read",
    });
    const asked = new URL(url ?? "").searchParams;
    expect(asked.get("code_challenge_method")).toBe("S256");
    expect(asked.get("resource")).toBe(world.url);
    expect(await finish(home, flow, await world.browse(url ?? ""))).toMatchObject({ state: "ready", isRenewed: true });
    await accepted(home);
    expect((await read(home)).text).toBe("a note");
    expect(world.paths("/token").map(({ form }) => form.get("resource"))).toEqual([world.url]);
  });

  test("no token is in a row, a log, an answer, or the backup; only the secret store has it", async () => {
    await using world = new OAuthWorld();
    await using home = await TestKernel.boot();
    await add(home, world);
    const answers: unknown[] = [await signIn(home, world)];
    await accepted(home);
    answers.push(await accounts(home), await home.sys.call("sys.mcp.show", { name: "notes" }));
    answers.push(await home.sys.call("sys.mcp.logs", { name: "notes" }), await home.sys.call("audit.list", {}));
    expect(JSON.stringify(answers)).not.toContain("-canary-");
    const files = readdirSync(home.directory, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
    const holding = files
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter((path) => readFileSync(path).includes("access-canary-"));
    expect(holding.length).toBe(1);
    expect(holding[0]).toStartWith(home.paths.secretsDir);
  });

  test("an expired token is renewed once for three calls at a time, and before it expires", async () => {
    await using world = new OAuthWorld();
    await using home = await TestKernel.boot();
    await add(home, world);
    await signIn(home, world);
    await accepted(home);
    await home.clock.advance(3600_000 - 30_000);
    world.endAccess();
    expect((await Promise.all([read(home), read(home), read(home)])).map(({ text }) => text)).toEqual(
      Array.from({ length: 3 }, () => "a note"),
    );
    expect(REFRESHES(world).length).toBe(1);
    expect(await accounts(home)).toMatchObject([{ state: "ready" }]);
  });

  test("a token that the server refuses is renewed before a person is asked; then the person is", async () => {
    await using world = new OAuthWorld();
    await using home = await TestKernel.boot();
    await add(home, world);
    await signIn(home, world);
    await accepted(home);
    world.endAccess();
    expect((await read(home)).text).toBe("a note");
    world.endAll();
    const refusal = await home.refusal("sys.mcp.call", { tool: "mcp.notes.read", args: {} });
    expect(refusal).toMatchObject({ code: "EAUTH", hints: ["to sign in: gsv mcp login notes"] });
    expect(await accounts(home)).toMatchObject([{ state: "login" }]);
    const { servers } = await home.sys.call<{ servers: McpServer[] }>("sys.mcp.list", {});
    expect(servers[0]?.state).toBe("needs-login");
    await signIn(home, world);
    expect((await read(home)).text).toBe("a note");
  });

  test("a tool that needs more rights says so, and the next sign-in asks for both", async () => {
    await using world = new OAuthWorld();
    await using home = await TestKernel.boot();
    await add(home, world);
    await signIn(home, world);
    await accepted(home);
    world.toolNeeds = "write";
    const refusal = await home.refusal("sys.mcp.call", { tool: "mcp.notes.read", args: {} });
    expect(refusal.message).toBe("notes needs more rights: write");
    await signIn(home, world);
    expect(await accounts(home)).toMatchObject([{ scope: "read write" }]);
    expect((await read(home)).text).toBe("a note");
    // What it has granted it does not ask for again.
    world.instead = ({ path, method }) =>
      path === "/mcp" && method === "POST"
        ? new Response("", {
            status: 403,
            headers: { "www-authenticate": 'Bearer error="insufficient_scope", scope="read"' },
          })
        : null;
    expect((await home.refusal("sys.mcp.call", { tool: "mcp.notes.read", args: {} })).message).toBe(
      "notes refuses what it granted: read",
    );
  });

  test.each(["sys.oauth.forget", "sys.mcp.remove"])("%s revokes the tokens and deletes them", async (call) => {
    await using world = new OAuthWorld();
    await using home = await TestKernel.boot();
    await add(home, world);
    await signIn(home, world);
    await home.sys.call(call, { name: "notes" });
    expect(world.live).toBe(0);
    expect(await accounts(home)).toEqual([]);
    expect(readdirSync(home.paths.secretsDir)).toEqual([]);
  });
});

test("without a browser, a code is entered on another device", async () => {
  await using world = new OAuthWorld();
  await using home = await TestKernel.boot();
  await add(home, world);
  world.devicePolls = ["authorization_pending"];
  const { flow, device, url } = await start(home, { redirectUri: undefined });
  expect({ device, url }).toEqual({
    device: { userCode: "WDJB-MJHT", url: `${world.issuer}/enter`, fullUrl: null },
    url: null,
  });
  const finished = finish(home, flow);
  for (const polls of [1, 2])
    while (world.paths("/token").length < polls) {
      await home.clock.advance(1000);
      await Bun.sleep(1);
    }
  expect(await finished).toMatchObject({ state: "ready" });
});

test("an account for any service: addresses that a person types, and a client id", async () => {
  await using world = new OAuthWorld();
  await using home = await TestKernel.boot();
  const typed = { authorize: `${world.issuer}/authorize`, token: `${world.issuer}/token`, clientId: "gsv" };
  const account = await signIn(home, world, { name: "forge", kind: "generic", scope: "read", ...typed });
  expect(account).toMatchObject({ kind: "generic", provider: "forge", clientId: "gsv", scope: "read" });
  // It serves the MCP server at the address that it is for, and no other.
  await add(home, world);
  expect(world.seen.flatMap(({ headers }) => headers.get("authorization") ?? [])).toEqual([]);
  await signIn(home, world, { name: "forge", kind: "generic", scope: "read", resource: world.url, ...typed });
  await accepted(home);
  expect((await read(home)).text).toBe("a note");
  expect(world.paths("/register")).toEqual([]);
});
