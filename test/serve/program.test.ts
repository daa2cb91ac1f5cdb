// The real program behind a real port: another gsv uses it, it survives restart and kill -9, and only its owner opens it.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { TestHome } from "../support/home.ts";

const home = new TestHome();
let url = "";
let token = "";

beforeAll(async () => {
  const served = await home.gsv(["serve", "--listen", "127.0.0.1:0", "--json"]);
  url = (JSON.parse(served.stdout) as { url: string }).url;
  token = (await home.gsv(["auth", "token", "create"])).stdout.trim();
});
afterAll(() => home.dispose());

const there = (...args: string[]) =>
  home.gsv(args, { env: { GSV_SERVER: url, GSV_TOKEN: token, GSV_HOME: `${home.directory}-none` } });

test("a gsv elsewhere talks to its agent, streams the answer and sees its processes", async () => {
  expect(await there("chat", "help")).toMatchObject({ status: 0 });
  expect((await there("ps")).stdout).toContain("init:1000");
  expect(await there("wait", "init:1000")).toMatchObject({ status: 0 });
});

test("a terminal elsewhere shows where it is, and keeps its history there", async () => {
  const elsewhere = `${home.directory}-terminal`;
  await using session = home.terminal({ GSV_SERVER: url, GSV_TOKEN: token, GSV_HOME: elsewhere });
  await session.until(/^~ {2}init:1000/m);
  expect(session.text()).toContain(`On ${url}`);
  session.type("ps\r");
  await session.until(/LABEL[\s\S]*›$/);
  session.type("\x04");
  expect(await session.exited()).toBe(0);
});

test("a kernel stopped for another or killed is followed by one that listens there again", async () => {
  expect(await home.gsv(["kernel", "restart"])).toMatchObject({ status: 0 });
  expect((await there("ps")).status).toBe(0);
  await home.kill();
  await home.gsv(["kernel", "start"]);
  expect((await there("ps")).status).toBe(0);
});

test("without a right token nobody enters, and the error says what to do", async () => {
  const run = (env: { readonly [name: string]: string }) => home.gsv(["ps"], { env: { GSV_SERVER: url, ...env } });
  expect(await run({ GSV_TOKEN: "gsv_user_wrong" })).toMatchObject({
    status: 4,
    stderr: expect.stringContaining("wrong"),
  });
  expect(await run({})).toMatchObject({ status: 4 });
  expect(await home.gsv(["ps"], { env: { GSV_SERVER: "http://10.0.0.1:1", GSV_TOKEN: "x" } })).toMatchObject({
    status: 78,
  });
});
