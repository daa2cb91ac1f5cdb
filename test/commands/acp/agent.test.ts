// gsv in an editor: each frame is checked against the protocol's schema, and the kernel is a real one with a planned model.

import { expect, test } from "bun:test";
import { PROTOCOL_VERSION } from "@agentclientprotocol/sdk";
import { AcpAgent } from "../../../commands/links/acp/agent.ts";
import type { Json } from "../../../commands/links/acp/rpc.ts";
import { Editor } from "../../support/acp-editor.ts";
import { TestKernel } from "../../support/kernel.ts";

const EDIT = { name: "Write", args: { path: "a.txt", content: "hello\n" } };
const TALK = ["user_message_chunk", "agent_message_chunk", "tool_call", "tool_call_update"];
const talk = ({ updates }: Editor) =>
  updates.map(({ sessionUpdate }) => String(sessionUpdate)).filter((kind) => TALK.includes(kind));
const DELETE = { name: "Delete", args: { path: "~/a.txt" } };

test("a session is a process in the editor's directory; its answer, its calls and their results are shown", async () => {
  await using it = await Editor.open();
  expect(await it.result("initialize", { protocolVersion: 1 })).toMatchObject({ protocolVersion: PROTOCOL_VERSION });
  const { sessionId, cwd } = await it.session();
  it.home.model.will(sessionId, { text: "I write it.", calls: [EDIT] }, { text: "Written." });
  expect(await it.prompt(sessionId, "write")).toEqual({ stopReason: "end_turn" });
  expect(it.texts()).toBe("I write it.Written.");
  const [call, result] = it.updates.filter(({ sessionUpdate }) => sessionUpdate === "tool_call_update");
  const path = `${cwd}/a.txt`;
  expect(call).toMatchObject({ title: "Write a.txt", kind: "edit", locations: [{ path }] });
  expect(call?.content).toEqual([{ type: "diff", path, newText: "hello\n" }]);
  // The request that was approved becomes the call.
  const { toolCallId } = it.requests[0]!.toolCall as Json;
  expect(call).toMatchObject({ toolCallId, status: "in_progress" });
  expect(result).toMatchObject({ toolCallId, status: "completed" });
  expect(await it.result("session/list", { cwd })).toMatchObject({ sessions: [{ sessionId, cwd }] });
});

test("a call that needs approval asks the editor; a refusal and a child's request reach the session that it knows", async () => {
  await using it = await Editor.open();
  const { sessionId } = await it.session();
  await it.home.sys.call("fs.write", { path: "~/a.txt", content: "x" });
  it.chooses = () => ({ outcome: { outcome: "selected", optionId: "deny" } });
  it.home.model.will(sessionId, { calls: [DELETE] }, { text: "Then not." });
  expect(await it.prompt(sessionId, "delete")).toEqual({ stopReason: "end_turn" });
  expect(it.requests[0]).toMatchObject({ sessionId, toolCall: { kind: "delete", title: "Delete ~/a.txt" } });
  expect(it.texts()).toBe("Then not.");
  const cardOf = ({ toolCall }: Json) => (toolCall as Json).toolCallId;
  const [refused] = it.requests;
  expect(it.updates.filter((each) => each.toolCallId !== undefined)).toEqual([
    { sessionUpdate: "tool_call_update", toolCallId: cardOf(refused!), status: "failed" },
  ]);
  const child = await it.home.task({ parent: sessionId });
  it.chooses = () => ({ outcome: { outcome: "selected", optionId: "approve" } });
  it.home.model.will(child, { calls: [DELETE] });
  const { runId } = await it.home.send("delete", { pid: child });
  expect(await it.home.ended(runId)).toMatchObject({ status: "ok" });
  expect(it.requests[1]).toMatchObject({ sessionId });
  const ofChild = { toolCallId: cardOf(it.requests[1]!), status: "completed" };
  expect(it.updates).toContainEqual({ sessionUpdate: "tool_call_update", ...ofChild });
});

test("a cancelled prompt ends as cancelled, also while it waits for permission", async () => {
  await using it = await Editor.open();
  const { sessionId } = await it.session();
  it.chooses = () => {
    it.line({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId } });
    return { outcome: { outcome: "cancelled" } };
  };
  it.home.model.will(sessionId, { calls: [DELETE] });
  expect(await it.prompt(sessionId, "delete")).toEqual({ stopReason: "cancelled" });
});

test("a second prompt at the same time is refused; closing, deleting or killing the session ends the first", async () => {
  await using it = await Editor.open();
  it.chooses = () => null;
  for (const end of ["session/close", "session/delete", "kill"]) {
    const { sessionId } = await it.session();
    it.home.model.will(sessionId, { calls: [DELETE] });
    const first = it.prompt(sessionId, "delete");
    const second = { sessionId, prompt: [{ type: "text", text: "too" }] };
    expect(await it.request("session/prompt", second)).toMatchObject({ error: { code: -32600 } });
    await it.home.inState(sessionId, "waiting_hil");
    if (end === "kill") await it.home.sys.call("proc.kill", { pid: sessionId });
    else await it.result(end, { sessionId });
    expect(await first).toEqual({ stopReason: "cancelled" });
  }
});

