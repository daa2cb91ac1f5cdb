// Tools of a process manager: agents of its sessions see and call them, a person is asked, and the manager's service answers.

import { expect, test } from "bun:test";
import { ManagedKernel } from "../../support/manager.ts";

const CALENDAR = {
  tools: [
    {
      name: "calendar_add",
      description: "Adds an event.",
      parameters: { type: "object", properties: { title: { type: "string" } } },
    },
  ],
  call: async (tool: string, args: { readonly [name: string]: unknown }) => {
    if (args.title === "broken") throw new Error("the calendar is closed");
    return `${tool}: added ${args.title}`;
  },
};

async function calling(it: ManagedKernel, title: string): Promise<string> {
  const { session, pid } = await it.talked();
  it.home.model.will(pid, { calls: [{ name: "calendar_add", args: { title } }] });
  it.manager.resumeProcess(session, "add it");
  const { waitsFor } = await it.home.inState(pid, "waiting_hil");
  const offered =
    it.home.model
      .asked(pid)
      .at(-1)
      ?.tools.map(({ name }) => name) ?? [];
  expect(offered).toContain("calendar_add");
  await it.home.sys.call("hil.answer", { id: waitsFor?.kind === "approval" ? waitsFor.id : "", decision: "approve" });
  await it.until(session, "session_exited", 2);
  return JSON.stringify(await it.home.messages(pid));
}

test("a model sees the tools of a service, and a call asks a person, runs in the service and returns its result", async () => {
  await using it = await ManagedKernel.boot();
  it.manager.setMcpServices("messenger", CALENDAR);
  expect(await calling(it, "tea")).toContain("calendar_add: added tea");
  expect(await calling(it, "broken")).toContain("the calendar is closed");
});

test("a session's tools end with it; other processes have none of them, and other accounts cannot offer any", async () => {
  await using it = await ManagedKernel.boot();
  it.manager.setMcpServices(CALENDAR);
  const { pid } = await it.talked();
  await it.home.say("and now", { pid });
  await it.home.say("hello");
  for (const of of [pid, "init:1000"])
    expect(
      it.home.model
        .asked(of)
        .at(-1)
        ?.tools.map(({ name }) => name),
    ).not.toContain("calendar_add");
  const own = JSON.stringify(CALENDAR.tools[0]);
  const inside = await it.home.insideOf(pid);
  expect(await it.home.refusal("sys.mcp.offer", { pid, tools: [own] }, inside)).toMatchObject({ code: "EPERM" });
  for (const tools of [[own, own], ["no tool"], [JSON.stringify({ ...CALENDAR.tools[0], name: "../x" })]])
    expect(await it.home.refusal("sys.mcp.offer", { pid, tools })).toMatchObject({ code: "EINVAL" });
});

test("a tool with a silent server fails after five minutes, and the agent continues; a late answer is dropped", async () => {
  await using it = await ManagedKernel.boot();
  const pid = await it.home.task();
  await it.home.sys.call("sys.mcp.offer", { pid, tools: [JSON.stringify(CALENDAR.tools[0])] });
  it.home.model.will(pid, { calls: [{ name: "calendar_add", args: { title: "tea" } }] });
  const { runId } = await it.home.send("add it", { pid });
  const { waitsFor } = await it.home.inState(pid, "waiting_hil");
  await it.home.sys.call("hil.answer", { id: waitsFor?.kind === "approval" ? waitsFor.id : "", decision: "approve" });
  await it.home.until("it is called", () => it.home.heard("process.server_call").length === 1);
  await it.home.clock.advance(5 * 60_000);
  expect(await it.home.ended(runId)).toMatchObject({ status: "ok" });
  expect(JSON.stringify(await it.home.messages(pid))).toContain("did not answer in time");
  const call = it.home.heard("process.server_call")[0]?.call;
  expect(await it.home.sys.call<object>("sys.mcp.answer", { call, text: "x" })).toEqual({ taken: false });
});
