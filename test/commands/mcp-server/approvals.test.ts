// Requests of agents through gsv's MCP server: a person at the client decides in a form, and nothing else a client does is a decision.

import { expect, test } from "bun:test";
import type { ElicitResult } from "@modelcontextprotocol/client";
import type { Approval } from "../../../src/abi/process/process.ts";
import { TestKernel } from "../../support/kernel.ts";
import { type Connected, connected, ERAS, type Wish } from "../../support/mcp/gsv-client.ts";

const DELETE = { name: "Delete", args: { path: "~/a.txt" } };

interface Asked {
  readonly home: TestKernel;
  readonly pid: string;
  readonly run: string;
  readonly request: Approval;
}

/** A task that waits for the approval of a deletion. */
async function asked(home: TestKernel): Promise<Asked> {
  await home.sys.call("fs.write", { path: "~/a.txt", content: "x" });
  const pid = await home.task({ label: "tidy up" });
  home.model.will(pid, { text: "I delete it.", calls: [DELETE] }, { text: "Finished." });
  const { runId: run } = await home.send("delete a.txt", { pid });
  await home.inState(pid, "waiting_hil");
  const { approvals } = await home.sys.call<{ approvals: [Approval] }>("hil.list", {});
  return { home, pid, run, request: approvals[0] };
}

const open = async ({ sys }: TestKernel) =>
  (await sys.call<{ approvals: Approval[] }>("hil.list", {})).approvals.length;
const wait = ({ call }: Connected, { pid, run }: Asked) => call("wait", { pid, run, seconds: 1 });

test("without a form, the result names the request, shows all of it and says how a person decides it", async () => {
  await using home = await TestKernel.boot();
  const at = await asked(home);
  await using it = await connected(home);
  const { id } = at.request;
  const text = await wait(it, at);
  expect(text).toStartWith(`${at.pid}: waiting for approval ${id}\n`);
  for (const part of ['"tidy up" asks: Delete', "~/a.txt", `gsv approve ${id}`, `gsv deny ${id}`])
    expect(text).toContain(part);
  expect(await it.call("list_approvals")).toContain(`gsv approve ${id}`);
  expect(await it.call("list_approvals", { id })).toStartWith(`waiting for approval ${id}\n`);
  expect(await open(home)).toBe(1);
});

test.each(ERAS)("%s: the person at the client sees the request in a form and approves or denies it", async (era) => {
  for (const decision of ["approve", "deny"]) {
    await using home = await TestKernel.boot();
    const at = await asked(home);
    const shown: string[] = [];
    const answers: Wish["answers"] = (message) => {
      shown.push(message);
      return { action: "accept", content: { decision } };
    };
    await using it = await connected(home, { era, answers });
    const { id } = at.request;
    const done = decision === "approve" ? "approved" : "denied";
    expect(await it.call("wait", { pid: at.pid, run: at.run })).toBe(`${id}: ${done}\n${at.pid}: ok\n\nFinished.`);
    expect([shown.length, shown[0]?.includes("~/a.txt")]).toEqual([1, true]);
    const outline = await home.outline(at.pid);
    expect(outline).toContain(decision === "approve" ? "Delete: completed" : "Delete: denied");
  }
});

const NO_DECISIONS: readonly ElicitResult[] = [
  { action: "decline" },
  { action: "cancel" },
  { action: "accept", content: {} },
  { action: "accept", content: { decision: "yes" } },
  { action: "accept", content: { answer: "approve" } },
];

test.each(ERAS)("%s: what is no decision of a person leaves the request open, and is not asked again", async (era) => {
  await using home = await TestKernel.boot();
  const at = await asked(home);
  for (const answer of NO_DECISIONS) {
    let count = 0;
    const answers = () => {
      count++;
      return answer;
    };
    await using it = await connected(home, { era, answers });
    expect(await wait(it, at)).toContain(`waiting for approval ${at.request.id}`);
    expect([count, await open(home)]).toEqual([1, 1]);
  }
});

test("a client whose login is no person's shows no form, and its tools cannot answer", async () => {
  await using home = await TestKernel.boot();
  const at = await asked(home);
  let count = 0;
  const answers = (): ElicitResult => {
    count++;
    return { action: "accept", content: { decision: "approve" } };
  };
  await using it = await connected(home, { answers, ports: { person: null } });
  expect(await wait(it, at)).toContain(`waiting for approval ${at.request.id}`);
  expect([count, await open(home)]).toEqual([0, 1]);
  const control = { path: `/var/spool/approvals/${at.request.id}`, content: "approve" };
  expect(await it.call("write_file", control)).toStartWith("error: ");
  expect(await it.call("write_file", { path: `/proc/${at.pid}/ctl`, content: "kill" })).toStartWith("error: ");
  expect(await it.call("write_file", { path: "~/context.d/obey.md", content: "x" })).toStartWith("error: ");
});

test("an approval that is answered elsewhere meanwhile, or belongs to another call, changes nothing", async () => {
  await using home = await TestKernel.boot();
  const at = await asked(home);
  const { id, hash } = at.request;
  const answers = async (): Promise<ElicitResult> => {
    await home.sys.call("hil.answer", { id, hash, decision: "deny" });
    return { action: "accept", content: { decision: "approve" } };
  };
  await using it = await connected(home, { answers });
  const text = await it.call("wait", { pid: at.pid, run: at.run });
  expect(text).toStartWith(`${id}: not answered (`);
  expect(await home.outline(at.pid)).toContain("Delete: denied");
});

test("state that a client kept works only for the call it came from", async () => {
  await using home = await TestKernel.boot();
  const at = await asked(home);
  await using it = await connected(home, { answers: () => ({ action: "cancel" }) });
  const by = { allowInputRequired: true } as const;
  const kept = await it.client.request(
    { method: "tools/call", params: { name: "wait", arguments: { pid: at.pid, run: at.run } } },
    by as never,
  );
  const { requestState } = kept as { requestState?: string };
  expect(typeof requestState).toBe("string");
  const again = (params: object) =>
    it.client
      .request({ method: "tools/call", params: params as never }, by as never)
      .then((result) => JSON.stringify(result))
      .catch((error: Error) => error.message);
  const inputResponses = { request: { action: "accept", content: { decision: "approve" } } };
  await again({ name: "list_approvals", arguments: {}, inputResponses, requestState });
  expect(await open(home)).toBe(1);
  const forged = `${requestState?.slice(0, -2)}xx`;
  const same = { name: "wait", arguments: { pid: at.pid, run: at.run }, inputResponses };
  expect(await again({ ...same, requestState: forged })).toContain("Invalid or expired requestState");
  expect(await open(home)).toBe(1);
  expect(await again({ ...same, requestState })).toContain("approved");
});

test("a question of an agent is a form with its choices, and the answer reaches the agent", async () => {
  await using home = await TestKernel.boot();
  const pid = await home.task();
  const ask = { name: "Ask", args: { question: "Which color?", choices: ["red", "blue"] } };
  home.model.will(pid, { calls: [ask] }, { text: "Then blue." });
  const { runId: run } = await home.send("paint", { pid });
  await home.inState(pid, "waiting_hil");
  await using it = await connected(home, { answers: () => ({ action: "accept", content: { answer: "blue" } }) });
  expect(await it.call("wait", { pid, run })).toContain("Then blue.");
  const results = (await home.messages(pid)).flatMap((each) =>
    each.role === "toolResult" ? [each.content.output] : [],
  );
  expect(results.join()).toContain("blue");
});
