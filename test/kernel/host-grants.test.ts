// What an approval may open for a command in the sandbox: the whole directory of a program, but never a home, a hidden place, or what the
// person could not write anyway.

import { afterAll, expect, test } from "bun:test";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Grant, grantsText } from "../../src/abi/grants.ts";
import { openedBy, withheldFrom } from "../../src/kernel/shells/host-grants.ts";
import { shownScratch } from "../support/sandbox.ts";

const scratch = shownScratch("host-grants");
const home = join(scratch, "sam");
for (const name of ["app", ".npm/_cacache/a", ".cache/pip", ".config/gh", ".config/tool", ".ssh", "other/deep"])
  mkdirSync(join(home, name), { recursive: true });
mkdirSync(join(scratch, "runtime/gnupg"), { recursive: true });
writeFileSync(join(home, "other/file"), "x");
symlinkSync(join(home, ".ssh"), join(home, "other/link"));
const agent = join(scratch, "agent");
const listener = Bun.listen({ unix: agent, socket: { data() {} } });
afterAll(() => {
  listener.stop();
  rmSync(scratch, { recursive: true, force: true });
});

const places = {
  hidden: { own: [], directories: [join(home, ".ssh"), join(home, ".config/gh")], files: [join(home, ".netrc")] },
  env: { HOME: home, SSH_AUTH_SOCK: agent },
};

function found(output: string, granted: readonly Grant[] = []): readonly Grant[] {
  return withheldFrom({ output, directory: join(home, "app"), granted, hasRepository: true }, places);
}

function writes(path: string): readonly string[] {
  return found(`touch: cannot touch '${path}': Read-only file system`).map((each) =>
    each.replace(`write:${home}/`, ""),
  );
}

test("a file that cannot be written asks for the whole directory of its program", () => {
  expect(writes(join(home, ".npm/_cacache/a/b/c"))).toEqual([".npm"]);
  expect(writes(join(home, ".cache/pip/http/x"))).toEqual([".cache/pip"]);
  expect(writes(join(home, "other/deep/new/file"))).toEqual(["other/deep"]);
  expect(writes(join(home, "other/file"))).toEqual(["other"]);
});

test.each([
  ["its own directory", "app/a"],
  ["the home itself", "a"],
  ["a new directory of the home", ".new/a"],
  ["a directory with hidden places", ".config/a"],
  ["a hidden place", ".config/gh/hosts"],
  ["a link to a hidden place", "other/link/id"],
])("never asked for: %s", (_what, path) => {
  expect(writes(join(home, path))).toEqual([]);
});

test("nothing is asked for that the person could not write either, or that is a top directory", () => {
  for (const path of ["/proc/version", "/sys/kernel/x", "/nowhere/a", "/etc/x"]) expect(writes(path)).toEqual([]);
});

test("each is asked for once: what the command had is not the reason", () => {
  const output = "curl: (6) Could not resolve host: a.example\ngit@a.example: Permission denied (publickey).";
  expect(found(output)).toEqual(["network", "ssh"]);
  expect(found(output, ["network"])).toEqual(["ssh"]);
  expect(found(output, ["network", "ssh"])).toEqual([]);
  const cache = `EROFS: read-only file system, open '${home}/.npm/_cacache/a/b'`;
  expect(found(cache, [`write:${home}/.npm`])).toEqual([]);
  expect(grantsText(found(output))).toBe("network, your SSH keys and agent");
});

test("a part of the repository that was read-only is asked for, if the sandbox guards one", () => {
  const index = `fatal: Unable to create '${home}/app/.git/index.lock': Read-only file system`;
  expect(found(index)).toEqual(["git"]);
  expect(found(index, ["git"])).toEqual([]);
  for (const output of [
    "error: could not lock config file .git/config: Read-only file system",
    "error: could not write config file .git/config: Device or resource busy",
    "cp: cannot create regular file '.git/hooks/pre-commit': Read-only file system",
  ])
    expect(found(output)).toEqual(["git-settings"]);
  const none = { output: index, directory: join(home, "app"), granted: [], hasRepository: false };
  expect(withheldFrom(none, places)).toEqual([]);
});

test("keys and agents that do not exist are not asked for", () => {
  const none = { ...places, env: { HOME: join(scratch, "nobody") } };
  const output = "Host key verification failed.\nerror: gpg failed to sign the data";
  expect(withheldFrom({ output, directory: "/app", granted: [], hasRepository: false }, none)).toEqual([]);
});

test("a grant opens its paths, unless they have become something else since", () => {
  expect(openedBy(["network", "ssh", `write:${home}/.npm`], places)).toEqual({
    writable: [join(home, ".npm")],
    shown: [join(home, ".ssh"), agent],
    env: { SSH_AUTH_SOCK: agent },
  });
  const moved = [`write:${home}/other/link`, `write:${home}/.config`, `write:${home}`] as const;
  expect(openedBy(moved, places).writable).toEqual([]);
});
