// The browser's side of a sign-in on this computer: what opens an address, and who may answer on the port.

import { afterEach, expect, test } from "bun:test";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { realClock } from "../../../src/lib/clock.ts";
import { listen } from "../../../src/machine/browser/listen.ts";
import { browserOf } from "../../../src/machine/browser/open.ts";
import { scratchDirectory } from "../../support/scratch.ts";

const directory = scratchDirectory("browser");
afterEach(() => rmSync(join(directory, "seen"), { force: true }));

/** Writes its arguments, one a line, and its environment. */
const program = join(directory, "opener");
writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$#" "$@" > ${directory}/seen\nenv > ${directory}/env\n`);
chmodSync(program, 0o755);
const env = { PATH: "/usr/bin:/bin", BROWSER: program, ANTHROPIC_API_KEY: "canary", DISPLAY: ":0" };
const browser = browserOf(env, realClock, "linux");

test("the address is one argument, whatever it contains, and keys stay here", async () => {
  const url = "https://a.test/x?y=$(id);z&w=*#-";
  expect(await browser.open(url)).toBe(true);
  expect(readFileSync(join(directory, "seen"), "utf8")).toBe(`1\n${url}\n`);
  expect(readFileSync(join(directory, "env"), "utf8")).not.toContain("canary");
});

test.each([
  "file:///etc/passwd",
  "javascript:alert(1)",
  "-https://a.test",
  "https://a.test/'x'",
  "https://a.test/\nx",
  "",
])("%j is not opened", async (url) => {
  expect(await browser.open(url)).toBe(false);
  expect(await Bun.file(join(directory, "seen")).exists()).toBe(false);
});

test("no browser without a desktop; BROWSER is a program and no line for a shell", async () => {
  const bare = { PATH: directory };
  expect(await browserOf(bare, realClock, "linux").open("https://a.test/")).toBe(false);
  const line = `${program} --x; id`;
  expect(await browserOf({ ...bare, BROWSER: line }, realClock, "linux").open("https://a.test/")).toBe(false);
});

test("the port takes one redirect: GET, its path, its own name, and the state of this sign-in", async () => {
  const answer = listen(0);
  const { origin } = new URL(answer.redirectUri);
  const port = new URL(origin).port;
  const at = (path: string, init: RequestInit = {}) => fetch(`${origin}${path}`, init).then(({ status }) => status);
  const right = "/oauth/callback?state=s1&code=c1";
  expect(await at(right)).toBe(404);
  const answered = answer.answer("s1");
  expect(await at("/oauth/callback?state=s2&code=evil")).toBe(404);
  expect(await at("/?state=s1&code=evil")).toBe(404);
  expect(await at("/oauth/callback/?state=s1&code=evil")).toBe(404);
  expect(await at(right, { method: "POST" })).toBe(404);
  expect(await at(right, { headers: { host: `evil.test:${port}` } })).toBe(404);
  const page = await fetch(`${origin}${right}`);
  expect(await page.text()).not.toContain("c1");
  expect(page.headers.get("content-security-policy")).toBe("default-src 'none'");
  expect(await answered).toBe(`${origin}${right}`);
  // A second program cannot have the port.
  expect(() => listen(Number(port))).toThrow(`cannot wait for the browser on port ${port}: another program uses it`);
  answer.close();
});
