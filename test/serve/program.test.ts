// The real program behind a real port: another gsv uses it, it survives restart and kill -9, and only its owner opens it.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, realpathSync } from "node:fs";
import { TestHome } from "../support/home.ts";
import { servedHome } from "../support/served-home.ts";

const home = new TestHome();
let url = "";
let token = "";

beforeAll(async () => {
  ({ url, token } = await servedHome(home));
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
  await session.until(/^127.0.0.1 {2}~ {2}init:1000/m);
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
    stderr: `gsv: wrong token\n  sign in again: gsv login ${url}\n`,
  });
  expect(await run({})).toMatchObject({ status: 4 });
  expect(await home.gsv(["ps"], { env: { GSV_SERVER: "http://10.0.0.1:1", GSV_TOKEN: "x" } })).toMatchObject({
    status: 78,
  });
});

test("gsv login saves a remote that every command and the terminal use, and logout revokes its token", async () => {
  const stdin = "correct horse battery\n";
  await home.gsv(["passwd"], { stdin });
  const env = { GSV_HOME: `${home.directory}-laptop`, HOME: home.beside("laptop") };
  const there = (...args: string[]) => home.gsv(args, { env });
  const login = ["login", url, "--user", "sam", "--name", "box"];
  expect(await home.gsv(login, { env, stdin })).toMatchObject({ status: 0 });
  expect(await there("--remote", "box", "sh", "-c", "pwd; exit 7")).toMatchObject({ status: 7, stdout: "/home/sam\n" });
  expect((await there("remote", "use", "box")).status).toBe(0);
  expect((await home.gsv(["login", "list"])).stdout).toContain("gsv login");
  expect(existsSync(env.GSV_HOME)).toBe(false);
  for (const [line, message] of [
    [["workspace", "attach", "."], ".: directories of a client's own computer cannot be attached here"],
    [["spawn", "--workspace", "."], ".: directories of a client's own computer cannot be attached here"],
    [["chat", "--here", "hi"], "directories of this computer: not available on a remote kernel (box)"],
    [["chat", "-a", "notes.txt", "hi"], "files of this computer: not available on a remote kernel (box)"],
    [["df"], "gsv's home: not available on a remote kernel (box)"],
  ] as const)
    expect(await there(...line)).toMatchObject({ stdout: "", stderr: expect.stringContaining(message) });
  const script = 'read line; echo "$line in $PWD"; exit 7';
  expect(await home.gsv(["sh", "--host", "-c", script], { env, stdin: "typed here\n" })).toMatchObject({
    status: 7,
    stdout: `typed here in ${realpathSync(home.env.HOME ?? "")}\n`,
  });
  expect((await there("__complete", "1", "attach", "")).stdout).toContain("init:1000");
  await using session = home.terminal(env);
  await session.until(/^box {2}~ {2}init:1000/m);
  expect(session.text()).toContain(`On box (${url})`);
  session.type("! echo $((40 + 2)) there");
  await session.until(/^box runs this line/m);
  session.type("\r");
  await session.until(/42 there/);
  await home.gsv(["kernel", "stop"]);
  await session.until(/^box reconnecting/m);
  await home.gsv(["kernel", "start"]);
  await session.until(/^box {2}~/m);
  await home.kill();
  await session.until(/^box reconnecting/m);
  await home.gsv(["kernel", "start"]);
  await session.until(/^box {2}~/m);
  session.type("echo $((6 * 7)) after\r");
  await session.until(/42 after[\s\S]*›$/);
  session.type("\x04");
  expect(await session.exited()).toBe(0);
  expect(await there("logout")).toMatchObject({ status: 0, stdout: `Signed out of box (${url})\n`, stderr: "" });
  expect((await home.gsv(["login", "list"])).stdout).not.toContain("gsv login");
}, 60_000);
