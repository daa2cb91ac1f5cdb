// Commands on the computer of the kernel over the network: who may run them is the same as at its terminal.

import { afterEach, expect, test } from "bun:test";
import { realpathSync, rmSync } from "node:fs";
import type { ShellAnswer } from "../../src/syscalls/run/shell-service.ts";
import { scratchDirectory } from "../support/scratch.ts";
import { ServedKernel } from "../support/served-kernel.ts";

const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

async function served(): Promise<{ readonly kernel: ServedKernel; readonly home: string }> {
  const home = realpathSync(scratchDirectory("person"));
  directories.push(home);
  const hostEnv = { HOME: home, PATH: process.env.PATH ?? "" };
  return { kernel: await ServedKernel.boot({ realTime: true, hostEnv, cwd: home }), home };
}

let ids = 0;
const command = (script: string) => ({
  ...{ id: `0192f0c8-7e2d-7000-8000-${String(++ids).padStart(12, "0")}`, target: "host", script },
});

const asToken = (token: string) => ({ authorization: `Bearer ${token}` });

function textOf({ output }: ShellAnswer): string {
  return output.pieces.map(({ bytes }) => Buffer.from(bytes, "base64").toString()).join("");
}

test("the account of the home's person runs them, in that person's home directory", async () => {
  const { kernel, home } = await served();
  const [status, ran] = await kernel.json<ShellAnswer>("POST", "/api/call/shell.run", command("pwd; exit 3"));
  expect([status, ran.exit, textOf(ran)]).toEqual([200, 3, `${home}\n`]);
  const atTerminal = await kernel.kernel.sys.call<ShellAnswer>("shell.run", command("pwd; exit 3"));
  expect([atTerminal.exit, textOf(atTerminal)]).toEqual([3, `${home}\n`]);
});

test.each(["service", "node"])("a token of kind %s does not, with the same account", async (kind) => {
  const { kernel } = await served();
  const { token } = await kernel.kernel.sys.call<{ token: string }>("sys.token.create", { kind });
  const answer = await kernel.json<{ detail: string }>("POST", "/api/call/shell.run", command("id"), asToken(token));
  expect([answer[0], answer[1].detail]).toEqual([403, "sam may not call shell.run (needs shell.exec)"]);
});

test.each(["shell.exec", "shell.*"])("a token limited to %s is a program's, and runs none", async (allow) => {
  const { kernel } = await served();
  const { token } = await kernel.kernel.sys.call<{ token: string }>("sys.token.create", { allow });
  const [status, problem] = await kernel.json("POST", "/api/call/shell.run", command("id"), asToken(token));
  expect([status, problem]).toEqual([403, expect.objectContaining({ code: "EPERM" })]);
});

test("another account of the home does not, whatever its role", async () => {
  const { kernel } = await served();
  const root = kernel.kernel.person(0);
  const { uid } = await root.call<{ uid: number }>("account.create", { username: "bob" });
  const { token } = await kernel.kernel.person(uid).call<{ token: string }>("sys.token.create", {});
  const [status, problem] = await kernel.json("POST", "/api/call/shell.run", command("id"), asToken(token));
  expect([status, problem]).toEqual([403, expect.objectContaining({ code: "EPERM" })]);
});

test("without the capability shell.host it does not run here either, nor at the terminal", async () => {
  const { kernel } = await served();
  await kernel.kernel.person(0).call("group.mod", { name: "users", revoke: "shell.*" });
  await kernel.kernel.person(0).call("group.mod", { name: "users", grant: "shell.exec" });
  const [status, problem] = await kernel.json<{ detail: string }>("POST", "/api/call/shell.run", command("id"));
  expect([status, problem.detail]).toEqual([403, "sam may not use the host (needs shell.host)"]);
  await expect(kernel.kernel.sys.call("shell.run", command("id"))).rejects.toThrow("needs shell.host");
});
