// Resources of MCP servers as files, and the servers themselves below /sys/mcp.

import { expect, test } from "bun:test";
import { ResourceTemplate } from "@modelcontextprotocol/server";
import { pathOfUri, safeName, uriOfPath } from "../../../src/abi/links/mcp-paths.ts";
import type { EntryPage, FileStat } from "../../../src/syscalls/fs/fs-tree.ts";
import { TestKernel } from "../../support/kernel.ts";
import { servedMcp } from "../../support/mcp/served.ts";

const PNG = Buffer.from("iVBORw0KGgo=", "base64");
const LARGE = "x".repeat(900_000);

const docs = servedMcp((server) => {
  const text = (uri: string, words: string) => async () => ({ contents: [{ uri, text: words }] });
  for (const [uri, words] of [
    ["docs://guide/first.md", "# First\n"],
    ["docs://guide/large.txt", LARGE],
    ["docs://../../etc/passwd", "not yours\n"],
    ["note:today", "buy milk\n"],
    ["file:///srv/a b.txt", "spaced\n"],
  ] as const)
    server.registerResource(uri, uri, { description: "a text", mimeType: "text/plain" }, text(uri, words));
  server.registerResource("docs://logo.png", "docs://logo.png", { mimeType: "image/png" }, async () => ({
    contents: [{ uri: "docs://logo.png", blob: PNG.toString("base64"), mimeType: "image/png" }],
  }));
  const users = new ResourceTemplate("docs://users/{name}/card", { list: undefined });
  server.registerResource("user", users, { description: "a user" }, async (uri, { name }) => ({
    contents: [{ uri: uri.href, text: `card of ${String(name)}\n` }],
  }));
});

async function withDocs() {
  const home = await TestKernel.boot();
  await home.sys.call("sys.mcp.add", { name: "docs", url: docs.url });
  return home;
}

const names = async (home: TestKernel, path: string) =>
  (await home.sys.call<EntryPage>("fs.list", { path })).entries.map(({ name }) => name);
const textAt = async (home: TestKernel, path: string, sys = home.sys) =>
  (await sys.call<{ content: string }>("fs.read", { path })).content;

test.each([
  ["docs://guide/first.md", "docs/guide/first.md"],
  ["file:///srv/notes.txt", "file/srv/notes.txt"],
  ["https://x.test:8080/a?b=c", "https%3A%2F%2Fx.test%3A8080%2Fa%3Fb%3Dc"],
  ["docs://../../etc/passwd", "docs%3A%2F%2F..%2F..%2Fetc%2Fpasswd"],
  ["note:today", "note%3Atoday"],
  ["docs://a//b", "docs%3A%2F%2Fa%2F%2Fb"],
  ["..", "%2E."],
  ["a", "%61"],
])("the resource %s has the path %s, and back", (uri, path) => {
  expect(pathOfUri(uri)).toBe(path);
  expect(uriOfPath(path)).toBe(uri);
  expect(path).not.toMatch(/(?:^|\/)\.{0,2}(?:\/|$)/);
});

test("a resource with invisible characters has a visible path, and one whose path is too long has none", () => {
  expect(pathOfUri("docs://\u202ea\u0000")).toBe("docs%3A%2F%2F%E2%80%AEa%00");
  expect(pathOfUri(`docs:${"/".repeat(300)}`)).toBeNull();
});

test("a name of a stranger becomes one file name", () => {
  for (const name of ["../x", ".", "..", "a/b", "\u001b[2J", "", "x".repeat(400)])
    expect(safeName(name)).toMatch(/^[\w%.~@+,=-]{1,255}$/);
  expect(safeName("..")).not.toBe("..");
  expect(safeName("create_issue")).toBe("create_issue");
});

