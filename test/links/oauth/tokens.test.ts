// Tokens when something goes wrong: a kernel that is killed at the worst moment, a server that is away, tokens that were spent.

import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { OAuthAccount, OAuthStarted } from "../../../src/abi/links/oauth.ts";
import type { Ports } from "../../../src/boot/core.ts";
import type { OAuthRows } from "../../../src/store/kernel/links/oauth.ts";
import { keepingOf } from "../../support/keeping.ts";
import { TestKernel } from "../../support/kernel.ts";
import { OAuthWorld } from "../../support/oauth/server.ts";

const redirectUri = "http://127.0.0.1:49152/oauth/callback";
const HOUR_MS = 3600_000;
/** A step that never ends: the kernel is killed in it. */
const never = () => new Promise<never>(() => {});

function withRows(change: (rows: OAuthRows) => Partial<OAuthRows>): (ports: Ports) => Ports {
  return (ports) => {
    const { oauth } = ports.kernel;
    return { ...ports, kernel: { ...ports.kernel, oauth: { ...oauth, ...change(oauth) } } };
  };
}

async function begun(home: TestKernel, world: OAuthWorld) {
  const asked = { name: "notes", kind: "mcp-server", redirectUri };
  const { flow, url } = await home.sys.call<OAuthStarted>("sys.oauth.start", asked);
  return { flow, callback: await world.browse(url ?? "") };
}

async function signedIn(home: TestKernel, world: OAuthWorld): Promise<void> {
  await home.sys.call("sys.mcp.add", { name: "notes", url: world.url });
  await home.sys.call("sys.oauth.finish", await begun(home, world));
  const { server } = await home.sys.call<{ server: { offer: string } }>("sys.mcp.refresh", { name: "notes" });
  await home.sys.call("sys.mcp.refresh", { name: "notes", accept: server.offer });
}

const read = (home: TestKernel) =>
  home.sys.call<{ text: string }>("sys.mcp.call", { tool: "mcp.notes.read", args: {} });

const accounts = async (home: TestKernel) =>
  (await home.sys.call<{ accounts: OAuthAccount[] }>("sys.oauth.list", {})).accounts;

const renewals = (world: OAuthWorld) => world.seen.filter(({ form }) => form.get("grant_type") === "refresh_token");

async function until(done: () => boolean): Promise<void> {
  while (!done()) await Bun.sleep(1);
}

const secrets = (home: TestKernel) => readdirSync(home.paths.secretsDir);

test("a kernel that is killed between the answer of the server and its own row leaves no account and no token", async () => {
  await using world = new OAuthWorld();
  let isKilled = false;
  const ports = withRows(({ finish }) => ({ finish: (...given) => (isKilled ? finish(...given) : never()) }));
  await using home = await TestKernel.boot({ ports });
  await home.sys.call("sys.mcp.add", { name: "notes", url: world.url });
  const first = await begun(home, world);
  void home.sys.call("sys.oauth.finish", first).catch(() => {});
  await until(() => secrets(home).some((name) => !name.includes("flow")));
  isKilled = true;
  await home.restart();
  await until(() => secrets(home).length === 0);
  expect(await accounts(home)).toEqual([]);
  expect((await home.refusal("sys.oauth.finish", first)).code).toBe("ESTALE");
  await home.sys.call("sys.oauth.finish", await begun(home, world));
  expect((await accounts(home)).length).toBe(1);
});

test("a kernel that is killed during a renewal leaves the old token; the next one waits for the lease", async () => {
  await using world = new OAuthWorld();
  world.rotates = false;
  world.expiresIn = 90;
  let isKilled = false;
  const ports = withRows(({ renewed }) => ({ renewed: (...given) => (isKilled ? renewed(...given) : never()) }));
  await using home = await TestKernel.boot({ ports });
  await signedIn(home, world);
  await home.clock.advance(31_000);
  void read(home).catch(() => {});
  await until(() => secrets(home).length === 2);
  isKilled = true;
  await home.restart();
  let isDone = false;
  const again = read(home).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await home.clock.advance(100);
    await Bun.sleep(1);
  }
  expect((await again).text).toBe("a note");
  expect(renewals(world).length).toBe(2);
  expect(secrets(home).length).toBe(1);
});

test("a spent refresh token ends the account once, and no call asks the server again", async () => {
  await using world = new OAuthWorld();
  await using home = await TestKernel.boot();
  await signedIn(home, world);
  world.endAll();
  await home.clock.advance(HOUR_MS);
  const ask = () => home.refusal("sys.mcp.call", { tool: "mcp.notes.read", args: {} });
  expect((await ask()).message).toBe("notes needs you to sign in");
  expect((await ask()).message).toBe("notes needs you to sign in");
  expect(renewals(world).length).toBe(1);
});

test("a server that is away keeps its account: a token that is still good serves", async () => {
  await using world = new OAuthWorld();
  await using home = await TestKernel.boot();
  await signedIn(home, world);
  world.instead = ({ path }) => (path === "/token" ? new Response("canary", { status: 503 }) : null);
  await home.clock.advance(HOUR_MS - 30_000);
  expect((await read(home)).text).toBe("a note");
  await home.clock.advance(HOUR_MS);
  expect((await home.refusal("sys.mcp.call", { tool: "mcp.notes.read", args: {} })).message).not.toContain("canary");
  expect(await accounts(home)).toMatchObject([{ state: "ready" }]);
  world.instead = () => null;
  await home.clock.advance(HOUR_MS);
  expect((await read(home)).text).toBe("a note");
});

test("verifier and tokens are in private files only: not in the databases, and not in a backup", async () => {
  await using world = new OAuthWorld();
  await using home = await TestKernel.boot();
  await home.sys.call("sys.mcp.add", { name: "notes", url: world.url });
  const flow = await begun(home, world);
  const [file = ""] = secrets(home);
  const path = join(home.paths.secretsDir, file);
  const { verifier } = JSON.parse(readFileSync(path, "utf8")) as { verifier: string };
  expect(statSync(path).mode & 0o077).toBe(0);
  const stored = () => Buffer.concat(["", "-wal"].map((end) => readFileSync(`${home.paths.kernelDb}${end}`)));
  expect(stored().includes(verifier)).toBe(false);
  expect(stored().includes(new URL(flow.callback).searchParams.get("state") ?? "")).toBe(false);
  await home.sys.call("sys.oauth.finish", flow);
  expect(stored().includes("-canary-")).toBe(false);
  const backup = join(home.directory, "backup.tar");
  await keepingOf(home.directory, home.clock).backup(backup, { force: false });
  expect(readFileSync(backup).includes("-canary-")).toBe(false);
});

test("a sign-in that was given up leaves nothing once it is over", async () => {
  await using world = new OAuthWorld();
  await using home = await TestKernel.boot();
  await home.sys.call("sys.mcp.add", { name: "notes", url: world.url });
  await begun(home, world);
  expect(secrets(home).length).toBe(1);
  await home.clock.advance(HOUR_MS);
  await home.restart();
  await until(() => secrets(home).length === 0);
});
