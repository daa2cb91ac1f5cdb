// Entry over real sockets into a real kernel: a browser with its code, cookie and key, and the attacks on each of them.

import { expect, test } from "bun:test";
import { until } from "../support/io.ts";
import { INIT } from "../support/kernel.ts";
import { ServedKernel } from "../support/served-kernel.ts";

interface Browser {
  readonly cookie: string;
  readonly key: string;
  readonly id: string;
  readonly setCookie: string;
}

const SAM = 1000;
const JSON_TYPE = { "content-type": "application/json" };

const originOf = ({ listener }: ServedKernel) => listener.url;
const newCode = async ({ kernel }: ServedKernel) => (await kernel.kernel.entries.newCode(SAM)).code;

function post(served: ServedKernel, path: string, body: object, headers: { readonly [name: string]: string } = {}) {
  return fetch(`${served.listener.url}${path}`, {
    ...{ method: "POST", body: JSON.stringify(body), headers: { ...JSON_TYPE, ...headers } },
  });
}

async function entered(served: ServedKernel, headers: { readonly [name: string]: string } = {}): Promise<Browser> {
  const origin = originOf(served);
  const response = await post(
    served,
    "/api/login",
    { code: await newCode(served), cookie: true },
    { origin, ...headers },
  );
  const setCookie = response.headers.get("set-cookie") ?? "";
  const { key, id } = (await response.json()) as { key: string; id: string };
  return { cookie: setCookie.split(";")[0] ?? "", key, id, setCookie };
}

function call(
  served: ServedKernel,
  { cookie, key }: Partial<Browser>,
  headers: { readonly [name: string]: string } = {},
) {
  const secrets = { ...(cookie !== undefined && { cookie }), ...(key !== undefined && { "x-gsv-key": key }) };
  return post(served, "/api/call/system.whoami", {}, { origin: originOf(served), ...secrets, ...headers });
}

/** A websocket's close code and the first frame it gets, after its hello. */
async function socket(served: ServedKernel, headers: { readonly [name: string]: string }, login?: object) {
  const ws = new WebSocket(`${served.listener.url.replace("http", "ws")}/api/socket`, { headers });
  const frames: string[] = [];
  const ends: string[] = [];
  ws.addEventListener("message", ({ data }) => frames.push(Buffer.from(data as Uint8Array).toString()));
  ws.addEventListener("close", ({ code, reason }) => ends.push(`${code} ${reason}`));
  ws.addEventListener("open", () => {
    const hello = { kind: "hello", clientId: "c", version: "1.0.0", cwd: "/", env: {}, ...(login && { login }) };
    ws.send(`${JSON.stringify(hello)}\n`);
  });
  await until(() => frames.length + ends.length > 0);
  return { ws, ends, hello: frames.join("") };
}

test("a browser enters by a code, is the account that asked for it, and leaves", async () => {
  const served = await ServedKernel.boot();
  const browser = await entered(served);
  const port = new URL(served.listener.url).port;
  expect(browser.setCookie).toMatch(
    new RegExp(`^gsv_${port}=gsv_login_[\\w-]{43}; Path=/; Expires=[^;]+ GMT; HttpOnly; SameSite=Strict$`),
  );
  expect(await (await call(served, browser)).json()).toMatchObject({ username: "sam", kind: "person" });
  const { origin } = new URL(served.listener.url);
  const headers = { origin, cookie: browser.cookie };
  expect((await socket(served, headers, { key: browser.key })).hello).toContain("helloOk");
  const left = await post(served, "/api/logout", {}, { ...headers, "x-gsv-key": browser.key });
  expect([left.status, left.headers.get("set-cookie")]).toEqual([
    200,
    expect.stringContaining("Expires=Thu, 01 Jan 1970"),
  ]);
  expect((await call(served, browser)).status).toBe(401);
});

