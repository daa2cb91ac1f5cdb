// Paths that a sandbox must hide, found on the host: existing ones, by their real paths, and sockets with a listener.

import { afterAll, expect, test } from "bun:test";
import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { hiddenOn } from "../../src/targets/hidden.ts";
import { scratchDirectory } from "../support/scratch.ts";

const scratch = realpathSync(scratchDirectory("hidden"));
const at = (...names: string[]) => join(scratch, ...names);
for (const each of ["home", "person/.ssh", "elsewhere/cloud", "alone", "among", "runtime"])
  mkdirSync(at(each), { recursive: true });
symlinkSync(at("elsewhere/cloud"), at("person/.aws"));
symlinkSync(at("home"), at("person/.gsv"));
writeFileSync(at("person/.netrc"), "machine");
writeFileSync(at("among/notes"), "");
writeFileSync(at("alone/bound.sock.lock"), "");
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function hidden() {
  const env = { HOME: at("person"), XDG_RUNTIME_DIR: at("runtime") };
  const { own, directories, files } = hiddenOn({ home: at("home"), env, uid: process.getuid?.() ?? 0 });
  const ours = (paths: readonly string[]) => paths.filter((path) => path.startsWith(scratch)).sort();
  return { own, directories: ours(directories), files: ours(files) };
}

test("gsv's home, the runtime directory and directories of keys are hidden, by real path, each once, if they exist", () => {
  const { own, directories, files } = hidden();
  expect(own).toContain(realpathSync("/tmp"));
  expect(directories).toEqual([at("elsewhere/cloud"), at("home"), at("person/.ssh"), at("runtime")]);
  expect(files).toEqual([at("person/.netrc")]);
});

test("a socket with a listener is hidden, with its directory if that has nothing else", async () => {
  const paths = [at("alone/bound.sock"), at("among/a b.sock"), at("home/kernel.sock")];
  const servers = await Promise.all(
    paths.map(async (path) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const server = createServer().listen(path, resolve);
      await promise;
      return server;
    }),
  );
  const { directories, files } = hidden();
  expect(directories).toContain(at("alone"));
  expect(directories).not.toContain(at("among"));
  // Also one in the command's own directory, which is not hidden.
  for (const path of paths) expect(files).toContain(path);
  // A socket that was renamed into place is bound under another name.
  renameSync(at("among/a b.sock"), at("among/ready.sock"));
  expect(hidden().files).toContain(at("among/ready.sock"));
  rmSync(at("among/ready.sock"));
  for (const server of servers) server.close();
  expect(hidden().files).toEqual([at("person/.netrc")]);
});
