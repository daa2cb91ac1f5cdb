// A path means the same with a kernel and without: the read-only view shows the same tree.

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { KernelNeeded } from "../../src/abi/sys.ts";
import { readOnlySys } from "../../src/client/read.ts";
import type { FileView } from "../../src/syscalls/fs/files-service.ts";
import { withHome } from "../support/home.ts";
import { TestKernel } from "../support/kernel.ts";
import { servedMcp } from "../support/mcp/served.ts";
import { rejection } from "../support/refusal.ts";

test("without a kernel the tree has the same directories as with one, and /tmp is one of them", async () => {
  await using home = await TestKernel.boot();
  const { paths, clock, random } = home;
  const reader = await readOnlySys({ paths, clock, random: random.bytes, onInterrupted: () => {} });
  for (const path of ["/", "/tmp", "/home", "~"]) {
    const withKernel = await home.sys.call<FileView>("fs.read", { path });
    expect(await reader?.call<FileView>("fs.read", { path })).toEqual(withKernel);
  }
  await reader?.close();
});

test("a home with an unfinished first start is not read: that takes a kernel", async () => {
  await using home = await TestKernel.boot();
  const { paths, clock, random } = home;
  const read = () => readOnlySys({ paths, clock, random: random.bytes, onInterrupted: () => {} });
  const db = new Database(paths.kernelDb, { readwrite: true });
  db.run("UPDATE processes SET phase = 'creating' WHERE process_id = 'init:1000'");
  expect(await read()).toBe(null);
  db.run("DELETE FROM processes WHERE process_id = 'init:1000'");
  db.close();
  expect(await read()).toBe(null);
});

test("gsv fs read /tmp without a kernel is an empty directory, and fine", async () => {
  await withHome(async (home) => {
    expect((await home.gsv(["fs", "write", "~/a", "b"])).status).toBe(0);
    expect((await home.gsv(["kernel", "stop"])).status).toBe(0);
    const ran = await home.gsv(["fs", "read", "/tmp", "--json"]);
    expect([ran.status, ran.stderr]).toEqual([0, ""]);
    expect(JSON.parse(ran.stdout)).toEqual({ kind: "directory", path: "/tmp", directories: [], files: [] });
    expect(home.processes).toEqual([]);
  });
}, 30_000);

test("a half-deleted file of a dead kernel is left to the next one; a lost file is reported at once", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("fs.write", { path: "~/a", content: "a" });
  rmSync(join(home.paths.objectsDir, "home/sam/a"));
  const { paths, clock, random } = home;
  const reader = await readOnlySys({ paths, clock, random: random.bytes, onInterrupted: () => {} });
  const asked = async () => (await rejection(reader?.call("fs.read", { path: "~/a" }) ?? Promise.resolve())).message;
  expect(await asked()).toContain("the content of home/sam/a is missing");
  const db = new Database(paths.kernelDb, { readwrite: true });
  const intent = JSON.stringify({ id: "1", kind: "remove", key: "home/sam/a" });
  db.run("INSERT INTO object_intents VALUES ('1', 'remove', ?)", [intent]);
  db.close();
  expect(await asked()).toBe("this needs a kernel");
  await reader?.close();
  await home.restart();
  expect((await home.refusal("fs.read", { path: "~/a" })).code).toBe("ENOENT");
});

test("resources of an MCP server are files without a kernel too: looking at them takes one", async () => {
  await using home = await TestKernel.boot();
  await using served = servedMcp((server) => {
    server.registerResource("a", "docs://a/b", {}, async () => ({ contents: [{ uri: "docs://a/b", text: "b" }] }));
  });
  await home.sys.call("sys.mcp.add", { name: "docs", url: served.url });
  const { paths, clock, random } = home;
  const reader = await readOnlySys({ paths, clock, random: random.bytes, onInterrupted: () => {} });
  const list = (path: string) => reader?.call("fs.list", { path }) ?? Promise.resolve();
  expect(await list("/mnt/mcp")).toMatchObject({ entries: [{ name: "docs" }] });
  expect(await rejection(list("/mnt/mcp/docs"))).toBeInstanceOf(KernelNeeded);
  await reader?.close();
});