test("the cookie without the key opens nothing, nor does the key without the cookie", async () => {
  const served = await ServedKernel.boot();
  const [mine, other] = [await entered(served), await entered(served)];
  const { cookie, key } = mine;
  const tries = [{ cookie }, { key }, { cookie, key: other.key }, { cookie: `${cookie}; ${other.cookie}`, key }];
  expect(await Promise.all(tries.map(async (each) => (await call(served, each)).status))).toEqual([401, 401, 401, 401]);
  const headers = { origin: originOf(served), cookie };
  for (const login of [undefined, { key: other.key }, { token: served.token }, { key, user: "root" }])
    expect((await socket(served, headers, login)).hello).toContain('"refused"');
  const bare = cookie.replace(/^[^=]*=/, "");
  expect((await call(served, {}, { authorization: `Bearer ${bare}` })).status).toBe(401);
});

test("session fixation: a cookie that was planted before the entry is not the one that enters", async () => {
  const served = await ServedKernel.boot();
  const planted = await entered(served);
  const fresh = await entered(served, { cookie: planted.cookie });
  expect([fresh.cookie === planted.cookie, fresh.id === planted.id, fresh.key === planted.key]).toEqual([
    false,
    false,
    false,
  ]);
  expect((await call(served, { cookie: planted.cookie, key: fresh.key })).status).toBe(401);
});

test("DNS rebinding, a page of another site and a form get nowhere, even with all secrets", async () => {
  const served = await ServedKernel.boot();
  const browser = await entered(served);
  const { port } = new URL(served.listener.url);
  const attacks: readonly (readonly [number, { readonly [name: string]: string }])[] = [
    [421, { host: `evil.test:${port}`, origin: `http://evil.test:${port}` }],
    [403, { origin: "http://evil.test" }],
    [403, { origin: `http://127.0.0.1:${Number(port) + 1}` }],
    [403, { origin: `http://localhost:${port}` }],
    [403, { "sec-fetch-site": "cross-site" }],
    [403, { "sec-fetch-site": "same-site" }],
    [415, { "content-type": "application/x-www-form-urlencoded" }],
    [415, { "content-type": "text/plain" }],
    [415, { "content-type": "multipart/form-data; boundary=x" }],
  ];
  for (const [status, headers] of attacks) {
    expect([headers, (await call(served, browser, headers)).status]).toEqual([headers, status]);
    if (status === 415) continue;
    expect((await post(served, "/api/login", { code: "AAAA-AAAA-AAAA", cookie: true }, headers)).status).toBe(status);
  }
  const upgrade = { cookie: browser.cookie };
  for (const origin of ["http://evil.test", `http://127.0.0.1:${Number(port) + 1}`, "null"])
    expect((await socket(served, { ...upgrade, origin }, { key: browser.key })).hello).toBe("");
  expect((await socket(served, upgrade, { key: browser.key })).hello).toBe("");
});

test("a secret in the address opens nothing, and none is printed in an answer or a fault", async () => {
  const served = await ServedKernel.boot();
  const code = await newCode(served);
  const texts: string[] = [];
  for (const query of [
    `token=${served.token}`,
    `access_token=${served.token}`,
    `key=x&gsv=${served.token}`,
    `code=${code}`,
  ])
    for (const path of ["/api/call/system.whoami", "/api/login", "/api/nothing"]) {
      const response = await post(served, `${path}?${query}`, {});
      expect([400, 401, 404]).toContain(response.status);
      texts.push(await response.text());
    }
  const response = await post(served, "/api/login", { code: "AAAA-AAAA-AAAA" });
  texts.push(await response.text(), ...served.kernel.faults);
  expect(texts.join("")).not.toMatch(new RegExp(`gsv_user_|${code}|AAAA|\\.ts|stack`));
});

test("a revoked login ends its open websocket at once", async () => {
  const served = await ServedKernel.boot();
  const browser = await entered(served);
  const { ends } = await socket(served, { origin: originOf(served), cookie: browser.cookie }, { key: browser.key });
  const program = await socket(served, { authorization: `Bearer ${served.token}` });
  await served.kernel.sys.call("sys.login.revoke", { id: browser.id });
  await until(() => ends.length > 0);
  expect([ends, program.ends]).toEqual([["4001 this login was revoked"], []]);
});

