// What an editor offers besides text: mode, model and effort, slash commands, plans, attachments, and the figures of a session.

import { expect, test } from "bun:test";
import type { Json } from "../../../commands/links/acp/rpc.ts";
import { Editor } from "../../support/acp-editor.ts";

const kinds = ({ updates }: Editor) => updates.map(({ sessionUpdate }) => String(sessionUpdate));
const values = (options: unknown) =>
  Object.fromEntries((options as Json[]).map(({ id, currentValue }) => [id, currentValue]));

test("mode, model and reasoning effort are options of a session, as the process has them", async () => {
  await using it = await Editor.open();
  const { sessionId, configOptions } = await it.opened();
  expect((configOptions as Json[]).map(({ category }) => category)).toEqual(["mode", "model", "thought_level"]);
  expect(values(configOptions)).toEqual({ mode: "ask", model: "default", thinking: "default" });
  const set = (configId: string, value: string) =>
    it.result("session/set_config_option", { sessionId, configId, value });
  await set("model", "anthropic/claude-opus-5");
  await set("mode", "accept-edits");
  const { configOptions: chosen } = await set("thinking", "high");
  expect(values(chosen)).toEqual({ mode: "accept-edits", model: "anthropic/claude-opus-5", thinking: "high" });
  expect(await it.home.sys.call("proc.think", { pid: sessionId })).toMatchObject({ thinking: "high" });
  expect(await it.home.sys.call("proc.model", { pid: sessionId })).toMatchObject({ model: "anthropic/claude-opus-5" });
  expect(values((await set("model", "default")).configOptions)).toMatchObject({ model: "default" });
  for (const [configId, value] of [
    ["colour", "red"],
    ["thinking", "very"],
  ] as const)
    expect(await it.request("session/set_config_option", { sessionId, configId, value })).toMatchObject({
      error: { code: -32602 },
    });
});

test("a mode that a terminal sets shows in the editor", async () => {
  await using it = await Editor.open();
  const { sessionId } = await it.session();
  await it.home.sys.call("proc.mode", { pid: sessionId, mode: "plan" });
  await it.home.until("the option", () => kinds(it).includes("config_option_update"));
  expect(it.updates).toContainEqual({ sessionUpdate: "current_mode_update", currentModeId: "plan" });
  const changed = it.updates.find(({ sessionUpdate }) => sessionUpdate === "config_option_update");
  expect(values(changed?.configOptions)).toMatchObject({ mode: "plan" });
});

test("slash commands are offered; one answers with gsv's own output, and a skill becomes a message that names it", async () => {
  await using it = await Editor.open();
  await it.home.sys.call("fs.write", {
    path: "~/skills.d/release.md",
    content: "---\nname: release\ndescription: How a release is made\n---\nTag it.\n",
  });
  const { sessionId } = await it.session();
  await it.home.until("the commands", () => kinds(it).includes("available_commands_update"));
  const { availableCommands } = it.updates.find(({ sessionUpdate }) => sessionUpdate === "available_commands_update")!;
  const names = (availableCommands as Json[]).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["compact", "undo", "release"]));
  expect(await it.prompt(sessionId, "/undo")).toEqual({ stopReason: "end_turn" });
  expect(it.texts()).toContain("nothing to undo");
  expect(await it.home.messages(sessionId)).toEqual([]);
  it.home.model.will(sessionId, { text: "Tagged." });
  await it.prompt(sessionId, "/release version 2");
  const [first] = await it.home.messages(sessionId);
  expect(String(first?.content)).toMatch(/^Use the skill release \(.*skills\.d\/release\.md\)\.\n\nversion 2$/);
});

test("a plan shows its steps, and its acceptance chooses the mode", async () => {
  await using it = await Editor.open();
  const { sessionId } = await it.session();
  await it.result("session/set_mode", { sessionId, modeId: "plan" });
  it.chooses = () => ({ outcome: { outcome: "selected", optionId: "accept-edits" } });
  const plan = "Two steps:\n1. Read a.txt\n   with care\n2. Change it";
  it.home.model.will(sessionId, { calls: [{ name: "Plan", args: { plan } }] }, { text: "Done." });
  expect(await it.prompt(sessionId, "go")).toEqual({ stopReason: "end_turn" });
  expect(JSON.stringify(it.requests[0]?.toolCall)).toContain("2. Change it");
  const plans = it.updates.filter(({ sessionUpdate }) => sessionUpdate === "plan");
  const steps = plans.map(({ entries }) => (entries as Json[]).map(({ content, status }) => `${content}: ${status}`));
  expect(steps).toEqual(
    ["pending", "in_progress", "completed"].map((status) => [`Read a.txt: ${status}`, `Change it: ${status}`]),
  );
  expect(await it.home.sys.call("proc.mode", { pid: sessionId })).toMatchObject({ mode: "accept-edits" });
});

test("an image and a text of the editor reach the model; the context and its cost are shown", async () => {
  await using it = await Editor.open();
  const { sessionId } = await it.session();
  const opus = { configId: "model", value: "anthropic/claude-opus-5" };
  await it.result("session/set_config_option", { sessionId, ...opus });
  it.home.model.will(sessionId, { text: "A dot." });
  const data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const resource = { uri: "file:///p/with%20space.txt", text: "hello" };
  const prompt = [
    { type: "text", text: "what is this?" },
    { type: "image", mimeType: "image/png", data },
    { type: "resource", resource },
  ];
  expect(await it.result("session/prompt", { sessionId, prompt })).toEqual({ stopReason: "end_turn" });
  const [first] = await it.home.messages(sessionId);
  expect(first).toMatchObject({ role: "user", media: [{ type: "image/png" }] });
  expect(String(first?.content)).toContain("/p/with space.txt:\n```\nhello\n```");
  const usage = it.updates.find(({ sessionUpdate }) => sessionUpdate === "usage_update");
  expect(Number(usage?.used)).toBeGreaterThan(100);
});

test("sessions can act as another agent of the person", async () => {
  await using it = await Editor.open({ as: "reviewer" });
  await it.home.sys.call("agent.create", { name: "reviewer" });
  const { sessionId } = await it.session();
  expect(await it.home.sys.call("proc.get", { pid: sessionId })).toMatchObject({ runAs: "reviewer" });
});
