// Messages to a session: running, not running, and after many messages.

import { expect, test } from "bun:test";
import type { Message } from "../../../src/abi/process/message.ts";
import { ManagedKernel } from "../../support/manager.ts";

const HELD = { hold: true, text: "at last" } as const;

const texts = (messages: readonly Message[]) =>
  messages.map((each) =>
    each.role === "assistant" ? each.content.text : each.role === "toolResult" ? "" : each.content,
  );

function lastAsked(it: ManagedKernel, pid: string): string[] {
  return texts(it.home.model.asked(pid).at(-1)?.messages ?? []);
}

test("a message to a running session is accepted, stored once, and answered in order", async () => {
  await using it = await ManagedKernel.boot();
  const { session, pid } = await it.resumed({}, HELD);
  await it.home.holding();
  expect([it.manager.sendMessage(session.id, "two"), it.manager.sendMessage(session.id, "three")]).toEqual([
    true,
    true,
  ]);
  await it.manager.settled();
  it.home.model.release();
  await it.until(session, "session_exited", 2);
  const said = texts((await it.home.messages(pid)).filter(({ role }) => role === "user"));
  expect(said).toEqual(["hello", "and now", "two", "three"]);
});

test("a message to a session that does not run is refused, and not stored", async () => {
  await using it = await ManagedKernel.boot();
  const { session, pid } = await it.talked();
  expect(it.manager.sendMessage(session.id, "anybody?")).toBe(false);
  expect(it.manager.sendMessage("no such session", "anybody?")).toBe(false);
  await it.manager.settled();
  expect(await it.home.outline(pid)).toEqual(["user: hello", "assistant: done"]);
});

test("a resume without a message continues where the session stopped, or starts with its first prompt", async () => {
  await using it = await ManagedKernel.boot();
  const { session, pid } = await it.talked();
  it.manager.resumeProcess(session);
  await it.until(session, "session_exited", 2);
  expect(lastAsked(it, pid).at(-1)).toContain("interrupted");
  const fresh = await it.session({ initialPrompt: "look around" });
  it.manager.resumeProcess(fresh);
  await it.until(fresh, "session_exited");
  expect(await it.home.outline(await it.pid(fresh))).toEqual(["user: look around", "assistant: done"]);
});

test("two parallel resumes are one run with both messages, in order", async () => {
  await using it = await ManagedKernel.boot();
  const { session, pid } = await it.talked();
  it.home.model.will(pid, HELD);
  it.manager.resumeProcess(session, "one");
  it.manager.resumeProcess(session, "two");
  await it.home.holding();
  it.home.model.release();
  await it.until(session, "session_exited", 2);
  const said = texts((await it.home.messages(pid)).filter(({ role }) => role === "user"));
  expect(said).toEqual(["hello", "one", "two"]);
  expect(it.types(session, "session_started")).toHaveLength(2);
});

test("the model gets persona and bundles each turn, also after a change and a resume", async () => {
  await using it = await ManagedKernel.boot();
  const { sys } = it.home;
  await sys.call("bundle.create", { name: "of-agent", tools: "Read", prompt: "Look twice." });
  await sys.call("bundle.create", { name: "of-project", tools: "Shell", prompt: "Dutch first." });
  await sys.call("agent.create", { name: "ada", traits: "calm", bundles: "of-agent", tools: "Search" });
  await sys.call("project.create", { name: "site", instructions: "The site of the club.", bundles: "of-project" });
  const project = await it.home.stores.kernel.projects.byName(1000, "site");
  const { session, pid } = await it.talked({ agentId: "ada", projectId: project?.id ?? "" });
  const told = () => it.home.model.asked(pid).at(-1)?.system ?? "";
  for (const part of ["Personality traits: calm", "Look twice.\n\nDutch first.", "The site of the club."])
    expect(told()).toContain(part);
  // Its own tools and those of its bundles; the project's bundles do not extend an explicit list.
  expect(
    it.home.model
      .asked(pid)
      .at(-1)
      ?.tools.map(({ name }) => name),
  ).toEqual(["Read", "Search"]);
  await sys.call("persona.set", { name: "ada", traits: "brisk" });
  it.manager.resumeProcess(session, "again");
  await it.until(session, "session_exited", 2);
  expect(told()).toContain("brisk");
  expect(told()).not.toContain("calm");
});
