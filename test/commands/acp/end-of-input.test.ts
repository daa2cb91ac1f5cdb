// What `gsv acp` does when its input ends.

import { expect, test } from "bun:test";
import { AcpAgent } from "../../../commands/links/acp/agent.ts";
import type { Json } from "../../../commands/links/acp/rpc.ts";
import { TestKernel } from "../../support/kernel.ts";
import { typed } from "../../support/kernel-io.ts";

test("at the end of the input all requests are answered, except a prompt that lasts", async () => {
  await using home = await TestKernel.boot();
  const printed: Json[] = [];
  const agent = new AcpAgent({
    ...{ sys: home.sys, clock: home.clock, print: (message) => printed.push(message), note: () => {} },
    upload: () => Promise.reject(new Error("nothing to upload")),
  });
  const pid = await home.task();
  await home.sys.call("fs.write", { path: "~/a.txt", content: "x" });
  const lines = [
    { id: 1, method: "session/resume", params: { sessionId: pid } },
    { id: 2, method: "initialize", params: { protocolVersion: 1 } },
  ];
  for (const line of lines) agent.take(JSON.stringify({ jsonrpc: "2.0", ...line }));
  await agent.settled();
  expect(printed.map(({ id }) => id).sort()).toEqual([1, 2]);
  home.model.will(pid, { calls: [{ name: "Delete", args: { path: "~/a.txt" } }] });
  const prompt = [{ type: "text", text: "delete" }];
  agent.take(JSON.stringify({ jsonrpc: "2.0", id: 3, method: "session/prompt", params: { sessionId: pid, prompt } }));
  await agent.settled();
  expect(printed.map(({ id }) => id)).not.toContain(3);
  agent.close();
});

test("without input, as the manual page starts it, acp ends with 0", async () => {
  await using home = await TestKernel.boot();
  expect(await typed(home.sys, "acp")).toEqual([0, "", ""]);
});
