// `gsv mcp login` and `gsv oauth`: what a person sees and is asked, without the services themselves.

import { beforeEach, expect, test } from "bun:test";
import type { OAuthAccount, OAuthStarted } from "../../src/abi/links/oauth.ts";
import { FakeIo, runs, stdinOf } from "../support/io.ts";

const CALLBACK = "http://127.0.0.1:49152/oauth/callback?state=s1&code=c1";
const account: OAuthAccount = {
  ...{ kind: "generic", provider: "forge", accountKey: "default", label: null, state: "ready", scope: "read" },
  ...{ issuer: "https://forge.test", clientId: "gsv", resource: null, expiresAt: null, isRenewed: true },
  ...{ callbackPort: null, createdAt: 1, updatedAt: 1, lastUsedAt: null },
};
const started: OAuthStarted = {
  ...{ flow: "0190a1b2-0000-7000-8000-000000000009", kind: "generic", provider: "forge", server: null },
  ...{ signInHost: "login.test", tokenHost: "forge.test", scope: "read", device: null, expiresAt: Date.UTC(2100, 1) },
  url: "https://login.test/authorize?state=s1",
};

let io: FakeIo;
let asked: { [name: string]: unknown }[];
let finished: object[];
let known: OAuthAccount[];
beforeEach(() => {
  io = new FakeIo();
  asked = [];
  finished = [];
  known = [];
  io.fakeSys.answer("sys.oauth.list", () => ({ accounts: known }));
  io.fakeSys.answer("sys.oauth.start", (args) => {
    asked.push(args as { [name: string]: unknown });
    return started;
  });
  io.fakeSys.answer("sys.oauth.finish", (args) => {
    finished.push(args);
    return account;
  });
  io.redirect = () => CALLBACK;
});

const start = (...more: string[]) => runs(io, "oauth", "start", "forge", "--issuer", "https://forge.test", ...more);

test("a person sees the hosts before the browser opens, and agrees", async () => {
  io.terminal();
  io.answers.push("y");
  expect(await start()).toBe(0);
  const shown = io.stderr.text;
  expect(shown).toContain("you sign in at  login.test");
  expect(shown).toContain("tokens from     forge.test");
  expect(io.questions[0]).toContain("Open login.test in the browser?");
  expect(io.opened).toEqual([started.url ?? ""]);
  expect(asked).toMatchObject([{ kind: "generic", redirectUri: "http://127.0.0.1:49152/oauth/callback" }]);
  expect(finished).toEqual([{ flow: started.flow, callback: CALLBACK }]);
  expect(io.stdout.text).toBe("signed in to forge at forge.test\n");
});

test("who does not agree opens the address elsewhere and pastes the last one", async () => {
  io.terminal();
  io.answers.push("n", CALLBACK);
  expect(await start()).toBe(0);
  expect(io.opened).toEqual([]);
  expect(io.stderr.text).toContain(started.url ?? "");
  expect(finished).toEqual([{ flow: started.flow, callback: CALLBACK }]);
});

test("--no-browser asks nothing and opens nothing", async () => {
  io.terminal();
  io.answers.push(CALLBACK);
  expect(await start("--no-browser")).toBe(0);
  expect(io.opened).toEqual([]);
  expect(io.questions).toEqual(["If the page cannot be shown at the end, paste its address here: "]);
});

test("without a terminal nothing opens; the answer may come on stdin", async () => {
  io.stdin = stdinOf("pipe", [`${CALLBACK}\n`]);
  expect(await start()).toBe(0);
  expect(io.opened).toEqual([]);
  expect(finished).toEqual([{ flow: started.flow, callback: CALLBACK }]);
});

test("a device code needs no browser and no port", async () => {
  const device = { userCode: "WDJB-MJHT", url: "https://login.test/enter", fullUrl: null };
  io.fakeSys.answer("sys.oauth.start", (args) => {
    asked.push(args as { [name: string]: unknown });
    return { ...started, url: null, device };
  });
  expect(await start("--device")).toBe(0);
  expect(io.stderr.text).toContain("code to enter   WDJB-MJHT");
  expect(asked[0]).not.toHaveProperty("redirectUri");
  expect(finished).toEqual([{ flow: started.flow }]);
});

test("a client secret is typed unseen; the port of the last sign-in is used again", async () => {
  io.terminal();
  known = [{ ...account, callbackPort: 4999 }];
  io.hidden.push("hunter2");
  io.answers.push("y");
  expect(await start("--client-id", "gsv", "--secret")).toBe(0);
  expect(asked).toMatchObject([
    { clientSecret: "hunter2", port: 4999, redirectUri: "http://127.0.0.1:4999/oauth/callback" },
  ]);
  expect(io.stdout.text + io.stderr.text).not.toContain("hunter2");
});
