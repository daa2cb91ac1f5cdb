// MCP servers in code blocks: each tool is a typed function, and each of its calls is a call like any other.

import { expect, test } from "bun:test";
import { z } from "zod";
import type { Approval } from "../../../src/abi/process/process.ts";
import { TestKernel } from "../../support/kernel.ts";
import { servedMcp } from "../../support/mcp/served.ts";

const issues = servedMcp((server) => {
  const issue = z.object({ number: z.number(), title: z.string(), labels: z.array(z.string()) });
  server.registerTool(
    "get_issue",
    {
      description: "Get one issue\nof a repository",
      inputSchema: z.object({ number: z.number() }),
      outputSchema: issue,
    },
    async ({ number }) => {
      if (number > 100) throw new Error("no such issue");
      const structuredContent = { number, title: `Issue ${number}`, labels: number % 3 === 0 ? ["bug"] : [] };
      return { content: [{ type: "text", text: `Issue ${number}` }], structuredContent };
    },
  );
  const words = { title: z.string(), labels: z.array(z.enum(["bug", "idea"])).optional() };
  server.registerTool(
    "create-issue",
    { description: "Create an issue", inputSchema: z.object(words) },
    async ({ title }) => ({ content: [{ type: "text", text: `created ${title}` }] }),
  );
});

async function withIssues(deferAbove: number) {
  const home = await TestKernel.boot();
  await home.sys.call("config.set", { key: "mcp.deferAbove", value: String(deferAbove) });
  await home.sys.call("sys.mcp.add", { name: "git-hub", url: issues.url });
  await home.sys.call("sys.mcp.allow", { name: "git-hub", tool: "get_issue" });
  return home;
}

async function ran(home: TestKernel, pid: string, code: string) {
  home.model.will(pid, { calls: [{ name: "CodeMode", args: { code } }] });
  return await home.send("go", { pid });
}

const results = async (home: TestKernel, pid: string) =>
  (await home.messages(pid)).flatMap((message) => (message.role === "toolResult" ? [message.content.output] : []));

test.each([2000, 1])(
  "ten calls and a filter are one turn (definitions above %d tokens deferred)",
  async (deferAbove) => {
    await using home = await withIssues(deferAbove);
    const pid = await home.task();
    const code = `const found = [];
    for (let number = 1; number <= 10; number++) found.push(await git_hub.get_issue({ number }));
    return found.filter(({ labels }) => labels.includes("bug")).map(({ title }) => title);`;
    const { runId } = await ran(home, pid, code);
    expect(await home.ended(runId)).toMatchObject({ status: "ok" });
    expect((await results(home, pid)).map((text) => JSON.parse(text) as unknown)).toEqual([
      ["Issue 3", "Issue 6", "Issue 9"],
    ]);
    // The turn that calls, and the one that answers.
    expect(home.model.asked(pid)).toHaveLength(2);
    const { rows } = await home.sys.call<{ rows: { call: string }[] }>("proc.trace", { pid });
    expect(rows.filter(({ call }) => call === "sys.mcp.call")).toHaveLength(10);
  },
);

test("printing a server prints its types, made from its schemas; a failed call throws, and one without an allowance asks", async () => {
  await using home = await withIssues(2000);
  const pid = await home.task();
  const code = `console.log(git_hub);
    try { await git_hub.get_issue({ number: 999 }); } catch (error) { console.log(error.message); }
    return await git_hub.create_issue({ title: "New" });`;
  const { runId } = await ran(home, pid, code);
  const { waitsFor } = await home.inState(pid, "waiting_hil");
  const { approvals } = await home.sys.call<{ approvals: Approval[] }>("hil.list", {});
  expect(approvals).toMatchObject([{ tool: "mcp__git-hub__create-issue", args: { title: "New" } }]);
  await home.sys.call("hil.answer", { id: waitsFor?.kind === "approval" ? waitsFor.id : "", decision: "approve" });
  await home.ended(runId);
  const [text] = await results(home, pid);
  expect(text).toContain(`git-hub: {
  /** Get one issue */
  get_issue(args: { number: number }): Promise<{ number: number; title: string; labels: string[] }>;
  /** Create an issue */
  "create-issue"(args: { title: string; labels?: ("bug" | "idea")[] }): Promise<string>;
}`);
  expect(text).toContain("mcp.git-hub.get_issue failed: no such issue");
  expect(text).toEndWith("created New");
});