test("a call that waits ends when its token is revoked, and tells nothing", async () => {
  const served = await ServedKernel.boot();
  const { kernel } = served;
  kernel.model.will(INIT, { text: "private words", hold: true });
  const { runId: run } = await kernel.send("go");
  await kernel.holding();
  const waiting = served.json("POST", "/api/call/proc.wait", { pids: [INIT], run });
  const { tokens } = await kernel.sys.call<{ tokens: readonly { id: string; lastUsedAt: number | null }[] }>(
    "sys.token.list",
    {},
  );
  await kernel.sys.call("sys.token.revoke", { id: tokens[0]?.id });
  expect(await waiting).toMatchObject([401, { code: "EAUTH", detail: "this token was revoked" }]);
  kernel.model.release();
});

test("a token that expires ends its open websocket, and no other", async () => {
  const served = await ServedKernel.boot();
  const { token } = await served.kernel.sys.call<{ token: string }>("sys.token.create", { expires: "90s" });
  const { ends } = await socket(served, { authorization: `Bearer ${token}` });
  const lasting = await socket(served, { authorization: `Bearer ${served.token}` });
  await served.kernel.clock.advance(89_000);
  expect(ends).toEqual([]);
  await served.kernel.clock.advance(1000);
  await until(() => ends.length > 0);
  expect([ends, lasting.ends]).toEqual([["4001 this token has expired"], []]);
});

test("guessing gets 429 with the time to wait, and the owner of a token is not touched by it", async () => {
  const served = await ServedKernel.boot();
  const guess = () => post(served, "/api/login", { code: "0000-0000-0000" });
  const statuses: number[] = [];
  for (let n = 0; n < 12; n++) statuses.push((await guess()).status);
  expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429]);
  expect((await guess()).headers.get("retry-after")).toBe("30");
  expect((await served.request("POST", "/api/call/system.whoami", {})).status).toBe(200);
  expect((await entered(served)).key).toMatch(/^gsv_key_/);
});

/** The rights of each kind of token, as statuses of a call that anybody makes, one of people only, the socket and REST. */
test.each([
  ["user", [200, 200, 200]],
  ["login", [200, 200, 200]],
  ["service", [403, 403, 403]],
  ["node", [403, 403, 403]],
  ["metrics", [403, 403, 403]],
] as const)("a token of kind %s may do what its role may", async (kind, expected) => {
  const served = await ServedKernel.boot();
  const make = async () => {
    if (kind !== "login") return (await served.kernel.sys.call<{ token: string }>("sys.token.create", { kind })).token;
    return ((await (await post(served, "/api/login", { code: await newCode(served) })).json()) as { token: string })
      .token;
  };
  const authorization = `Bearer ${await make()}`;
  const statuses = [
    (await post(served, "/api/call/proc.list", {}, { authorization })).status,
    (await post(served, "/api/call/sys.token.list", {}, { authorization })).status,
    (await fetch(`${served.listener.url}/api/sessions`, { headers: { authorization } })).status,
  ];
  expect(statuses).toEqual([...expected]);
});

test("a person of another account is that account, whatever the socket of this computer would allow", async () => {
  const served = await ServedKernel.boot();
  const root = served.kernel.person(0);
  const { uid } = await root.call<{ uid: number }>("account.create", { username: "bob" });
  const { code } = await served.kernel.kernel.entries.newCode(uid);
  const { token } = (await (await post(served, "/api/login", { code })).json()) as { token: string };
  const authorization = `Bearer ${token}`;
  const ask = async (name: string, args: object) =>
    (await post(served, `/api/call/${name}`, args, { authorization })).status;
  expect(await (await post(served, "/api/call/system.whoami", {}, { authorization })).json()).toMatchObject({
    username: "bob",
  });
  expect([
    await ask("proc.get", { pid: "init:1000" }),
    await ask("fs.read", { path: "/home/sam/context.d" }),
    await ask("audit.list", {}),
  ]).toEqual([404, 403, 200]);
});
