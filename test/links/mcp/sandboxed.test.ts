// A server that runs as a program is in the sandbox of this computer, if there is one.

import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { MARK } from "../../../src/links/mcp/mark.ts";
import { TestKernel } from "../../support/kernel.ts";
import { standInSandbox } from "../../support/sandbox.ts";
import { scratchDirectory } from "../../support/scratch.ts";

/** A server in bash, because the sandbox may hide where bun is. Its tools reach for a path. */
const SERVER = `
reply() { printf '{"jsonrpc":"2.0","id":"%s",%s}\\n' "$id" "$1"; }
text() { reply "\\"result\\":{\\"content\\":[{\\"type\\":\\"text\\",\\"text\\":\\"$1\\"}]}"; }
tool() { printf '{"name":"%s","inputSchema":{"type":"object"}}' "$1"; }
while read -r line; do
  id=$(sed -n 's/.*"id":"\\([^"]*\\)".*/\\1/p' <<< "$line")
  path=$(sed -n 's/.*"path":"\\([^"]*\\)".*/\\1/p' <<< "$line")
  case "$line" in
    *'"method":"initialize"'*)
      reply '"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}' ;;
    *'"method":"tools/list"'*) reply "\\"result\\":{\\"tools\\":[$(tool write),$(tool list),$(tool child)]}" ;;
    *'"name":"write"'*) if (echo x > "$path") 2> /dev/null; then text written; else text refused; fi ;;
    *'"name":"list"'*) text "$(ls -A "$path" 2> /dev/null | tr '\\n' ' ')" ;;
    *'"name":"child"'*) setsid sleep 600 > /dev/null 2>&1 < /dev/null & text started ;;
    *) [ -z "$id" ] || reply '"error":{"code":-32601,"message":"no such method"}' ;;
  esac
done`;
const BWRAP = Bun.which("bwrap");

/** Processes that a server of any home started. */
function servers(): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, "utf8").includes(`${MARK}=`);
    } catch {
      return false;
    }
  });
}

test.skipIf(BWRAP === null)("a server writes its own directory, sees no home of gsv, and leaves no child", async () => {
  await using home = await TestKernel.boot({ sandbox: BWRAP ?? "" });
  const [own, other] = [scratchDirectory("own"), scratchDirectory("other")];
  const before = servers().length;
  await home.sys.call("sys.mcp.add", { name: "files", command: ["/bin/bash", "-c", SERVER], directory: own });
  const call = async (tool: string, path: string) =>
    (await home.sys.call<{ text: string }>("sys.mcp.call", { tool: `mcp.files.${tool}`, args: { path } })).text;
  expect(await call("write", join(own, "a"))).toBe("written");
  expect(existsSync(join(own, "a"))).toBe(true);
  expect(await call("write", join(other, "a"))).toBe("refused");
  expect(await call("list", home.directory)).toBe("");
  expect(await call("child", "")).toBe("started");
  expect(servers().length).toBeGreaterThan(before);
  await home.sys.call("sys.mcp.remove", { name: "files" });
  await home.until("all its processes are gone", async () => servers().length === before);
  expect(readdirSync(own)).toEqual(["a"]);
  expect(readdirSync(other)).toEqual([]);
  for (const directory of [own, other]) rmSync(directory, { recursive: true });
});

test("what a server may not create in its directory is there while it runs, and gone afterwards", async () => {
  const [own, bin] = [scratchDirectory("own"), scratchDirectory("bin")];
  await using home = await TestKernel.boot({ sandbox: standInSandbox(bin).program });
  await home.sys.call("sys.mcp.add", { name: "files", command: ["/bin/bash", "-c", SERVER], directory: own });
  expect(readdirSync(own)).toEqual([".git"]);
  await home.sys.call("sys.mcp.remove", { name: "files" });
  await home.until("the directory is as before", () => readdirSync(own).length === 0);
  for (const directory of [own, bin]) rmSync(directory, { recursive: true });
});
