// Tools of a server that a session has: a model calls them like any other, a person is asked first, and nobody else can.

import { expect, test } from "bun:test";
import type { Approval } from "../../../src/abi/process/process.ts";
import type { ToolServer } from "../../../src/process/run/tool-servers.ts";
import { ManagedKernel } from "../../support/manager.ts";

const SPEC = {
  name: "calendar_add",
  description: "Put something into the calendar",
  parameters: { type: "object", properties: { day: { type: "string" }, what: { type: "string" } }, required: ["day"] },
} as const;
const LOOK = { ...SPEC, name: "calendar_look", description: "Look into the calendar" };

/** A server in this process, as services are: what it was asked, and how many are open. */
class Calendar {
  readonly added: unknown[] = [];
  open = 0;
  fails = false;

  readonly toolsOf = async (_: unknown, services: readonly unknown[]): Promise<ToolServer> => {
    this.open++;
    let isOpen = true;
    return {
      tools: [SPEC, LOOK],
      call: async (tool, args) => {
        if (this.fails) throw new Error("the calendar is full");
        this.added.push([tool, args, ...services]);
        return `noted for ${args.day}`;
      },
      close: async () => {
        if (isOpen) this.open--;
        isOpen = false;
      },
    };
  };
}

const calls = (day: string, name = "calendar_add") => ({ calls: [{ name, args: { day, what: "dentist" } }] });

async function managed(calendar = new Calendar(), options = {}) {
  const it = await ManagedKernel.boot({ toolsOf: calendar.toolsOf }, options);
  it.manager.setMcpServices("the diary");
  return { it, calendar };
}

async function waiting(it: ManagedKernel, pid: string): Promise<Approval> {
  await it.home.inState(pid, "waiting_hil");
  const { approvals } = await it.home.sys.call<{ approvals: Approval[] }>("hil.list", {});
  return approvals.find((each) => each.pid === pid)!;
}

const answer = (it: ManagedKernel, id: string, more: object = {}) =>
  it.home.sys.call<{ rule?: string }>("hil.answer", { id, decision: "approve", ...more });

/** A session whose process has said a word already, so that its next answers can be planned. */
async function begun(it: ManagedKernel, about: Parameters<ManagedKernel["session"]>[0] = {}) {
  const session = await it.session(about);
  it.manager.startProcess(session, "hello");
  await it.until(session, "session_exited");
  const row = await it.row(session);
  return { session: row, pid: row.pid ?? "" };
}

const outputs = async (it: ManagedKernel, pid: string) =>
  (await it.home.messages(pid)).flatMap((each) => (each.role === "toolResult" ? [each.content.output] : []));

test("a model is offered the tools of its session's server, and a call of one asks a person, runs there and is told", async () => {
  const { it, calendar } = await managed();
  await using _ = it;
  const { session, pid } = await begun(it);
  expect(it.home.model.asked(pid)[0]?.tools).toContainEqual(SPEC);
  it.home.model.will(pid, calls("friday"));
  it.manager.resumeProcess(session, "the dentist, on friday");
  const asked = await waiting(it, pid);
  expect([asked.tool, asked.call, asked.why, asked.args]).toEqual([
    "calendar_add",
    "sys.mcp.call",
    "use calendar_add, a tool of its session",
    { day: "friday", what: "dentist" },
  ]);
  expect(calendar.added).toEqual([]);
  await answer(it, asked.id);
  await it.until(session, "session_exited", 2);
  expect(calendar.added).toEqual([["calendar_add", { day: "friday", what: "dentist" }, "the diary"]]);
  expect(await outputs(it, pid)).toEqual(["noted for friday"]);
  // In the log of its calls like any other, and in nobody else's hands.
  const { rows } = await it.home.sys.call<{ rows: { call: string; outcome: string }[] }>("proc.trace", { pid });
  expect(rows.filter(({ call }) => call === "sys.mcp.call").map(({ outcome }) => outcome)).toEqual(["ok"]);
  // As the model said it: its own words come back to it.
  const told = it.home.model
    .asked(pid)
    .at(-1)
    ?.messages.find(({ role, content }) => role === "assistant" && JSON.stringify(content).includes("calendar_add"));
  expect(JSON.stringify(told)).not.toContain('"args":{"tool"');
  expect(calendar.open).toBe(0);
});

test("always allows exactly that call of that tool, and nothing else of the server", async () => {
  const { it, calendar } = await managed();
  await using _ = it;
  const { session, pid } = await begun(it);
  it.home.model.will(pid, calls("friday"), calls("friday"), calls("friday", "calendar_look"));
  it.manager.resumeProcess(session, "twice");
  const asked = await waiting(it, pid);
  expect((await answer(it, asked.id, { always: true })).rule).toBeString();
  await it.home.until("the other tool asks", async () => calendar.added.length === 2);
  const other = await waiting(it, pid);
  expect(other.tool).toBe("calendar_look");
  await it.home.sys.call("hil.answer", { id: other.id, decision: "deny", message: "not now" });
  await it.until(session, "session_exited", 2);
  expect(calendar.added.map((each) => (each as unknown[])[0])).toEqual(["calendar_add", "calendar_add"]);
});

