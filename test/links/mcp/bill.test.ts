// What MCP servers cost in each request, by server.

import { expect, test } from "bun:test";
import { z } from "zod";
import type { BillLine } from "../../../src/abi/process/prompt.ts";
import { TestKernel } from "../../support/kernel.ts";
import { servedMcp } from "../../support/mcp/served.ts";

interface Bill {
  readonly tokens: number;
  readonly bill: readonly BillLine[];
}

const large = servedMcp(
  (server) => {
    for (let at = 0; at < 20; at++)
      server.registerTool(
        `manage_repository_${at}`,
        {
          description: "Create, change or remove one part of a repository, with its labels and its milestones. ".repeat(
            3,
          ),
          inputSchema: z.object({ owner: z.string(), repository: z.string(), title: z.string(), body: z.string() }),
        },
        async () => ({ content: [] }),
      );
  },
  `Issues, pull requests and files of all repositories that the token of its owner reaches. ${"x".repeat(2000)}`,
);

const small = servedMcp((server) => {
  server.registerTool("add", { description: "Add two numbers" }, async () => ({ content: [] }));
});

const billOf = (home: TestKernel, pid: string) => home.sys.call<Bill>("proc.prompt", { pid });

const servers = ({ bill }: Bill) => bill.filter(({ source }) => source === "mcp");

test("20 servers with 400 tools add at most 1,500 tokens to the first request, and each server has its line", async () => {
  await using home = await TestKernel.boot();
  const pid = await home.task();
  const { tokens: before } = await billOf(home, pid);
  for (let at = 0; at < 20; at++) await home.sys.call("sys.mcp.add", { name: `server-${at}`, url: large.url });
  const after = await billOf(home, pid);
  expect(after.tokens - before).toBeGreaterThan(100);
  expect(after.tokens - before).toBeLessThanOrEqual(1500);
  expect(servers(after)).toHaveLength(21);
  expect(servers(after).find(({ what }) => what === "server-7")?.tokens).toBeGreaterThan(10);
  await home.ended((await home.send("go", { pid })).runId);
  const { tools = [] } = home.model.asked(pid).at(-1) ?? {};
  expect(tools.map(({ name }) => name).filter((name) => name.startsWith("mcp"))).toEqual(["mcp__search", "mcp__call"]);
});

test("a server whose definitions are sent as they are has one line with their size, also in /proc/PID/maps", async () => {
  await using home = await TestKernel.boot();
  const pid = await home.task();
  await home.sys.call("sys.mcp.add", { name: "numbers", url: small.url });
  const [line, ...others] = servers(await billOf(home, pid));
  expect(line).toMatchObject({ what: "numbers" });
  expect(others).toEqual([]);
  const { content } = await home.sys.call<{ content: string }>("fs.read", { path: `/proc/${pid}/maps` });
  expect(content).toContain(`mcp\t${line?.bytes}\t${line?.tokens}\t`);
});