test("resources are files in directories, read in full as text or bytes", async () => {
  await using home = await withDocs();
  expect(await names(home, "/mnt/mcp")).toEqual(["docs"]);
  expect(await names(home, "/mnt/mcp/docs")).toEqual([
    ...["TEMPLATES", "docs", "docs%3A%2F%2F..%2F..%2Fetc%2Fpasswd"],
    ...["file%3A%2F%2F%2Fsrv%2Fa%20b.txt", "note%3Atoday"],
  ]);
  expect(await names(home, "/mnt/mcp/docs/docs/guide")).toEqual(["first.md", "large.txt"]);
  expect(await textAt(home, "/mnt/mcp/docs/docs/guide/first.md")).toBe("# First");
  expect(await textAt(home, "/mnt/mcp/docs/note%3Atoday")).toBe("buy milk");
  expect(await textAt(home, "/mnt/mcp/docs/TEMPLATES")).toBe("docs://users/{name}/card\tuser\ta user");
  const stat = await home.sys.call<FileStat>("fs.stat", { path: "/mnt/mcp/docs/docs/logo.png" });
  expect(stat).toMatchObject({ kind: "file", contentType: "image/png", mode: "0444" });
  const whole: string[] = [];
  for (let offset = 0; offset < LARGE.length; ) {
    const { data } = await home.sys.call<{ data: string }>("fs.get", {
      path: "/mnt/mcp/docs/docs/guide/large.txt",
      offset,
    });
    whole.push(Buffer.from(data, "base64").toString());
    offset += whole.at(-1)!.length;
  }
  expect(whole.join("") === LARGE).toBe(true);
  for (const path of ["/mnt/mcp/none", "/mnt/mcp/docs/none", "/mnt/mcp/docs/docs/users"])
    if (path.endsWith("none")) expect(await home.refusal("fs.stat", { path })).toMatchObject({ code: "ENOENT" });
  expect(await home.refusal("fs.write", { path: "/mnt/mcp/docs/docs/new.md", content: "x" })).toHaveProperty("code");
});

test("a person reads what fits a template; an agent reads only what is listed, so an address carries nothing out", async () => {
  await using home = await withDocs();
  const path = "/mnt/mcp/docs/docs/users/ada/card";
  expect(await textAt(home, path)).toBe("card of ada");
  const inside = await home.insideOf(await home.task());
  expect(await textAt(home, "/mnt/mcp/docs/docs/guide/first.md", inside)).toBe("# First");
  expect(await home.refusal("fs.read", { path }, inside)).toMatchObject({ code: "ENOENT" });
  const direct = { name: "docs", uri: "docs://users/the-secret/card" };
  expect(await home.refusal("sys.mcp.resource", direct, inside)).toMatchObject({ code: "EACCES" });
});

test("/sys/mcp shows the state of a server and each of its tools", async () => {
  await using home = await TestKernel.boot();
  await using tools = servedMcp((server) => {
    server.registerTool("add", { description: "Add\u202e two numbers" }, async () => ({ content: [] }));
  });
  const command = ["/bin/sh", "-c", "exit 1"];
  await home.sys.call("sys.mcp.add", { name: "files", command, directory: "/", env: ["KEY=canary-81"], pending: true });
  await home.sys.call("sys.mcp.add", { name: "numbers", url: tools.url });
  await home.sys.call("sys.mcp.allow", { name: "numbers", tool: "add", use: "never" });
  expect(await names(home, "/sys/mcp")).toEqual(["files", "numbers"]);
  const status = await textAt(home, "/sys/mcp/files/status");
  expect(status).toContain("State:\tpending\n");
  expect(status).toContain("Start:\t/bin/sh -c 'exit 1'\n");
  expect(status).toContain("Environment:\tKEY\n");
  expect(status).not.toContain("canary-81");
  expect(await textAt(home, "/sys/mcp/numbers/status")).toContain("State:\tready\n");
  expect(await names(home, "/sys/mcp/numbers/tools")).toEqual(["add"]);
  const tool = JSON.parse(await textAt(home, "/sys/mcp/numbers/tools/add")) as object;
  expect(tool).toMatchObject({ name: "add", use: "never", state: "accepted" });
  expect(JSON.stringify(tool)).not.toContain("\u202e");
  expect(await home.refusal("fs.read", { path: "/sys/mcp/numbers/tools/none" })).toMatchObject({ code: "ENOENT" });
});