test("what fails there is told to the model; a changed call runs as it was changed", async () => {
  const { it, calendar } = await managed();
  await using _ = it;
  const { session, pid } = await begun(it);
  it.home.model.will(pid, calls("friday"));
  it.manager.resumeProcess(session, "friday");
  await answer(it, (await waiting(it, pid)).id, { args: { day: "monday" } });
  await it.until(session, "session_exited", 2);
  expect(calendar.added).toEqual([["calendar_add", { day: "monday", what: "dentist" }, "the diary"]]);
  calendar.fails = true;
  it.home.model.will(pid, calls("sunday"));
  it.manager.resumeProcess(session, "sunday");
  await answer(it, (await waiting(it, pid)).id);
  await it.until(session, "session_exited", 3);
  expect((await outputs(it, pid)).at(-1)).toBe("EIO: calendar_add failed: the calendar is full");
});

test("an agent's own list and what a process does without hold for them; a session nobody attends is refused", async () => {
  const { it, calendar } = await managed();
  await using _ = it;
  await it.home.sys.call("agent.create", { name: "ada", tools: "Read,calendar_look" });
  const { pid: own } = await begun(it, { agentId: "ada" });
  expect(it.home.model.asked(own)[0]?.tools.map(({ name }) => name)).toEqual(["Read", "calendar_look"]);
  const session = await it.session({ name: "alone" });
  it.manager.startProcess(session, "hello", { schedulerMode: true });
  await it.until(session, "session_exited");
  const pid = await it.pid(session);
  it.home.model.will(pid, calls("friday"));
  it.manager.resumeProcess(await it.row(session), "friday");
  await it.until(session, "session_exited", 2);
  expect((await outputs(it, pid)).at(-1)).toContain("has nobody to ask");
  expect(calendar.added).toEqual([]);
});

test("no other process, no shell and no person calls a session's tools, and they may not take the names of gsv's", async () => {
  const { it, calendar } = await managed();
  await using _ = it;
  const { session, pid } = await begun(it);
  it.home.model.will(pid, { hold: true, text: "at last" });
  it.manager.resumeProcess(session, "wait");
  await it.home.holding();
  const args = { tool: "calendar_add", args: { day: "friday" } };
  const refused = async (inside: string, seen = {}) =>
    (await it.home.refusal("sys.mcp.call", args, await it.home.insideOf(inside, seen))).code;
  expect(await refused(pid)).toBe("EPERM");
  expect(await refused("init:1000", { approved: true })).toBe("ENOENT");
  expect((await it.home.refusal("sys.mcp.call", args)).code).toBe("ENOENT");
  expect(calendar.added).toEqual([]);
  it.home.model.release();
  for (const name of ["Read", "fetch", "calendar add", "calendar_add\u0007"]) {
    const server = { tools: [{ ...SPEC, name }], call: async () => "", close: async () => {} };
    expect(() => it.home.kernel.care.servers.hold(pid, server)).toThrow(/offers a tool of the name/);
  }
  await it.until(session, "session_exited", 2);
});

test("a call that waits over a restart of gsv finds its server again, and is carried out once", async () => {
  const { it, calendar } = await managed();
  await using _ = it;
  const { session, pid } = await begun(it);
  it.home.model.will(pid, calls("friday"));
  it.manager.resumeProcess(session, "friday");
  const { id } = await waiting(it, pid);
  await it.restart();
  it.manager.setMcpServices("the diary, again");
  await answer(it, id);
  await it.until(session, "session_exited", 2);
  expect(calendar.added).toEqual([["calendar_add", { day: "friday", what: "dentist" }, "the diary, again"]]);
});

test("every end closes a session's server, and an outage keeps it open", async () => {
  const { it, calendar } = await managed();
  await using _ = it;
  const { session, pid } = await begun(it, { source: "web" });
  const error = { class: "outage", message: "the server is down" } as const;
  it.home.model.will(pid, { error }, { error }, { error }, { error });
  it.manager.resumeProcess(session, "hello?");
  await it.home.until("it is paused", async () => {
    const { waitsFor } = await it.home.get(pid);
    if (waitsFor?.kind === "model") await it.home.clock.advance(Math.max(0, waitsFor.until - it.home.clock.now()));
    return it.manager.isPaused(session.id);
  });
  expect(calendar.open).toBe(1);
  it.manager.stopProcess(session.id);
  await it.manager.settled();
  expect(calendar.open).toBe(0);
});
