// The file of saved remotes, and which kernel an invocation uses.

import { afterAll, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { remotesFile } from "../../src/client/remotes/place.ts";
import { savedRemotes } from "../../src/client/remotes/saved.ts";
import { remoteServer } from "../../src/client/remotes/server.ts";
import { scratchDirectory } from "../support/scratch.ts";

const root = scratchDirectory("remotes");
afterAll(() => rmSync(root, { recursive: true }));
const scratch = () => mkdtempSync(join(root, "home-"));

const remote = (name: string) => ({
  ...{ name, url: `https://${name}.example`, certificate: null, token: `gsv_user_${name}` },
  ...{ account: "sam", tokenId: null, expiresAt: null },
});

test("the file and its directory are private, and a crash leaves a whole file", () => {
  const file = remotesFile({ HOME: scratch(), XDG_CONFIG_HOME: "relative" });
  const saved = savedRemotes(file);
  saved.save(remote("work"));
  writeFileSync(`${file}.new`, "half", { mode: 0o644 });
  saved.save(remote("box"));
  expect(saved.list().map(({ name }) => name)).toEqual(["box", "work"]);
  expect([statSync(file).mode & 0o777, statSync(join(file, "..")).mode & 0o777]).toEqual([0o600, 0o700]);
  expect(existsSync(`${file}.new`)).toBe(false);
  saved.select("work");
  saved.remove("work");
  expect([saved.used(), saved.list().length]).toEqual([null, 1]);
});

test("XDG_CONFIG_HOME is honoured", () => {
  expect(remotesFile({ HOME: "/home/sam", XDG_CONFIG_HOME: "/conf" })).toBe("/conf/gsv/remotes");
  expect(remotesFile({ HOME: "/home/sam" })).toBe("/home/sam/.config/gsv/remotes");
});

test.each([
  ["others can read it", '{"remotes":[]}', 0o644, /other users can read it \(mode 0644\)/],
  ["no JSON", "token", 0o600, /it is not JSON/],
  ["other JSON", "[1]", 0o600, /it is not a list of remotes/],
  ["half a remote", '{"remotes":[{"name":"x"}]}', 0o600, /it is not a list of remotes/],
])("a file that cannot be trusted is refused: %s", (_what, text, mode, message) => {
  const file = remotesFile({ HOME: scratch() });
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
  expect(() => savedRemotes(file).list()).toThrow(message);
  expect(readFileSync(file, "utf8")).toBe(text);
});

test("--remote wins over GSV_SERVER, that over GSV_REMOTE, that over remote use; local is this computer", () => {
  const HOME = scratch();
  const saved = savedRemotes(remotesFile({ HOME }));
  for (const name of ["flag", "env", "used"]) saved.save(remote(name));
  const named = (env: object, chosen: string | null = null) => remoteServer({ HOME, ...env }, chosen)?.name ?? null;
  const server = { GSV_SERVER: "https://server.example", GSV_TOKEN: "t" };
  expect(named({})).toBe(null);
  saved.select("used");
  const all = { ...server, GSV_REMOTE: "env" };
  expect([named(all, "flag"), named(all), named({ GSV_REMOTE: "env" }), named({})]).toEqual([
    ...["flag", "server.example", "env", "used"],
  ]);
  expect([named(all, "local"), named({ GSV_REMOTE: "local" })]).toEqual([null, null]);
  expect(() => named({}, "other")).toThrow("no remote is named other");
});