test("a prompt whose end was missed during a restart of the kernel ends with its text", async () => {
  await using it = await Editor.open();
  const { sessionId } = await it.session();
  it.misses = ["chat.text", "chat.delta", "chat.complete"];
  it.home.model.will(sessionId, { text: "Written." });
  const prompt = it.prompt(sessionId, "write");
  await it.home.until("the answer", async () => (await it.home.messages(sessionId)).length === 2);
  it.resync(sessionId);
  expect(await prompt).toEqual({ stopReason: "end_turn" });
  expect(it.texts()).toBe("Written.");
});

test("a question that a terminal has answered does not take the next prompt", async () => {
  await using it = await Editor.open();
  const { sessionId } = await it.session();
  it.home.model.will(sessionId, { calls: [{ name: "Ask", args: { question: "Which name?" } }] }, { text: "Named." });
  await it.prompt(sessionId, "name it");
  const { waitsFor } = await it.home.inState(sessionId, "waiting_hil");
  const id = waitsFor !== null && "id" in waitsFor ? waitsFor.id : "";
  await it.home.sys.call("hil.answer", { id, decision: "answer", text: "Otto" });
  await it.home.inState(sessionId, "idle");
  it.home.model.will(sessionId, { text: "Next." });
  expect(await it.prompt(sessionId, "next")).toEqual({ stopReason: "end_turn" });
  expect(it.texts()).toEndWith("Next.");
});

test("a question with choices is a choice in the editor; one without is answered by the next prompt", async () => {
  await using it = await Editor.open();
  const { sessionId } = await it.session();
  it.chooses = ({ options }) => ({ outcome: { outcome: "selected", optionId: (options as Json[])[1]?.optionId } });
  const ask = (args: object) => ({ calls: [{ name: "Ask", args }] });
  it.home.model.will(sessionId, ask({ question: "Which one?", choices: ["red", "blue"] }), { text: "Fine." });
  await it.prompt(sessionId, "paint");
  it.home.model.will(sessionId, ask({ question: "Which name?" }), { text: "Named." });
  expect(await it.prompt(sessionId, "name it")).toEqual({ stopReason: "end_turn" });
  expect(it.texts()).toEndWith("Which name?");
  expect(await it.prompt(sessionId, "Otto")).toEqual({ stopReason: "end_turn" });
  expect(it.texts()).toEndWith("Named.");
  const outputs = (await it.home.messages(sessionId)).flatMap((each) =>
    each.role === "toolResult" ? [each.content.output] : [],
  );
  expect(outputs.join("\n")).toContain("blue");
  expect(outputs.join("\n")).toContain("Otto");
});

test("a loaded session shows its whole history first; another editor's session can be resumed without it", async () => {
  await using it = await Editor.open();
  const { sessionId, cwd } = await it.session();
  it.home.model.will(sessionId, { text: "I write it.", calls: [EDIT] }, { text: "Written." });
  await it.prompt(sessionId, "write");
  await it.result("session/close", { sessionId });
  it.updates.length = 0;
  await it.result("session/load", { sessionId, cwd, mcpServers: [] });
  expect(talk(it)).toEqual([...TALK, "agent_message_chunk"]);
  it.updates.length = 0;
  await it.result("session/resume", { sessionId, cwd });
  expect(talk(it)).toEqual([]);
  await it.result("session/set_mode", { sessionId, modeId: "plan" });
  expect(it.updates).toContainEqual({ sessionUpdate: "current_mode_update", currentModeId: "plan" });
  await it.result("session/delete", { sessionId });
  expect(await it.request("session/load", { sessionId, cwd, mcpServers: [] })).toMatchObject({
    error: { code: -32002 },
  });
});

test("a failed run is an error", async () => {
  await using it = await Editor.open();
  const { sessionId } = await it.session();
  const failure = { class: "request", message: "refused", status: 400 } as never;
  it.home.model.will(sessionId, { error: failure });
  const prompt = [{ type: "text", text: "go" }];
  expect(await it.request("session/prompt", { sessionId, prompt })).toMatchObject({ error: { code: -32603 } });
});

test.each([
  ["no JSON", "hello", -32700],
  ["a list", "[]", -32700],
  ["an unknown method", `{"jsonrpc":"2.0","id":7,"method":"__proto__"}`, -32601],
  ["no session", `{"jsonrpc":"2.0","id":7,"method":"session/prompt","params":{}}`, -32602],
  [
    "an unknown session",
    `{"jsonrpc":"2.0","id":7,"method":"session/prompt","params":{"sessionId":"task:none00","prompt":[]}}`,
    -32002,
  ],
  ["a relative directory", `{"jsonrpc":"2.0","id":7,"method":"session/new","params":{"cwd":5}}`, -32602],
])("%s is refused with its code", async (_what, line, code) => {
  const home = await TestKernel.boot();
  const { promise, resolve } = Promise.withResolvers<Json>();
  const upload = () => Promise.reject(new Error("nothing to upload"));
  const agent = new AcpAgent({ sys: home.sys, clock: home.clock, print: resolve, note: () => {}, upload });
  agent.take(line);
  expect(await promise).toMatchObject({ error: { code } });
  agent.close();
  await home[Symbol.asyncDispose]();
});
