// The kernel of a plain message, started before the command is loaded.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ahead } from "../../src/client/start/early-kernel.ts";
import { homePaths } from "../../src/paths.ts";
import { scratchDirectory } from "../support/scratch.ts";

let directory = "";
let paths = homePaths("/");

beforeEach(() => {
  directory = scratchDirectory("early");
  paths = homePaths(join(directory, "home"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Starts a program that writes one line and ends, as an idle kernel would. */
async function early(env: { readonly [name: string]: string } = {}, line = "chat hello", input = "/dev/null") {
  const uid = process.getuid?.() ?? 0;
  const place = { uid, command: ["sh", "-c", "echo a line"], env: { HOME: directory, GSV_HOME: paths.home, ...env } };
  const stdin = openSync(input, "r");
  const message = await ahead(line.split(" "), place, stdin).finally(() => closeSync(stdin));
  return message === null ? "another command" : message.early;
}

async function started() {
  const kernel = await early();
  if (kernel === null || kernel === "another command") throw new Error("no kernel was started");
  return [kernel.isNewHome, await kernel.end];
}

test("only a chat that nothing but its kernel can refuse starts one ahead of its command", async () => {
  for (const line of ["chat --bogus", "chat", "chat  ", "chat a b", "ps", "ps hello"])
    expect([line, await early({}, line)]).toEqual([line, "another command"]);
  const file = join(directory, "input");
  writeFileSync(file, "more");
  expect(await early({}, "chat hello", file)).toBe("another command");
  expect(existsSync(paths.home)).toBe(false);
});

test("a new home is created and its kernel starts; a home with a database is not new", async () => {
  expect(await started()).toEqual([true, { status: 0, says: null, hints: [] }]);
  expect(readFileSync(paths.kernelLog, "utf8")).toBe("a line\n");
  writeFileSync(paths.kernelDb, "");
  expect((await started())[0]).toBe(false);
});

test("a kernel elsewhere, in this process, or one that may be running is left to the command", async () => {
  const elsewhere: { [name: string]: string }[] = [
    { GSV_KERNEL: "in-process" },
    { GSV_SERVER: "http://x" },
    { GSV_REMOTE: "work" },
  ];
  for (const env of elsewhere) expect(await early(env)).toBe(null);
  expect(existsSync(paths.home)).toBe(false);
  mkdirSync(paths.runDir, { recursive: true, mode: 0o700 });
  chmodSync(paths.home, 0o700);
  writeFileSync(paths.socket, "");
  expect(await early()).toBe(null);
  expect(existsSync(paths.kernelLog)).toBe(false);
});

test("a home that cannot be used starts nothing: the command reports why", async () => {
  mkdirSync(paths.home);
  writeFileSync(join(paths.home, "mine"), "");
  chmodSync(paths.home, 0o755);
  expect(await early()).toBe(null);
  expect(await early({ GSV_HOME: "some/where" })).toBe(null);
  expect(existsSync(paths.logDir)).toBe(false);
});
